"""Values as the examples of findings show them."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 100


def shown(value: object) -> str:
    """A value in a message: null for none, and otherwise its text, or the beginning of a long one."""
    text = "null" if value is None else str(value)
    return text if len(text) <= MOST else f"{text[:MOST]}..."


def shown_id(id: Sequence[object]) -> str:
    """An entity id in a message: its value, or its values in parentheses."""
    return shown(id[0]) if len(id) == 1 else f"({', '.join(shown(part) for part in id)})"
