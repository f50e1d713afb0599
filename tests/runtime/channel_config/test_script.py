"""How a script is read, and what is said of what cannot be."""

from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.script import ScriptError, format_actions, parse, parse_setting, split_settings
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Decline,
    Finish,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)

CATALOG = brands("""
    kind: Menu
    items:
      - {name: Classic Smash, id: SW-1, modifierGroups: [Hold, Extras, Side Size]}
      - {name: Fries, id: SW-2, modifierGroups: [Side Size]}
      - {name: Fries with Cheese}
      - {name: 7Up}
      - {name: 2 Piece Chicken}
      - {name: Piece Chicken}
      - {name: '12" Pizza'}
      - {name: '"Big" Burger'}
      - {name: Mac and Cheese}
      - {name: "Fish, Chips"}
      - {name: "Tea; iced"}
      - {name: "Lunch #1"}
      - {name: Combo}
      - {name: Combo 3}
      - {name: Crème brûlée}
      - {name: 抹茶 ラテ}
      - {name: ICE}
      - {name: ice, id: SW-9}
    modifierGroups:
      - {name: Hold, modifiers: [{name: No Onions}]}
      - {name: Extras, modifiers: [{name: Extra Cheese, id: M-1}, {name: Large}]}
      - {name: Side Size, modifiers: [{name: Large}]}
""")
MENU = brand_menu(None, CATALOG)
FREE = BrandMenu()


def actions(text: str, menu: BrandMenu = MENU) -> list[Action]:
    return [action for line in parse(text, menu) for action in line.actions]


def orders(text: str, menu: BrandMenu = MENU) -> list[Any]:
    """What is ordered: `(2, "Fries", "Large")`."""
    found = [action.line_item for action in actions(text, menu) if isinstance(action, Add)]
    return [(one.quantity, one.item.name, *(modifier.name for modifier in one.modifiers)) for one in found]


ORDERS = {
    "add Fries": [(1, "Fries")],
    "add 2 Fries": [(2, "Fries")],
    "add 2x Fries": [(2, "Fries")],
    "order 2 x fries": [(2, "Fries")],
    "2 Fries": [(2, "Fries")],
    "Fries": [(1, "Fries")],
    "add SW-2": [(1, "Fries")],
    "ADD   CLASSIC   SMASH": [(1, "Classic Smash")],
    "add 2 Classic Smash with No Onions, Extra Cheese": [(2, "Classic Smash", "No Onions", "Extra Cheese")],
    "add Classic Smash w/ no onions and extra cheese": [(1, "Classic Smash", "No Onions", "Extra Cheese")],
    "add Fries with Cheese": [(1, "Fries with Cheese")],
    'add "Fries" with Large': [(1, "Fries", "Large")],
    "add 7Up, 2 7up and 3 Fries": [(1, "7Up"), (2, "7Up"), (3, "Fries")],
    "add 2 Piece Chicken": [(1, "2 Piece Chicken")],
    'add 2 "Piece Chicken"': [(2, "Piece Chicken")],
    "add 2 2 Piece Chicken": [(2, "2 Piece Chicken")],
    'add 12" Pizza': [(1, '12" Pizza')],
    r'add "12\" Pizza"': [(1, '12" Pizza')],
    'add "Big" Burger': [(1, '"Big" Burger')],
    "add Mac and Cheese and Fries": [(1, "Mac and Cheese"), (1, "Fries")],
    "add Fish, Chips, Fries": [(1, "Fish, Chips"), (1, "Fries")],
    "add Tea; iced; Fries": [(1, "Tea; iced"), (1, "Fries")],
    "add Lunch #1 # the first": [(1, "Lunch #1")],
    "add CRE\u0300ME BRU\u0302LE\u0301E": [(1, "Crème brûlée")],
    "add 2 抹茶 ラテ": [(2, "抹茶 ラテ")],
    "add ice; add ICE": [(1, "ice"), (1, "ICE")],
}


@each_of([*ORDERS])
def test_what_is_ordered(text: str) -> None:
    assert orders(text) == ORDERS[text]


FREE_ORDERS = {
    "add 2 Mac and Cheese with Salt and Vinegar, Size: Large": [(2, "Mac and Cheese", "Salt and Vinegar", "Large")],
    "add Fries, 2 Cola and 3 Tea": [(1, "Fries"), (2, "Cola"), (3, "Tea")],
    'add "Fish, Chips" with "Cut, thick"': [(1, "Fish, Chips", "Cut, thick")],
    "2 Fries": [(2, "Fries")],
}


@pytest.mark.parametrize("text", FREE_ORDERS)
def test_without_a_menu_names_end_at_commas_and_at_the_word_with(text: str) -> None:
    assert orders(text, FREE) == FREE_ORDERS[text]


MOVES: dict[str, list[Action]] = {
    "remove Fries": [Remove("Fries")],
    "drop 1 SW-2": [Remove("Fries", 1)],
    "remove 2 Piece Chicken": [Remove("2 Piece Chicken")],
    "quantity Fries 3": [SetQuantity("Fries", 3)],
    "change Fries to 3": [SetQuantity("Fries", 3)],
    "qty Fries=0": [SetQuantity("Fries", 0)],
    "quantity Combo 3": [SetQuantity("Combo", 3)],
    "quantity Combo 3 2": [SetQuantity("Combo 3", 2)],
    "accept": [Accept()],
    "yes": [Accept()],
    "accept Fries": [Accept("Fries")],
    "decline": [Decline()],
    "No, thanks": [Decline()],
    "speak es-US": [Speak("es-US")],
    "say the usual, please": [Say("the usual, please")],
    'say "fries; and # a tea"': [Say("fries; and # a tea")],
    '"the usual"; done': [Say("the usual"), Finish()],
    "say what's new? # to the agent": [Say("what's new?")],
    "set session.partySize 4": [SetState(("session", "partySize"), 4)],
    "set session.partySize = 4.0": [SetState(("session", "partySize"), 4.0)],
    "set session.rushBoard=true": [SetState(("session", "rushBoard"), True)],
    "set session.loyaltyTier gold": [SetState(("session", "loyaltyTier"), "gold")],
    "set session.laneId 04": [SetState(("session", "laneId"), "04")],
    'set session.metadata["table no"] "4"': [SetState(("session", "metadata", "table no"), "4")],
    'set session.metadata["\ttable"] 4': [SetState(("session", "metadata", "\ttable"), 4)],
    "set session.metadata.code NaN": [SetState(("session", "metadata", "code"), "NaN")],
    'set order.metadata {"a": "b; c"}': [SetState(("order", "metadata"), {"a": "b; c"})],
    "done": [Finish()],
    "That's all": [Finish()],
    "  ;; done ;": [Finish()],
    "# nothing": [],
}


@each_of([*MOVES])
def test_what_is_done(text: str) -> None:
    assert actions(text) == MOVES[text]


def test_a_modifier_may_stand_after_its_group() -> None:
    (action,) = actions("accept Classic Smash with Side Size: Large")
    assert isinstance(action, Accept)
    assert [modifier.group for modifier in action.modifiers] == ["Side Size"]


def test_a_line_is_a_turn() -> None:
    script = "# lunch\r\nadd Fries; say hi  # two deeds\n\n  done\r"
    assert [(one.line, one.text, len(one.actions)) for one in parse(script, MENU)] == [
        (2, "add Fries; say hi", 2),
        (4, "done", 1),
    ]


def test_what_is_set_before_the_first_deed_holds_from_the_welcome_on() -> None:
    settings, turns = split_settings(
        parse("set session.a 1\nset session.b 2; set session.c 3\nadd Fries\nset session.d 4", MENU)
    )
    assert [setting.path[1] for setting in settings] == ["a", "b", "c"]
    assert [turn.line for turn in turns] == [3, 4]


MISTAKES = {
    "acept": ['1-6 there is no verb "acept"; did you mean "accept"?'],
    "hello": ['1-6 there is no verb "hello"; there are add, remove, quantity, accept, decline, speak, say, set, done'],
    "  add Frise ": ['7-12 there is no "Frise" on the menu; did you mean "Fries"?'],
    "add 🍟 Frise; done": ['5-12 there is no "🍟 Frise" on the menu'],
    "add Fries Supreme": ['5-18 there is no "Fries Supreme" on the menu; did you mean "Fries"?'],
    "add 2 Fries with Extra Chese, Lage": [
        '18-29 "Fries" does not take "Extra Chese"; it takes Large',
        '31-35 "Fries" does not take "Lage"; did you mean "Large"?',
    ],
    "add Fries with Large Cup": ['16-25 "Fries" does not take "Large Cup"; did you mean "Large"?'],
    'add Fries with "Large" Cup': ["23-27 text after the closing quote; put all of it in quotes, or none"],
    "add 7Up with Fries": ['14-19 "Fries" is an item, not a modifier of "7Up"; order it after a semicolon'],
    "add": ["4-4 the name is missing; say which item"],
    "add Fries with": ["15-15 the name is missing; say which modifier"],
    'add "Fries': ['5-11 the quotes are not closed; write " at their end'],
    'add "Fries" now; done': ["12-16 text after the closing quote; put all of it in quotes, or none"],
    r'add "\Fries"': [
        '5-13 after a backslash comes ", \\, n, t, or u and four hexadecimal digits; write \\\\ for a backslash'
    ],
    "add 0 Fries": ["5-6 0 is not a quantity; write a number from 1 to 1,000,000"],
    "quantity Fries": ["15-15 the number is missing; say how many of Fries"],
    "quantity Fries -1": ["16-18 -1 is not a quantity; write a number from 0 to 1,000,000"],
    "decline Fries": ["9-14 decline takes nothing after it; it always answers the last offer"],
    "speak": ["6-6 the language is missing; write its tag, such as es-US"],
    "speak en_US": ['9-10 underscore in a language tag; did you mean "en-US"?'],
    "say ; done": ["5-5 the text is missing; write what the customer says"],
    "set": ["4-4 the path is missing; write one such as session.partySize"],
    "set session.x; done": ["14-14 the value is missing; write one after session.x"],
    "set session.x [1,": ["15-18 invalid JSON; fix it, or write text without quotes"],
    r'set session.metadata["\q"] 1': [
        '22-26 after a backslash comes ", \\, n, t, or u and four hexadecimal digits; write \\\\ for a backslash'
    ],
    "set session.x [NaN]": ["15-20 invalid JSON; fix it, or write text without quotes"],
    "done now; acept": [
        "6-9 unexpected text after the move; start the next move with a semicolon",
        '11-16 there is no verb "acept"; did you mean "accept"?',
    ],
}


@each_of([*MISTAKES])
def test_every_mistake_is_reported_at_its_place(text: str) -> None:
    with pytest.raises(ScriptError) as error:
        parse(text, MENU)
    assert [f"{mistake.column}-{mistake.end} {mistake.message}" for mistake in error.value.mistakes] == MISTAKES[text]


def test_the_mistakes_of_all_lines_are_told_at_once() -> None:
    with pytest.raises(ScriptError) as error:
        parse("add Frise\n# fine\nadd Fries\n  acept", MENU)
    assert [(mistake.line, mistake.column) for mistake in error.value.mistakes] == [(1, 5), (4, 3)]
    assert (error.value.line, error.value.column) == (1, 5)


def test_what_an_option_sets() -> None:
    assert parse_setting("session.partySize=4") == SetState(("session", "partySize"), 4)
    assert parse_setting("session.tier=gold; plated") == SetState(("session", "tier"), "gold; plated")
    assert parse_setting("session.tier=Infinity") == SetState(("session", "tier"), "Infinity")
    assert parse_setting("session.tier=") == SetState(("session", "tier"), "")
    with pytest.raises(ScriptError, match=r"the value is missing; write it after =, as in session\.partySize=4"):
        parse_setting("session.partySize")


def test_many_blanks_are_read_like_one() -> None:
    with pytest.raises(ScriptError, match=r'there is no "Fries +Gold" on the menu'):
        parse(f"add Fries{' ' * 100_000}Gold", MENU)
    with pytest.raises(ScriptError, match=r'"Fries" does not take "a +b"'):
        parse(f"add Fries with a{' ' * 100_000}b", MENU)
    assert actions(f"say hi{' ' * 100_000}; done") == [Say("hi"), Finish()]


WORDS = st.sampled_from(
    [
        *("with", "and", "&", "x", "2", "3", "#1", '"', ";", ",", ":", "=", "to", "Tea", "tea", "é", "抹茶"),
        *("\n", "\u200b", "\\"),
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=4).flatmap(
    lambda words: st.sampled_from(["", " ", "  "]).map(lambda blank: blank.join(words))
) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
TEXTS = st.lists(WORDS, max_size=5).map(" ".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def menus(draw: st.DrawFn) -> BrandMenu:
    """Menus with names that are hard to read, some of them the same but for their groups or ids."""
    groups = draw(st.lists(NAMES, min_size=1, max_size=2, unique_by=lambda name: normalize("NFC", name)))
    named = draw(st.lists(NAMES, max_size=3, unique_by=lambda name: normalize("NFC", name)))
    modifiers = tuple(Modifier(name, "", group, "") for group in groups for name in named)
    names = draw(st.lists(NAMES, min_size=1, max_size=5))
    items = tuple(Item(name, f"id-{at}", 1.0, modifiers) for at, name in enumerate(names))
    return BrandMenu(items, modifiers, is_declared=True, lists_items=True, lists_modifiers=True)


def move_on(menu: BrandMenu) -> st.SearchStrategy[Action]:
    items = st.sampled_from(menu.items)
    names = st.sampled_from([item.name for item in menu.items])
    modifiers = st.lists(st.sampled_from(menu.modifiers or (None,)), max_size=2).map(
        lambda one: tuple(filter(None, one))
    )
    numbers = st.integers(1, 30)
    paths = st.lists(NAMES, max_size=2).map(lambda steps: ("session", *steps))
    return st.one_of(
        st.builds(Add, st.builds(OrderLineItem, items, numbers, modifiers)),
        st.builds(Remove, names, st.none() | numbers),
        st.builds(SetQuantity, names, numbers),
        st.builds(Accept, st.none() | names, modifiers),
        st.builds(Decline),
        st.builds(Speak, st.sampled_from(["es-US", "fr", "zh-Hant-TW"])),
        st.builds(Say, TEXTS.filter(str.strip)),
        st.builds(SetState, paths, VALUES),
        st.builds(Finish),
    )


@given(st.data())
def test_what_is_written_reads_as_the_same_moves(data: st.DataObject) -> None:
    menu = data.draw(menus())
    actions = data.draw(st.lists(move_on(menu), min_size=1, max_size=3))
    (line,) = parse(format_actions(actions, menu), menu)
    assert list(line.actions) == actions


@given(st.data())
def test_what_is_written_without_a_menu_reads_as_the_same_moves_on_every_menu(data: st.DataObject) -> None:
    menu = data.draw(menus())
    unique = BrandMenu(tuple({normalize("NFC", item.name): item for item in menu.items}.values()), menu.modifiers)
    actions = data.draw(st.lists(move_on(unique), min_size=1, max_size=3))
    (line,) = parse(format_actions(actions), unique)
    assert list(line.actions) == actions


def test_names_are_written_plainly_where_the_menu_allows_it() -> None:
    hold = Modifier("No Onions", "", "Hold", "")
    smash, chicken = Item("Smash, large", "", 1.0, (hold,)), Item("Chicken", "", 1.0)
    menu = BrandMenu((smash, chicken, Item("2 Chicken", "", 1.0)), (hold,), lists_items=True, lists_modifiers=True)
    actions = [
        Add(OrderLineItem(smash, 2, (hold,))),
        Add(OrderLineItem(chicken, 2)),
        Say("hi"),
        SetState(("session", "x"), "gold"),
    ]
    assert (
        format_actions(actions, menu)
        == 'add 2 Smash, large with No Onions; add 2 "Chicken"; say hi; set session.x gold'
    )
    assert format_actions(actions[:1]) == 'add 2 "Smash, large" with "Hold": "No Onions"'


def test_an_infinite_number_is_written_as_json_reads_it() -> None:
    menu = BrandMenu()
    action = SetState(("session", "x"), [float("inf"), {"-Infinity": float("-inf")}, '"Infinity', "Infinity"])
    text = format_actions([action], menu)
    assert text == 'set session.x [1e999, {"-Infinity": -1e999}, "\\"Infinity", "Infinity"]'
    assert list(next(iter(parse(text, menu))).actions) == [action]


def test_a_name_with_a_line_break_stands_in_quotes() -> None:
    menu = BrandMenu((Item("Fries\n", "", 1.0),), is_declared=True, lists_items=True)
    assert format_actions([Remove("Fries\n"), Remove("Fries\n", 2)], menu) == r'remove "Fries\n"; remove 2 "Fries\n"'


def test_an_entry_whose_name_means_another_is_written_by_its_id_or_its_group() -> None:
    small, other = Modifier("Large", "", "Side", ""), Modifier("Large", "", "Drink", "")
    items = tuple(Item("Combo", id, 1.0, (small, other)) for id in ("c1", "c2"))
    menu = BrandMenu(items, (small, other), is_declared=True, lists_items=True, lists_modifiers=True)
    assert format_actions([Add(OrderLineItem(items[1], 1, (other,)))], menu) == 'add "c2" with "Drink": "Large"'
