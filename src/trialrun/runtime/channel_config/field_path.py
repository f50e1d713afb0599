"""Paths of ChannelConfig fields: `operationsConfig.upsellStrategy.upsells[Fries with burgers].disabled`.

Names are separated by dots; a list item is in brackets, by its name or its index from 0. A JSON Pointer is also
accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Any

from trialrun.diagnostic import Chars, Path, json_pointer
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.model.node import Node, item_key_fields, message_fields
from trialrun.values.suggest import suggest


def dotted_path(value: Any, path: Path) -> str:
    """The path to a part of a value of a ChannelConfig, its items by what they are known by, else by their index."""
    text = ""
    for step in path:
        text += f"[{item_name(value, step)}]" if isinstance(step, int) else f".{step}"
        value = value[step]
    return text.removeprefix(".")


def item_name(items: Sequence[Any], index: int) -> str:
    """What an item of a list is known by, where no other item before it is and it can be in brackets."""
    name, *before = (
        next(item_names(item), "") if isinstance(item, dict) else "" for item in (items[index], *items[:index])
    )
    is_unambiguous = name and not any(sign in name for sign in "[]\n") and name == name.strip() and not name.isdecimal()
    return name if is_unambiguous and name not in before else str(index)


@cache
def key_fields() -> tuple[str, ...]:
    """The fields that name an item of some list of a ChannelConfig."""
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


STEP_PATTERN = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[([^\[\]]*)\]")
MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of a path: a name, or the content of brackets; `chars` is its range in the path."""

    text: str
    bracketed: bool
    chars: Chars


@dataclass(frozen=True, slots=True)
class FoundField:
    """The value at a path, and the JSON Pointer to it."""

    pointer: str
    value: Any


@dataclass(frozen=True, slots=True)
class UnsetField:
    """Nothing is set at a path: the value at `pointer` has no `missing`; `item_names` are those of its items."""

    pointer: str
    missing: str
    item_names: tuple[str, ...] = ()


class UnknownFieldError(ValueError):
    """A path that no ChannelConfig can have; `chars` is the invalid range."""

    def __init__(self, message: str, chars: Chars) -> None:
        super().__init__(message)
        self.chars = chars


def find_field(value: Any, path: str) -> FoundField | UnsetField:
    """The value at a path in a ChannelConfig. Raises UnknownFieldError if no config can have such a field."""
    steps = parse_path(path)
    _check_steps(steps)
    path_so_far: Path = ()
    for step in steps:
        key = _resolve_step(value, step)
        if key is None:
            items = value if step.bracketed and isinstance(value, list) else ()
            names = tuple(name for item in items for name in islice(item_names(item), 1))
            return UnsetField(json_pointer(path_so_far), step.text, names)
        value, path_so_far = value[key], (*path_so_far, key)
    return FoundField(json_pointer(path_so_far), value)


def parse_path(path: str) -> list[PathStep]:
    """Parse a path into steps. Raises UnknownFieldError."""
    steps: list[PathStep] = []
    at = 0
    if path.startswith("/"):
        for part in path[1:].split("/"):
            at += 1
            text = part.replace("~1", "/").replace("~0", "~")
            steps.append(PathStep(text, text.isdecimal(), (at, at + len(part))))
            at += len(part)
        return steps
    while at < len(path):
        match = STEP_PATTERN.match(path, at)
        if not match or (at > 0) == (match[2] is None and path[at] != "."):
            advice = "separate names with dots and put items in brackets, as in operationsConfig.greetings[en-US]"
            raise UnknownFieldError(f'"{path[at:]}" cannot be read; {advice}', (at, len(path)))
        name = match[1] if match[2] is None else match[2].strip().strip("\"'")
        steps.append(PathStep(name, match[2] is not None, match.span(1 if match[2] is None else 2)))
        at = match.end()
    if not steps:
        raise UnknownFieldError("the path is empty; write a field such as operationsConfig.greetings", (0, len(path)))
    return steps


def _resolve_step(value: Any, step: PathStep) -> str | int | None:
    if isinstance(value, dict):
        return step.text if not step.bracketed and step.text in value else None
    if not isinstance(value, list) or not step.bracketed:
        return None
    if step.text.isdecimal() and int(step.text) < len(value):
        return int(step.text)
    aliases = [list(item_names(item)) for item in value]
    by_name = (index for index, texts in enumerate(aliases) if step.text in texts[:1])
    by_alias = (index for index, texts in enumerate(aliases) if step.text in texts)
    by_folded_alias = (index for index, texts in enumerate(aliases) if step.text.casefold() in map(str.casefold, texts))
    return next(chain(by_name, by_alias, by_folded_alias), None)


def _check_steps(steps: Sequence[PathStep]) -> None:
    model: type[Node] | None = ChannelConfig
    is_list = False
    for step in steps:
        if step.bracketed:
            if not is_list:
                raise UnknownFieldError(f'"{step.text}" is in brackets, but what precedes it is not a list', step.chars)
            is_list = False
            continue
        if is_list or model is None:
            advice = "write an item of the list in brackets" if is_list else "end the path there"
            raise UnknownFieldError(f'"{step.text}" is not a field of what precedes it; {advice}', step.chars)
        if model is ChannelConfig and step.text in CHANNEL_CONFIG_IDENTITY:
            raise UnknownFieldError(
                f'"{step.text}" belongs to a single config and has no effective value at a store', step.chars
            )
        if step.text not in model.model_fields:
            raise UnknownFieldError(
                f'{model.__name__} has no field "{step.text}"{_suggest(step.text, model)}', step.chars
            )
        parts: dict[str, tuple[type[Node] | None, bool]] = {
            field: (part, is_list) for field, is_list, part in message_fields(model)
        }
        plain = None, "list[" in str(model.model_fields[step.text].annotation)
        model, is_list = parts.get(step.text, plain)


def _suggest(name: str, model: type[Node]) -> str:
    """A suggestion: a field of this message that may be effective at a store, or the message that has the field."""
    fields = [
        field for field in model.model_fields if model is not ChannelConfig or field not in CHANNEL_CONFIG_IDENTITY
    ]
    near = suggest(name, fields, min_similarity=0.6) or next(_paths_to(name, model, MAX_DEPTH), None)
    return f'; did you mean "{near}"?' if near else f"; it has {', '.join(fields)}"


def _paths_to(name: str, model: type[Node], max_depth: int) -> Iterator[str]:
    for field, is_list, part in message_fields(model):
        if name in part.model_fields:
            yield f"{field}{'[…]' if is_list else ''}.{name}"
    for field, is_list, part in message_fields(model) if max_depth else ():
        for path in _paths_to(name, part, max_depth - 1):
            yield f"{field}{'[…]' if is_list else ''}.{path}"
