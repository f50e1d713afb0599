"""A session from the welcome to the end, and what each move of a customer does in it, or why it cannot be made."""

import re
from pathlib import Path
from typing import get_args

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import BRAND, add, brands, lines, offered, ordered, play, upsells, voice
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import Item, Modifier, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    ActionError,
    Add,
    Decline,
    Finish,
    Remove,
    Say,
    SetQuantity,
    Speak,
)
from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.runtime.channel_config.session.plan import MAX_PLANS, session_plan
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import SkipReasonCode
from trialrun.values.cel import DEFAULT_SCHEMA, Schema

UPSELLS = upsells(
    """
    - displayName: Hello
      priority: 9
      greetingOffer:
        messages: [{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: A cookie today?}]}]
    - displayName: Side
      priority: 1
      celUpsell: {conditionExpression: "order.items.exists(i, i.displayName == 'Burger')", suggestedMenuItems: [Fries]}
    - displayName: Sweet
      priority: 2
      closingOffer:
        closingMessages:
          - offerMessage: {upsoldItemIds: [I-3], messageConfigs: [{languageCode: en, messageText: A shake?}]}
    """
)
VOICE = voice(
    """
    defaultLanguageCode: en
    greetings: [{languageCode: en, greetingPhrases: [Welcome!]}]
    """
)


def test_a_session_greets_and_makes_its_greeting_offer_at_turn_0() -> None:
    turn = play(UPSELLS, VOICE).welcome()
    assert (turn.number, turn.language) == (0, "en")
    assert [(utterance.kind, utterance.text) for utterance in turn.utterances] == [
        ("greeting", "Welcome!"),
        ("greeting-offer", "A cookie today?"),
    ]
    assert offered(turn) == ["Cookie"]


def test_the_default_language_is_canonical_for_conditions() -> None:
    session = play(voice("defaultLanguageCode: en-us"))
    assert (session.language, session.state["session"]["languageCode"]) == ("en-US", "en-US")
    assert play(voice("defaultLanguageCode: nonsense!")).language == ""


def types(path: str) -> Schema:
    return DEFAULT_SCHEMA


def test_sessions_of_a_store_share_a_plan_and_a_few_are_kept() -> None:
    catalog = brands(BRAND, upsells("- {priority: 1}"), voice("defaultLanguageCode: en"))
    store = catalog.store("s")
    active, menu = resolve_active_config(store, catalog), brand_menu(store.brand, catalog)
    plan = session_plan(active, menu, types)
    assert session_plan(active, menu, types) is plan
    assert session_plan(resolve_active_config(store, catalog), menu, types) is not plan
    for _ in range(MAX_PLANS):
        session_plan(active, menu, lambda path: DEFAULT_SCHEMA)
    assert len(active.session_plans) == MAX_PLANS
    assert session_plan(active, menu, types) is not plan


ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")


def test_every_reason_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", PAGE.partition("### Why")[2].partition("### The state")[0], re.MULTILINE)
    assert sorted(rows) == sorted(get_args(SkipReasonCode))


def test_every_field_that_the_session_keeps_is_told() -> None:
    told = PAGE.partition("### The state")[2]
    assert {field for session_field in SESSION_FIELDS.values() for field in session_field} <= set(
        re.findall(r"\w+", told)
    )


def test_every_row_of_the_assumptions_that_is_cited_is_there() -> None:
    cited = set(re.findall(r"\((session-[a-z-]+)\)", PAGE))
    rows = set(re.findall(r"^\| (session-[a-z-]+) \|", (ROOT / "docs/assumptions.md").read_text("utf-8"), re.MULTILINE))
    assert cited <= rows
    assert len(cited) > 10


OFFER = """
- displayName: side
  priority: 1
  celUpsell:
    conditionExpression: "order.items.exists(i, i.displayName == 'Burger')"
    suggestedMenuItems: [Fries, Cookie]
    suggestedModifierGroups: [{name: Size}]
- displayName: cheese
  priority: 2
  celUpsell:
    conditionExpression: "order.items.exists(i, i.displayName == 'Burger')"
    suggestedMenuItems: [Burger]
    suggestedModifiers: [Cheese, Bacon]
    suggestionOnly: true
"""


def offering(text: str = OFFER, quantity: int = 1) -> Session:
    """A session of upsells in which burgers were ordered."""
    session = play(text)
    session.turn([add("Burger", quantity)])
    return session


def refusal(session: Session, *actions: Action) -> str:
    """Why a turn cannot be made."""
    with pytest.raises(ActionError) as refused:
        session.turn(actions)
    return str(refused.value)


def modifier(name: str, item: str = "Burger") -> Modifier:
    """A modifier of an item of the menu."""
    return ordered(item, 1, name).modifiers[0]


TWO_LINES = [add("Burger", 2), add("Burger", 2, "Cheese")]


@each_of(
    {
        "equal-items-are-one-line": (
            [add("Burger"), add("Burger", 2, "Cheese"), add("Fries"), add("Burger", 3)],
            [("Burger", 4), ("Burger", 2), ("Fries", 1)],
        ),
        "modifiers-in-any-order": (
            [add("Burger", 1, "Cheese", "Bacon"), add("Burger", 1, "Bacon", "Cheese")],
            [("Burger", 2)],
        ),
        "the-last-line-is-removed-first": ([*TWO_LINES, Remove("Burger", 3)], [("Burger", 1)]),
        "all-lines-are-removed-by-id": ([*TWO_LINES, add("Fries"), Remove("I-1")], [("Fries", 1)]),
        "a-larger-quantity": ([*TWO_LINES, SetQuantity("Burger", 7)], [("Burger", 2), ("Burger", 5)]),
        "a-smaller-quantity": ([*TWO_LINES, SetQuantity("Burger", 1)], [("Burger", 1)]),
        "a-quantity-of-0": ([*TWO_LINES, SetQuantity("Burger", 0)], []),
    }
)
def test_moves_make_lines(actions: list[Action], expected: list[tuple[str, int]]) -> None:
    assert lines(play("[]").turn(actions)) == expected


def test_of_what_is_ordered_in_a_row_the_move_that_orders_too_much_is_told() -> None:
    session, burgers, fries = play("[]"), add("Burger", 600_000), add("Fries")
    with pytest.raises(ActionError) as refused:
        session.turn([burgers, fries, again := add("Burger", 600_000), fries])
    assert refused.value.action is again
    assert session.order == ()


def test_tens_of_thousands_of_items_are_ordered_as_soon_as_a_few() -> None:
    turn = play("[]").turn([Add(OrderLineItem(Item(f"Cookie {number % 20_000}", "", 1.0))) for number in range(40_000)])
    assert len(turn.order) == 20_000
    assert {item.quantity for item in turn.order} == {2}


@each_of(
    [
        (Remove("Shake"), '"Shake" is not in the order; the order has "Fries", "Burger"'),
        (Remove("burger"), '"burger" is not in the order; did you mean "Burger"?'),
        (Remove("Fries", 9), 'the order has 2 of "Fries", not 9; remove 2 or fewer'),
        (Remove("Fries", 0), "a quantity must be an integer of 1 or more, not 0"),
        (SetQuantity("Fries", -1), "a quantity must be an integer of 0 or more, not -1"),
        (SetQuantity("Cookie", 1), '"Cookie" is not in the order; the order has "Fries", "Burger"'),
        (SetQuantity("Fries", 10**30), "a line has at most 1000000 of an item; order fewer"),
        (Add(OrderLineItem(ordered("Fries").item, 0)), "a quantity must be an integer of 1 or more, not 0"),
        (Accept("Burgr"), '"Burgr" is not offered; did you mean "Burger"?'),
        (Accept("Tea"), '"Tea" is not offered; the session offers "Fries", "Cookie" or "Burger"'),
        (Speak("english"), '"english" is not a registered language; did you mean "en"?'),
        (Speak(""), '"" is not a language tag: empty language tag; write a code such as en or pt-BR'),
    ]
)
def test_a_move_that_cannot_be_made_says_why_and_what_to_do(action: Action, message: str) -> None:
    session = play(OFFER)
    session.turn([add("Fries", 2), add("Burger")])
    assert refusal(session, action) == message


def test_a_turn_of_which_one_move_cannot_be_made_is_not_made_at_all() -> None:
    session = offering()
    before = session.state
    refusal(session, add("Fries"), Accept(), Speak("fr"), Remove("Tea"))
    assert (session.state, session.number, session.open_offers[0].items) == (before, 1, ("Fries", "Cookie"))


@each_of(
    {
        "the-first-item": ([Accept()], [("Burger", 1), ("Fries", 1)]),
        "another-by-id": ([Accept("I-5")], [("Burger", 1), ("Cookie", 1)]),
        "a-suggestion-beside-the-offer": ([Accept("Burger"), Accept()], [("Burger", 2), ("Fries", 1)]),
    }
)
def test_an_offer_is_accepted(actions: list[Action], expected: list[tuple[str, int]]) -> None:
    assert lines(offering().turn(actions)) == expected


def test_an_offer_is_accepted_with_modifiers() -> None:
    turn = offering().turn([Accept("Fries", (modifier("Large", "Fries"),))])
    assert turn.order[1] == ordered("Fries", 1, "Large")


def test_an_offer_is_not_accepted_with_modifiers_that_the_item_does_not_take() -> None:
    assert '"Fries" does not take "Cheese"' in refusal(offering(), Accept(None, (modifier("Cheese"),)))


def test_modifiers_that_were_suggested_for_an_item_in_the_order_come_onto_it() -> None:
    turn = offering(quantity=2).turn([Accept("Burger", (modifier("Cheese"),))])
    assert turn.order == (ordered("Burger", 2, "Cheese"),)


def test_other_modifiers_than_were_suggested_make_a_line_of_their_own() -> None:
    turn = offering(OFFER.replace("[Cheese, Bacon]", "[Cheese]")).turn([Accept("Burger", (modifier("Bacon"),))])
    assert turn.order == (ordered("Burger"), ordered("Burger", 1, "Bacon"))


def test_an_offer_is_accepted_once() -> None:
    session = offering(OFFER.partition("- displayName: cheese")[0])
    session.turn([Accept()])
    answered = "nothing is offered now, since the last offer is answered"
    assert refusal(session, Accept()) == f"{answered}; add what the customer wants"
    assert refusal(session, Decline()) == f"{answered}; remove the decline"


def test_there_is_nothing_to_decline_before_an_offer() -> None:
    assert refusal(play(OFFER), Decline()) == "nothing is offered yet; remove the decline"


@pytest.mark.parametrize("item", [None, "Tea"])
def test_an_offer_that_names_no_item_cannot_be_accepted(item: str | None) -> None:
    session = play("- {priority: 1, celUpsell: {conditionExpression: 'true'}}")
    session.turn([])
    assert refusal(session, Accept(item)) == "the offer names no item; add the item that the customer takes"


def test_after_the_order_is_complete_only_answers_are_taken() -> None:
    session = offering()
    session.turn([Finish()])
    complete = "the order is complete; accept or decline the last offer, or start a new session"
    assert [refusal(session, action) for action in (add("Fries"), Say("fries"), Finish())] == [complete] * 3
    assert lines(session.turn([Accept()])) == [("Burger", 1), ("Fries", 1)]


def test_a_language_is_kept_in_its_canonical_form() -> None:
    session = play("[]", language="EN-us")
    assert session.turn([]).language == "en-US"
    assert session.turn([Speak("iw")]).language == "he"


HEARS = voice(
    """
    disambiguationStrategy:
      mappings:
        - {type: SINGLE_TARGET, customerTerms: [the usual], targets: [{itemName: Burger}, {itemName: Fries}]}
        - type: DISAMBIGUATION
          customerTerms: [shake]
          targets: [{itemName: Vanilla Shake}, {itemName: Chocolate Shake}]
        - {type: INVALID_ITEM, customerTerms: [nuggets], targets: [{itemName: Cookie}]}
    """
)


def test_a_question_waits_until_it_is_answered() -> None:
    session = play("[]", HEARS)
    turn = session.turn([Say("a shake")])
    assert ([utterance.kind for utterance in turn.utterances], lines(turn)) == (["question"], [])
    session.turn([add("Fries")])
    assert [question.term for question in session.questions] == ["shake"]
    assert lines(session.turn([Say("chocolate")])) == [("Fries", 1), ("Chocolate Shake", 1)]
    assert session.questions == ()


def test_no_question_waits_once_the_order_is_complete() -> None:
    session = play("[]", HEARS)
    session.turn([Say("a shake"), Finish()])
    assert session.questions == ()


def test_ordering_a_target_answers_a_question() -> None:
    session = play("[]", HEARS)
    session.turn([Say("a shake")])
    session.turn([add("Vanilla Shake")])
    assert session.questions == ()
    assert lines(session.turn([Say("chocolate")])) == [("Vanilla Shake", 1)]


def test_an_invalid_item_is_refused_and_nothing_is_ordered() -> None:
    turn = play("[]", HEARS).turn([Say("nuggets")])
    assert ([utterance.kind for utterance in turn.utterances], lines(turn)) == (["invalid-item"], [])


def test_an_agent_that_only_listens_asks_no_question() -> None:
    session = play("[]", HEARS + "\n  interactionMode: LISTEN_ONLY")
    turn = session.turn([Say("a shake and the usual")])
    assert ([mapped_term.kind for mapped_term in turn.mapped_terms], turn.utterances) == (
        ["DISAMBIGUATION", "SINGLE_TARGET"],
        (),
    )
    assert lines(turn) == [("Burger", 1), ("Fries", 1)]
    assert session.questions == ()


def test_a_session_that_is_forked_goes_on_by_itself() -> None:
    session = offering()
    other = session.fork()
    assert offered(other.turn([add("Fries")])) == []
    assert [item.item.name for item in session.order] == ["Burger"]
    assert (session.number, other.number) == (1, 2)
