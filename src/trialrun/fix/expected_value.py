"""The expected plain value after a fix, which the re-parsed text is compared with.

Where one scalar takes the place of one scalar and nothing else can change, reading the scalar alone is proof enough. So
a large file with many fixes is not read again for each of them. Tags, repeated keys, and what an alias or a merge key
has to do with need that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from trialrun.diagnostic import Lift, Operation, Path, Remove, Rename, Replace, WrapInList
from trialrun.fix.replace import new_key, replace_characters
from trialrun.fix.target import PendingOperation, Target
from trialrun.parser import ParsedFile, parse

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


_MAX_LENGTH = 500
_valid_before = re.compile(r"""(?:(?:\A|[\r\n])\ *|[\[{,]|[:-][ \t]|":)\s*\Z""").search
_item = re.compile(r" *- +([^ \t\r\n#&*!|>%@`\[\]{}][^\r\n]*?)[ \t]*(?:\r\n|\n|\r)").fullmatch
_content = re.compile(r" *[^ \t\r\n#]").match
_is_word = re.compile(r"\w+").fullmatch
_valid_after = re.compile(r"[ \t]*(?:[,\]}\r\n:]|[ \t]#|\Z)").match


def is_single_line_scalar(text: str, start: int, end: int, new: str) -> bool:
    """Whether a text and the one instead are whole scalars of one line, without an anchor or a tag."""
    old = text[start:end]
    if not old or len(new) > _MAX_LENGTH or len(old.splitlines()) > 1 or len(new.splitlines()) > 1:
        return False
    before = text[max(0, start - 80) : start]
    is_first = not before[before.rfind("\n") + 1 :].strip(" ")  # the search takes long where there are many spaces
    return (is_first or bool(_valid_before(before))) and bool(_valid_after(text, end))


def parse_scalar(token: str) -> ParsedFile:
    """A scalar read as the only item of a list."""
    return parse(f"- {token}\n".encode("utf-8", "replace"), "token.yaml")


def is_trivially_safe(operation: PendingOperation, text: str) -> bool:
    """Whether one scalar takes the place of one on the same line, and reads as meant; no alias has to do with it.

    So it is where an item of a list goes with its line, and the line below belongs to nothing above it.
    """
    if isinstance(operation.operation, Remove):
        return _is_single_line_item(operation, text)
    token, target = operation.draft.token, operation.target
    if token is None or operation.target.child.node.is_raw:
        return False
    span = target.span
    if isinstance(operation.operation, Rename):
        if target.key is None or not _is_only_key(operation.operation, target):
            return False
        span = target.key
    if not is_single_line_scalar(text, span.start, span.end, token):
        return False
    return _parses_as_expected(operation, token)


def _is_single_line_item(operation: PendingOperation, text: str) -> bool:
    """Whether an item of a block list, one scalar beside its dash, is removed with its line.

    A comment or a blank line below might become part of a text above.
    """
    target, edits = operation.target, operation.draft.edits
    if target.key is not None or target.in_flow or len(target.parent) < 2 or len(edits) > 1 or edits[0].text:
        return False
    span = edits[0].span
    line = _item(text, span.start, span.end)
    if line is None or line.span(1) != (target.span.start, target.span.end):
        return False
    return span.end == len(text) or _content(text, span.end) is not None


def _is_only_key(operation: Rename, target: Target) -> bool:
    """Whether the old key, a plain word as the new one, is once in the mapping, and the new one does not at all.

    A merge key may bring either.
    """
    old = str(target.path[-1])
    new = new_key(operation, old)
    mapping = target.ancestors[-1].node
    if not (_is_word(old) and _is_word(new)) or mapping.keys is None or mapping.has_merge_key:
        return False
    return new not in mapping.keys and old not in (mapping.repeated_keys or ())


@lru_cache(maxsize=2**12)
def _key_parses_as(token: str, key: str, *, is_json: bool) -> bool:
    """Whether a key as it would be written reads as meant; many files have the same keys."""
    text, expected = f"{{{token}: 0}}", {key: 0}
    if is_json:
        return _json_parses_as(text, expected)
    parsed = parse(text.encode("utf-8", "replace"), "token.yaml")
    return not parsed.errors and len(parsed.documents) == 1 and are_equal(parsed.documents[0].value, expected)


def _parses_as_expected(pending: PendingOperation, token: str) -> bool:
    operation = pending.operation
    if isinstance(operation, Rename):
        is_json = pending.target.style == "json" or pending.target.key_style == "json"
        return _key_parses_as(token, new_key(operation, str(pending.path[-1])), is_json=is_json)
    if isinstance(operation, Replace):
        expected = apply_to_value([pending.target.value], [(operation, (0,))])
        text = f"[{token}]" if pending.target.in_flow or pending.target.style == "json" else f"- {token}\n"
    else:
        return False
    if pending.target.style == "json" or pending.target.key_style == "json":
        return _json_parses_as(text, expected)
    parsed = parse(text.encode("utf-8", "replace"), "token.yaml")
    return not parsed.errors and len(parsed.documents) == 1 and are_equal(parsed.documents[0].value, expected)


def _json_parses_as(text: str, expected: object) -> bool:
    try:
        return are_equal(json.loads(text), expected)
    except ValueError:
        return False
