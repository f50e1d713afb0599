"""Fields of a ChannelConfig by their paths: `operationsConfig.upsellStrategy.upsells[Fries with burgers].disabled`.

Names are separated by dots; an item of a list is named in brackets by what it is known by, or by its index from 0.
A JSON Pointer is taken as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from trialrun.diagnostic import Chars, Path, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.model.node import Node, parts
from trialrun.model.suggest import nearest

STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[([^\[\]]*)\]")
TOLD_BY = ("displayName", "languageCode", "itemName", "itemId", "modifierName", "modifierId", "name")
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path: a name, or what stands in brackets; `chars` are its characters in the path."""

    text: str
    bracketed: bool
    chars: Chars


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to, and the JSON Pointer to it."""

    pointer: str
    value: Any


@dataclass(frozen=True, slots=True)
class Unset:
    """Nothing is set where a path leads to: what stands at `pointer` has no `missing`; its items are `known`."""

    pointer: str
    missing: str
    known: tuple[str, ...] = ()


class NoField(ValueError):
    """A path that no ChannelConfig has; `chars` are the characters of it that are wrong."""

    def __init__(self, message: str, chars: Chars) -> None:
        super().__init__(message)
        self.chars = chars


def find(value: Any, path: str) -> Found | Unset:
    """What a path leads to in the value of a ChannelConfig. Raises NoField where no config could have such a field."""
    steps = steps_of(path)
    _checked(steps)
    done: Path = ()
    for step in steps:
        key = _key(value, step)
        if key is None:
            return Unset(json_pointer(done), step.text, tuple(_names(value)) if step.bracketed else ())
        value, done = value[key], (*done, key)
    return Found(json_pointer(done), value)


def steps_of(path: str) -> list[Step]:
    """The steps of a path. Raises NoField where it cannot be read."""
    if path.startswith("/"):
        return list(_of_pointer(path))
    steps, at = [], 0
    while at < len(path):
        found = STEP.match(path, at)
        if not found or (at > 0) == (found[2] is None and path[at] != "."):
            wrong = "write names with dots between them, and items in brackets: operationsConfig.greetings[en-US]"
            raise NoField(f'"{path[at:]}" cannot be read; {wrong}', (at, len(path)))
        name = found[1] if found[2] is None else found[2].strip().strip("\"'")
        steps.append(Step(name, found[2] is not None, found.span(1 if found[2] is None else 2)))
        at = found.end()
    if not steps:
        raise NoField("the path is empty; write a field such as operationsConfig.greetings", (0, len(path)))
    return steps


def _of_pointer(path: str) -> Iterator[Step]:
    at = 1
    for part in path[1:].split("/"):
        text = part.replace("~1", "/").replace("~0", "~")
        yield Step(text, text.isdecimal(), (at, at + len(part)))
        at += len(part) + 1


def _key(value: Any, step: Step) -> str | int | None:
    if isinstance(value, dict):
        return step.text if not step.bracketed and step.text in value else None
    if not isinstance(value, list) or not step.bracketed:
        return None
    if step.text.isdecimal() and int(step.text) < len(value):
        return int(step.text)
    known = [list(_known_by(item)) for item in value]
    by_name = (index for index, texts in enumerate(known) if step.text in texts[:1])
    as_written = (index for index, texts in enumerate(known) if step.text in texts)
    folded = (index for index, texts in enumerate(known) if step.text.casefold() in map(str.casefold, texts))
    return next(chain(by_name, as_written, folded), None)


def _names(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        yield from list(_known_by(item))[:1]


def _known_by(item: Any) -> Iterator[str]:
    """What an item of a list may be called."""
    if not isinstance(item, dict):
        yield str(item)
        return
    yield from (item[name] for name in TOLD_BY if isinstance(item.get(name), str))
    yield from (term for term in item.get("customerTerms") or () if isinstance(term, str))
    if "priority" in item:
        yield f"priority {item['priority']}"
    if "offerMessage" in item:
        yield from _known_by(item["offerMessage"])


def _checked(steps: Sequence[Step]) -> None:
    """Raise NoField for the first name that the models do not have."""
    model: type[Node] | None = ChannelConfig
    listed = False
    for step in steps:
        if step.bracketed:
            if not listed:
                raise NoField(f'"{step.text}" is in brackets, and what is before it is no list', step.chars)
            listed = False
            continue
        if listed or model is None:
            advice = "write an item of it in brackets" if listed else "end there"
            raise NoField(f'what is before "{step.text}" has no such field; {advice}', step.chars)
        if model is ChannelConfig and step.text in CHANNEL_CONFIG_IDENTITY:
            raise NoField(
                f'"{step.text}" speaks of one config alone; nothing of it is effective at a store', step.chars
            )
        if step.text not in model.model_fields:
            raise NoField(f'{model.__name__} has no field "{step.text}"{_advice(step.text, model)}', step.chars)
        model, listed = _within(model, step.text)


def _within(model: type[Node], name: str) -> tuple[type[Node] | None, bool]:
    part = next(((part, listed) for field, listed, part in parts(model) if field == name), None)
    if part is not None:
        return part
    return None, "list[" in str(model.model_fields[name].annotation)


def _advice(name: str, model: type[Node]) -> str:
    """The field that was meant: of this message, else where the name is at home."""
    if near := nearest(name, _usable(model), close=0.6):
        return f'; did you mean "{near}"?'
    homes = list(_homes(name, model, DEEPEST))
    return f'; did you mean "{homes[0]}"?' if homes else f"; it has {', '.join(_usable(model))}"


def _usable(model: type[Node]) -> list[str]:
    """The fields that may be effective at a store."""
    return [name for name in model.model_fields if model is not ChannelConfig or name not in CHANNEL_CONFIG_IDENTITY]


def _homes(name: str, model: type[Node], deepest: int) -> Iterator[str]:
    for field, listed, part in parts(model):
        if name in part.model_fields:
            yield f"{field}{'[…]' if listed else ''}.{name}"
    for field, listed, part in parts(model) if deepest else ():
        for home in _homes(name, part, deepest - 1):
            yield f"{field}{'[…]' if listed else ''}.{home}"
