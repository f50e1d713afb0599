"""The expected plain value after a fix, which the re-parsed text is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from trialrun.diagnostic import Lift, Operation, Path, Remove, Rename, Replace, WrapInList
from trialrun.fix.replace import new_key, replace_characters

ANYTHING: Final = object()
"""Placeholder for a value whose text a rule gives literally, so that only parsing can tell it."""

Change = tuple[Operation, Path]


def apply_to_value(value: Any, changes: Iterable[Change]) -> Any:
    """The value after the operations; unchanged parts are shared with `value`."""
    for operation, path in _merge_renames(sorted(changes, key=_application_order)):
        value = _apply_at(value, path, operation)
    return value


def _application_order(change: Change) -> tuple[int, int, int, int]:
    """Sort key: deep before shallow, values before keys before removals, last first, so that no path changes early.

    Changes of characters in one text are also ordered last first.
    """
    operation, path = change
    rank = {Rename: 1, Remove: 2}.get(type(operation), 0)
    index = path[-1] if path and isinstance(path[-1], int) else 0
    chars = operation.chars if isinstance(operation, Replace | Rename) else None
    return -len(path), rank, -index, -chars[0] if chars else 0


def _merge_renames(changes: Iterable[Change]) -> Iterable[Change]:
    """The changes with all renamed characters of a key merged into one rename."""
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
    """A copy along the path, so that a value shared through an alias changes only at this path."""
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
    """A mapping with one entry replaced by its content; a list replaces the mapping."""
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
    """Whether two plain values are equal, including their types and the sign of zero."""
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
