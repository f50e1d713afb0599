"""What is written of moves reads as these moves, whatever the names on the menu."""

from __future__ import annotations

from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.script import format_actions, parse
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

WORDS = st.sampled_from(
    [
        "with",
        "and",
        "&",
        "x",
        "2",
        "3",
        "#1",
        '"',
        ";",
        ",",
        ":",
        "=",
        "to",
        "Tea",
        "tea",
        "é",
        "抹茶",
        "\n",
        "\u200b",
        "\\",
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
