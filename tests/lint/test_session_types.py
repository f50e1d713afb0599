"""The session types that a workspace's SessionSchema documents come to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.lint.rule_support.session_types import session_types
from trialrun.values import cel

ORDER = {"order": "Order"}


@each_of(
    [
        ([{"variables": ORDER, "types": {"Order": {"total": "double"}}}], "order.total > 1"),
        ([{"variables": ORDER}, {"types": {"Order": {"items": "list(Item)"}, "Item": {}}}], "order.items.size() > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "dubble"}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": 5}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "double", "a-b": "int"}}}], "order.total > 1"),
        ([{"variables": {**ORDER, "if": "int"}, "types": {"Order": {"total": "double"}}}], "order.total > 1"),
        ([{"variables": ORDER, "types": {"Order": {"total": "double"}, "string": {}}}], "order.total > 1"),
        ([{"variables": {"order": "Ordr"}, "types": {"Order": {"total": "double"}}}], "order.anything > 1"),
    ]
)
def test_what_cannot_be_read_makes_no_condition_wrong(declarations: list[dict[str, Any]], condition: str) -> None:
    types = session_types(declarations)
    assert types.is_declared
    assert cel.check_expression(condition, schema=types.schema).problems == ()


def test_a_mistake_elsewhere_in_the_schema_hides_no_mistake() -> None:
    types = session_types([{"variables": ORDER, "types": {"Order": {"total": "double", "tip": "dubble"}}}])
    (found,) = cel.check_expression("order.totl > 1", schema=types.schema).problems
    assert (types.is_declared, found.replacement) == (True, "total")


@pytest.mark.parametrize("declarations", [[], [{}], [{"types": {"Order": {"total": "double"}}}]])
def test_without_variables_the_default_is_a_guess(declarations: list[dict[str, Any]]) -> None:
    types = session_types(declarations)
    assert (types.schema, types.is_declared) == (cel.DEFAULT_SCHEMA, False)
