"""The parser of YAML, JSON and Terraform files: plain values, with the source span of every key and value.

`parse` never raises: what is wrong in a file is a `ParseError`, and the rest of it is parsed.

Decisions: docs/decisions/linter.md, docs/decisions/tests.md
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trialrun.parser.document import Document, ParsedFile, add_document
from trialrun.parser.nodes import Path
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.terraform import is_terraform_path
from trialrun.text import MAX_BYTES, Span

if TYPE_CHECKING:
    from trialrun.text import Source

__all__ = ["MAX_BYTES", "Document", "ParseError", "ParsedFile", "Path", "SourceSlice", "parse", "read_source"]

_MAX_CACHED_BYTES: Final = 2**21
"""The largest text whose result is cached: a tree takes ten times the memory of its text."""
_MANY_CACHED_BYTES: Final = 2**17
"""The largest text whose result is cached with others; of larger ones the last is."""


def parse(data: bytes, path: str, *, max_bytes: int = MAX_BYTES) -> ParsedFile:
    """The documents of a file: of Terraform or JSON when its path says so, JSON when its comments do, else YAML, which
    has JSON in it.

    Anything over `max_bytes` is rejected as a whole. The last few results are cached, and must not be changed: the
    text that is linted is also the one in which fixes are tried, and about which an editor asks.
    """
    if len(data) > min(max_bytes, _MAX_CACHED_BYTES):
        return _parse(data, path, max_bytes)
    return (_last_files if len(data) <= _MANY_CACHED_BYTES else _last_large_file).parse(data, path)


class _ParsedFiles:
    """The last few results, with their texts: to compare texts takes next to no time, to hash them 1 % of a check."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._files: tuple[tuple[bytes, str, ParsedFile], ...] = ()

    def parse(self, data: bytes, path: str) -> ParsedFile:
        """The documents of a file, as one of the last results or anew."""
        for file in self._files:
            if file[1] == path and file[0] == data:
                break
        else:
            file = data, path, _parse(data, path, MAX_BYTES)
        others = [other for other in self._files if other is not file]
        self._files = (file, *others[: self.most - 1])
        return file[2]


_last_files, _last_large_file = _ParsedFiles(3), _ParsedFiles(1)


def _parse(data: bytes, path: str, max_bytes: int) -> ParsedFile:
    from trialrun.parser.decode import decode, is_json_path, reject_large_file

    if len(data) > max_bytes:
        return reject_large_file(data, path, max_bytes)
    decoded = decode(data, path)
    if is_terraform_path(path):
        from trialrun.parser.terraform.resources import parse_terraform

        documents, errors = parse_terraform(decoded.source, decoded.clean)
    elif is_json_path(path) and (key := _first_key_of_yaml(decoded.clean)):
        documents, errors = _parse_yaml(decoded.clean)
        message = "this is YAML in a file named as JSON; give it a name that ends with .yaml, or write JSON"
        errors.append(ParseError("syntax-error", message, Span(*key.span(1)), 0, None))
    elif is_json_path(path) or _has_json_comments(decoded.clean):
        from trialrun.parser.json import parse_json

        documents, errors = parse_json(decoded.clean, is_json5=not path.lower().endswith(".json"))
    else:
        documents, errors = _parse_yaml(decoded.clean)
    file = ParsedFile(decoded.source, documents, [*decoded.errors, *errors])
    if not (is_json_path(path) or is_terraform_path(path)):
        if not decoded.clean.isascii() and any(char in decoded.clean for char in "\x85\u2028\u2029"):
            from trialrun.parser.comments import line_break_warnings

            file.errors.extend(line_break_warnings(file))
        if re.search("#[0-9]", decoded.clean):
            from trialrun.parser.comments import cut_text_warnings

            file.errors.extend(cut_text_warnings(file))
    file.errors.sort(key=lambda error: (error.span.start, error.span.end, error.rule, error.message))
    return file


def _parse_yaml(text: str) -> tuple[list[Document], list[ParseError]]:
    """The documents of a YAML text, and what is wrong in it; a broken one is repaired where the cause is clear."""
    documents, errors = _compose_yaml(text)
    if errors:
        from trialrun.parser.error_recovery import with_separators

        separated, found = with_separators(text, documents, errors)
        if found:
            documents, errors = _compose_yaml(separated)
            errors += found
    return documents, errors


def _compose_yaml(text: str) -> tuple[list[Document], list[ParseError]]:
    from trialrun.parser.fast_path import parse_fast

    composed = parse_fast(text) or []
    if not composed:
        from trialrun.parser.compose import compose_text

        composed, fault = compose_text(text)
        if fault is not None:
            from trialrun.parser.error_recovery import recover

            return recover(text, composed, fault)
    documents: list[Document] = []
    errors: list[ParseError] = []
    for document in composed:
        add_document(document, SourceSlice(text), documents, errors, index=len(documents))
    return documents, errors


_first_key_of_yaml = re.compile(
    r"(?:[ \t]*(?:(?:#|---)[^\r\n]*)?(?:\r\n?|\n))*(?:- +)*([A-Za-z_][\w.-]*)(?=[ \t]*:(?:[ \t\r\n]|\Z))"
).match
"""The first key of a text that is a block of YAML, which JSON cannot be."""


def _has_json_comments(text: str) -> bool:
    """Whether a text is JSON but for comments, in a file of any name."""
    if text.lstrip()[:1] not in ("{", "[", "/") or not ("//" in text or "/*" in text):
        return False
    if "\n---" in text or "\r---" in text:  # a stream of documents
        return False
    from trialrun.parser.json_recovery import is_json_with_comments

    return is_json_with_comments(text)


def read_source(data: bytes, path: str) -> Source:
    """The text of a file, as `parse` returns it with the documents."""
    from trialrun.parser.decode import decode, reject_large_file

    return reject_large_file(data, path, MAX_BYTES).source if len(data) > MAX_BYTES else decode(data, path).source
