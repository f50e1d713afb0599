"""What an operation is about: a value of a document with its key, its style and what stands around it."""

from __future__ import annotations

import re
from typing import Any

from trialrun.diagnostic import Path
from trialrun.fix.text_lines import line_start
from trialrun.parser import Document
from trialrun.parser.nodes import follow

_alias_of_entry = re.compile(r"[ \t]*:[ \t]*\*[^\s,\[\]{}]+").match
_alias_of_item = re.compile(r"-?[ \t]*\*[^\s,\[\]{}]+").match


class Target:
    """A value that exists in the document; offsets count in the file's `text`."""

    __slots__ = ("around", "child", "document", "key", "path", "span", "text", "value")

    def __init__(self, text: str, document: Document, path: Path) -> None:
        self.text = text
        self.document = document
        self.path = path
        *self.around, self.child = follow(document.root, path)
        node, key = self.child.node, self.child.key
        self.key = document.part.placed(key.start, key.end) if key else None
        self.span = document.part.placed(node.start, node.end)
        self.value = at_path(document.value, path)

    @property
    def style(self) -> str:
        """The style of the value, as `Document.style` names it."""
        return self.child.node.style

    @property
    def key_style(self) -> str:
        """The style of the key; plain where there is none."""
        return self.child.key.style if self.child.key else "plain"

    @property
    def parent(self) -> Any:
        """The mapping or list that holds the value, None for the root."""
        return at_path(self.document.value, self.path[:-1]) if self.path else None

    @property
    def elsewhere(self) -> bool:
        """Whether even the key or the place in the list stands elsewhere, at an anchor."""
        return self.child.merged or (bool(self.path) and self.document.shared(self.path[:-1]))

    @property
    def in_flow(self) -> bool:
        """Whether it stands between brackets or braces."""
        return any(child.node.style != "block" for child in self.around)

    @property
    def sign(self) -> int | None:
        """Where the key, or the dash of an item in a block, stands; None where it cannot be made out."""
        return self.key.start if self.key else dash_of(self)

    def end_from(self, start: int) -> int | None:
        """Where the entry or item that starts at an offset ends; None where its alias cannot be followed."""
        end = self.key.end if self.key else start
        if not self.child.shared:
            return max(end, self.span.end)
        match = _alias_of_entry(self.text, end) if self.key else _alias_of_item(self.text, start)
        return match.end() if match else None


def dash_of(target: Target) -> int | None:
    """Where the dash of an item stands: all dashes of a block list are in one column."""
    text, document, parent, index = target.text, target.document, target.path[:-1], target.path[-1]
    at = document.span(parent).start
    column = at - line_start(text, at)
    beside = line_start(text, target.span.start) + column
    if index and not target.child.shared and beside < target.span.start and _dash_at(column, text, beside - column):
        return beside
    return _counted_dash(target, at, column)


def _counted_dash(target: Target, at: int, column: int) -> int | None:
    """The same where the line of the item does not show it: from dash to dash, past the items between."""
    text, document, parent, index = target.text, target.document, target.path[:-1], target.path[-1]
    below = re.compile(f"(?<=[\r\n]) {{{column}}}-(?=[ \t\r\n]|\\Z)")
    for before in range(index if isinstance(index, int) else 0):
        shared = document.shared((*parent, before))
        searched = at + 1 if shared else max(at + 1, document.span((*parent, before)).end)
        match = below.search(text, searched)
        if match is None:
            return None
        at = match.end() - 1
    return at if text[at : at + 1] == "-" else None


def _dash_at(column: int, text: str, line: int) -> bool:
    return not text[line : line + column].strip(" ") and text[line + column : line + column + 2] in ("- ", "-\t")


def at_path(value: Any, path: Path) -> Any:
    """The plain value at a path that exists."""
    for step in path:
        value = value[step]
    return value
