"""Parts of CEL texts that may become far larger than what they are made of are found before they are evaluated."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values import cel
from trialrun.values.cel.cost import find_oversized

SCHEMA = cel.build_schema(
    {"Order": {"name": "string", "items": "list(string)", "notes": "map(string, string)", "count": "int"}},
    {"order": "Order"},
)

LARGE = [
    "[order.name]" + ".map(a, a + a)" * 9 + " != []",
    "['a']" + ".map(a, a + a)" * 25 + " != []",
    "[1, 2]" + ".map(a, [a, a])" * 9 + " != []",
    "cel.bind(a, order.name, "
    + "".join(f"cel.bind({b}, {a} + {a}, " for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "j.size() > 0"
    + ")" * 10,
    "order.name" + ".replace('a', 'aaaaaaaa')" * 3 + " != ''",
    "order.name" + ".split('').join('aaaaaaaa')" * 3 + " != ''",
    "order.items.join(order.items.join(order.name)) != ''",
    "order.name.replace(order.name, order.notes['a'].replace('a', order.name)) != ''",
    "lists.range(1000000000).size() > 0",
    "lists.range(order.count).size() > 0",
    "order.notes" + ".transformMap(k, v, v + v)" * 9 + " != {}",
]
SMALL = [
    "order.items.map(a, a + a).join(', ') != ''",
    "order.items.all(a, order.items.all(b, order.items.exists(c, c == a + b)))",
    "order.name.replace('_', '-').replace(' ', '').lowerAscii() != ''",
    "'%s: %s'.format([order.name, order.items.join('; ')]) != ''",
    "lists.range(order.items.size() - 1).all(i, order.items[i] < order.items[i + 1])",
    "lists.range(10).exists(i, order.count == i)",
    "order.name in ['" + "', '".join("abcdefghij" * 50) + "']",
    " && ".join(["order.name + order.name != ''"] * 60),
]


def tree(text: str) -> cel.Node:
    found = cel.check_expression(text, schema=SCHEMA)
    assert found.problems == ()
    assert found.tree is not None
    return found.tree


@each_of(LARGE)
def test_what_may_become_large_is_found(text: str) -> None:
    assert find_oversized(tree(text)) is not None


@each_of(SMALL)
def test_what_stays_small_is_let_be(text: str) -> None:
    assert find_oversized(tree(text)) is None


def test_the_innermost_part_is_told() -> None:
    text = "order.items != [] && lists.range(order.count).size() > 0"
    found = find_oversized(tree(text))
    assert found is not None
    assert text[found.start : found.end] == "lists.range(order.count)"


def test_a_condition_that_would_fill_the_memory_is_not_evaluated() -> None:
    assert cel.check_expression("lists.range(10).size() > 0").constant is True
    assert cel.check_expression("lists.range(9223372036854775807).size() > 0").constant is None
