"""A JSON text to a plain value, by the standard library's decoder, within our limits."""

from __future__ import annotations

import json
import re
from typing import Any

from trialrun.parser.limits import MAX_DEPTH, MAX_NODES
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
