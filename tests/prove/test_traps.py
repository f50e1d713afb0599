"""Conditions that look possible and are not, or the other way round: each row is a trap of an encoding."""

from datetime import UTC, datetime

import pytest

from tests.prove.brute_force import BACON, BURGER, CHEESE, COLA, FRIES, MENU, SITUATION
from tests.prove.questions import can_be_error, can_be_true, can_be_untrue, differ
from trialrun.prove.money import Prices, least_units
from trialrun.prove.store import redundant_operands
from trialrun.prove.verdict import Bounds, Never, Possible, Situation, Unknown, Witness
from trialrun.runtime.channel_config.menu import BrandMenu, Modifier, OrderLineItem
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.values.cel import DEFAULT_SCHEMA, build_schema
from trialrun.values.cel import compile as compile_cel
from trialrun.values.cel.type_schema import DEFAULT_TYPES, DEFAULT_VARIABLES

NEVER = [
    # lines
    ("order.items.filter(i, i.displayName == 'Fries').size() == 2", "equal lines are joined"),
    ("order.items.exists_one(i, i.displayName == 'Pie')", "the menu has no Pie"),
    ("order.items.exists(i, i.displayName == 'Fries') && order.items.all(i, i.displayName != 'Fries')", "both"),
    ("order.items.exists(i, i.quantity > 3 && i.quantity < 4)", "no number is between"),
    ("order.items.exists(i, i.quantity < 1)", "a line has at least one"),
    ("order.items.exists(i, i.quantity > 1000000)", "a line has at most a million"),
    ("order.items.exists(i, i.quantity * 2 == 5)", "twice a number is even"),
    ("order.items.exists(i, i.quantity % 2 == 0 && i.quantity % 2 == 1)", "a remainder is one number"),
    ("order.items.exists(i, i.quantity % 3 == 3)", "a remainder is less"),
    ("order.items.exists(i, i.quantity > session.turn && i.quantity == 1)", "a turn is at least 1"),
    ("order.items.size() < 0", "a size is not negative"),
    ("order.items.size() == 0 && order.items.exists(i, true)", "an empty order has no line"),
    ("order.items.size() == 0 && order.items[0].displayName == 'Cola'", "reading no line fails"),
    ("order.items[0].displayName == 'Cola' && !order.items.exists(i, i.displayName == 'Cola')", "it is a line"),
    ("order.items.exists(i, i.displayName == 'Fries' && i.modifierGroups.size() > 0)", "Fries take no modifiers"),
    ("order.items.exists(i, i.displayName.startsWith('B') && i.displayName == 'Cola')", "one name"),
    ("order.items.exists(i, i.displayName.matches('^co'))", "patterns tell case apart"),
    ("order.items.exists(i, i.displayName == 'Cola' && i.basePrice > 1.1)", "its price is 1.1"),
    ("order.items.exists(i, i.basePrice > 6.49)", "dearer than the menu"),
    ("order.items.map(i, i.displayName).exists(n, n == 'Pie')", "a map of names"),
    ("'Pie' in order.items.map(i, i.displayName)", "membership in a map of names"),
    ("order.items.exists(i, order.items.exists(j, i.itemId == 'b' && j.itemId == 'b' && i.itemId != j.itemId))", "ids"),
    ("order.items.all(i, i.quantity == 2) && order.items.exists(i, i.quantity == 1)", "two quantifiers, one order"),
    ("order.items.filter(i, i.quantity > 2).exists(i, i.quantity < 2)", "a filter holds in what it leaves"),
    ("order.items.size() > 3 && !order.items.exists(i, i.displayName == 'Burger')", "two other items, one line each"),
    (
        "!order.items.exists_one(i, order.metadata['x'] == 'y') && order.items.size() == 1 && !('x' in order.metadata)",
        "exists_one fails with its line",
    ),
    (
        "order.items.filter(i, order.metadata['x'] == 'y').size() == 0 && order.items.size() == 1 && "
        "!('x' in order.metadata)",
        "filter fails with its line",
    ),
    ("order.items.exists(i, session.turn > i.quantity) && session.turn == 1", "a quantity is at least 1"),
    (
        "order.items.exists_one(i, i.displayName != 'Burger') && order.items.size() == 2 && "
        "!order.items.exists(i, i.displayName == 'Burger')",
        "both are none",
    ),
    (
        "order.items.exists(i, i.quantity in [3]) && order.items.all(i, i.displayName == 'Cola') && "
        "order.subtotal == 4.4",
        "three colas are 3.3",
    ),
    (
        "order.items.filter(i, i.quantity > 2).filter(i, i.displayName == 'Cola').exists(i, i.quantity < 2)",
        "both filters hold",
    ),
    (
        "order.items.exists(i, i.quantity % 2 == 1) && order.items.size() == 1 && order.subtotal == 4.4",
        "four colas are an even number",
    ),
    (
        "order.items.exists(i, i.quantity > session.turn) && order.items.all(i, i.displayName == 'Cola') && "
        "session.turn == 3 && order.subtotal == 3.3",
        "three colas are not more than three",
    ),
    ("order.items.all(i, i.displayName == 'Cola' && i.quantity % 2 == 0) && order.subtotal == 3.3", "three are odd"),
    # the total
    ("order.items.exists(i, i.displayName == 'Fries') && order.subtotal < 2.99", "less than an item of it"),
    ("order.subtotal == 1.1 + 2.2", "1.1 + 2.2 of doubles is no sum of prices"),
    ("order.subtotal > 0.0 && order.subtotal < 1.1", "less than the cheapest"),
    ("order.subtotal == 2.3", "no sum of prices"),
    ("order.subtotal > 1.1 && order.subtotal < 2.2", "between one and two colas"),
    ("order.subtotal * 2.0 == 4.6", "half of it is no sum"),
    ("order.subtotal < 0.0", "prices are not negative"),
    ("order.subtotal > double(order.items.size()) && order.items.size() == 0", "nothing costs nothing"),
    ("order.subtotal > 5.0 && order.items.all(i, i.displayName == 'Cola' && i.quantity == 1)", "one cola is 1.1"),
    # texts
    ("session.daypartId == 'lunch' && session.daypartId.startsWith('din')", "no text is both"),
    (
        "session.daypartId.startsWith('a') && session.daypartId.endsWith('b') && size(session.daypartId) < 2",
        "too short",
    ),
    ("session.daypartId.matches('^a+$') && session.daypartId.contains('b')", "a pattern of all"),
    ("session.daypartId.matches('^[0-9]{2}$') && size(session.daypartId) == 3", "two digits are two"),
    ("session.daypartId.matches('^a.b$') && session.daypartId.contains('\\n')", "a dot is no line feed"),
    ("session.daypartId.matches('^a$') && session.daypartId == 'a\\n'", "$ is the end, not before a line feed"),
    ("session.daypartId == session.laneId && session.daypartId != session.laneId", "a path beside a path"),
    ("session.daypartId == session.laneId && session.laneId == 'x' && session.daypartId == 'y'", "through a path"),
    ("session.daypartId < session.laneId && session.laneId < session.daypartId", "an order of texts"),
    ("order.metadata['fav'] == 'x' && !('fav' in order.metadata)", "a key that is not there"),
    ("has(order.metadata.fav) && !('fav' in order.metadata)", "two ways to ask for a key"),
    ("order.items.exists(i, i.displayName == order.metadata['fav']) && order.metadata['fav'] == 'Pie'", "no Pie"),
    ("session.languageCode == 'EN'", "tags are canonical"),
    ("session.languageCode == 'zh-hant'", "tags are canonical"),
    ("session.languageCode == 'en_US'", "a tag has no underscore"),
    ("session.store == 't'", "the store is s"),
    ("session.store != session.store", "a path beside itself"),
    # numbers
    ("session.turn < 1", "conditions are asked from turn 1 on"),
    ("session.upsellDeclines > session.upsellOffers", "an offer is declined once"),
    ("session.upsellOffers > session.turn", "one offer a turn, and one at the welcome"),
    ("session.turn * 2 == 7", "twice a number is even"),
    ("session.turn % 2 == 2", "a remainder is less"),
    ("-7 / 2 == -4", "division rounds to zero"),
    ("session.turn / 0 == 1", "division by zero fails"),
    ("session.turn in [0, -1, -(1)]", "a list of numbers"),
    ("session.upsellOffers == 3 && session.turn == 2", "offers take turns"),
    # times
    ("session.startTime.getHours('America/Chicago') == 24", "hours end at 23"),
    ("session.startTime.getDayOfWeek() == 7", "Sunday is 0"),
    ("session.startTime.getMonth() == 12", "months begin at 0"),
    ("session.startTime.getDate() == 0", "dates begin at 1"),
    ("session.startTime.getHours('UTC') == 12 && session.startTime.getHours('Asia/Kolkata') == 12", "two zones"),
    ("session.startTime < timestamp('2026-11-28T00:00:00Z')", "before the sessions begin"),
    (
        "session.startTime.getHours('America/Chicago') == 2 && session.startTime.getMonth('America/Chicago') == 2 && "
        "session.startTime.getDate('America/Chicago') == 14",
        "the hour that a change of clocks leaves out",
    ),
    # logic
    ("session.turn > 2 && session.turn < 3", "no number is between"),
    ("!(1 / 0 == 1)", "what fails is not false"),
    ("false && order.metadata['x'] == 'y'", "false absorbs what fails"),
    ("!(order.metadata['x'] == 'y') && !('x' in order.metadata)", "an error is not false"),
    ("(order.metadata['x'] == 'y' ? true : true) && !('x' in order.metadata)", "?: fails with its condition"),
    ("order.items.filter(i, order.metadata['x'] == 'y').size() == 1 && !('x' in order.metadata)", "filter is strict"),
    ("order.items.exists_one(i, order.metadata['x'] == 'y') && !('x' in order.metadata)", "exists_one is strict"),
]
POSSIBLE = [
    (
        "order.items.filter(i, i.displayName == 'Burger' && !i.modifierGroups.exists(g, g.modifiers.exists(m, "
        "m.displayName == 'Extra Cheese'))).size() == 3",
        "burgers differ in modifiers that no condition asks for",
    ),
    ("order.items.filter(i, i.displayName == 'Burger').size() == 2", "lines differ in their modifiers"),
    (
        "order.items.exists(i, i.modifierGroups.exists(g, g.modifiers.exists(m, m.displayName == 'Bacon') && "
        "g.modifiers.exists(m, m.displayName == 'Extra Cheese')))",
        "a modifier makes a difference beside another one alone",
    ),
    ("order.items.size() > 3", "of the Burger there are many lines"),
    ("order.items.exists(i, i.quantity * 2 > 4)", "a multiple of a quantity"),
    ("order.items.exists(i, i.quantity % 3 == 2)", "a remainder of a quantity"),
    ("order.items.exists(i, i.quantity > session.turn)", "a quantity beside a number of the session"),
    ("order.items.exists(i, i.quantity == 1000000)", "the most of a line"),
    ("order.subtotal == 3.3", "three colas are 3.3 exactly"),
    ("order.subtotal == 0.0", "an empty order"),
    ("order.subtotal > double(order.items.size())", "a total beside a count"),
    ("order.items.map(i, i.quantity).exists(q, q > 3)", "a map of quantities"),
    ("'Cola' in order.items.map(i, i.displayName)", "membership in a map of names"),
    ("order.items[0].displayName == 'Cola' && order.items.size() == 2", "the first of two lines"),
    ("order.items.all(i, i.displayName == 'Pie')", "all of nothing"),
    ("session.startTime == timestamp('2026-12-01T10:30:00Z')", "a time between hours"),
    ("session.startTime == timestamp('2026-12-01T10:30:00.5Z')", "a time between seconds"),
    ("session.startTime.getHours() == 7", "an odd hour"),
    ("session.startTime.getMinutes() == 7", "a minute"),
    ("session.startTime.getMinutes('Asia/Kolkata') == 10", "a minute of a zone beside the hour"),
    ("session.startTime.getSeconds() == 59 && session.startTime.getMinutes() == 59", "a second"),
    ("session.startTime.getMinutes('Asia/Kolkata') == 10 && session.startTime.getMinutes() == 40", "half an hour"),
    ("session.startTime.getDate() == 29 && session.startTime.getMonth() == 10", "a date of the next year"),
    (
        "session.startTime.getHours('America/Chicago') == 1 && session.startTime.getHours('UTC') == 7 && "
        "session.startTime.getMonth() == 10 && session.startTime.getDate() == 7",
        "the hour that comes twice, the second time",
    ),
    ("session.daypartId.matches('^l.*h$')", "a text that nobody wrote"),
    ("session.daypartId.matches('un$') && size(session.daypartId) == 3", "a text before what is found"),
    ("session.daypartId.matches('^un') && size(session.daypartId) == 3", "a text after what is found"),
    ("session.daypartId.matches('^ab*c$') && size(session.daypartId) == 2", "a repeat may be empty"),
    ("session.daypartId > 'lunch' && session.daypartId < 'lunci'", "a text between two"),
    ("session.daypartId == session.laneId", "a path beside a path"),
    ("session.daypartId < order.metadata['x']", "an order of paths"),
    ("order.items.exists(i, i.displayName == session.daypartId)", "an item that the client names"),
    ("session.languageCode.startsWith('pt-')", "a language that no config names"),
    ("order.metadata['x'] != 'y'", "a value of the client"),
    ("session.turn == 2 || session.turn == 3", "one operand is enough"),
    ("session.turn in [3, 5]", "a number of a list"),
    ("session.turn - 5 == -2", "a negative number"),
    ("session.startTime.getHours() == 5", "an odd hour"),
    ("session.startTime.getMinutes('Asia/Kolkata') == 7", "a minute of a zone with a half hour"),
    ("session.daypartId.matches('b$') && session.daypartId.startsWith('a')", "a pattern of an end"),
    ("session.daypartId.matches('^b') && session.daypartId.endsWith('a')", "a pattern of a beginning"),
    ("session.daypartId.matches('^ab*c$') && size(session.daypartId) == 2", "a repeat of nothing"),
    ("session.turn + session.upsellOffers == 5 && session.turn == 3", "a sum"),
    ("order.items.exists(i, i.quantity <= session.turn) && session.turn == 1", "one is the least of a line"),
    ("order.metadata['x'] == 'y' || true", "true absorbs what fails"),
    ("has(session.daypartId) && session.daypartId == ''", "declared fields are there"),
    ("session.upsellOffers == session.turn", "an offer at the welcome, and one each turn"),
    ("session.turn / 2 == 3 && session.turn % 2 == 1", "a quotient and a remainder"),
    ("order.items.exists(i, i.modifierGroups.exists(g, g.modifiers.exists(m, m.displayName == 'Bacon')))", "modifiers"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), NEVER, ids=[text for text, _ in NEVER])
def test_never(text: str, why: str) -> None:
    assert isinstance(can_be_true(text, SITUATION), Never), why


@pytest.mark.parametrize(("text", "why"), POSSIBLE, ids=[text for text, _ in POSSIBLE])
def test_possible(text: str, why: str) -> None:
    assert isinstance(can_be_true(text, SITUATION), Possible), why


UNKNOWN = [
    ("session.turn * session.upsellOffers == 12", "session.turn * session.upsellOffers == 12", "product"),
    ("order.items.exists(i, i.uid != 'line-1') && order.items.size() == 1", "i.uid", "lines"),
    ("size(order.metadata) == 7", "size(order.metadata) == 7", "whole"),
    ("session.daypartId.matches('(?i)LUNCH') && session.daypartId.contains('l')", "", "pattern"),
    ("order.subtotal / double(order.items.size()) == 77.123", "order.subtotal", "total"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "part", "reason"), UNKNOWN, ids=[text for text, _, _ in UNKNOWN])
def test_unknown_names_the_part_and_the_reason(text: str, part: str, reason: str) -> None:
    verdict = can_be_true(text, SITUATION)
    if isinstance(verdict, Possible):  # a state was found nevertheless
        return
    assert isinstance(verdict, Unknown)
    assert any(each.text.startswith(part) and reason in each.reason for each in verdict.parts), verdict


def test_the_witness_is_the_least() -> None:
    verdict = can_be_true("order.subtotal > 5.0 && order.items.exists(i, i.displayName == 'Fries')", SITUATION)
    assert isinstance(verdict, Possible)
    assert [(line.item, line.quantity) for line in verdict.witness.lines] == [(FRIES, 2)]
    again = can_be_true("session.turn >= 3 && session.upsellOffers >= 2", SITUATION)
    assert isinstance(again, Possible)
    assert again.witness == Witness((), {}, 3, 2, 0, "en", SITUATION.begin)


AFTER_ANOTHER = [
    "size(order.items) >= (order.subtotal + -1.0 < 1.21 ? session.turn : order.items.size())",
    "order.items.filter(i, i.displayName == 'Fries').size() == 2",
    "order.items.size() > 3 && session.turn * session.upsellOffers != 3",
    "order.items.exists(i, i.quantity > session.turn) && order.subtotal > 20.0",
    "order.items[0].displayName == session.daypartId || session.upsellDeclines == 2",
]


def test_earlier_questions_change_neither_verdicts_nor_witnesses() -> None:
    asked = [can_be_true(text, SITUATION) for text in AFTER_ANOTHER]
    assert [can_be_true(text, SITUATION) for text in reversed(AFTER_ANOTHER)] == asked[::-1]


def test_items_without_a_price_make_the_total_free() -> None:
    situation = Situation(MENU, DEFAULT_SCHEMA, "s", unpriced=frozenset({COLA}))
    verdict = can_be_true("order.subtotal == 2.3", situation)
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "1 item has no price"
    assert isinstance(can_be_true("order.subtotal < 2.99 && order.items.exists(i, i.itemId == 'f')", situation), Never)


def test_a_menu_that_lists_not_all_items_has_any() -> None:
    menu = BrandMenu((BURGER,), (), is_declared=True, lists_items=False, lists_modifiers=True)
    situation = Situation(menu, DEFAULT_SCHEMA, "s")
    assert isinstance(can_be_true("order.items.exists(i, i.displayName == 'Pie')", situation), Possible)
    assert not isinstance(can_be_true("order.items.exists(i, i.displayName.startsWith('Pi'))", situation), Never)
    assert isinstance(can_be_true("order.items.size() < 0", situation), Never)


def test_fields_that_no_session_knows_have_their_defaults() -> None:
    types = {**DEFAULT_TYPES, "Item": {**DEFAULT_TYPES["Item"], "category": "string"}}
    situation = Situation(MENU, build_schema(types, DEFAULT_VARIABLES), "s")
    assert isinstance(can_be_true("order.items.exists(i, i.category == '')", situation), Possible)
    assert isinstance(can_be_true("order.items.exists(i, i.category != '')", situation), Never)


def test_items_of_another_type_are_data_of_the_client() -> None:
    types = {**DEFAULT_TYPES, "Order": {**DEFAULT_TYPES["Order"], "items": "list(string)"}}
    situation = Situation(MENU, build_schema(types, DEFAULT_VARIABLES), "s")
    assert isinstance(can_be_true("order.items.exists(i, i == 'Pie')", situation), Unknown)


OWN_TYPES = {**DEFAULT_TYPES, "Session": {**DEFAULT_TYPES["Session"], "guests": "int?"}}
WITH_GUESTS = Situation(MENU, build_schema(OWN_TYPES, DEFAULT_VARIABLES), "s", SITUATION.begin, SITUATION.languages)
FAILS = [
    ("order.metadata['x'] == 'y'", True),
    ("'x' in order.metadata && order.metadata['x'] == 'y'", False),
    ("order.metadata['x'] == 'y' || order.items.size() >= 0", False),
    ("session.turn / (session.turn - session.turn) == 1 || true", False),
    ("session.turn % 0 == 1", True),
    ("order.items[0].displayName == 'Cola'", True),
    ("order.items.size() > 0 && order.items[0].displayName == 'Cola'", False),
    ("order.items.exists(i, order.metadata['x'] == 'y' || true)", False),
    ("order.items.exists(i, order.metadata['x'] == 'y')", True),
    ("order.items.all(i, order.metadata['x'] == 'y')", True),
    ("session.turn * 9223372036854775807 > 0", True),
    ("session.guests > 1", True),
    ("has(session.guests) && session.guests > 1", False),
]


@pytest.mark.parametrize(("text", "can"), FAILS, ids=[text for text, _ in FAILS])
def test_what_can_fail(text: str, can: bool) -> None:
    assert isinstance(can_be_error(text, WITH_GUESTS), Possible if can else Never)


THRESHOLDS = [
    (2**53, 2**53, "2 ** 53 - 1 is a double"),
    (2**53 + 2, 2**53 + 2, "2 ** 53 + 1 is rounded down to an even double"),
    (2**53 + 4, 2**53 + 3, "2 ** 53 + 3 is rounded up to an even double"),
]


@pytest.mark.parametrize(("bound", "least", "why"), THRESHOLDS, ids=[why for *_, why in THRESHOLDS])
def test_a_sum_is_rounded_once(bound: int, least: int, why: str) -> None:
    assert least_units(lambda total: total >= bound, 1) == (least, True), why


REACHABLE = [(1, 110), (111, 220), (221, 299), (2, 110), (650, 660), (331, 409)]
"""Totals in hundredths, asked for one after the other, with the least sum of prices that is no less."""


def test_the_least_sum_of_prices() -> None:
    prices = Prices(MENU.items)
    assert [(least, prices.reachable(least)) for least, _ in REACHABLE] == REACHABLE


EQUAL = [
    ("order.subtotal > 28.0", "order.subtotal >= 28.01", "no sum of prices is 28.00", True),
    ("order.subtotal > 2.2", "order.subtotal >= 2.99", "the next sum", True),
    ("order.subtotal > 3.3", "order.subtotal >= 3.3", "three colas", False),
    ("!(session.turn > 2)", "session.turn <= 2", "negation", True),
    ("order.items.size() > 0", "order.items.exists(i, true)", "two ways to say it", True),
    ("order.items.exists(i, i.quantity > 2)", "order.items.exists(i, i.quantity >= 3)", "integers", True),
    ("session.daypartId == 'a'", "session.daypartId.matches('^a$')", "a pattern of one text", True),
    ("order.metadata['x'] == 'y'", "'x' in order.metadata && order.metadata['x'] == 'y'", "an error is not true", True),
    (
        "!(session.turn > 2 && session.upsellOffers > 1)",
        "session.turn <= 2 || session.upsellOffers <= 1",
        "one false operand is enough",
        True,
    ),
    (
        "!(session.turn > 2 || session.upsellOffers > 1)",
        "session.turn <= 2 && session.upsellOffers <= 1",
        "all operands must be false",
        True,
    ),
    ("!order.items.all(i, i.quantity > 1)", "order.items.exists(i, i.quantity <= 1)", "not all", True),
    (
        "session.turn > 2 ? session.turn > 3 : session.turn == 1",
        "session.turn > 3 || session.turn == 1",
        "a choice by cases",
        True,
    ),
    ("session.turn > 2 || session.turn < 2", "session.turn != 1", "other numbers", False),
]


@pytest.mark.parametrize(("first", "second", "why", "equal"), EQUAL, ids=[first for first, *_ in EQUAL])
def test_what_makes_a_difference(first: str, second: str, why: str, equal: bool) -> None:
    assert isinstance(differ(first, second, SITUATION), Never if equal else Possible), why


def test_an_operand_that_changes_nothing() -> None:
    text = "order.subtotal > 5.0 && order.subtotal > 3.0 && session.turn >= 1"
    found = {part: type(verdict) for part, verdict in redundant_operands(text, SITUATION)}
    assert found == {"order.subtotal > 5.0": Possible, "order.subtotal > 3.0": Never, "session.turn >= 1": Never}


def test_of_very_many_operands_none_is_left_out() -> None:
    assert not list(redundant_operands(" || ".join(["session.turn == 2"] * 101), SITUATION))


def test_a_condition_that_is_always_true() -> None:
    assert isinstance(can_be_untrue("session.turn >= 1", SITUATION), Never)
    assert isinstance(can_be_untrue("session.turn >= 2", SITUATION), Possible)


def test_verdicts_name_their_bounds() -> None:
    situation = Situation(MENU, DEFAULT_SCHEMA, "s", datetime(2026, 11, 28, tzinfo=UTC), bounds=Bounds(10, 20, 30))
    verdict = can_be_true("session.startTime.getFullYear() == 2031 && session.turn > 30", situation)
    assert isinstance(verdict, Never)
    assert verdict.premises == (
        "orders of up to 10 lines",
        "turns up to 20",
        "times within 30 days after 2026-11-28T00:00:00+00:00",
        "items of the menu",
    )


OFTEN = [
    (
        "order.items.exists(i, i.modifierGroups.exists(g, g.modifiers.exists(m, m.displayName == 'Pie')))",
        "orders of up to 21 lines with up to 21 modifiers each",
        [(CHEESE, *[BACON] * number) for number in range(21)],
    ),
    (
        " || ".join(["order.items.exists(i, i.quantity < 1)"] * 60),
        "orders of up to 166 lines",
        [(BACON,) * number for number in range(166)],
    ),
]


@pytest.mark.parametrize(("text", "premise", "lines"), OFTEN, ids=["within lines", "beside others"])
def test_within_its_bounds_the_engine_does_not_iterate_too_often(
    text: str, premise: str, lines: list[tuple[Modifier, ...]]
) -> None:
    verdict = can_be_error(text, SITUATION)
    assert isinstance(verdict, Never)
    assert verdict.premises[0] == premise
    program = compile_cel(text, schema=DEFAULT_SCHEMA)
    most = Witness(tuple(OrderLineItem(BURGER, 1, modifiers) for modifiers in lines))
    assert program.value(most.activation(state_builder(DEFAULT_SCHEMA), "s")) is False
