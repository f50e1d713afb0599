"""Nodes of the partial parser: mappings, lists and scalars with their offsets."""

from __future__ import annotations

import json
from dataclasses import field
from typing import Literal

from trialrun.lazy_dataclass import dataclass

MARK = "\ue000"
"""Inserted into the text at the cursor."""

Style = Literal["plain", "single", "double", "block"]


@dataclass(slots=True)
class Scalar:
    """A scalar without its quotes. `is_first` means that only dashes are before it on its line.

    `needs_dash` means that it is where a list item without its dash would be. `alias_of` is the node of an alias.
    `has_content_below` means that lines below it belong to its key.
    """

    text: str
    start: int
    end: int
    style: Style
    is_first: bool = False
    needs_dash: bool = False
    alias_of: Node | None = None
    has_content_below: bool = False

    @property
    def decoded(self) -> str:
        """The text without escapes."""
        if self.style == "single":
            return self.text.replace("''", "'")
        if self.style != "double" or "\\" not in self.text:
            return self.text
        try:
            return str(json.loads(f'"{self.text}"'))
        except ValueError:
            return self.text


@dataclass(slots=True)
class PartialEntry:
    """An entry of a mapping; `is_open` if it has no colon yet, so that only the key is known."""

    key: Scalar
    value: Node | None = None
    is_open: bool = False


@dataclass(slots=True)
class Mapping:
    """A mapping; `is_flow` if it is in braces."""

    entries: list[PartialEntry] = field(default_factory=list)
    is_flow: bool = False

    def text(self, key: str) -> str | None:
        """The text of the scalar under a key."""
        value = self.get(key)
        return value.text if isinstance(value, Scalar) else None

    def get(self, key: str) -> Node | None:
        """The node under a key, also from merge keys."""
        for mapping in (self, *self.merged()):
            for entry in mapping.entries:
                if entry.key.text == key and not entry.is_open:
                    return resolved(entry.value)
        return None

    def merged(self) -> list[Mapping]:
        """The mappings that merge keys of this mapping name, not recursively."""
        values = [entry.value for entry in self.entries if entry.key.text == "<<"]
        listed = [item for value in values for item in (value.items if isinstance(value, Sequence) else [value])]
        return [mapping for mapping in map(resolved, listed) if isinstance(mapping, Mapping) and mapping is not self]


@dataclass(slots=True)
class Sequence:
    """A list; `is_flow` if it is in brackets."""

    items: list[Node] = field(default_factory=list)
    is_flow: bool = False


Node = Scalar | Mapping | Sequence


def resolved(node: Node | None) -> Node | None:
    """The node itself, or the node of an alias."""
    return node.alias_of if isinstance(node, Scalar) and node.alias_of is not None else node
