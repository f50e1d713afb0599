"""Hostile files by the models: every text very long, of many alphabets, and every list and mapping long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.hostile_pages import Case, stream, whole
from trialrun.lint.policy.types import kinds_by_message, messages
from trialrun.model.kinds import KINDS
from trialrun.model.proto_json import FieldType, field_type, item_type

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
