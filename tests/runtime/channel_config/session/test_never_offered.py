"""What a rule calls never is never offered, whatever the hour, the menu, the language and the customer."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from textwrap import indent
from typing import Any, get_args

import pytest
import yaml

from tests.cases import each_of, number_of_cases
from tests.runtime.channel_config.brands import brands
from trialrun.lint import workspace_rules
from trialrun.lint.engine import Linter
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Accept, Action, ActionError, Add, Decline, Finish
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import Offer, SkipReasonCode
from trialrun.runtime.options import Options
from trialrun.values.cel import DEFAULT_SCHEMA

WORLDS, SESSIONS = 160, 40
MORE_WORLDS, MORE_SESSIONS = 12, 2_000
BEGIN = datetime(2026, 11, 2, tzinfo=UTC)
PARENT = "projects/p/locations/l/brands/b"
NAMES = ("Burger", "Fries", "Shake", "Pie")
DAYPARTS = ("breakfast", "lunch")
LANGUAGES = ("en-US", "es", "fr")
CONDITIONS = (
    *["true"] * 6,
    "order.items.size() >= 0",
    "order.items.exists(i, i.displayName == 'Burger')",
    "session.languageCode == 'es'",
    "session.languageCode == 'en-us'",
    "session.upsellDeclines > session.upsellOffers",
    "session.upsellOffers > 0",
    "order.items.exists(i, i.quantity > 2 && i.quantity < 4)",
    "order.items.exists(i, i.quantity > 3 && i.quantity < 4)",
    "order.items.exists(i, i.displayName == 'Burger' && i.basePrice > 9.0)",
    "order.items.filter(i, i.displayName == 'Burger').size() == 2",
    "order.items.filter(i, i.displayName == 'Pie').size() == 2",
    "session.daypartId == 'lunch' && session.turn > 1",
    "order.metadata['x'] == 'a'",
)
RULES_OF_CONFIGS = frozenset(
    {"cel-constant", "frequency-never-used", "unknown-menu-item", "unreachable-upsell", "upsells-never-offered"}
)
RULES_AT_STORES = frozenset({"message-unused-at-store", "unavailable-menu-item", "upsell-unreachable-at-store"})


MENU = """
kind: Menu
items:
  - {name: Burger}
  - {name: Fries}
  - {name: Pie}
  - {name: Shake, availability: {hours: [{start: "06:00", end: "07:00"}]}}
"""
GREETING = """
  - displayName: first
    priority: 1
    greetingOffer: {messages: [{upsoldItems: [%s], messageConfigs: [{languageCode: %s, messageText: Some}]%s}]}"""
CLOSING = """
  - displayName: %s
    priority: %s
    closingOffer:
      closingMessages:
        - skipTerms: [%s]
          offerMessage: {upsoldItems: [Pie], messageConfigs: [{languageCode: en, messageText: Some}]}"""


def first(condition: str = "'true'", *, item: str = "Pie", priority: int = 0, field: str = "disabled: false") -> str:
    cel = f"{{conditionExpression: {condition}, suggestedMenuItems: [{item}], priority: {priority}}}"
    return f"\n  - {{displayName: first, priority: 1, {field}, celUpsell: {cel}}}"


SECOND = first().replace("first, priority: 1", "second, priority: 2").replace("Pie", "Fries")
BURGER = "\"order.items.exists(i, i.displayName == 'Burger')"
SKIPPED: list[tuple[SkipReasonCode, int, str]] = [
    ("disabled", 1, first(field="disabled: true") + SECOND),
    ("condition-false", 1, first("order.subtotal > 99.0") + SECOND),
    ("condition-error", 1, first("'order.items[7].quantity > 1'") + SECOND),
    ("less-favored", 1, first() + SECOND.replace("priority: 0", "priority: 1")),
    ("multi-quantity", 1, first(f'{BURGER} || true"', field="skipOnMultiQuantityUpsoldFromItem: true") + SECOND),
    ("unavailable", 1, first(item="Shake") + SECOND),
    ("frequency", 1, GREETING % ("Pie", "en", ", messageFrequency: 0.01") + SECOND),
    ("no-language", 1, GREETING % ("Pie", "fr", "") + SECOND),
    (
        "previous-turn",
        2,
        (GREETING % ("Pie", "en", ", messageFrequency: 0.99")).replace("first", "greeting")
        + first(field="skipOnPreviousTurnUpsell: true")
        + SECOND,
    ),
    ("skip-term", 1, CLOSING % ("first", 1, "burger") + CLOSING % ("second", 2, "pizza")),
    ("unavailable", 1, GREETING % ("Shake", "en", "") + SECOND),
]
"""What is skipped, by each reason of a skip that the static analysis has a term for, and what is offered then."""
OF_BOTH: dict[SkipReasonCode, str] = {
    "listen-only": "the agent offers nothing at all",
    "offered-before": "its offer was made, and counts",
    "max-offers": "no offer behind it is made either, only suggestions, of which nothing is certain",
    "max-declines": "the same",
    "max-items": "the same",
}
"""By each other reason why nothing is offered because of it that would not be offered otherwise."""


def test_each_reason_of_a_skip_is_thought_of() -> None:
    skipped = {code for code, *_ in SKIPPED}
    assert skipped | {*OF_BOTH} == {*get_args(SkipReasonCode)}
    assert skipped.isdisjoint(OF_BOTH)


@each_of(SKIPPED)
def test_what_is_behind_an_upsell_that_may_be_skipped_is_not_called_never(
    code: SkipReasonCode, limit: int, upsells: str
) -> None:
    head = f"kind: ChannelConfig\nname: {PARENT}/channelConfigs/c\ntype: UPSELL_STRATEGY\noperationsConfig:\n"
    strategy = f"  defaultLanguageCode: en\n  upsellStrategy:\n    maxUpsellOffers: {limit}\n    upsells:"
    brand = f"kind: Brand\nname: {PARENT}\ndefaults: [{PARENT}/channelConfigs/c]\nstores: [{{name: s}}]"
    files = {"config.yaml": head + strategy + indent(upsells, "  "), "menu.yaml": MENU, "brand.yaml": brand}
    options = Options(message_draw="offer")
    catalog = brands(**files)
    store = catalog.store("s")
    active, items = resolve_active_config(store, catalog, options), brand_menu(store.brand, catalog, store.store)
    search = Search(active, items, lambda path: DEFAULT_SCHEMA, begin=BEGIN)
    second = next(each for each in search.upsells if each.displayName == "second")
    assert search.why_never(second) is None
    assert "second" not in never_by_rules(files, options, is_alone=True)
    session = Session(active, items, types=lambda path: DEFAULT_SCHEMA, seed=1, begin=BEGIN)
    turns = [session.welcome(), session.turn([Add(OrderLineItem(items.item("Burger"), 2))]), session.turn([Finish()])]
    skips = [skip for turn in turns for skip in turn.skipped if skip.upsell.displayName == "first"]
    assert any(reason.code == code for skip in skips for reason in skip.reasons)
    assert any(offer.upsell is second for turn in turns for offer in turn.offers)


def maybe(random: Random, share: float, **fields: Any) -> dict[str, Any]:
    return fields if random.random() < share else {}


def availability(random: Random) -> dict[str, Any]:
    return random.choice(
        [
            {"soldOut": random.random() < 0.7},
            {"hours": [{"start": "06:00", "end": random.choice(["10:30", "24:00", "02:00"])}]},
            {"dayparts": [random.choice(DAYPARTS)]},
            {"dates": [{"start": "2026-11-05"}]},
            {random.choice(["stores", "exceptStores"]): [random.choice("st")]},
            {},
        ]
    )


def menu(random: Random) -> dict[str, Any]:
    items = [
        {"name": name, "id": name[0], "price": 2.5, **maybe(random, 0.3, availability=availability(random))}
        | maybe(random, 0.8, modifierGroups=random.choice([[], ["Extras"]]))
        for name in NAMES
    ]
    hours = [{"name": "lunch", "hours": [{"start": "11:00", "end": "14:00"}]}, {"name": "breakfast"}]
    groups = [{"name": "Extras", "modifiers": [{"name": "Cheese"}, {"name": "Bacon"}]}]
    fields = maybe(random, 0.1, availability=availability(random)) | maybe(random, 0.5, dayparts=hours)
    return {"kind": "Menu", "items": items, "modifierGroups": groups, **fields}


def message(random: Random, name: str) -> dict[str, Any]:
    texts = [{"languageCode": tag, "messageText": "Some?"} for tag in random.sample(LANGUAGES, random.choice([1, 2]))]
    items = random.choice([{"upsoldItems": [random.choice(NAMES)]}, {"upsoldItemIds": [random.choice(NAMES)[0]]}])
    frequency = maybe(random, 0.3, messageFrequency=random.choice([0.0, 0.5, 1.0]))
    return {"displayName": name, **items, "messageConfigs": texts, **frequency}


def upsell(random: Random, number: int) -> dict[str, Any]:
    name = f"upsell {number}"
    messages = [message(random, f"message {number}{letter}") for letter in "ab"[: random.choice([1, 1, 2])]]
    skips = [maybe(random, 0.5, skipTerms=[random.choice(["bur", "Pie"])]) for _ in messages]
    closing = [{"offerMessage": each, **skip} for each, skip in zip(messages, skips, strict=True)]
    cel = {"conditionExpression": random.choice(CONDITIONS)} | maybe(
        random, 0.9, suggestedMenuItems=random.sample(NAMES, random.choice([1, 1, 2]))
    )
    cel |= maybe(random, 0.2, suggestionOnly=True) | maybe(random, 0.3, priority=random.choice([1, 2]))
    kinds = [{"celUpsell": cel}] * 3 + [{"greetingOffer": {"messages": messages}}]
    kind = random.choice([*kinds, {"closingOffer": {"closingMessages": closing}}])
    fields = maybe(random, 0.1, disabled=True) | maybe(random, 0.15, skipOnPreviousTurnUpsell=True)
    fields |= maybe(random, 0.15, skipOnMultiQuantityUpsoldFromItem=True)
    return {"displayName": name, "priority": number, **kind, **fields}


def config(random: Random, name: str, upsells: list[dict[str, Any]]) -> dict[str, Any]:
    limits = maybe(random, 0.8, maxUpsellOffers=random.choice([0, 1, 1, 1, 2, 2, 3]))
    limits |= maybe(random, 0.2, maxUpsellDeclines=random.choice([0, 1, 2]))
    limits |= maybe(random, 0.2, maxItemsInCart=random.choice([0, 1, 3]))
    operations = maybe(random, 0.8, defaultLanguageCode=random.choice([*LANGUAGES, "en-us"]))
    operations |= maybe(random, 0.03, interactionMode="LISTEN_ONLY")
    strategy = {"upsellStrategy": limits | ({"upsells": upsells} if upsells else {})}
    head = {"kind": "ChannelConfig", "name": f"{PARENT}/channelConfigs/{name}", "type": "UPSELL_STRATEGY"}
    return {**head, "operationsConfig": operations | strategy}


def world(random: Random) -> list[dict[str, Any]]:
    """A brand with a store that two configs apply to, of which the second may override upsells, and a menu."""
    upsells = [upsell(random, number) for number in range(1, random.randint(3, 5))]
    random.shuffle(upsells)
    documents = [config(random, "everyday", upsells), *(menu(random) for _ in range(random.choice([0, 1, 1, 1])))]
    store: dict[str, Any] = {"name": "s", "timeZone": "America/Chicago"}
    if random.random() < 0.3:
        over = [upsell(random, random.randint(1, 5)) for _ in range(random.choice([0, 1]))]
        documents.append(config(random, "store", over))
        store["defaults"] = [f"{PARENT}/channelConfigs/store"]
    defaults = [f"{PARENT}/channelConfigs/everyday"]
    return [{"kind": "Brand", "name": PARENT, "defaults": defaults, "stores": [store]}, *documents]


def never_by_rules(files: dict[str, str], options: Options, *, is_alone: bool) -> dict[str, str]:
    """The upsells and messages, by name, of which a rule says that they are never offered, and the items of upsells.

    What rules say of a config, they say of it alone: another one may override an upsell, or a limit.
    """
    settings = {"message-draw": options.message_draw, "list-merge": options.list_merge}
    selection = Selection(RULES_AT_STORES | (RULES_OF_CONFIGS if is_alone else frozenset()), {}, settings)
    linter = Linter(selection, now=BEGIN, session_types=lambda: session_types(()))
    results = {path: linter.lint(text.encode(), path) for path, text in files.items()}
    facts = [fact for result in results.values() for fact in result.facts]
    locations = FactLocations(lambda path: files[path].encode())
    found = [each for result in results.values() for each in result.diagnostics]
    found += workspace_rules.run_workspace_rules(facts, selection, locations)
    assert not [each for each in found if each.rule == "internal-error"], found
    return {name: f"{each.rule}: {each.message}" for each in found for name in _never(each, files[each.path])}


def _never(finding: Any, text: str) -> Iterator[str]:
    of_upsell = re.search(r"/upsells/(\d+)", finding.pointer)
    strategy = (yaml.safe_load(text).get("operationsConfig") or {}).get("upsellStrategy")
    upsells = (strategy or {}).get("upsells", [])
    here = upsells[int(of_upsell[1])]["displayName"] if of_upsell else ""
    match finding.rule:
        case "unreachable-upsell":
            yield here
        case "cel-constant" if "always true" not in finding.message:
            yield here
        case "unavailable-menu-item":
            item = finding.message.split('"')[1]
            yield f"{here}: {item}"
        case "upsells-never-offered" if "maxUpsell" in finding.message:
            yield from (each["displayName"] for each in upsells if not each.get("celUpsell", {}).get("suggestionOnly"))
        case "frequency-never-used" | "message-unused-at-store":
            yield from re.findall(r'"(message \w+)"', finding.message.partition("never used")[0])
        case "upsell-unreachable-at-store":
            yield from re.findall(r'"(upsell \d+)"', finding.message.partition(" never attempted")[0])


def customer(random: Random, session: Session, items: BrandMenu) -> list[Action]:
    """What a customer does in a turn."""
    item = random.choice(items.items or tuple(items.item(name) for name in NAMES))
    modifiers = random.sample(item.modifiers, random.randint(0, len(item.modifiers)))
    ordering = Add(OrderLineItem(item, random.choice([1, 1, 2, 3]), tuple(modifiers)))
    return random.choice([[ordering], [ordering, Add(OrderLineItem(item))], [Accept()], [Decline()], [], [Finish()]])


def offers_made(random: Random, store: Any, catalog: Any, options: Options, sessions: int) -> Iterator[Offer]:
    active = resolve_active_config(store, catalog, options)
    items = brand_menu(store.brand, catalog, store.store)
    for seed in range(sessions):
        begin = BEGIN + timedelta(minutes=random.randrange(60 * 24 * 7))
        state = {"session": {"daypartId": random.choice(DAYPARTS)}} if random.random() < 0.4 else {}
        language = random.choice([None, *LANGUAGES, "de"])
        types = {"types": lambda path: DEFAULT_SCHEMA, "seed": seed, "begin": begin}
        session = Session(active, items, language=language, state=state, **types)
        yield from session.welcome().offers
        for _ in range(5):
            try:
                yield from session.turn(customer(random, session, items)).offers
            except ActionError:  # nothing is offered, or the item is not available
                yield from session.turn([]).offers


def check_world(seed: int, sessions: int) -> bool:
    random = Random(seed)
    files = {f"{number}.yaml": yaml.safe_dump(each, sort_keys=False) for number, each in enumerate(world(random))}
    draw, merge = random.choice(["type", "offer"]), random.choice(["replace", "append"])
    options = Options(message_draw=draw, list_merge=merge)
    catalog = brands(**files)
    store = catalog.store("s")
    active, items = resolve_active_config(store, catalog, options), brand_menu(store.brand, catalog, store.store)
    search = Search(active, items, lambda path: DEFAULT_SCHEMA, begin=BEGIN)
    never = never_by_rules(files, options, is_alone=len(catalog.configs) == 1)
    never |= {f"{each.displayName}": f"explore: {why}" for each in search.upsells if (why := search.why_never(each))}
    if never:
        for offer in offers_made(random, store, catalog, options, sessions):
            names = {
                offer.upsell.displayName,
                offer.message,
                *(f"{offer.upsell.displayName}: {i}" for i in offer.items),
            }
            assert not (wrong := names & never.keys()), "\n---\n".join(
                [f"{seed} {options}", *(f"{name}: {never[name]}" for name in wrong), *files.values()]
            )
    return bool(never)


@pytest.mark.generated
def test_what_is_called_never_is_never_offered() -> None:
    worlds = number_of_cases(WORLDS)
    assert sum(check_world(seed, SESSIONS) for seed in range(worlds)) > worlds // 3


@pytest.mark.exhaustive
def test_what_is_called_never_is_never_offered_in_many_sessions() -> None:
    seeds = range(WORLDS, WORLDS + MORE_WORLDS)
    assert sum(check_world(seed, MORE_SESSIONS) for seed in seeds) > MORE_WORLDS // 3
