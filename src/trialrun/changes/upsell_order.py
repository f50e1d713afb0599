"""The order in which the upsells of a strategy are attempted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trialrun.model.node import Node


def _order(upsells: Sequence[Any]) -> list[int]:
    """The indexes of upsells in the order of their priority; those of one priority as they are written."""
    return sorted(range(len(upsells)), key=lambda index: upsells[index].priority or 0)


def attempt_order(upsells: Sequence[Node]) -> list[dict[str, Any]]:
    """The upsells in the order in which they are attempted, each by its name and its priority."""
    values: Sequence[Any] = upsells
    return [{"displayName": values[index].displayName, "priority": values[index].priority} for index in _order(values)]


def is_reordered(before: Sequence[Node], after: Sequence[Node], pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether the upsells that both sides have are attempted in another order."""
    counterpart = dict(pairs)
    kept = {second for _, second in pairs}
    first = [counterpart[index] for index in _order(before) if index in counterpart]
    second = [index for index in _order(after) if index in kept]
    return first != second
