"""The messages of one document as the mappings that policies read, each made once."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from trialrun.lint.policy.types import defaults, kinds_by_message, messages
from trialrun.model import fields
from trialrun.model.node import Node, Shortened
from trialrun.values.cel.presence import SET

Pairs = frozenset[tuple[str, str]]
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_NOTHING: Pairs = frozenset()
Form = Literal["plain", "integer", "double", "message", "messages"]


class Views:
    """The mappings of one document's messages, and which fields in them have values that the model refused.

    A refused field is missing from its mapping, not unset: nothing is known of it.
    """

    def __init__(self, root: Node, document: dict[str, str]) -> None:
        self._root, self._document = root, document
        self._made: dict[int, dict[str, Any]] = {}
        self._refused: dict[int, Pairs] = {}
        self._root_view: dict[str, Any] | None = None

    def state(self, node: Node) -> dict[str, Any]:
        """The variables of a policy on a message."""
        if self._root_view is None:
            self._root_view = self._view_of_root(node)
        return {"self": self._view(node), "root": self._root_view, "document": self._document}

    def refused(self, node: Node) -> Pairs:
        """The fields, by message, with refused values in a message and in the document."""
        return self._refused.get(id(node), _NOTHING) | self._refused.get(id(self._root), _NOTHING)

    def refused_below(self, node: Node) -> Pairs:
        """The fields, by message, with refused values in a message and what it holds."""
        return self._refused.get(id(node), _NOTHING)

    def _view_of_root(self, node: Node) -> dict[str, Any]:
        """The document's own mapping; of a part that stands alone, as in an example, one with nothing set."""
        kind = kinds_by_message()[type(node).__name__]
        if type(self._root).__name__ == kind:
            return self._view(self._root)
        return dict(defaults(messages(kind)[kind]))

    def _view(self, node: Node) -> dict[str, Any]:
        made = self._made.get(id(node))
        if made is None:
            made = self._made[id(node)] = self._make(node)
        return made

    def _make(self, node: Node) -> dict[str, Any]:
        model = node.__class__
        made, known, values = dict(defaults(model)), forms(model), node.__dict__
        refused: set[tuple[str, str]] = set()
        for name in node.__pydantic_fields_set__:
            if name not in known:
                continue
            form, key = known[name]
            value = values.get(name)
            if value is None or value.__class__ is Shortened or (form == "integer" and not _fits(value)):
                refused.add((model.__name__, name))
                del made[name]
                continue
            if form == "message":
                value = self._inner(value, refused)
            elif form == "messages":
                value = [self._inner(item, refused) for item in value]
            elif form == "double":
                value = float(value)
            made[name] = made[key] = value
        if refused:
            self._refused[id(node)] = frozenset(refused)
        return made

    def _inner(self, node: Node, refused: set[tuple[str, str]]) -> dict[str, Any]:
        view = self._view(node)
        if self._refused:
            refused |= self._refused.get(id(node), _NOTHING)
        return view


def _fits(number: int) -> bool:
    return _LOWEST <= number <= _HIGHEST


@cache
def forms(model: type[Node]) -> dict[str, tuple[Form, str]]:
    """How the value of each field is taken, and the key that says that it is set."""
    return {name: (_form(fields.shape(model, name)), name + SET) for name in model.model_fields}


def _form(shape: fields.Shape) -> Form:
    if shape.model is not None:
        return "messages" if shape.listed else "message"
    if shape.listed or shape.scalar not in (int, float):
        return "plain"
    return "integer" if shape.scalar is int else "double"
