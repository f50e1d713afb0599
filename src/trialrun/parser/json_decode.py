"""Decodes a JSON text by the standard library's decoder, within our limits, and finds its places where it must."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from trialrun.parser.nodes import MAX_DEPTH, MAX_NODES, Node, NodeRef, Path
from trialrun.parser.parse_error import ParseError, SourceSlice, duplicate_key
from trialrun.parser.scalars import MAX_DIGITS

_space = re.compile(r"[ \t\r\n]*").match


class LimitExceeded(Exception):
    """The document is over a limit; the text says which."""


def decode_json(text: str, at: int = 0, *, max_nodes: int = MAX_NODES) -> tuple[Any, int, bool]:
    """The first value of the text from an offset on, where it ends, and whether a second look at its places is due.

    Raises `ValueError` with the place for a text that is not JSON, and `LimitExceeded`.
    """
    oddities: list[bool] = []

    def take_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) != len(pairs):
            oddities.append(True)
        return mapping

    def take_constant(name: str) -> float:
        oddities.append(True)
        return float(name)

    at = skip_space(text, at)
    try:
        value, end = raw_decode(text, at, object_pairs_hook=take_object, parse_constant=take_constant)
    except RecursionError as error:
        raise LimitExceeded(f"nested deeper than {MAX_DEPTH} levels; flatten it") from error
    _check_limits(text, at, end, value, max_nodes)
    return value, end, bool(oddities)


def raw_decode(text: str, at: int, **hooks: Any) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(**hooks).raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.JSONDecoder(**hooks, parse_int=_integer).raw_decode(text, at)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def _check_limits(text: str, start: int, end: int, value: Any, max_nodes: int) -> None:
    """Count levels and nodes, only where there are brackets and commas enough for too many."""
    brackets = text.count("{", start, end) + text.count("[", start, end)
    if brackets <= MAX_DEPTH and end - start < max_nodes:
        return
    level, depth, nodes = [value], 0, 0
    while level := [node for node in level if node.__class__ is dict or node.__class__ is list]:
        depth += 1
        level = [child for node in level for child in (node.values() if node.__class__ is dict else node)]
        nodes += len(level)
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"nested deeper than {MAX_DEPTH} levels; flatten it")
        if nodes > max_nodes:
            raise LimitExceeded(f"more than {max_nodes:,} keys and items in one document; split it")


def skip_space(text: str, at: int) -> int:
    match = _space(text, at)
    return match.end() if match else at


_literal = re.compile(r"-?[0-9][-+.eE0-9]*|-?Infinity|[A-Za-z]+").match
_NOT_JSON: Final = ("NaN", "Infinity", "-Infinity")


@dataclass(slots=True)
class _Scan:
    part: SourceSlice
    text: str
    document: int
    errors: list[ParseError] = field(default_factory=list)


def index_json(part: SourceSlice, document: int = 0) -> tuple[NodeRef, list[ParseError]]:
    """The root of a text that the decoder has accepted, and what is wrong in it; offsets count in the slice."""
    scan = _Scan(part, part.text, document)
    root = _value(scan, skip_space(scan.text, 0), ())
    return NodeRef(root), scan.errors


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
    at = skip_space(scan.text, start + 1)
    while scan.text[at] != "}":
        text, end = scanstring(scan.text, at + 1, True)
        text = scan.part.overrides.get(at, text)
        key = Node(at, end, "json", text)
        node.first_key = node.first_key or key
        earlier = keys.get(text)
        if earlier is not None and earlier.key is not None:
            node.repeated_keys = {text} | (node.repeated_keys or set())
            for error in duplicate_key(node, key, earlier.key, (*path, text)):
                _report(scan, error)
        colon = skip_space(scan.text, end)
        child = _value(scan, skip_space(scan.text, colon + 1), (*path, text))
        keys[text] = NodeRef(child, key)
        at = _skip_comma(scan.text, child.end)
    node.end = at + 1
    return node


def _array(scan: _Scan, start: int, path: Path) -> Node:
    items: list[NodeRef] = []
    at = skip_space(scan.text, start + 1)
    while scan.text[at] != "]":
        child = _value(scan, at, (*path, len(items)))
        items.append(NodeRef(child))
        at = _skip_comma(scan.text, child.end)
    return Node(start, at + 1, "json", items=items)


def _skip_comma(text: str, at: int) -> int:
    at = skip_space(text, at)
    return skip_space(text, at + 1) if text[at] == "," else at


def _report(scan: _Scan, error: ParseError) -> None:
    scan.errors.append(error.in_file(scan.part, scan.document))
