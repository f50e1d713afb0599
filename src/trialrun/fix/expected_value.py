"""What operations mean for the plain value of a document: the truth that the edits of a fix are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from trialrun.diagnostic import Lift, Operation, Path, Remove, Rename, Replace, WrapInList
from trialrun.fix.rename import new_key
from trialrun.fix.replace import replace_characters

ANYTHING: Final = object()
"""Stands for a value that is written unchanged in a rule, so that only its reading says what it is."""

Change = tuple[Operation, Path]


def apply_to_value(value: Any, changes: Iterable[Change]) -> Any:
    """The value with the operations carried out; what they do not touch is shared with `value`."""
    for operation, path in _merge_renames(sorted(changes, key=_application_order)):
        value = _apply_at(value, path, operation)
    return value


def _application_order(change: Change) -> tuple[int, int, int, int]:
    """Deep before shallow, values before keys before removals, and of those the last first: no path moves early.

    Of several changes to the characters of one text the last comes first too.
    """
    operation, path = change
    rank = {Rename: 1, Remove: 2}.get(type(operation), 0)
    index = path[-1] if path and isinstance(path[-1], int) else 0
    chars = operation.chars if isinstance(operation, Replace | Rename) else None
    return -len(path), rank, -index, -chars[0] if chars else 0


def _merge_renames(changes: Iterable[Change]) -> Iterable[Change]:
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
            yield Rename(operation.location, names.pop(path)), path


def _apply_at(value: Any, path: Path, operation: Operation) -> Any:
    """A copy along the path, so that a value that is shared through an alias changes in this place alone."""
    if not path:
        return _apply_operation(value, operation)
    step, inner_path = path[0], path[1:]
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if not inner_path and isinstance(operation, Remove):
        del copy[step]
    elif not inner_path and isinstance(operation, Rename):
        return {new_key(operation, str(key)) if key == step else key: entry for key, entry in value.items()}
    elif not inner_path and isinstance(operation, Lift):
        return _lift_entry(value, step)
    else:
        copy[step] = _apply_at(value[step], inner_path, operation)
    return copy


def _lift_entry(value: Any, step: str | int) -> Any:
    """A mapping with the contents of one of its entries in place of that entry; a list takes its place alone."""
    if isinstance(value[step], list):
        return value[step]
    lifted: dict[Any, Any] = {}
    for key, entry in value.items():
        lifted |= entry if key == step else {key: entry}
    return lifted


def _apply_operation(value: Any, operation: Operation) -> Any:
    match operation:
        case WrapInList():
            return [value]
        case Replace(value=None, source=str()) | Replace(chars=tuple(), source=str()):
            return ANYTHING
        case Replace(chars=(_, _) as chars, value=str(new)):
            return replace_characters(value, chars, new)
        case Replace(value=new):
            return new
    return ANYTHING


def are_equal(actual: Any, expected: Any) -> bool:
    """Whether two plain values are the same, types and signs of zero included."""
    pairs = [(actual, expected)]
    while pairs:
        left, right = pairs.pop()
        if right is ANYTHING:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            pairs.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right and repr(left) != repr(right):
            return False
    return True
