"""Hostile files made of what the rules' pages show: each of their examples many times over, and each text very long."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from trialrun.lint import registry
from trialrun.lint.policy.types import kinds_by_message
from trialrun.lint.rule_docs import Example, parse_docs
from trialrun.model.kinds import model_of
from trialrun.model.node import message_fields
from trialrun.parser import parse

Path = tuple[str | int, ...]
LONGEST = 10**6
"""The characters of a long text; of `n` each a file has room for one."""


@dataclass(frozen=True)
class Case:
    """A kind of hostile file: `make` gives the texts of its files, by name, with `n` of what is hostile in them."""

    name: str
    make: Callable[[int], dict[str, str]]
    is_long_text: bool = False


def page_cases() -> Iterator[Case]:
    """Files of the examples of every rule: as a stream, with each list and mapping grown, with each text long."""
    for rule_id in registry.ids():
        for at, example in enumerate(parse_docs(registry.load(rule_id).doc).examples):
            if example.kind != "fixed" and not example.bytes_escaped:
                yield from _of_example(f"{rule_id}/{at}", example)


def _of_example(name: str, example: Example) -> Iterator[Case]:
    values = [whole(document.value, example.model) for document in parse(example.data, example.file).documents]
    if example.model is None and example.file.endswith(".yaml"):
        text = example.text if example.text.startswith("---") else "---\n" + example.text
        yield Case(f"{name} stream of text", lambda n: {"a.yaml": text * min(n, 9_000 // max(1, len(values)))})
    else:
        yield Case(f"{name} stream", lambda n: {"a.yaml": "".join("---\n" + written(value) for value in values) * n})
    for path in (path for index, value in enumerate(values) for path in _grown((index,), value)):
        where = "/".join(map(str, path))
        yield Case(f"{name} many {where}", lambda n, path=path: {"a.yaml": stream(with_many(values, path, n))})
    for path in (path for index, value in enumerate(values) for path in _texts((index,), value)):
        where = "/".join(map(str, path))
        yield Case(f"{name} long {where}", lambda n, path=path: {"a.yaml": stream(with_long(values, path, n))}, True)


def whole(value: Any, part: str | None) -> Any:
    """A resource that has a part, so that the part is linted along."""
    if part is None:
        return value
    kind = kinds_by_message().get(part, "Brand")
    for name, listed in reversed(_way(kind, part)):
        value = {name: [value] if listed else value}
    return {"kind": kind, **value} if isinstance(value, dict) else value


def _way(kind: str, part: str) -> list[tuple[str, bool]]:
    """The fields that lead from a kind of document to a message, and whether each is a list."""
    ways: list[tuple[type, list[tuple[str, bool]]]] = [(model_of(kind), [])]
    for model, way in ways:
        if model.__name__ == part:
            return way
        ways += [(inner, [*way, (name, listed)]) for name, listed, inner in message_fields(model)]
    return []


def _grown(path: Path, value: Any) -> Iterator[Path]:
    """The lists and mappings of a value whose items may be many."""
    is_of_texts = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    if value and (isinstance(value, list) or is_of_texts):
        yield path
    for step, inner in _steps(value):
        yield from _grown((*path, step), inner)


def _texts(path: Path, value: Any) -> Iterator[Path]:
    if isinstance(value, str) and value:
        yield path
    for step, inner in _steps(value):
        yield from _texts((*path, step), inner)


def _steps(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value[:3])


def with_many(values: list[Any], path: Path, n: int) -> list[Any]:
    """The values with `n` items, or keys, where a path leads."""
    return _with(values, path, lambda value: _many(value, n))


def with_long(values: list[Any], path: Path, n: int) -> list[Any]:
    """The values with the text at a path `n` characters long."""
    return _with(values, path, lambda value: (value * (n // len(value) + 1))[:n])


def _with(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    step, *rest = path
    changed = _with(value[step], tuple(rest), change)
    if isinstance(value, dict):
        return {**value, step: changed}
    return [changed if index == step else item for index, item in enumerate(value)]


def _many(value: Any, n: int) -> Any:
    if isinstance(value, list):
        return (value * (n // len(value) + 1))[:n]
    entries = list(value.items())
    return {f"{entries[at % len(entries)][0]}{at or ''}": entries[at % len(entries)][1] for at in range(n)}


def stream(values: list[Any]) -> str:
    """A stream of documents."""
    return "".join("---\n" + written(value) for value in values)


def written(value: Any, indent: str = "") -> str:
    """A value in block style, its texts in quotes, so that nothing is read as anything else."""
    if isinstance(value, dict) and value:
        return "".join(f"{indent}{json.dumps(key)}:{_below(one, indent)}" for key, one in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{indent}-{_below(one, indent)}" for one in value)
    return f"{indent}{_flat(value)}\n"


def _below(value: Any, indent: str) -> str:
    if isinstance(value, (dict, list)) and value:
        return "\n" + written(value, indent + "  ")
    return f" {_flat(value)}\n"


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
