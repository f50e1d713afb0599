"""Whether a binding of a brand asks more or less of a store than before."""

from __future__ import annotations

from typing import Any

from trialrun.changes.change import Operation


def stores_operation(before: Any, after: Any) -> Operation:
    """`removed` where the selection matches fewer stores, `added` where it matches more, else `changed`.

    Tags must all match, and a store needs one of the names; an empty list asks nothing.
    """
    steps = {_compare_tags(_list(before, "tags"), _list(after, "tags")),
             _compare_names(_list(before, "names"), _list(after, "names"))} - {0}  # fmt: skip
    if steps == {-1}:
        return "removed"
    return "added" if steps == {1} else "changed"


def _list(selector: Any, name: str) -> frozenset[str]:
    return frozenset(getattr(selector, name, None) or ())


def _compare_tags(before: frozenset[str], after: frozenset[str]) -> int:
    """1 where fewer tags are asked for, -1 where more are, 0 for the same, 2 for others."""
    if before == after:
        return 0
    return 1 if after < before else -1 if before < after else 2


def _compare_names(before: frozenset[str], after: frozenset[str]) -> int:
    """1 where more stores have one of the names, -1 where fewer do, 0 for the same, 2 for others."""
    if before == after:
        return 0
    if not before or (after and after < before):
        return -1
    return 1 if not after or before < after else 2
