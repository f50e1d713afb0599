"""The customers whose sessions are played on both sides: the same words and wishes, whichever side they come from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from trialrun.runtime.channel_config.explore.generators import Generators, StateSetting

Value = TypeVar("Value")


def merge_generators(first: Generators, second: Generators) -> Generators:
    """What the customers of two configurations can order, say and be; the same with both exchanged."""
    if first == second:
        return first
    return Generators(
        items=_merge(first.items, second.items, lambda item: item.name),
        relevant_items=_merge(first.relevant_items, second.relevant_items, lambda item: item.name),
        focuses=_merge(first.focuses, second.focuses, repr),
        relevant_modifiers=first.relevant_modifiers | second.relevant_modifiers,
        quantities=tuple(sorted({*first.quantities, *second.quantities})),
        terms=_merge(first.terms, second.terms, repr),
        languages=_merge(first.languages, second.languages, repr),
        settings=_merge_settings(first.settings, second.settings),
        varies_start_time=first.varies_start_time or second.varies_start_time,
    )


def _merge(first: Sequence[Value], second: Sequence[Value], key: Callable[[Value], Hashable]) -> tuple[Value, ...]:
    """The values of two lists, each key once, in the order of their first positions."""
    found: dict[Hashable, tuple[int, str, Value]] = {}
    for position, value in (*enumerate(first), *enumerate(second)):
        entry = (position, repr(value), value)
        known = found.setdefault(key(value), entry)
        found[key(value)] = min(known, entry, key=lambda one: one[:2])
    return tuple(value for _, _, value in sorted(found.values(), key=lambda one: one[:2]))


def _merge_settings(first: Iterable[StateSetting], second: Iterable[StateSetting]) -> tuple[StateSetting, ...]:
    """The settings of both, with the values that either side tries."""
    values = [{setting.path: setting.values for setting in settings} for settings in (first, second)]
    paths = _merge(tuple(values[0]), tuple(values[1]), lambda path: path)
    return tuple(
        StateSetting(path, _merge(values[0].get(path, ()), values[1].get(path, ()), lambda value: repr(value)))
        for path in paths
    )
