"""Stores that share an effective configuration, and what differs between two of them."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.level import TYPES, ResolvedType
from trialrun.runtime.channel_config.merge_keys import MATCHINGS, index, matched

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import InForce


@dataclass(frozen=True, eq=False)
class Group:
    """Stores at which the same is effective, whichever files it comes from, in the order they were given."""

    stores: Sequence[InForce]

    @property
    def first(self) -> InForce:
        """The store that stands for the group."""
        return self.stores[0]


@dataclass(frozen=True)
class Difference:
    """What is not the same at two stores: a field, or an upsell or greeting that only one of them has.

    `path` leads to it with upsells by displayName, else priority, and greetings by language. `here` and `there` are
    its JSON pointers at the two stores, None where a store does not have it.
    """

    type: ResolvedType
    path: tuple[str, ...]
    here: str | None
    there: str | None


def alike(found: Iterable[InForce]) -> list[Group]:
    """The groups of stores that share an effective configuration of both types, the largest first."""
    known: Known = {}
    groups: dict[Hashable, list[InForce]] = {}
    for one in found:
        key = tuple(_key(one.types[type].value, "", known) for type in TYPES)
        groups.setdefault(key, []).append(one)
    return [Group(stores) for stores in sorted(groups.values(), key=lambda stores: -len(stores))]


def differences(here: InForce, there: InForce) -> Iterator[Difference]:
    """What differs between two stores, type by type, in the order of the configuration of the first."""
    for type in TYPES:
        one, other = here.types[type].value, there.types[type].value
        for path, mine, its in _differences(_Side(one), _Side(other), ()):
            yield Difference(type, path, _pointer(mine), _pointer(its))


def _pointer(path: Path | None) -> str | None:
    return None if path is None else json_pointer(path)


@dataclass(frozen=True)
class _Side:
    """A value at one of two stores, and the path to it there."""

    value: Any
    path: Path = ()

    def part(self, step: str | int) -> _Side:
        """What a step leads to."""
        return _Side(self.value[step], (*self.path, step))


Known = dict[int, tuple[Any, Hashable]]
"""The keys of messages and lists by identity, each with what it is the key of, which is so kept alive."""
Found = tuple[tuple[str, ...], Path | None, Path | None]


def _differences(one: _Side, other: _Side, path: tuple[str, ...]) -> Iterator[Found]:
    if one.value == other.value:
        return
    if isinstance(one.value, dict):
        yield from _of_messages(one, other, path)
    elif isinstance(one.value, list) and path[-1] in MATCHINGS:
        yield from _of_items(one, other, path)
    else:
        yield path, one.path, other.path


def _of_messages(one: _Side, other: _Side, path: tuple[str, ...]) -> Iterator[Found]:
    for name in dict.fromkeys((*one.value, *other.value)):
        mine = one.part(name) if name in one.value else None
        its = other.part(name) if name in other.value else None
        yield from _of_pair(mine, its, (*path, name))


def _of_items(one: _Side, other: _Side, path: tuple[str, ...]) -> Iterator[Found]:
    """Item by item, as an overlay would match them; the list itself where only the order is another."""
    matching = MATCHINGS[path[-1]]
    places = matched(matching, index(matching, other.value), one.value)
    found: list[Found] = []
    for place, its in enumerate(places):
        mine = one.part(place)
        found += _of_pair(mine, None if its is None else other.part(its), (*path, _name(mine.value)))
    for place in sorted(set(range(len(other.value))) - set(places)):
        found += _of_pair(None, other.part(place), (*path, _name(other.value[place])))
    yield from found or [(path, one.path, other.path)]


def _of_pair(mine: _Side | None, its: _Side | None, path: tuple[str, ...]) -> Iterator[Found]:
    if mine and its:
        yield from _differences(mine, its, path)
    else:
        yield path, mine.path if mine else None, its.path if its else None


def _name(item: Mapping[str, Any]) -> str:
    """What an upsell or a greeting is called."""
    if "priority" in item and not item.get("displayName"):
        return f"priority {item['priority']}"
    return str(item.get("displayName") or item.get("languageCode") or "no language")


def _key(value: Any, name: str, known: Known) -> Hashable:
    """The same for equal values, whoever owns them; `name` is that of the field."""
    if not isinstance(value, (dict, list)):
        return value  # type: ignore[no-any-return]
    if id(value) not in known:
        known[id(value)] = value, _made(value, name, known)
    return known[id(value)][1]


def _made(value: Any, name: str, known: Known) -> Hashable:
    if isinstance(value, dict):
        return frozenset((name, _key(inner, name, known)) for name, inner in value.items())
    if name in MATCHINGS:
        return tuple(_key(item, "", known) for item in value)
    return json.dumps(value, sort_keys=True)
