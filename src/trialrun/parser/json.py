"""A JSON text to its document, by the standard library's parser; places and causes only where something is wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from trialrun.parser.document import Document, Slice, Trouble
from trialrun.parser.limits import MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES
from trialrun.parser.nodes import Node
from trialrun.parser.scalars import MOST_DIGITS
from trialrun.text import Span

_may_be_surrogate = re.compile(r"\\u[dD][89a-fA-F]").search
_surrogates = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)
_blank = re.compile(r"[ \t\r\n]*").match


class TooMuch(Exception):
    """The document is over a limit; the text says which."""


def read_json(text: str) -> tuple[list[Document], list[Trouble]]:
    """The document of the text and what is wrong in it; values that follow it are told of once, and read as well."""
    troubles: list[Trouble] = []
    if "\\" in text and _may_be_surrogate(text):
        text, troubles = _without_lone_surrogates(text)
    documents: list[Document] = []
    at: int | None = _after_blank(text, 0)
    if at == len(text):
        return [], [Trouble("syntax-error", "the file is empty; write a JSON document", Span(0, 0), 0, None)]
    while at is not None:
        following = _read_one(text, at, documents, troubles)
        if following is not None and not documents[1:]:
            message = "text after the end of the JSON document; put it in a file of its own"
            troubles.append(Trouble("syntax-error", message, Span(following, following + 1), 1, None))
        if len(documents) == MAX_DOCUMENTS and following is not None:
            message = f"more than {MAX_DOCUMENTS:,} documents in one file; split it"
            troubles.append(Trouble("resource-limit", message, Span(following, following + 1), len(documents), None))
            break
        at = following if following is not None and text[following] in "{[" else None
    return documents, troubles


def _read_one(text: str, at: int, documents: list[Document], troubles: list[Trouble]) -> int | None:
    """Add the document that starts at an offset; the offset of what follows it, if anything does."""
    index = len(documents)
    try:
        value, end, noticed = load(text, at)
    except TooMuch as limit:
        troubles.append(Trouble("resource-limit", str(limit), Span(at, at + 1), index, None))
        return None
    except ValueError:
        _read_broken(Slice(text[at:], at, is_json=True, length=len(text) - at), documents, troubles)
        return None
    _take(Slice(text[at:end], at, is_json=True), value, documents, troubles, noticed=noticed)
    end = _after_blank(text, end)
    return end if end < len(text) else None


def _read_broken(part: Slice, documents: list[Document], troubles: list[Trouble]) -> None:
    """Repair the rest of the text as one document; one that cannot be repaired is left out."""
    from trialrun.parser.json_recovery import repaired

    part, told = repaired(part)
    troubles.extend(replace(trouble, document=len(documents)) for trouble in told)
    try:
        value, _, noticed = load(part.text)
    except (ValueError, TooMuch):
        return
    if part.overrides:
        from trialrun.parser.json_spans import places_of_json

        value, noticed = _rebuilt(part.text, places_of_json(part).root.node), True
    _take(part, value, documents, troubles, noticed=noticed)


def _rebuilt(text: str, node: Node) -> Any:
    """The value of a node, with the text of the words that other strings stand in for."""
    if node.keys is not None:
        return {key: _rebuilt(text, child.node) for key, child in node.keys.items()}
    if node.items is not None:
        return [_rebuilt(text, child.node) for child in node.items]
    return node.text if text[node.start] == '"' else _decode(text, node.start)[0]


def _take(part: Slice, value: Any, documents: list[Document], troubles: list[Trouble], *, noticed: bool) -> None:
    index = len(documents)
    documents.append(Document(index, value, part))
    if noticed:
        from trialrun.parser.json_spans import places_of_json

        troubles.extend(places_of_json(part, index).troubles)


def _after_blank(text: str, at: int) -> int:
    match = _blank(text, at)
    return match.end() if match else at


def load(text: str, at: int = 0) -> tuple[Any, int, bool]:
    """The first value of the text from an offset on, where it ends, and whether a second look at its places is due.

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

    at = _after_blank(text, at)
    try:
        value, end = _decode(text, at, object_pairs_hook=take_object, parse_constant=take_constant)
    except RecursionError as error:
        raise TooMuch(f"nested deeper than {MAX_DEPTH} levels; flatten it") from error
    _refuse_excess(text, at, end, value)
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


def _refuse_excess(text: str, start: int, end: int, value: Any) -> None:
    """Count levels and nodes, only where there are brackets and commas enough for too many."""
    brackets = text.count("{", start, end) + text.count("[", start, end)
    if brackets <= MAX_DEPTH and end - start < MAX_NODES:
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
