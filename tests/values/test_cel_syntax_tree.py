"""The syntax tree of a CEL text."""

from __future__ import annotations

import pytest

from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import MAX_DEPTH, is_too_deep


@pytest.mark.parametrize(
    ("operands", "expected"),
    [pytest.param(MAX_DEPTH, False, id="as deep as allowed"), pytest.param(MAX_DEPTH + 1, True, id="deeper")],
)
def test_a_chain_of_operators_is_as_deep_as_it_is_long(operands: int, expected: bool) -> None:
    tree = parse(" + ".join(["1"] * operands)).tree
    assert tree is not None
    assert is_too_deep(tree) is expected
