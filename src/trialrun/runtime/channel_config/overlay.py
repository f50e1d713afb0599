"""Merge of plain JSON configurations by field presence, with the source of each part.

Plain values are shared, never copied or changed; an overlay makes only the messages that both sides have a part in.
`setter` is anyone who sets a value: a layer of a store for the runtime, anything for others. The items of two lists
are matched by merge keys: upsells by displayName or priority, greetings by language, and no two items of one list
override the same item. The names of the keys are those of the models' `item_key`, which a test compares, since
configurations from the cache are merged without the models.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, TypeVar

from trialrun.diagnostic import Path
from trialrun.values.language_tag import canonicalize

Plain = Mapping[str, Any]
Keys = tuple[Hashable, ...]


class MergeKey(NamedTuple):
    """How the items of a list are matched: the keys that an earlier item has, and those that a later one looks for.

    All later items look by the first way before any does by the second. `fields` is what the keys are made of.
    """

    fields: tuple[str, ...]
    keys: Callable[[Plain], Keys]
    lookups: tuple[Callable[[Plain], Keys], ...]


class KeyIndex(NamedTuple):
    """The keys of each item of a list, and the places of the items that have a key."""

    keys: Sequence[Keys]
    positions: Mapping[Hashable, tuple[int, ...]]

    def with_changes(self, keys: Iterable[tuple[int, Keys]]) -> KeyIndex:
        """The index of a list of which some items are other ones, and that may go on behind its end."""
        all_keys, places = list(self.keys), dict(self.positions)
        for position, new in keys:
            old = all_keys[position] if position < len(all_keys) else ()
            if old == new:
                continue
            all_keys[position : position + 1] = [new]
            for key in old:
                places[key] = tuple(place for place in places[key] if place != position)
            for key in new:
                places[key] = (*places.get(key, ()), position)
        return KeyIndex(all_keys, places)


EMPTY_INDEX: Final = KeyIndex((), {})


def match_items(matching: MergeKey, earlier: KeyIndex, later: Sequence[Plain]) -> list[int | None]:
    """For each later item the place of the first earlier one that it overrides; None if it is one of its own."""
    matches: list[int | None] = [None] * len(later)
    taken, positions = set[int](), earlier.positions
    for lookup in matching.lookups:
        for index, item in enumerate(later):
            if matches[index] is not None:
                continue
            found = [position for key in lookup(item) for position in positions.get(key, ()) if position not in taken]
            if found:
                matches[index] = min(found)
                taken.add(min(found))
    return matches


def index_items(matching: MergeKey, items: Sequence[Plain]) -> KeyIndex:
    """The index of a list; its items need no fields but those that they are matched by."""
    return EMPTY_INDEX.with_changes((position, matching.keys(item)) for position, item in enumerate(items))


def _name_keys(upsell: Plain) -> Keys:
    return (upsell["displayName"],) if upsell.get("displayName") else ()


def _priority_keys(upsell: Plain) -> Keys:
    """Names that differ keep two upsells apart, so a named one looks for those without a name."""
    priority = upsell.get("priority")
    if priority is None:
        return ()
    nameless = ("priority", priority, False)
    return (nameless,) if upsell.get("displayName") else (nameless, ("priority", priority, True))


def _language_keys(greeting: Plain) -> Keys:
    """The canonical language: `iw` and `he` are one, and those without any go together."""
    code = greeting.get("languageCode") or ""
    return ((canonicalize(code) or code).lower(),)


MERGE_KEYS: Final[Mapping[str | int, MergeKey]] = {
    "upsells": MergeKey(
        ("displayName", "priority"),
        lambda upsell: (*_name_keys(upsell), ("priority", upsell.get("priority"), bool(upsell.get("displayName")))),
        (_name_keys, _priority_keys),
    ),
    "greetings": MergeKey(("languageCode",), _language_keys, (_language_keys,)),
}
"""The lists whose items are matched, by the name of their field; every other list is a value as a whole."""


Setter = TypeVar("Setter", bound=Hashable)
ListMerge = Literal["replace", "append"]

ONEOF: Final = ("greetingOffer", "closingOffer", "celUpsell")
"""The fields of an upsell of which setting one clears the others."""


@dataclass(eq=False)
class UnmergedValue(Generic[Setter]):
    """A value that one source set as it is: a scalar, a list, or a message; `path` leads to it in that source.

    `overridden` is what it took the place of.
    """

    setter: Setter
    path: Path
    value: Any
    overridden: MergedTree[Setter] | None = None

    @cached_property
    def fields(self) -> Mapping[str, UnmergedValue[Setter]]:
        """The fields of a message; none of any other value."""
        fields = self.value.items() if isinstance(self.value, dict) else ()
        return {name: UnmergedValue(self.setter, (*self.path, name), value) for name, value in fields}

    @cached_property
    def items(self) -> Sequence[UnmergedValue[Setter]]:
        """The items of a list; none of any other value."""
        items = self.value if isinstance(self.value, list) else ()
        return [UnmergedValue(self.setter, (*self.path, index), value) for index, value in enumerate(items)]

    @cached_property
    def index(self) -> KeyIndex:
        """What the items of a list are matched by."""
        return index_items(MERGE_KEYS[self.path[-1]], self.value)


@dataclass(frozen=True, eq=False)
class MergedMessage(Generic[Setter]):
    """A message that several sources have a part in; `setter` is the last of them, `path` leads to its part.

    `overridden` is the member of a union that it took the place of, and `before_merge` what it was when it did.
    """

    setter: Setter
    path: Path
    fields: Mapping[str, MergedTree[Setter]]
    overridden: MergedTree[Setter] | None = None
    before_merge: UnmergedValue[Setter] | None = None
    items: ClassVar[Sequence[MergedTree[Any]]] = ()

    @cached_property
    def value(self) -> dict[str, Any]:
        """The plain value."""
        return {name: field.value for name, field in self.fields.items()}


@dataclass(frozen=True, eq=False)
class MergedList(Generic[Setter]):
    """A list that several sources have a part in; `setter` is the last of them, `path` leads to its part.

    `earlier_index` and `changed` are what items were matched by before that one, and the places of those that it set.
    """

    setter: Setter
    path: Path
    items: Sequence[MergedTree[Setter]]
    overridden: MergedTree[Setter] | None = None
    earlier_index: KeyIndex = EMPTY_INDEX
    changed: Sequence[int] = ()
    fields: ClassVar[Mapping[str, MergedTree[Any]]] = {}

    @cached_property
    def value(self) -> list[Any]:
        """The plain value."""
        return [item.value for item in self.items]

    @cached_property
    def index(self) -> KeyIndex:
        """What the items are matched by."""
        matching = MERGE_KEYS[self.path[-1]]
        return self.earlier_index.with_changes(
            (index, matching.keys(_pick_fields(self.items[index], matching.fields))) for index in self.changed
        )


MergedTree = UnmergedValue[Setter] | MergedMessage[Setter] | MergedList[Setter]


def overlay(
    under: MergedTree[Setter] | None, by: Setter, value: Plain, *, lists: ListMerge = "replace"
) -> MergedTree[Setter]:
    """What is effective when a source sets a message over what there is.

    Scalars overwrite, messages go field by field, upsells and greetings item by item (`MERGE_KEYS`). Other lists take
    the place of the earlier one or, with `append`, add what it does not have.
    """
    return _overlay(under, UnmergedValue(by, (), value), lists) if under else UnmergedValue(by, (), value)


def overlay_all(
    sources: Iterable[tuple[Setter, bool]],
    value_of: Callable[[Setter], Plain],
    cache: MutableMapping[Hashable, Any],
    *,
    lists: ListMerge,
) -> MergedTree[Setter] | None:
    """What is effective when sources set messages one over another; None without one.

    What the first ones make that are shared with others is kept in the cache, which is to serve one way to merge lists.
    """
    tree: MergedTree[Setter] | None = None
    key: tuple[Hashable, ...] = ()
    for setter, is_shared in sources:
        key = (*key, setter)
        tree = cache.get(key) or overlay(tree, setter, value_of(setter), lists=lists)
        if is_shared:
            cache[key] = tree
    return tree


def _overlay(under: MergedTree[Setter], new: UnmergedValue[Setter], lists: ListMerge) -> MergedTree[Setter]:
    if isinstance(new.value, dict):
        return _merge_message(under, new, lists)
    if isinstance(new.value, list) and new.path[-1] in MERGE_KEYS and not isinstance(under, MergedMessage):
        return _merge_items(under, new, lists)
    if isinstance(new.value, list) and lists == "append":
        return _append_items(under, new)
    return UnmergedValue(new.setter, new.path, new.value, under)


def _merge_message(under: MergedTree[Setter], new: UnmergedValue[Setter], lists: ListMerge) -> MergedTree[Setter]:
    if not new.value:
        return under if under.value else UnmergedValue(new.setter, new.path, new.value, under)
    fields = dict(under.fields)
    members = [name for name in ONEOF if name in new.value]
    cleared = [fields.pop(name) for name in ONEOF if members and name in fields and name not in members]
    for name, value in new.value.items():
        replaced = cleared[0] if cleared and name == members[0] else None
        value_part = UnmergedValue(new.setter, (*new.path, name), value, replaced)
        fields[name] = _overlay(fields[name], value_part, lists) if name in fields else value_part
    return MergedMessage(new.setter, new.path, fields, *_overridden_member(under))


def _overridden_member(under: MergedTree[Setter]) -> tuple[MergedTree[Setter] | None, UnmergedValue[Setter] | None]:
    """The member of a union that a message took the place of, and the message as it did."""
    if not isinstance(under, UnmergedValue):
        return under.overridden, under.before_merge if isinstance(under, MergedMessage) else None
    while isinstance(under.overridden, UnmergedValue) and under.overridden.path[-1:] == under.path[-1:]:
        under = under.overridden
    return under.overridden, under if under.overridden else None


def _merge_items(
    under: UnmergedValue[Setter] | MergedList[Setter], new: UnmergedValue[Setter], lists: ListMerge
) -> MergedTree[Setter]:
    """The earlier items, each with what a later one sets over it, then the later ones of their own."""
    if not new.value:
        return under
    result = list(under.items)
    touched: list[int] = []
    for item, position in zip(new.items, match_items(MERGE_KEYS[new.path[-1]], under.index, new.value), strict=True):
        touched.append(len(result) if position is None else position)
        if position is None:
            result.append(item)
        else:
            result[position] = _overlay(result[position], item, lists)
    return MergedList(new.setter, new.path, result, under.overridden, under.index, touched)


def _append_items(under: MergedTree[Setter], new: UnmergedValue[Setter]) -> MergedTree[Setter]:
    result = list(under.items)
    values = [item.value for item in result]
    for item in new.items:
        if item.value not in values:
            values.append(item.value)
            result.append(item)
    return MergedList(new.setter, new.path, result, under.overridden)


def _pick_fields(tree: MergedTree[Setter], names: Sequence[str]) -> Plain:
    if isinstance(tree, UnmergedValue):
        value: Plain = tree.value
        return value
    return {name: tree.fields[name].value for name in names if name in tree.fields}


def find_part(tree: MergedTree[Setter], path: Path) -> MergedTree[Setter] | None:
    """What a path of the effective value leads to; None if it leads nowhere."""
    for step in path:
        if isinstance(step, str) and step in tree.fields:
            tree = tree.fields[step]
        elif isinstance(step, int) and step < len(tree.items):
            tree = tree.items[step]
        else:
            return None
    return tree


def set_values(tree: MergedTree[Setter], path: Path = ()) -> Iterator[tuple[Path, MergedTree[Setter]]]:
    """The scalars, empty messages, whole lists and replaced members of a value, by their paths in it."""
    is_value = isinstance(tree, UnmergedValue) and isinstance(tree.value, list) and path[-1] not in MERGE_KEYS
    if is_value or tree.overridden or not (tree.fields or tree.items):
        yield path, tree
    for name, field in tree.fields.items():
        yield from set_values(field, (*path, name))
    for index, item in enumerate(tree.items):
        yield from set_values(item, (*path, index))


def setters(tree: MergedTree[Setter]) -> Iterator[Setter]:
    """Whoever set what is effective; a part that one set as it is is not looked into."""
    if isinstance(tree, UnmergedValue):
        yield tree.setter
        return
    for child in (*tree.fields.values(), *tree.items):
        yield from setters(child)


def same_level_conflicts(
    tree: MergedTree[Setter], level: Callable[[Setter], Hashable]
) -> Iterator[tuple[Path, MergedTree[Setter], MergedTree[Setter], MergedTree[Setter] | None]]:
    """The parts that two configs of one level set to different values, in order.

    Each comes with the value that won, the one that lost, and a later one that overrides both if there is one.
    """
    for path, part in _overridden_parts(tree, ()):
        # a union member as it was when another one replaced it, then the values that it overrode, last first
        history: list[MergedTree[Setter]] = [(isinstance(part, MergedMessage) and part.before_merge) or part]
        while (overridden := history[-1].overridden) is not None:
            history.append(overridden)
        for winner, loser in pairwise(history):
            if level(winner.setter) == level(loser.setter) and winner.value != loser.value:
                counts = level(winner.setter) in map(level, setters(part))
                yield path, winner, loser, None if counts else part


def _overridden_parts(tree: MergedTree[Setter], path: Path) -> Iterator[tuple[Path, MergedTree[Setter]]]:
    """The parts that overrode something; parts set by only one config are skipped."""
    if tree.overridden:
        yield path, tree
    if isinstance(tree, UnmergedValue):
        return
    for name, value in tree.fields.items():
        yield from _overridden_parts(value, (*path, name))
    for index, item in enumerate(tree.items):
        if not isinstance(item, UnmergedValue) or item.overridden:
            yield from _overridden_parts(item, (*path, index))
