"""Nodes of the partial parser: mappings, lists and scalars with their offsets."""

from __future__ import annotations

import json
from dataclasses import field
from typing import Literal

from trialrun.lazy_dataclass import dataclass

MARK = "\ue000"
"""Stands in the text where the cursor is."""

Style = Literal["plain", "single", "double", "block"]


@dataclass(slots=True)
class Scalar:
    """A scalar without its quotes. `is_first` says that nothing but dashes is before it on its line.

    `needs_dash` says that it is where only an item of a list can, without the dash of one. `alias_of` is what an alias
    stands for. `is_followed` says that below it, where the cursor alone is, is what belongs to its key.
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
        """What it says, without the escapes of its quotes."""
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
    """An entry of a mapping; of what has no colon yet, `is_open`, only the key is known."""

    key: Scalar
    value: Node | None = None
    is_open: bool = False


@dataclass(slots=True)
class Mapping:
    """A mapping, in brackets when `is_flow`."""

    entries: list[PartialEntry] = field(default_factory=list)
    is_flow: bool = False

    def text(self, key: str) -> str | None:
        """The text of the scalar under a key."""
        found = self.get(key)
        return found.text if isinstance(found, Scalar) else None

    def get(self, key: str) -> Node | None:
        """What is under a key, also where merge keys bring it."""
        for mapping in (self, *self.merged()):
            for entry in mapping.entries:
                if entry.key.text == key and not entry.is_open:
                    return resolved(entry.value)
        return None

    def merged(self) -> list[Mapping]:
        """What the merge keys of the mapping name, without what is merged there in turn."""
        values = [entry.value for entry in self.entries if entry.key.text == "<<"]
        listed = [item for value in values for item in (value.items if isinstance(value, Sequence) else [value])]
        return [found for found in map(resolved, listed) if isinstance(found, Mapping) and found is not self]


@dataclass(slots=True)
class Sequence:
    """A list, in brackets when `is_flow`."""

    items: list[Node] = field(default_factory=list)
    is_flow: bool = False


Node = Scalar | Mapping | Sequence


def resolved(node: Node | None) -> Node | None:
    """What is there, behind an alias where it is one."""
    return node.alias_of if isinstance(node, Scalar) and node.alias_of is not None else node
