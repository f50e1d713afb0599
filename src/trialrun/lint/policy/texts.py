"""All free texts and conditions of a message and of the messages inside it, as `texts(message)` gives them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from trialrun.lint.policy.types import is_refused
from trialrun.model.node import Node, SymbolKind, TextFormat, field_spec, message_fields

FORMATS: tuple[TextFormat, ...] = ("free-text", "cel-condition", "cel-expression")
DECLARED: tuple[SymbolKind, ...] = ("upsell", "customer term")
"""What texts hold that people wrote, rather than names of something else; names in words are among them."""


class UnknownTexts(Exception):
    """A text, or a message with texts, was refused, so not all texts are known."""


def texts_of(node: Node) -> list[str]:
    """The texts of a message, in the order of its fields. Raises UnknownTexts."""
    return list(_texts(node))


def _texts(node: Node) -> Iterator[str]:
    values = node.__dict__
    for name, is_message in _text_fields(type(node)):
        value = values[name]
        if is_refused(node, name, value):
            raise UnknownTexts(name)
        if value is None:
            continue
        if is_message:
            for inner in value if isinstance(value, list) else (value,):
                yield from _texts(inner)
        else:
            yield from _strings(value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


@cache
def _text_fields(model: type[Node]) -> tuple[tuple[str, bool], ...]:
    """The fields with texts, and whether each is a message with texts; in the order of the model."""
    texts = {name: False for name in model.model_fields if _is_text(model, name)}
    inner = {name: True for name, _, of in message_fields(model) if _text_fields(of)}
    found = texts | inner
    return tuple((name, found[name]) for name in model.model_fields if name in found)


def _is_text(model: type[Node], name: str) -> bool:
    spec = field_spec(model, name)
    return spec.format in FORMATS or spec.declares in DECLARED
