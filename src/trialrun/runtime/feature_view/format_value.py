"""Values as the examples of findings show them."""

from __future__ import annotations

from collections.abc import Sequence

MAX_LENGTH = 100


def format_value(value: object) -> str:
    """A value in a message: null for none, and otherwise its text, or the beginning of a long one."""
    text = "null" if value is None else str(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."


def format_id(id: Sequence[object]) -> str:
    """An entity id in a message: its value, or its values in parentheses."""
    return format_value(id[0]) if len(id) == 1 else f"({', '.join(format_value(part) for part in id)})"
