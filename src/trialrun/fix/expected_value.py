"""What operations mean for the plain value of a document: the truth that the edits of a fix are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from trialrun.diagnostic import Lift, Operation, Path, Remove, Rename, Replace, Wrap
from trialrun.fix.rename import new_key
from trialrun.fix.replace import with_characters

ANYTHING: Final = object()
"""Stands for a value that is written as it stands in a rule, so that only its reading says what it is."""

Change = tuple[Operation, Path]


def after(value: Any, changes: Iterable[Change]) -> Any:
    """The value with the operations carried out; what they do not touch is shared with `value`."""
    for operation, path in _whole_renames(sorted(changes, key=_order)):
        value = _changed(value, path, operation)
    return value


def _order(change: Change) -> tuple[int, int, int, int]:
    """Deep before shallow, values before keys before removals, and of those the last first: no path moves early.

    Of several changes to the characters of one text the last comes first too.
    """
    operation, path = change
    rank = {Rename: 1, Remove: 2}.get(type(operation), 0)
    index = path[-1] if path and isinstance(path[-1], int) else 0
    chars = operation.chars if isinstance(operation, Replace | Rename) else None
    return -len(path), rank, -index, -chars[0] if chars else 0


def _whole_renames(changes: Iterable[Change]) -> Iterable[Change]:
    """The changes with one whole name for each key, so that what is renamed in two places is found but once."""
    names: dict[Path, str] = {}
    others: list[Change] = []
    for operation, path in changes:
        if isinstance(operation, Rename):
            names[path] = new_key(operation, names.get(path, str(path[-1])))
        others.append((operation, path))
    for operation, path in others:
        if not isinstance(operation, Rename):
            yield operation, path
        elif path in names:
            yield Rename(operation.place, names.pop(path)), path


def _changed(value: Any, path: Path, operation: Operation) -> Any:
    """A copy along the path, so that a value that is shared through an alias changes in this place alone."""
    if not path:
        return _made(value, operation)
    step, rest = path[0], path[1:]
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if not rest and isinstance(operation, Remove):
        del copy[step]
    elif not rest and isinstance(operation, Rename):
        return {new_key(operation, str(key)) if key == step else key: entry for key, entry in value.items()}
    elif not rest and isinstance(operation, Lift):
        return _lifted(value, step)
    else:
        copy[step] = _changed(value[step], rest, operation)
    return copy


def _lifted(value: Any, step: str | int) -> Any:
    """A mapping with the contents of one of its entries in place of that entry; a list takes its place alone."""
    if isinstance(value[step], list):
        return value[step]
    lifted: dict[Any, Any] = {}
    for key, entry in value.items():
        lifted |= entry if key == step else {key: entry}
    return lifted


def _made(value: Any, operation: Operation) -> Any:
    match operation:
        case Wrap():
            return [value]
        case Replace(value=None, source=str()) | Replace(chars=tuple(), source=str()):
            return ANYTHING
        case Replace(chars=(_, _) as chars, value=str(new)):
            return with_characters(value, chars, new)
        case Replace(value=new):
            return new
    return ANYTHING


def same(found: Any, wanted: Any) -> bool:
    """Whether two plain values are the same, types and signs of zero included."""
    waiting = [(found, wanted)]
    while waiting:
        one, other = waiting.pop()
        if other is ANYTHING:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            waiting.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            waiting.extend(zip(one, other, strict=True))
        elif one != other and repr(one) != repr(other):
            return False
    return True
