"""Lines of a text by offset; they end at LF, CRLF or CR."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trialrun.text import Edit

_break = re.compile(r"\r\n|\n|\r")
rest_is_blank = re.compile(r"[ \t]*(?:(?<=[ \t])#[^\r\n]*)?(?=[\r\n]|\Z)").match
"""Whether nothing but spaces and a comment follows on the line; the match ends where the line does."""

BLANK_LINES: Final = r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*"
blanks = re.compile(r"(?:[ \t\r\n]|(?:(?<=[ \t\r\n])|\A)#[^\r\n]*)*").match
"""Blanks, line breaks and comments from an offset on."""


def line_start(text: str, offset: int) -> int:
    """Where the line of an offset starts."""
    start = text.rfind("\n", 0, offset) + 1
    return text.rfind("\r", start, offset) + 1 or start


def line_end(text: str, offset: int) -> int:
    """Where the line of an offset ends, before its line break."""
    match = _break.search(text, offset)
    return match.start() if match else len(text)


def next_line(text: str, offset: int) -> int:
    """Where the line after that of an offset starts."""
    match = _break.search(text, offset)
    return match.end() if match else len(text)


def splice(text: str, edits: Sequence[Edit], offset: int = 0) -> str:
    """The text with the edits made; they are sorted and do not touch, and their offsets count from `offset`."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += (text[position : edit.span.start - offset], edit.text)
        position = edit.span.end - offset
    return "".join([*parts, text[position:]])


def overlap(edit: Edit, other: Edit) -> bool:
    """Whether two edits touch one place: they overlap, or begin at the same character."""
    if edit.span.start == other.span.start:
        return True
    return edit.span.start < other.span.end and other.span.start < edit.span.end
