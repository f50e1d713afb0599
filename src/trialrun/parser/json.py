"""Parse a JSON text to its document, by the standard library; spans and causes only where something is wrong."""

from __future__ import annotations

import re
from typing import Any

from trialrun.parser.document import Document
from trialrun.parser.json_decode import LimitExceeded, decode_json, raw_decode, skip_space
from trialrun.parser.nodes import MAX_DOCUMENTS, Node
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.text import Span

_may_be_surrogate = re.compile(r"\\u[dD][89a-fA-F]").search
_surrogates = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.S
)


def parse_json(text: str, *, is_json5: bool = False) -> tuple[list[Document], list[ParseError]]:
    """The document of the text and what is wrong in it; values that follow it are reported once, and parsed as well.

    What JSON5 has beyond JSON is reported once where the file is meant as that, and wherever there are comments.
    """
    errors: list[ParseError] = []
    if "\\" in text and _may_be_surrogate(text):
        text, errors = without_lone_surrogates(text)
    documents: list[Document] = []
    at: int | None = skip_space(text, 0)
    if at == len(text):
        return [], [ParseError("syntax-error", "the file is empty; write a JSON document", Span(0, 0), 0, None)]
    while at is not None:
        following = _parse_document(text, at, documents, errors, is_json5=is_json5)
        if following is not None and not documents[1:]:
            errors.append(_text_after(text, following))
        if len(documents) == MAX_DOCUMENTS and following is not None:
            message = f"more than {MAX_DOCUMENTS:,} documents in one file; split it"
            errors.append(ParseError("resource-limit", message, Span(following, following + 1), len(documents), None))
            break
        at = following if following is not None and text[following] in "{[" else None
    return documents, errors


def _text_after(text: str, at: int) -> ParseError:
    """What follows the first document: another one, or what belongs to it, such as a bracket too many."""
    if text[at] in "{[":
        message = "text after the end of the JSON document; put it in its own file"
        return ParseError("syntax-error", message, Span(at, at + 1), 1, None)
    what = f"{text[at]} closes nothing" if text[at] in "]}" else "text after the end of the JSON document"
    return ParseError("syntax-error", f"{what}; remove it", Span(at, at + 1), 0, None)


def _parse_document(
    text: str, at: int, documents: list[Document], errors: list[ParseError], *, is_json5: bool
) -> int | None:
    """Add the document that starts at an offset; the offset of what follows it, if anything does."""
    index = len(documents)
    try:
        value, end, needs_second_look = decode_json(text, at)
    except LimitExceeded as limit:
        errors.append(ParseError("resource-limit", str(limit), Span(at, at + 1), index, None))
        return None
    except ValueError:
        part = SourceSlice(text[at:], at, is_json=True, length=len(text) - at)
        _recover_document(part, documents, errors, is_json5=is_json5)
        return None
    _add_document(
        SourceSlice(text[at:end], at, is_json=True), value, documents, errors, needs_second_look=needs_second_look
    )
    end = skip_space(text, end)
    return end if end < len(text) else None


def _recover_document(
    part: SourceSlice, documents: list[Document], errors: list[ParseError], *, is_json5: bool
) -> None:
    """Repair the rest of the text as one document; one that cannot be repaired is left out."""
    from trialrun.parser.json_recovery import repair_json

    part, repairs = repair_json(part, is_json5=is_json5)
    errors.extend(error._replace(document=len(documents)) for error in repairs)
    try:
        value, _, needs_second_look = decode_json(part.text)
    except (ValueError, LimitExceeded):
        return
    if part.overrides:
        from trialrun.parser.json_decode import index_json

        value, needs_second_look = _restore_words(part.text, index_json(part)[0].node), True
    _add_document(part, value, documents, errors, needs_second_look=needs_second_look)


def _restore_words(text: str, node: Node) -> Any:
    """The value of a node, with the text of the words that other strings are in for."""
    if node.keys is not None:
        return {key: _restore_words(text, child.node) for key, child in node.keys.items()}
    if node.items is not None:
        return [_restore_words(text, child.node) for child in node.items]
    return node.text if text[node.start] == '"' else raw_decode(text, node.start)[0]


def _add_document(
    part: SourceSlice, value: Any, documents: list[Document], errors: list[ParseError], *, needs_second_look: bool
) -> None:
    index = len(documents)
    documents.append(Document(index, value, part))
    if needs_second_look:
        from trialrun.parser.json_decode import index_json

        errors.extend(index_json(part, index)[1])


def without_lone_surrogates(text: str) -> tuple[str, list[ParseError]]:
    """The text with U+FFFD for every escape of half a character; no offset moves."""
    errors = [
        ParseError(
            "encoding-error",
            f"{match[0]} is half of a surrogate pair; write both halves or the character itself",
            Span(*match.span()),
            0,
            None,
        )
        for match in _surrogates.finditer(text)
        if match[1]
    ]
    return _surrogates.sub(lambda match: "\\ufffd" if match[1] else match[0], text), errors
