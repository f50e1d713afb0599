"""Source spans of a JSON document: its text is scanned again, for the start and end of every key and value."""

from __future__ import annotations

import re
from dataclasses import field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.nodes import Node, NodeRef, Path
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.warnings import duplicate_key

_blank = re.compile(r"[ \t\r\n]*").match
_literal = re.compile(r"-?[0-9][-+.eE0-9]*|-?Infinity|[A-Za-z]+").match
_NOT_JSON: Final = ("NaN", "Infinity", "-Infinity")


@dataclass(slots=True)
class JsonSpanIndex:
    """The root of a document's nodes, and what was seen wrong on the way; offsets count in the slice."""

    root: NodeRef
    errors: list[ParseError] = field(default_factory=list)


@dataclass(slots=True)
class _Scan:
    part: SourceSlice
    text: str
    document: int
    errors: list[ParseError] = field(default_factory=list)


def index_json(part: SourceSlice, document: int = 0) -> JsonSpanIndex:
    """Index the spans of a text that the JSON decoder has accepted."""
    scan = _Scan(part, part.text, document)
    root = _value(scan, _skip_space(scan.text, 0), ())
    return JsonSpanIndex(NodeRef(root), scan.errors)


def _skip_space(text: str, at: int) -> int:
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
        _report(scan, ParseError("syntax-error", message, node.span, 0, path, replacement=f'"{node.text}"'))
    return node


def _object(scan: _Scan, start: int, path: Path) -> Node:
    node = Node(start, start, "json", keys={})
    keys: dict[str, NodeRef] = {}
    node.keys = keys
    at = _skip_space(scan.text, start + 1)
    while scan.text[at] != "}":
        text, end = scanstring(scan.text, at + 1, True)
        text = scan.part.overrides.get(at, text)
        key = Node(at, end, "json", text)
        node.first_key = node.first_key or key
        earlier = keys.get(text)
        if earlier is not None and earlier.key is not None:
            node.repeated_keys = {text} | (node.repeated_keys or set())
            _report(scan, duplicate_key(key, earlier.key, (*path, text)))
        colon = _skip_space(scan.text, end)
        child = _value(scan, _skip_space(scan.text, colon + 1), (*path, text))
        keys[text] = NodeRef(child, key)
        at = _skip_comma(scan.text, child.end)
    node.end = at + 1
    return node


def _array(scan: _Scan, start: int, path: Path) -> Node:
    items: list[NodeRef] = []
    at = _skip_space(scan.text, start + 1)
    while scan.text[at] != "]":
        child = _value(scan, at, (*path, len(items)))
        items.append(NodeRef(child))
        at = _skip_comma(scan.text, child.end)
    return Node(start, at + 1, "json", items=items)


def _skip_comma(text: str, at: int) -> int:
    at = _skip_space(text, at)
    return _skip_space(text, at + 1) if text[at] == "," else at


def _report(scan: _Scan, error: ParseError) -> None:
    scan.errors.append(error.in_file(scan.part, scan.document))
