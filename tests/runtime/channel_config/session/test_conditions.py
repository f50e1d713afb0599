"""Conditions that fail, that are large, and what items they name."""

from contextlib import suppress

from tests.cases import each_of
from tests.runtime.channel_config.brands import add, offered, play, reasons, why
from trialrun.runtime.channel_config.menu import Item, OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    ActionError,
    Add,
    OrderLine,
    SetQuantity,
    SetState,
    Speak,
)
from trialrun.runtime.channel_config.session.condition_items import condition_items
from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, Turn
from trialrun.values.cel import compile


def rule(condition: str, name: str = "a", priority: int = 1, more: str = "") -> str:
    """An upsell with a condition."""
    cel = f"{{suggestedMenuItems: [Fries], conditionExpression: {condition!r}}}"
    return f"- {{displayName: {name}, priority: {priority}{more}, celUpsell: {cel}}}\n"


def only(turn: Turn) -> EvaluatedCondition:
    """The one condition of a turn."""
    (condition,) = turn.conditions
    return condition


def test_a_condition_that_fails_on_an_empty_order_is_reported_and_the_others_are_asked() -> None:
    turn = play(rule('order.items[0].displayName == "Burger"') + rule("true", "b", 2)).turn([])
    assert reasons(turn) == {"a": ["condition-error"]}
    assert why(turn, "condition-error") == "its condition fails: Index error: index=0 size=0"
    assert [(condition.value, condition.error) for condition in turn.conditions] == [
        (None, "Index error: index=0 size=0"),
        (True, None),
    ]
    assert offered(turn) == ["Fries"]


def test_a_condition_that_fails_shows_which_part_failed() -> None:
    parts = only(play(rule('order.items[0].displayName == "B" || order.subtotal > 5.0')).turn([])).parts
    assert [(part.text, part.value) for part in parts if part.error is None] == [
        ("order.items", []),
        ("order.subtotal > 5.0", False),
        ("order.subtotal", 0.0),
    ]
    assert {part.error for part in parts if part.error} == {"Index error: index=0 size=0"}


def test_a_condition_that_cannot_be_read_is_passed_over() -> None:
    turn = play(rule("order.itms.size() > 1")).turn([])
    assert why(turn, "condition-error").startswith("its condition fails: the condition cannot be read: ")
    assert only(turn).parts == ()


def test_a_condition_that_would_fill_the_memory_is_not_evaluated() -> None:
    text = '"x".replace("", "yyyyyyyyyyyyyyyyyyyy").replace("", "zzzzzzzzzzzzzzzzzzzzzz").size() > 3'
    assert "may grow to more than 256 times its input" in why(play(rule(text)).turn([]), "condition-error")


def test_a_large_order_and_many_upsells_are_played() -> None:
    rules = "".join(rule(f'order.items.exists(i, i.displayName == "Item {at}")', str(at), at + 1) for at in range(500))
    session = play(rules)
    items = [OrderLineItem(Item(f"Item {at}", str(at), 0.01), 1_000_000) for at in range(300)]
    turn = session.turn([Add(item) for item in items])
    assert (len(turn.conditions), len(turn.skipped), session.subtotal) == (500, 499, 3_000_000.0)


@each_of(
    [
        "order.items.exists(i, i.displayName == 'Burger' && i.quantity > 1)",
        "order.items.all(i, i.displayName != 'Fries' && i.quantity < 3)",
        "order.items.exists_one(i, i.modifierGroups.exists(g, g.modifiers.exists(m, m.displayName == 'Bacon')))",
        "order.items.exists(i, i.uid == 'line-2')",
        "order.items.exists(i, ['a', 'b'][i.uid == 'line-1' ? 0 : 1] == 'b')",
        "order.items.exists(i, {'line': i}.line.uid == 'line-2')",
        "order.items.exists(i, cel.bind(line, i, line.uid == 'line-2'))",
        "order.items.exists(i, i == order.items[1])",
        "order.items.exists(i, i.quantity > session.turn)",
        "order.items.exists(i, 10 / (i.quantity - 2) > 0)",
        "order.items.exists(order, .order.items.size() == 1)",
        "order.items.exists(order, has(.order.subtotal))",
        "order.items.exists(i, order.items.exists(order, order.quantity > i.quantity))",
        "order.items.exists(i, has(order.subtotal) && i.modifierGroups.all(order, true))",
        "order.items.all(i, lists.range(4000).exists(n, n == i.quantity + 3990))",
        "{'lines': order.items.slice(0, 1)}.lines.exists(i, i.displayName == 'Fries')",
        "order.items.filter(i, i.quantity > 1).size() > 1",
        "order.items.size() > 2 || order.subtotal > 12.3",
        "order.subtotal * 2.0 == 12.2",
        "order.subtotal == 0 ? session.turn > 4 : order.subtotal >= 6.1",
        "session.metadata['it'] == 'fr'",
        "session.metadata[session.languageCode] == 'fr'",
        "has(session.metadata.it) && session.languageCode in ['it', 'fr']",
        "session.startTime.getMinutes() == 30 && session.turn % 2 == 0",
    ]
)
def test_what_is_kept_of_a_condition_is_what_the_engine_says_of_each_turn(condition: str) -> None:
    first = play(rule(condition))
    steps = [[add("Fries")], [add("Burger", 2, "Bacon")], [Speak("it")], [SetQuantity("Fries", 4), add("Burger")]]
    steps += [[SetState(("session", "metadata"), {"it": "fr"})], [add("Burger", 1, "Cheese", "Bacon")], [], []]
    for moves in [steps, steps[::-1], steps[1:] + steps]:
        session = first.fork()
        for actions in moves:
            with suppress(ActionError):
                turn = session.turn(actions)
                assert only(turn).value == only(turn).evaluate_instead(condition)


@each_of(
    [
        ("order.items.exists(i, i.displayName == 'Burger')", "Burger", True),
        ("order.items.exists(i, 'Burger' == i.displayName)", "Burger", True),
        ("order.items.exists(i, i.itemId == 'B-1')", "Burger", True),
        ("order.items.exists(i, i.displayName in ['Fries', 'Burger'])", "Burger", True),
        ("order.items.exists(i, i.displayName == 'Fries')", "Burger", False),
        ("order.items.exists(i, i.displayName.startsWith('Bur'))", "Burger", True),
        ("order.items.exists(i, i.displayName.endsWith('ger'))", "Burger", True),
        ("order.items.exists(i, i.displayName.endsWith('Bur'))", "Burger", False),
        ("order.items.exists(i, i.displayName.contains('urg'))", "Burger", True),
        ("order.items.exists(i, i.displayName.lowerAscii().contains('urg'))", "Burger", True),
        ("order.items.exists(i, i.displayName.matches('^B.*r$'))", "Burger", True),
        ("order.items.exists(i, i.displayName.matches('^F'))", "Burger", False),
        ("order.items.exists(i, i.displayName.matches('(a+)+$'))", "a" * 60 + "!", False),
        ("session.languageCode.startsWith('es') && order.subtotal > 5.0", "espresso", False),
        ("session.daypartId == 'lunch'", "lunch", False),
        ("session.daypartId in ['lunch']", "lunch", False),
        ("session.metadata['lunch'] == 'lunch'", "lunch", False),
        ("order.items[0].displayName == 'lunch'", "lunch", True),
        ("order.items.map(i, i.displayName).exists(n, n == 'lunch')", "lunch", True),
        ("order.subtotal > 5.0", "Burger", False),
        ("order.items.exists(i, i.displayName != 'Burger')", "Burger", False),
        ("order.items.all(i, 'Burger' != i.displayName)", "Burger", False),
        ("!order.items.exists(i, i.displayName == 'Burger')", "Burger", False),
        ("order.items.filter(i, i.displayName == 'Burger').size() != 0", "Burger", True),
    ]
)
def test_a_condition_names_the_items_that_its_literals_fit(condition: str, item: str, is_named: bool) -> None:
    line = OrderLine("line-1", OrderLineItem(Item(item, "B-1" if item == "Burger" else "", 1.0), 2))
    assert (condition_items(compile(condition).tree).item_with_several([line]) is not None) is is_named


def test_the_quantity_of_an_item_is_that_of_all_its_lines() -> None:
    skip = ", skipOnMultiQuantityUpsoldFromItem: true"
    condition = "order.items.exists(i, i.displayName == 'Burger')"
    turn = play(rule(condition, more=skip)).turn([add("Burger"), add("Burger", 1, "Cheese")])
    assert why(turn, "multi-quantity") == '"Burger", which the condition names, has quantity 2'
    assert offered(play(rule(condition, more=skip)).turn([add("Burger"), add("Cookie", 2)])) == ["Fries"]
