"""What a store does not sell, or not then, is neither offered nor ordered."""

from datetime import UTC, datetime
from time import process_time

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import add, brands, offered, play, reasons, voice, why
from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.equivalence import sold_at
from trialrun.runtime.channel_config.menu import OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Accept, Action, ActionError, Add, Finish, Say, SetState
from trialrun.runtime.channel_config.session.cel_state import sent_daypart, state_builder
from trialrun.runtime.channel_config.session.session import Session
from trialrun.values.cel import DEFAULT_SCHEMA

BRAND = """
kind: Brand
name: b
defaults: [upsells, voice]
stores: [{name: s, timeZone: America/Chicago}, {name: t, timeZone: Asia/Tokyo}]
---
kind: Menu
brand: b
dayparts:
  - name: breakfast
    hours: [{days: [SATURDAY, SUNDAY], start: "07:00", end: "11:00"}, {start: "06:00", end: "10:30"}]
  - {name: brunch}
items:
  - {name: Burger, id: I-1, price: 6.10}
  - {name: Fries, id: I-2, price: 2.20, availability: AVAILABILITY}
  - {name: Cookie, id: I-5, price: 0.10}
"""
FRIES = "- {displayName: fries, priority: 1, celUpsell: {conditionExpression: 'true', suggestedMenuItems: [Fries]}}"
LUNCH = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)  # Saturday, 12:30 in Chicago
MORNING = datetime(2026, 11, 21, 13, 30, tzinfo=UTC)  # 07:30 in Chicago


def session(availability: str, upsells: str = FRIES, begin: datetime = LUNCH) -> Session:
    return play(upsells, brand=BRAND.replace("AVAILABILITY", availability), begin=begin)


def order(session: Session, name: str) -> Action:
    return Add(OrderLineItem(session._plan.menu.item(name)))


SOLD = [
    ("{}", LUNCH),
    ("{stores: [s]}", LUNCH),
    ("{stores: [brands/b/stores/s]}", LUNCH),
    ("{exceptStores: [t]}", LUNCH),
    ("{soldOut: false}", LUNCH),
    ("{dayparts: [breakfast]}", MORNING),
    ("{dayparts: [brunch]}", LUNCH),
    ("{dayparts: [breakfast, brunch]}", LUNCH),
    ('{hours: [{days: [SATURDAY], start: "12:30", end: "12:31"}]}', LUNCH),
    ('{hours: [{days: [FRIDAY], start: "22:00", end: "12:31"}]}', LUNCH),
    ('{hours: [{days: [SATURDAY], start: "12:00", end: "02:00"}]}', LUNCH),
    ('{hours: [{start: "20:00", end: "21:00"}, {start: "12:00", end: "14:00"}]}', LUNCH),
    ('{hours: [{start: "25:00"}]}', LUNCH),
    ('{dates: [{start: "2026-11-21", end: "2026-11-21"}]}', LUNCH),
    ('{dates: [{end: "2026-01-01"}, {start: "2026-11-21"}]}', LUNCH),
]
NOT_SOLD = [
    ("{soldOut: true}", LUNCH, "it is sold out"),
    ("{stores: [t]}", LUNCH, "s does not sell it"),
    ("{exceptStores: [s]}", LUNCH, "s does not sell it"),
    ("{dayparts: [breakfast]}", LUNCH, "it is sold at breakfast only, and it is 12:30 on Saturday"),
    ('{hours: [{start: "12:31"}]}', LUNCH, "it is sold from 12:31 to 24:00, and it is 12:30 on Saturday"),
    ("{hours: [{days: [SUNDAY]}]}", LUNCH, "it is sold from 00:00 on Sunday to 24:00, and it is 12:30 on Saturday"),
    (
        '{hours: [{days: [FRIDAY], start: "22:00", end: "12:30"}]}',
        LUNCH,
        "it is sold from 22:00 on Friday to 12:30, and",
    ),
    (
        "{hours: [{days: [SUNDAY, MONDAY], start: '09:00'}]}",
        LUNCH,
        "it is sold from 09:00 on Monday or Sunday to 24:00",
    ),
    ('{dates: [{start: "2026-11-22"}]}', LUNCH, "it is not sold on 2026-11-21"),
    ("{dayparts: [breakfast], stores: [s], soldOut: true}", MORNING, "it is sold out"),
]


@each_of(SOLD)
def test_what_is_sold_is_offered_and_ordered(availability: str, begin: datetime) -> None:
    here = session(availability, begin=begin)
    assert offered(here.turn([add("Burger")])) == ["Fries"]
    here.turn([Accept(None)])
    here.turn([order(here, "Fries")])
    assert [(line.item.name, line.quantity) for line in here.order] == [("Burger", 1), ("Fries", 2)]


@each_of(NOT_SOLD)
def test_what_is_not_sold_is_passed_over_and_refused(availability: str, begin: datetime, reason: str) -> None:
    here = session(availability, begin=begin)
    turn = here.turn([add("Burger")])
    assert (offered(turn), reasons(turn)) == ([], {"fries": ["unavailable"]})
    assert why(turn, "unavailable").startswith(f'"Fries" is not available: {reason}')
    with pytest.raises(ActionError, match=f'"Fries" is not available: {reason}.*; order something else'):
        here.turn([order(here, "Fries")])
    assert [line.item.name for line in here.order] == ["Burger"]


def test_the_daypart_of_the_client_decides() -> None:
    here = session("{dayparts: [breakfast]}", begin=MORNING)
    assert offered(here.fork().turn([add("Burger")])) == ["Fries"]
    turn = here.turn([SetState(("session", "daypartId"), "lunch"), add("Burger")])
    assert why(turn, "unavailable") == '"Fries" is not available: it is sold at breakfast only, and it is lunch'
    turn = here.turn([SetState(("session", "daypartId"), "breakfast"), add("Burger")])
    assert offered(turn) == ["Fries"]


def test_of_several_items_those_that_are_sold_are_offered() -> None:
    here = session("{soldOut: true}", FRIES.replace("[Fries]", "[Fries, Cookie]"))
    assert [offer.items for offer in here.turn([add("Burger")]).offers] == [("Cookie",)]


def test_another_upsell_takes_the_place_of_one_that_is_not_sold() -> None:
    other = FRIES.replace("fries", "cookie").replace("Fries", "Cookie").replace("priority: 1", "priority: 2")
    assert offered(session("{soldOut: true}", f"{FRIES}\n{other}").turn([add("Burger")])) == ["Cookie"]


@pytest.mark.parametrize("kind", ["greetingOffer: {messages: [", "closingOffer: {closingMessages: [{offerMessage: "])
def test_messages_of_what_is_not_sold_are_passed_over(kind: str) -> None:
    end = "]}" if kind.startswith("greeting") else "}]}"
    message = "{upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]}"
    here = session("{soldOut: true}", f"- {{displayName: fries, priority: 1, {kind}{message}{end}}}")
    turn = here.welcome() if kind.startswith("greeting") else here.turn([add("Burger"), Finish()])
    assert "unavailable" in reasons(turn)["fries"]


def test_what_customers_call_by_a_term_is_refused_too() -> None:
    mapping = "{type: SINGLE_TARGET, customerTerms: [chips], targets: [{itemName: Fries}]}"
    text = voice(f"disambiguationStrategy: {{mappings: [{mapping}]}}")
    here = play(FRIES, text, brand=BRAND.replace("AVAILABILITY", "{soldOut: true}"), begin=LUNCH)
    with pytest.raises(ActionError, match='"Fries" is not available: it is sold out'):
        here.turn([Say("chips")])


def test_an_item_of_several_menus_is_sold_where_one_of_them_sells_it() -> None:
    other = "---\nkind: Menu\nbrand: b\navailability: {stores: [s]}\nitems: [{name: Fries, id: I-2, price: 3}]\n"
    catalog = brands(BRAND.replace("AVAILABILITY", "{stores: [t]}") + other)
    prices = {}
    for store in catalog.stores:
        menu = brand_menu(store.brand, catalog, store.store)
        fries = menu.item("Fries")
        prices[store.name] = fries.price
        assert menu.why_unavailable(fries, Moment(store.name, LUNCH)) is None
        assert [item.name for item in menu.items].count("Fries") == 1
    assert prices == {"s": 3.0, "t": 2.2}


@pytest.mark.parametrize("others", ["", "  - {name: Soup, availability: {dayparts: [brunch]}}\n"])
def test_an_item_sold_everywhere_has_the_price_of_the_entry_of_its_store(others: str) -> None:
    entries = "  - {name: Tea, id: I-2, price: 3, availability: {stores: [s]}}\n  - {name: Tea, id: I-2, price: 2}\n"
    catalog = brands(BRAND.split("---")[0], f"kind: Menu\nbrand: b\nitems:\n{entries}{others}")
    menus = [brand_menu(store.brand, catalog, store.store) for store in catalog.stores]
    assert [menu.item("Tea").price for menu in menus] == [3.0, 2.0]
    assert len({sold_at(store, catalog) for store in catalog.stores}) == 2
    assert {menu.depends_on_time for menu in menus} == {False}


def test_an_id_is_not_the_name_of_another_item() -> None:
    other = "---\nkind: Menu\nbrand: b\nitems: [{name: Chips, id: Fries}]\n"
    brand = BRAND.replace("id: I-2, ", "").replace("AVAILABILITY", "{soldOut: true}") + other
    assert reasons(play(FRIES, brand=brand, begin=LUNCH).turn([add("Burger")])) == {"fries": ["unavailable"]}


@pytest.mark.parametrize("field", ["upsoldItemIds: [X-1]", "upsoldItems: [crinkle_cut]"])
def test_an_item_of_another_store_that_shares_its_name_is_not_offered_by_its_id(field: str) -> None:
    elsewhere = "- {name: Fries, semanticName: crinkle_cut, id: X-1, availability: {stores: [t]}}"
    brand = BRAND.replace("AVAILABILITY", "{stores: [s]}") + f"  {elsewhere}\n"
    message = f"{{{field}, messageConfigs: [{{languageCode: en, messageText: Fries?}}]}}"
    here = play(f"- {{displayName: fries, priority: 1, greetingOffer: {{messages: [{message}]}}}}", brand=brand)
    assert why(here.welcome(), "unavailable") == '"Fries" is not available: s does not sell it'
    with pytest.raises(ActionError, match='"Fries" is not available: s does not sell it; order something else'):
        here.turn([order(here, "X-1")])
    here.turn([order(here, "Fries")])
    assert [line.item.id for line in here.order] == ["I-2"]


def test_a_daypart_that_the_client_takes_back_does_not_decide() -> None:
    builder = state_builder(DEFAULT_SCHEMA)
    earlier, later = (("session",), {builder: {"daypartId": "lunch"}}), (("session", "daypartId"), {builder: None})
    assert (sent_daypart((earlier,)), sent_daypart((earlier, later))) == ("lunch", "")


def test_a_large_menu_with_long_lists_of_stores_takes_little_time_and_memory() -> None:
    stores = ", ".join(f"s{number}" for number in range(3000))
    items = "".join(
        f"  - {{name: Tea, price: {number}, availability: {{dayparts: [brunch]}}}}\n" for number in range(3000)
    )
    menu = f"kind: Menu\navailability: {{exceptStores: [{stores}]}}\nitems:\n{items}"
    catalog = brands(BRAND.replace("AVAILABILITY", "{}"), menu)
    store = catalog.store("s")
    begin = process_time()
    menus = [brand_menu(store.brand, catalog, store.store) for _ in range(2)]
    assert not any(menu.depends_on_time for menu in menus)
    tea = menus[0].item("Tea")
    assert all(menus[0].why_unavailable(tea, Moment("s7", LUNCH)) for _ in range(10))
    assert process_time() - begin < 5
