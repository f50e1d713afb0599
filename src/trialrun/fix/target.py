"""What an operation is about: a value of a document with its key, its style and what is around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from trialrun.diagnostic import Operation, Path
from trialrun.parser import Document
from trialrun.parser.nodes import nodes_on_path
from trialrun.text import Edit


@dataclass(frozen=True, slots=True)
class Unfixable:
    """A fix that cannot be made safely, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class EditDraft:
    """The edits of one operation.

    `token`, where given, is the whole scalar as it will stand, for an operation that changes nothing but one scalar.
    """

    edits: tuple[Edit, ...]
    token: str | None = None


@dataclass(frozen=True, slots=True)
class PendingOperation:
    """An operation with its target and its edits."""

    operation: Operation
    path: Path
    target: Target
    draft: EditDraft


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


_alias_of_entry = re.compile(r"[ \t]*:[ \t]*\*[^\s,\[\]{}]+").match
_alias_of_item = re.compile(r"-?[ \t]*\*[^\s,\[\]{}]+").match


class Target:
    """A value that exists in the document; offsets count in the file's `text`."""

    __slots__ = ("ancestors", "child", "document", "key", "path", "span", "text", "value")

    def __init__(self, text: str, document: Document, path: Path) -> None:
        self.text = text
        self.document = document
        self.path = path
        *self.ancestors, self.child = nodes_on_path(document.root, path)
        node, key = self.child.node, self.child.key
        self.key = document.source_slice.to_span(key.start, key.end) if key else None
        self.span = document.source_slice.to_span(node.start, node.end)
        self.value = value_at_path(document.value, path)

    @property
    def style(self) -> str:
        """The style of the value, as `Document.style` names it."""
        return self.child.node.style

    @property
    def key_style(self) -> str:
        """The style of the key; plain if there is none."""
        return self.child.key.style if self.child.key else "plain"

    @property
    def parent(self) -> Any:
        """The mapping or list that holds the value, None for the root."""
        return value_at_path(self.document.value, self.path[:-1]) if self.path else None

    @property
    def is_aliased(self) -> bool:
        """Whether even the key or the place in the list is defined elsewhere, at an anchor."""
        return self.child.is_merged or (bool(self.path) and self.document.is_aliased(self.path[:-1]))

    @property
    def in_flow(self) -> bool:
        """Whether it is between brackets or braces."""
        return any(child.node.style != "block" for child in self.ancestors)

    @property
    def entry_start(self) -> int | None:
        """Where the key, or the dash of an item in a block, is; None if it cannot be made out."""
        return self.key.start if self.key else find_dash(self)

    def entry_end(self, start: int) -> int | None:
        """Where the entry or item that starts at an offset ends; None if its alias cannot be followed."""
        end = self.key.end if self.key else start
        if not self.child.is_aliased:
            return max(end, self.span.end)
        match = _alias_of_entry(self.text, end) if self.key else _alias_of_item(self.text, start)
        return match.end() if match else None


def find_dash(target: Target) -> int | None:
    """Where the dash of an item is: all dashes of a block list are in one column."""
    text, document, parent, index = target.text, target.document, target.path[:-1], target.path[-1]
    start = document.span(parent).start
    column = start - line_start(text, start)
    candidate = line_start(text, target.span.start) + column
    if (
        index
        and not target.child.is_aliased
        and candidate < target.span.start
        and _is_dash_at(column, text, candidate - column)
    ):
        return candidate
    return _count_dashes(target, start, column)


def _count_dashes(target: Target, offset: int, column: int) -> int | None:
    """The same where the line of the item does not show it: from dash to dash, past the items between."""
    text, document, parent, index = target.text, target.document, target.path[:-1], target.path[-1]
    next_dash = re.compile(f"(?<=[\r\n]) {{{column}}}-(?=[ \t\r\n]|\\Z)")
    for sibling in range(index if isinstance(index, int) else 0):
        shared = document.is_aliased((*parent, sibling))
        search_start = offset + 1 if shared else max(offset + 1, document.span((*parent, sibling)).end)
        match = next_dash.search(text, search_start)
        if match is None:
            return None
        offset = match.end() - 1
    return offset if text[offset : offset + 1] == "-" else None


def _is_dash_at(column: int, text: str, line: int) -> bool:
    return not text[line : line + column].strip(" ") and text[line + column : line + column + 2] in ("- ", "-\t")


def value_at_path(value: Any, path: Path) -> Any:
    """The plain value at a path that exists."""
    for step in path:
        value = value[step]
    return value
