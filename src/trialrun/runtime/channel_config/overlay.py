"""One configuration over another, by presence, on plain values of JSON: what results, and where each part is from.

The plain value of a configuration is shared, never copied; an overlay makes only the messages that both sides have a
part in. `by` is whoever sets a value: a layer of a store for the runtime, anything for others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Generic, Literal, TypeVar

from trialrun.diagnostic import Path
from trialrun.record import dataclass
from trialrun.runtime.channel_config.matching import MATCHES

By = TypeVar("By", bound=Hashable)
Lists = Literal["replace", "append"]
Plain = Mapping[str, Any]

UNIONS: Final = (("greetingOffer", "closingOffer", "celUpsell"),)
"""Fields of one message of which setting one clears the others."""


@dataclass(frozen=True)
class Whole(Generic[By]):
    """A value that one source set as it is: a scalar, a list, or a message; `path` leads to it in that source.

    `beneath` is what it took the place of.
    """

    by: By
    path: Path
    value: Any
    beneath: Tree[By] | None = None


@dataclass(frozen=True)
class Message(Generic[By]):
    """A message that several sources have a part in; `by` is the last of them, `path` leads to its part.

    `beneath` is the member of a union that it took the place of.
    """

    by: By
    path: Path
    fields: Mapping[str, Tree[By]]
    beneath: Tree[By] | None = None

    @cached_property
    def value(self) -> dict[str, Any]:
        """The plain value."""
        return {name: field.value for name, field in self.fields.items()}


@dataclass(frozen=True)
class Items(Generic[By]):
    """A list that several sources have a part in; `by` is the last of them, `path` leads to its part."""

    by: By
    path: Path
    items: Sequence[Tree[By]]
    beneath: Tree[By] | None = None

    @cached_property
    def value(self) -> list[Any]:
        """The plain value."""
        return [item.value for item in self.items]


Tree = Whole[By] | Message[By] | Items[By]


def overlay(under: Tree[By] | None, by: By, value: Plain, *, lists: Lists = "replace") -> Tree[By]:
    """What is effective when a source sets a message over what there is.

    Scalars overwrite, messages go field by field, upsells and greetings item by item (`matching`). Other lists take
    the place of the earlier one or, with `append`, add what it does not have.
    """
    return _over(under, Whole(by, (), value), lists) if under else Whole(by, (), value)


def _over(under: Tree[By], new: Whole[By], lists: Lists) -> Tree[By]:
    if isinstance(new.value, dict):
        return _message(under, new, lists)
    if isinstance(new.value, list) and new.path[-1] in MATCHES:
        return _matched(under, new, lists)
    if isinstance(new.value, list) and lists == "append":
        return _appended(under, new)
    return Whole(new.by, new.path, new.value, under)


def _message(under: Tree[By], new: Whole[By], lists: Lists) -> Tree[By]:
    if not new.value:
        return under if under.value else Whole(new.by, new.path, new.value, under)
    fields = dict(entries(under))
    cleared = _cleared(fields, new.value)
    for name, value in new.value.items():
        part = Whole(new.by, (*new.path, name), value, cleared.get(name))
        fields[name] = _over(fields[name], part, lists) if name in fields else part
    return Message(new.by, new.path, fields, under.beneath)


def _cleared(fields: dict[str, Tree[By]], new: Plain) -> dict[str, Tree[By]]:
    """Take away the members of a union of which others are set; what is gone, by the first member that is set."""
    cleared = {}
    for union in UNIONS:
        if coming := [name for name in union if name in new]:
            gone = [fields.pop(name) for name in union if name in fields and name not in coming]
            if gone:
                cleared[coming[0]] = gone[0]
    return cleared


def _matched(under: Tree[By], new: Whole[By], lists: Lists) -> Tree[By]:
    """The earlier items, each with what a later one sets over it, then the later ones of their own."""
    if not new.value:
        return under
    result = list(elements(under))
    matches = MATCHES[str(new.path[-1])]([scalars(item) for item in result], new.value)
    for index, (value, at) in enumerate(zip(new.value, matches, strict=True)):
        item = Whole(new.by, (*new.path, index), value)
        if at is None:
            result.append(item)
        else:
            result[at] = _message(result[at], item, lists)
    return Items(new.by, new.path, result, under.beneath)


def _appended(under: Tree[By], new: Whole[By]) -> Tree[By]:
    result = list(elements(under))
    there = [item.value for item in result]
    for index, value in enumerate(new.value):
        if value not in there:
            there.append(value)
            result.append(Whole(new.by, (*new.path, index), value))
    return Items(new.by, new.path, result, under.beneath)


def entries(tree: Tree[By]) -> Iterator[tuple[str, Tree[By]]]:
    """The fields of a message."""
    match tree:
        case Message():
            yield from tree.fields.items()
        case Whole(by, path, dict(value)):
            yield from ((name, Whole(by, (*path, name), inner)) for name, inner in value.items())


def elements(tree: Tree[By]) -> Iterator[Tree[By]]:
    """The items of a list."""
    match tree:
        case Items():
            yield from tree.items
        case Whole(by, path, list(value)):
            yield from (Whole(by, (*path, index), inner) for index, inner in enumerate(value))


def scalars(tree: Tree[By]) -> Plain:
    """The fields of a message by which items are matched, and others that need no look inside."""
    if isinstance(tree, Message):
        return {name: field.value for name, field in tree.fields.items() if isinstance(field, Whole)}
    value: Plain = tree.value if isinstance(tree.value, dict) else {}
    return value


def at(tree: Tree[By], path: Path) -> Tree[By] | None:
    """What a path of the effective value leads to; None where it leads nowhere."""
    here: Tree[By] | None = tree
    for step in path:
        if here is None:
            return None
        parts = dict(entries(here)) if isinstance(step, str) else dict(enumerate(elements(here)))
        here = parts.get(step)  # type: ignore[arg-type]
    return here


def settings(tree: Tree[By], path: Path = ()) -> Iterator[tuple[Path, Tree[By]]]:
    """Whatever is set, by its path: scalars, empty messages, lists that are a value as a whole, and union members that
    took the place of another."""
    fields, items = list(entries(tree)), list(elements(tree))
    if not (fields or items) or (isinstance(tree, Whole) and items and path[-1] not in MATCHES) or tree.beneath:
        yield path, tree
    for name, field in fields:
        yield from settings(field, (*path, name))
    for index, item in enumerate(items):
        yield from settings(item, (*path, index))
