"""What conditions read and compare it with, and the values that are tried for it."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from trialrun.runtime.channel_config.explore.generators import values_to_try
from trialrun.values.cel import DEFAULT_SCHEMA, check_expression
from trialrun.values.cel.syntax_tree import condition_reads
from trialrun.values.cel.type_schema import parse_type

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
    ],
)
def test_values_to_try(type_text: str, literals: list[object], values: tuple[object, ...]) -> None:
    found = values_to_try(parse_type(type_text, known_types=["Order"]), literals)
    assert (found, [type(one) for one in found]) == (values, [type(value) for value in values])
