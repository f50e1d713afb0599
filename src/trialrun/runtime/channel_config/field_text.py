"""Field paths for display: `operationsConfig.greetings[en-US].greetingPhrases`; `field_path` parses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.diagnostic import Path

DISPLAY_NAME_FIELDS = ("displayName", "languageCode", "itemName", "modifierName", "name")


def dotted_path(value: Any, path: Path) -> str:
    """The path to a part of a value of a ChannelConfig, its items by what they are known by, else by their index."""
    return "".join(_steps(value, path)).removeprefix(".")


def _steps(value: Any, path: Path) -> Iterator[str]:
    for step in path:
        yield f"[{item_name(value, step)}]" if isinstance(step, int) else f".{step}"
        value = value[step]


def item_name(items: Sequence[Any], index: int) -> str:
    """What an item of a list is known by, where no other item before it is and it can stand in brackets."""
    name = _name(items[index])
    is_unambiguous = name and not any(sign in name for sign in "[]\n") and name == name.strip() and not name.isdecimal()
    is_first = is_unambiguous and all(_name(item) != name for item in items[:index])
    return name if is_first else str(index)


def _name(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    for field in DISPLAY_NAME_FIELDS:
        if isinstance(item.get(field), str):
            return str(item[field])
    return f"priority {item['priority']}" if "priority" in item else ""
