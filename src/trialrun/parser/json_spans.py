"""The places of a JSON document: its text once more, with the start and end of every key and value."""

from __future__ import annotations

import re
from dataclasses import field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.document import Slice, Trouble
from trialrun.parser.nodes import Child, Node, Path
from trialrun.parser.warnings import duplicate

_blank = re.compile(r"[ \t\r\n]*").match
_literal = re.compile(r"-?[0-9][-+.eE0-9]*|-?Infinity|[A-Za-z]+").match
_NOT_JSON: Final = ("NaN", "Infinity", "-Infinity")


@dataclass(slots=True)
class JsonPlaces:
    """The root of a document's nodes, and what was seen wrong on the way; offsets count in the slice."""

    root: Child
    troubles: list[Trouble] = field(default_factory=list)


@dataclass(slots=True)
class _Scan:
    part: Slice
    text: str
    document: int
    troubles: list[Trouble] = field(default_factory=list)


def places_of_json(part: Slice, document: int = 0) -> JsonPlaces:
    """Where everything stands in a text that the JSON parser has accepted."""
    scan = _Scan(part, part.text, document)
    root = _value(scan, _after_blank(scan.text, 0), ())
    return JsonPlaces(Child(root), scan.troubles)


def _after_blank(text: str, at: int) -> int:
    match = _blank(text, at)
    return match.end() if match else at


def _value(scan: _Scan, at: int, path: Path) -> Node:
    character = scan.text[at : at + 1]
    if character == "{":
        return _object(scan, at, path)
    if character == "[":
        return _array(scan, at, path)
    if character == '"':
        text, end = scanstring(scan.text, at + 1, True)
        return Node(at, end, "json", scan.part.overrides.get(at, text))
    match = _literal(scan.text, at)
    node = Node(at, match.end() if match else at, "json", match[0] if match else "")
    if node.text in _NOT_JSON:
        message = f'{node.text} is not JSON; write "{node.text}"'
        _note(scan, Trouble("syntax-error", message, node.span, 0, path, replacement=f'"{node.text}"'))
    return node


def _object(scan: _Scan, start: int, path: Path) -> Node:
    node = Node(start, start, "json", keys={})
    keys: dict[str, Child] = {}
    node.keys = keys
    at = _after_blank(scan.text, start + 1)
    while scan.text[at] != "}":
        text, end = scanstring(scan.text, at + 1, True)
        text = scan.part.overrides.get(at, text)
        key = Node(at, end, "json", text)
        node.first_key = node.first_key or key
        earlier = keys.get(text)
        if earlier is not None and earlier.key is not None:
            node.repeated = {text} | (node.repeated or set())
            _note(scan, duplicate(key, earlier.key, (*path, text)))
        colon = _after_blank(scan.text, end)
        child = _value(scan, _after_blank(scan.text, colon + 1), (*path, text))
        keys[text] = Child(child, key)
        at = _after_comma(scan.text, child.end)
    node.end = at + 1
    return node


def _array(scan: _Scan, start: int, path: Path) -> Node:
    items: list[Child] = []
    at = _after_blank(scan.text, start + 1)
    while scan.text[at] != "]":
        child = _value(scan, at, (*path, len(items)))
        items.append(Child(child))
        at = _after_comma(scan.text, child.end)
    return Node(start, at + 1, "json", items=items)


def _after_comma(text: str, at: int) -> int:
    at = _after_blank(text, at)
    return _after_blank(text, at + 1) if text[at] == "," else at


def _note(scan: _Scan, trouble: Trouble) -> None:
    scan.troubles.append(trouble.placed(scan.part, scan.document))
