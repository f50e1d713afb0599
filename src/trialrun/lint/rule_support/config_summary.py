"""The outline of a config: what it sets and where, with long values by their beginning and a digest, as a fact has it.

Two outlines agree wherever the configs do, so one is laid over another like the values themselves.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from trialrun.model.node import Node

LONGEST = 40
BEGINNING = 24
ELLIPSIS = "…"
MATCHED = ("upsells", "greetings")
"""The lists whose items are told apart; every other list is one value."""
LABELS = {"operationsConfig": ("displayName", "description")}
"""Fields that people know a strategy by, and that change nothing, by the field that has the message."""


@dataclass(slots=True)
class Outline:
    """What a config sets; `is_cut` says that some of its values were refused, so that there may be more."""

    value: Any
    is_cut: bool = False


def outline(config: Node, *, without: Collection[str] = ()) -> Outline:
    """The outline of a config, without some of its fields."""
    found = Outline({})
    found.value = _message(config, found, without)
    return found


def _message(node: Node, found: Outline, without: Collection[str] = ()) -> dict[str, Any]:
    values: dict[str, Any] = {}
    stand = node.model_fields_set
    for name, value in node.__dict__.items():
        if name not in stand or name in without:
            continue
        if value is None:
            found.is_cut = True
        elif name not in LABELS or not value.model_fields_set or not value.model_fields_set <= {*LABELS[name]}:
            values[name] = _value(name, value, found)
    return values


def _value(name: str, value: Any, found: Outline) -> Any:
    if isinstance(value, list):
        return _list(name, value, found)
    if isinstance(value, str):
        return value if len(value) <= LONGEST else _short(value)
    return value if isinstance(value, int | float) else _message(value, found, LABELS.get(name, ()))


def _list(name: str, items: list[Any], found: Outline) -> list[Any]:
    if type(items) is not list:  # a `Shortened`, of which some items were refused
        found.is_cut = True
    if name in MATCHED:
        return [_message(item, found) for item in items]
    plain = [item if isinstance(item, str) else _whole(item, found) for item in items]
    text = json.dumps(plain, ensure_ascii=True)
    return [text if len(text) <= LONGEST else _short(text)] if items else []


def _whole(node: Node, found: Outline) -> Any:
    """A message inside of a list that is one value."""
    values: dict[str, Any] = {}
    for name, value in node.__dict__.items():
        if name not in node.model_fields_set:
            continue
        if value is None:
            found.is_cut = True
        elif isinstance(value, list):
            found.is_cut |= type(value) is not list
            values[name] = [item if isinstance(item, str) else _whole(item, found) for item in value]
        else:
            values[name] = value if isinstance(value, str | int | float) else _whole(value, found)
    return values


def _short(text: str) -> str:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{text[:BEGINNING]}{ELLIPSIS}{digest}"


def shown(value: Any) -> str:
    """A value of an outline, for a message."""
    if isinstance(value, str):
        beginning, is_short, _ = value.partition(ELLIPSIS) if len(value) > BEGINNING else (value, "", "")
        return json.dumps(f"{beginning.rstrip()}{is_short}", ensure_ascii=False)
    return json.dumps(value)
