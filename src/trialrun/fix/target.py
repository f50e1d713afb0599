"""What an operation is about: a value of a document with its key, its style and what stands around it."""

from __future__ import annotations

import re
from typing import Any

from trialrun.diagnostic import Path
from trialrun.tree import Document
from trialrun.tree.nodes import find

_alias_of_entry = re.compile(r"[ \t]*:[ \t]*\*[^\s,\[\]{}]+").match
_alias_of_item = re.compile(r"-?[ \t]*\*[^\s,\[\]{}]+").match


class Target:
    """A value that exists in the document; offsets count in the file's `text`."""

    __slots__ = ("child", "document", "key", "path", "span", "text", "value")

    def __init__(self, text: str, document: Document, path: Path) -> None:
        self.text = text
        self.document = document
        self.path = path
        self.child = find(document.root, path).child
        self.key = document.key_span(path)
        self.span = document.span(path)
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
        return any(self.document.style(self.path[:depth]) != "block" for depth in range(len(self.path)))

    def end_from(self, start: int) -> int | None:
        """Where the entry or item that starts at an offset ends; None where its alias cannot be followed."""
        end = self.key.end if self.key else start
        if not self.child.shared:
            return max(end, self.span.end)
        match = _alias_of_entry(self.text, end) if self.key else _alias_of_item(self.text, start)
        return match.end() if match else None


def at_path(value: Any, path: Path) -> Any:
    """The plain value at a path that exists."""
    for step in path:
        value = value[step]
    return value
