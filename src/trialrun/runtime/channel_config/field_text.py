"""Field paths for display: `operationsConfig.greetings[en-US].greetingPhrases`; `field_path` parses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from trialrun.diagnostic import Path


def dotted_path(value: Any, path: Path) -> str:
    """The path to a part of a value of a ChannelConfig, its items by what they are known by, else by their index."""
    return "".join(_steps(value, path)).removeprefix(".")


def _steps(value: Any, path: Path) -> Iterator[str]:
    for step in path:
        yield f"[{item_name(value, step)}]" if isinstance(step, int) else f".{step}"
        value = value[step]


def item_name(items: Sequence[Any], index: int) -> str:
    """What an item of a list is known by, where no other item before it is and it can be in brackets."""
    name = _name(items[index])
    is_unambiguous = name and not any(sign in name for sign in "[]\n") and name == name.strip() and not name.isdecimal()
    is_first = is_unambiguous and all(_name(item) != name for item in items[:index])
    return name if is_first else str(index)


def _name(item: Any) -> str:
    return next(item_names(item), "") if isinstance(item, dict) else ""


@cache
def key_fields() -> tuple[str, ...]:
    """The fields that name an item of some list of a ChannelConfig; its model is imported only now."""
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.node import item_key_fields

    return item_key_fields(ChannelConfig)


def item_names(item: Any) -> Iterator[str]:
    """What an item of a list of a ChannelConfig is called: first its name, then what else it is known by."""
    if not isinstance(item, dict):
        yield str(item)
        return
    for field in key_fields():
        value = item.get(field)
        if isinstance(value, int):
            yield f"{field} {value}"
        elif value:
            for part in value if isinstance(value, list) else [value]:
                yield from item_names(part)
