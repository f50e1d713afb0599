"""Every kind of surprise: found where it is, with the shortest session that shows it, and not found where it is not."""

from datetime import UTC, datetime

import pytest

from tests.cases import each_of, first_of
from tests.runtime.channel_config.brands import explored, kinds, only, script, search, strategy, upsells, voice
from trialrun.outputs.explore import build_explored
from trialrun.runtime.channel_config.explore.generators import values_to_try
from trialrun.runtime.channel_config.script import parse
from trialrun.values.cel import DEFAULT_SCHEMA, build_schema, check_expression
from trialrun.values.cel.syntax_tree import condition_reads
from trialrun.values.cel.type_schema import parse_type

BURGER = "order.items.exists(i, i.displayName == 'Burger')"
SIDE = f"""
- displayName: Side
  priority: 1
  celUpsell: {{conditionExpression: "{BURGER}", suggestedMenuItems: [Fries]}}
"""
AFTERS = """
- displayName: Afters
  priority: 2
  closingOffer:
    closingMessages:
      - offerMessage: {upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries to go?}]}
"""
ENGLISH = voice("defaultLanguageCode: en\ngreetings: [{languageCode: en, greetingPhrases: [Hello]}]")


def rule(condition: str, more: str = "suggestedMenuItems: [Fries]") -> str:
    return f'- {{displayName: Side, priority: 1, celUpsell: {{conditionExpression: "{condition}", {more}}}}}'


def test_a_plain_strategy_surprises_nobody() -> None:
    assert explored(rule(f"{BURGER} && !order.items.exists(i, i.displayName == 'Fries')")).surprises == ()


def test_a_condition_that_fails_is_an_error_with_its_line() -> None:
    surprise = only(explored(rule("order.items[0].quantity > 1")), "condition-error")
    assert surprise.severity == "error"
    assert surprise.message.startswith('the condition of "Side" fails: ')
    assert script(surprise) == ["say hm"]
    assert surprise.origin
    assert (surprise.origin["path"], surprise.origin["line"]) == ("2.yaml", 7)


def test_one_item_in_two_offers() -> None:
    surprise = only(explored(upsells(SIDE + AFTERS), ENGLISH, sessions=150), "offered-twice")
    assert surprise.message == 'Fries is offered by "Side" and again by "Afters" in one session'
    assert script(surprise) == ["add Burger", "done"]
    assert surprise.upsells == ("Side", "Afters")


def test_an_item_that_is_only_suggested_may_be_offered_as_well() -> None:
    shown = rule(BURGER, "suggestedMenuItems: [Fries], suggestionOnly: true")
    assert "offered-twice" not in kinds(explored(upsells(f"{shown}\n{AFTERS}"), ENGLISH, sessions=150))


def test_an_offer_of_what_is_in_the_order() -> None:
    surprise = only(explored(SIDE), "offered-in-order")
    assert surprise.message == '"Side" offers Fries while it is in the order'
    assert script(surprise) == ["add Fries; add Burger"]


def test_an_offer_to_change_what_its_condition_names_is_a_note() -> None:
    found = explored(rule(BURGER, "suggestedMenuItems: [Burger], suggestedModifiers: [Cheese]"))
    assert kinds(found) == {"modifies-order"}
    assert only(found, "modifies-order").severity == "note"


def test_modifiers_of_what_the_condition_does_not_name_are_no_excuse() -> None:
    found = explored(rule("order.subtotal > 3.0", "suggestedMenuItems: [Fries], suggestedModifiers: [Large]"))
    assert kinds(found) == {"offered-in-order"}


def test_a_language_that_is_answered_in_another() -> None:
    greetings = "- {languageCode: en, greetingPhrases: [Hi]}\n  - {languageCode: es, greetingPhrases: [Hola]}"
    both = voice(f"defaultLanguageCode: en\ngreetings:\n  {greetings}")
    surprise = only(explored(AFTERS, both), "other-language")
    assert surprise.message == 'customers who speak es hear "Afters" in en'
    assert script(surprise) == ["done"]
    assert surprise.example
    assert surprise.example.recording.language == "es"


def test_a_language_without_a_message() -> None:
    surprise = only(explored(AFTERS, voice("defaultLanguageCode: fr")), "no-message")
    assert surprise.message == '"Afters" is not offered to customers who speak fr'
    assert surprise.example
    assert surprise.example.recording.language is None


def test_a_language_that_customers_are_said_to_speak() -> None:
    greeting = only(explored(SIDE, ENGLISH, languages=("pt-BR",)), "other-language")
    assert greeting.message == "customers who speak pt-BR hear the greeting in en"


@pytest.mark.parametrize(
    ("limit", "message"),
    first_of(
        [
            ("maxUpsellOffers: 5", "maxUpsellOffers of 5 never stops an upsell: a session has at most 1 offer"),
            ("maxItemsInCart: 5000", "maxItemsInCart of 5000 never stopped an upsell"),
            ("maxUpsellDeclines: 9", "maxUpsellDeclines of 9 never stops an upsell: a session has at most 1 offer"),
        ],
        2,
    ),
)
def test_a_limit_that_is_never_reached(limit: str, message: str) -> None:
    rules = rule(f"{BURGER} && !order.items.exists(i, i.displayName == 'Fries')")
    surprise = only(explored(strategy(f"{limit}\nupsells:\n  {rules}")), "limit-never-reached")
    assert (surprise.message, surprise.severity) == (message, "note")


def test_a_limit_that_is_reached() -> None:
    found = explored(strategy(f"maxItemsInCart: 3\nupsells:\n  {rule(BURGER)}"))
    assert "limit-never-reached" not in kinds(found)


def test_a_condition_that_is_always_true() -> None:
    surprise = only(explored(rule("order.subtotal >= 0.0")), "condition-always-true")
    assert (surprise.certain, surprise.sessions) == (False, 100)


def test_values_are_tried_around_those_that_conditions_compare_with() -> None:
    types = {"Order": {"items": "list(Item)", "subtotal": "double"}, "Item": {"displayName": "string"}}
    typed = build_schema({**types, "Party": {"size": "int"}}, {"order": "Order", "party": "Party"})
    found = explored(rule(f"party.size > 41 && party.size < 43 && {BURGER}"), schema=typed)
    assert "never-offered" not in kinds(found)


def test_hours_are_tried_where_conditions_read_the_time() -> None:
    found = explored(rule(f"session.startTime.getHours() == 4 && {BURGER}"), sessions=200)
    assert "never-offered" not in kinds(found)


def test_the_script_of_an_example_reads_as_its_session() -> None:
    found = search(upsells(SIDE + AFTERS), ENGLISH, languages=("es",))
    list(found.play(100))
    list(found.shorten())
    examples = [surprise.example for surprise in build_explored(found, 100).surprises if surprise.example]
    read = [tuple(line.actions for line in parse("\n".join(example.lines), found.menu)) for example in examples]
    assert read == [example.recording.turns for example in examples]
    assert len(read) > 3


def test_a_turn_in_which_values_are_set_alone_is_one_in_the_script_too() -> None:
    kiosk = "conditionExpression: \"session.channelType == 'KIOSK'\", suggestedMenuItems: [Cookie]"
    found = explored(f"- {{priority: 1, celUpsell: {{{kiosk}}}}}\n- {{priority: 2, celUpsell: {{{kiosk}}}}}")
    assert script(only(found, "offered-twice")) == ["set session.channelType KIOSK; say hm", "say hm"]


def test_sessions_at_the_end_of_time() -> None:
    last = datetime(9999, 12, 31, 23, tzinfo=UTC)
    assert explored(rule(f"session.startTime.getHours() == 4 && {BURGER}"), begin=last).sessions == 100


def test_nothing_was_played_yet() -> None:
    found = build_explored(search(SIDE), 100)
    assert (found.sessions, found.surprises) == (0, ())


COMPARED = [
    ("order.subtotal > 30.0", ("order.subtotal", ">", [30.0])),
    ("30.0 < order.subtotal", ("order.subtotal", "<", [30.0])),
    ("session.turn > -1", ("session.turn", ">", [-1])),
    ("session.daypartId in ['lunch', 'dinner']", ("session.daypartId", "in", ["lunch", "dinner"])),
    ("session.daypartId.startsWith('late')", ("session.daypartId", "startsWith", ["late"])),
    ("session.daypartId.lowerAscii() == 'lunch'", ("session.daypartId", "==", ["lunch"])),
    ("session.metadata['club'] == 'gold'", ("session.metadata.club", "==", ["gold"])),
    ("session.metadata.club == 'gold'", ("session.metadata.club", "==", ["gold"])),
    ("order.items.size() >= 2", ("order.items", ">=", [2])),
    ("order.items.exists(i, i.quantity >= 6)", ("order.items.*.quantity", ">=", [6])),
    ("order.items.filter(i, i.quantity > 1).size() > 3", ("order.items", ">", [3])),
    (
        "order.items.exists(i, i.modifierGroups.exists(g, g.displayName == 'Size'))",
        ("order.items.*.modifierGroups.*.displayName", "==", ["Size"]),
    ),
    ("session.startTime > timestamp('2027-01-01T00:00:00Z')", ("session.startTime", ">", ["2027-01-01T00:00:00Z"])),
]


@each_of(COMPARED)
def test_what_a_condition_compares(text: str, compared: tuple[str, str, list[object]]) -> None:
    tree = check_expression(text, schema=DEFAULT_SCHEMA).tree
    assert tree
    found = [
        (".".join(condition_read.path), condition_read.relation, list(condition_read.literals))
        for condition_read in condition_reads(tree)
    ]
    assert compared in found


@pytest.mark.parametrize(
    "text", ["-session.turn < -3", "order.items.map(i, i.quantity).size() > 3", "session.turn * 2 == 6"]
)
def test_what_is_computed_is_compared_with_no_literal(text: str) -> None:
    tree = check_expression(text, schema=DEFAULT_SCHEMA).tree
    assert tree
    assert [condition_read.literals for condition_read in condition_reads(tree) if condition_read.literals] == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("has(session.metadata.club)", "session.metadata.club"),
        ("'club' in session.metadata", "session.metadata.club"),
        ("order.items.exists(order, order.quantity > 1)", "order.items.*.quantity"),
    ],
)
def test_what_a_condition_reads(text: str, path: str) -> None:
    tree = check_expression(text, schema=DEFAULT_SCHEMA).tree
    assert tree
    assert path in [".".join(condition_read.path) for condition_read in condition_reads(tree)]


@each_of(
    [
        ("bool", [], (False, True)),
        ("int", [4], (0, 1, 4, 3, 5)),
        ("uint", [0], (0, 1)),
        ("double", [9], (0.0, 9.0, 8.99, 9.01)),
        ("double", [30.0], (0.0, 30.0, 29.99, 30.01)),
        ("string", ["gold"], ("", "gold", "other")),
        ("enum(none, gold)", ["gold"], ("none", "gold")),
        ("string?", ["gold"], ("", "gold", "other")),
        ("list(string)", ["vip"], ([], ["vip"], ["other"])),
        ("dyn", [True, "gold"], (True, "gold", "other")),
        ("Order", [], ()),
        (
            "timestamp",
            ["2027-01-01T01:00:00+01:00", "lunch"],
            ("2027-01-01T00:00:00Z", "2026-12-31T23:59:59Z", "2027-01-01T00:00:01Z"),
        ),
        ("timestamp", ["9999-12-31T23:59:59Z"], ("9999-12-31T23:59:59Z", "9999-12-31T23:59:58Z")),
        ("timestamp", ["0001-01-01T00:00:00Z"], ("0001-01-01T00:00:00Z", "0001-01-01T00:00:01Z")),
    ]
)
def test_values_to_try(type_text: str, literals: list[object], values: tuple[object, ...]) -> None:
    found = values_to_try(parse_type(type_text, known_types=["Order"]), literals)
    assert (found, [type(one) for one in found]) == (values, [type(value) for value in values])
