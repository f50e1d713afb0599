"""Hostile files made of what is known: examples of the rules many times over, texts and lists of the models long."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from trialrun.lint import registry
from trialrun.lint.policy.policy import kinds_by_message, messages
from trialrun.lint.rule_docs import Example, parse_docs
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import message_fields
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.parser import parse

Path = tuple[str | int, ...]


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


ALPHABETS = (
    *("a", "A ", "\u00e9\u0301", "\U0001f354", "{{x}} ", "*/7,", "1-", "en-", "a.b&&", "((", "![", "'", "\\", "\n"),
    *(" ", "/", "CRON_TZ=X ", "$", "%", "projects/p/", "or not ", "\u0000"),
)
"""What long texts are made of, over and over."""


def text_fields() -> Iterator[tuple[str, str, FieldType]]:
    """Every field that holds texts or a mapping of them: its message, its name and its shape."""
    for message, kind in kinds_by_message().items():
        model = messages(kind)[message]
        for name in model.model_fields:
            found = field_type(model, name)
            if name != "kind" and (found.scalar is str or found.enum or found.values or found.int64):
                yield message, name, found


def long_cases() -> Iterator[Case]:
    """Each text of the models long, a resource for each alphabet and `n` characters in all, in YAML and in JSON."""
    for message, name, found in text_fields():
        for ending in (".yaml", ".json"):
            yield Case(
                f"long {message}.{name} {ending}",
                lambda n, message=message, name=name, found=found, ending=ending: _file(
                    [whole({name: _held(text, found)}, message) for text in _long_texts(n // len(ALPHABETS))], ending
                ),
                True,
            )


def _long_texts(n: int) -> Iterator[str]:
    return ((letters * (n // len(letters) + 1))[:n] for letters in ALPHABETS)


def many_cases() -> Iterator[Case]:
    """Each list and mapping of the models with many entries: equal ones, different ones, and of a wrong type."""
    for kind in KINDS:
        for message, model in messages(kind).items():
            for name in model.model_fields:
                found = field_type(model, name)
                if found.is_list or found.values:
                    for sort in ("equal", "different", "numbers", "nulls", "empty", "unknown"):
                        yield Case(
                            f"many {message}.{name} {sort}",
                            lambda n, message=message, name=name, found=found, sort=sort: _file(
                                [whole({name: _entries(found, sort, n)}, message)], ".yaml"
                            ),
                        )


def _held(text: str, found: FieldType) -> Any:
    if found.is_list:
        return [text]
    return {text[:60]: text, "k": text} if found.values else text


def _entries(found: FieldType, sort: str, n: int) -> Any:
    if not found.is_list:
        return {f"Key{at}": _entry(found, sort, at) for at in range(n)}
    return [_entry(item_type(found), sort, at) for at in range(n)]


def _entry(found: FieldType, sort: str, at: int) -> Any:
    if sort in ("numbers", "nulls"):
        return at if sort == "numbers" else None
    if found.model is None:
        return {"equal": "Same", "different": f"Name {at}", "empty": "", "unknown": f"Nmae{at}"}[sort]
    if sort == "empty":
        return {}
    fields = {name: field_type(found.model, name) for name in found.model.model_fields}
    texts = [name for name, field in fields.items() if field.scalar is str and not field.is_list]
    spelled = {name + "s" * (sort == "unknown"): "Same" if sort == "equal" else f"Name {at}" for name in texts}
    return spelled or {"a": at}


def _file(resources: list[Any], ending: str) -> dict[str, str]:
    return {f"a{ending}": json.dumps(resources) if ending == ".json" else stream(resources)}
