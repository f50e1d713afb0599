"""A JSON text to its document, by the standard library's parser; places and causes only where something is wrong."""

from __future__ import annotations

import json
import re
from typing import Any

from trialrun.text import Span
from trialrun.tree.document import Document, Slice, Trouble
from trialrun.tree.limits import MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES
from trialrun.tree.scalars import MOST_DIGITS

_may_be_surrogate = re.compile(r"\\u[dD][89a-fA-F]").search
_surrogates = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)
_start = re.compile(r"[ \t\r\n]*").match


class TooMuch(Exception):
    """The document is over a limit; the text says which."""


def read_json(text: str) -> tuple[list[Document], list[Trouble]]:
    """The document of the text and what is wrong in it; values that follow it are reported and read as well."""
    troubles: list[Trouble] = []
    if "\\" in text and _may_be_surrogate(text):
        text, troubles = _without_lone_surrogates(text)
    documents: list[Document] = []
    at: int | None = 0
    while at is not None and len(documents) < MAX_DOCUMENTS:
        at = _read_one(Slice(text[at:], at, is_json=True), documents, troubles)
    return documents, troubles


def _read_one(part: Slice, documents: list[Document], troubles: list[Trouble]) -> int | None:
    """Add the first document of the slice; the offset of what follows it, if anything does."""
    index = len(documents)
    if not part.text.strip():
        troubles.append(Trouble("syntax-error", "the file is empty; write a JSON document", Span(0, 0), 0, None))
        return None
    try:
        value, end, noticed = load(part.text)
    except TooMuch as limit:
        troubles.append(Trouble("resource-limit", str(limit), Span(part.offset, part.offset + 1), index, None))
        return None
    except ValueError as error:
        from trialrun.tree.json_slips import repaired

        part, told = repaired(part, error)
        troubles.extend(told)
        try:
            value, end, noticed = load(part.text)
        except (ValueError, TooMuch):
            return None
    documents.append(Document(index, value, part))
    if noticed:
        from trialrun.tree.json_places import places_of_json

        troubles.extend(places_of_json(part, index).troubles)
    return _following(part, end, index, troubles)


def _following(part: Slice, end: int, index: int, troubles: list[Trouble]) -> int | None:
    match = _start(part.text, end)
    end = match.end() if match else end
    if end >= len(part.text):
        return None
    start = part.offset + end
    message = "text after the end of the JSON document; put it in a file of its own"
    troubles.append(Trouble("syntax-error", message, Span(start, start + 1), index, None))
    return start if part.text[end] in "{[" else None


def load(text: str) -> tuple[Any, int, bool]:
    """The first value of the text, where it ends, and whether a second look at its places is due.

    Raises `ValueError` with the place for a text that is no JSON, and `TooMuch`.
    """
    noticed: list[bool] = []

    def take_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) != len(pairs):
            noticed.append(True)
        return mapping

    def take_constant(name: str) -> float:
        noticed.append(True)
        return float(name)

    start = _start(text)
    at = start.end() if start else 0
    try:
        value, end = _decode(text, at, object_pairs_hook=take_object, parse_constant=take_constant)
    except RecursionError as error:
        raise TooMuch(f"nested deeper than {MAX_DEPTH} levels; flatten it") from error
    _refuse_excess(text, value)
    return value, end, bool(noticed)


def _decode(text: str, at: int, **hooks: Any) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(**hooks).raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.JSONDecoder(**hooks, parse_int=_integer).raw_decode(text, at)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _refuse_excess(text: str, value: Any) -> None:
    """Count levels and nodes, only where there are brackets and commas enough for too many."""
    brackets = text.count("{") + text.count("[")
    if brackets <= MAX_DEPTH and len(text) < MAX_NODES:
        return
    level, depth, nodes = [value], 0, 0
    while level := [node for node in level if node.__class__ is dict or node.__class__ is list]:
        depth += 1
        level = [child for node in level for child in (node.values() if node.__class__ is dict else node)]
        nodes += len(level)
        if depth > MAX_DEPTH:
            raise TooMuch(f"nested deeper than {MAX_DEPTH} levels; flatten it")
        if nodes > MAX_NODES:
            raise TooMuch(f"more than {MAX_NODES:,} keys and items in one document; split it")


def _without_lone_surrogates(text: str) -> tuple[str, list[Trouble]]:
    """The text with U+FFFD for every escape of half a character; no offset moves."""
    troubles = [
        Trouble(
            "encoding-error",
            f"{match[0]} is half of a surrogate pair; write both halves or the character itself",
            Span(*match.span()),
            0,
            None,
        )
        for match in _surrogates.finditer(text)
        if match[1]
    ]
    return _surrogates.sub(lambda match: "\\ufffd" if match[1] else match[0], text), troubles
