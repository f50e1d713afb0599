"""One configuration over another, by presence, on plain values of JSON: what results, and where each part is from.

Plain values are shared, never copied or changed; an overlay makes only the messages that both sides have a part in.
`by` is whoever sets a value: a layer of a store for the runtime, anything for others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, Final, Generic, Literal, TypeVar

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.merge_keys import EMPTY, MATCHINGS, Index, Plain, index, matched

By = TypeVar("By", bound=Hashable)
Lists = Literal["replace", "append"]

UNIONS: Final = (("greetingOffer", "closingOffer", "celUpsell"),)
"""Fields of one message of which setting one clears the others."""

MEMBERS: Final = frozenset(name for union in UNIONS for name in union)


@dataclass(frozen=True, eq=False)
class Whole(Generic[By]):
    """A value that one source set as it is: a scalar, a list, or a message; `path` leads to it in that source.

    `beneath` is what it took the place of.
    """

    by: By
    path: Path
    value: Any
    beneath: Tree[By] | None = None

    @cached_property
    def fields(self) -> Mapping[str, Whole[By]]:
        """The fields of a message; none of any other value."""
        fields = self.value.items() if isinstance(self.value, dict) else ()
        return {name: Whole(self.by, (*self.path, name), value) for name, value in fields}

    @cached_property
    def items(self) -> Sequence[Whole[By]]:
        """The items of a list; none of any other value."""
        items = self.value if isinstance(self.value, list) else ()
        return [Whole(self.by, (*self.path, place), value) for place, value in enumerate(items)]

    @cached_property
    def index(self) -> Index:
        """What the items of a list are matched by."""
        return index(MATCHINGS[self.path[-1]], self.value)


@dataclass(frozen=True, eq=False)
class Message(Generic[By]):
    """A message that several sources have a part in; `by` is the last of them, `path` leads to its part.

    `beneath` is the member of a union that it took the place of, and `at_first` what it was when it did.
    """

    by: By
    path: Path
    fields: Mapping[str, Tree[By]]
    beneath: Tree[By] | None = None
    at_first: Whole[By] | None = None

    @property
    def items(self) -> Sequence[Tree[By]]:
        """A message has no items."""
        return ()

    @cached_property
    def value(self) -> dict[str, Any]:
        """The plain value."""
        return {name: field.value for name, field in self.fields.items()}


@dataclass(frozen=True, eq=False)
class Items(Generic[By]):
    """A list that several sources have a part in; `by` is the last of them, `path` leads to its part.

    `before` and `touched` are what items were matched by before that one, and the places of those that it set.
    """

    by: By
    path: Path
    items: Sequence[Tree[By]]
    beneath: Tree[By] | None = None
    before: Index = EMPTY
    touched: Sequence[int] = ()

    @property
    def fields(self) -> Mapping[str, Tree[By]]:
        """A list has no fields."""
        return {}

    @cached_property
    def value(self) -> list[Any]:
        """The plain value."""
        return [item.value for item in self.items]

    @cached_property
    def index(self) -> Index:
        """What the items are matched by."""
        matching = MATCHINGS[self.path[-1]]
        touched = ((place, _scalars(self.items[place], matching.fields)) for place in self.touched)
        return self.before.changed((place, matching.keys(fields)) for place, fields in touched)


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
    if isinstance(new.value, list) and new.path[-1] in MATCHINGS and not isinstance(under, Message):
        return _matched(under, new, lists)
    if isinstance(new.value, list) and lists == "append":
        return _appended(under, new)
    return Whole(new.by, new.path, new.value, under)


def _message(under: Tree[By], new: Whole[By], lists: Lists) -> Tree[By]:
    if not new.value:
        return under if under.value else Whole(new.by, new.path, new.value, under)
    fields = dict(under.fields)
    cleared = _cleared(fields, new.value)
    for name, value in new.value.items():
        part = Whole(new.by, (*new.path, name), value, cleared.get(name))
        fields[name] = _over(fields[name], part, lists) if name in fields else part
    return Message(new.by, new.path, fields, *_other_member(under))


def _other_member(under: Tree[By]) -> tuple[Tree[By] | None, Whole[By] | None]:
    """The member of a union that a message took the place of, and the message as it did.

    An empty message may have taken the place of its like.
    """
    if not isinstance(under, Whole):
        return under.beneath, under.at_first if isinstance(under, Message) else None
    while isinstance(under.beneath, Whole) and under.beneath.path[-1:] == under.path[-1:]:
        under = under.beneath
    return under.beneath, under if under.beneath else None


def _cleared(fields: dict[str, Tree[By]], new: Plain) -> dict[str, Tree[By]]:
    """Take away the members of a union of which others are set; what is gone, by the first member that is set."""
    cleared: dict[str, Tree[By]] = {}
    if MEMBERS.isdisjoint(new):
        return cleared
    for union in UNIONS:
        coming = [name for name in union if name in new]
        gone = [fields.pop(name) for name in union if coming and name in fields and name not in coming]
        if gone:
            cleared[coming[0]] = gone[0]
    return cleared


def _matched(under: Whole[By] | Items[By], new: Whole[By], lists: Lists) -> Tree[By]:
    """The earlier items, each with what a later one sets over it, then the later ones of their own."""
    if not new.value:
        return under
    result = list(under.items)
    places = matched(MATCHINGS[new.path[-1]], under.index, new.value)
    ends = count(len(result))
    touched = [next(ends) if place is None else place for place in places]
    for item, place in zip(new.items, touched, strict=True):
        result[place : place + 1] = [_over(result[place], item, lists) if place < len(under.items) else item]
    return Items(new.by, new.path, result, under.beneath, under.index, touched)


def _appended(under: Tree[By], new: Whole[By]) -> Tree[By]:
    result = list(under.items)
    there = [item.value for item in result]
    for item in new.items:
        if item.value not in there:
            there.append(item.value)
            result.append(item)
    return Items(new.by, new.path, result, under.beneath)


def _scalars(tree: Tree[By], names: Sequence[str]) -> Plain:
    """Some fields of a message, as far as it has them."""
    if isinstance(tree, Whole):
        value: Plain = tree.value
        return value
    return {name: tree.fields[name].value for name in names if name in tree.fields}


def part(tree: Tree[By], path: Path) -> Tree[By] | None:
    """What a path of the effective value leads to; None where it leads nowhere."""
    here: Tree[By] | None = tree
    for step in path:
        if here is None:
            return None
        inside = here.fields if isinstance(step, str) else dict(enumerate(here.items))
        here = inside.get(step)  # type: ignore[arg-type]
    return here


def settings(tree: Tree[By], path: Path = ()) -> Iterator[tuple[Path, Tree[By]]]:
    """Whatever is set, by its path in the effective value.

    Scalars, empty messages, lists that are a value as a whole, and members of a union that took another's place.
    """
    is_value = isinstance(tree, Whole) and isinstance(tree.value, list) and path[-1] not in MATCHINGS
    if is_value or tree.beneath or not (tree.fields or tree.items):
        yield path, tree
    for name, field in tree.fields.items():
        yield from settings(field, (*path, name))
    for place, item in enumerate(tree.items):
        yield from settings(item, (*path, place))


def setters(tree: Tree[By]) -> Iterator[By]:
    """Whoever set what is effective; a part that one set as it is is not looked into."""
    if isinstance(tree, Whole):
        yield tree.by
        return
    for inner in (*tree.fields.values(), *tree.items):
        yield from setters(inner)
