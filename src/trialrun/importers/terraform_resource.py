"""A resource of Terraform, and how its attributes are read: only those that somebody asks for, by name.

A state holds secrets. What nobody asks for is never looked at, and notes name attributes without their values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.interface import MAX_FIELD_NOTES, InputPlace, Note
from trialrun.lazy_dataclass import dataclass

EXPRESSION = "an expression"
"""Why a value of a configuration cannot be taken over: Terraform alone knows what it stands for."""
SENSITIVE = "marked as sensitive"
SEVERAL_RESOURCES = "the resources of a block with count or for_each; import a plan or a state instead"
REPEATING_ARGUMENTS = ("count", "for_each")
META_ARGUMENTS = (*REPEATING_ARGUMENTS, "provider", "depends_on", "lifecycle", "provisioner", "connection", "//")
"""Arguments that every resource of a configuration may have."""
MAX_BLOCKS = 10_000
"""Blocks of one name in a resource."""
MAX_ATTRIBUTE_DEPTH = 10
"""Steps of a path in a resource, of which the attributes that are imported have at most six."""
ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}\Z")


@dataclass(frozen=True, slots=True)
class TerraformResource:
    """A resource: its type, its attributes, and why some of them have no value that can be taken over.

    `holes` has, by path of an attribute, the reason, such as "known only after apply"; blocks are lists of mappings.
    """

    type: str
    values: Mapping[str, Any]
    holes: Mapping[Path, str]
    place_of: Callable[[Path], InputPlace]


class ResourceReader:
    """Reads attributes of a resource by path; what cannot be taken over becomes a note."""

    def __init__(self, resource: TerraformResource, notes: list[Note]) -> None:
        self.resource = resource
        self.notes = notes
        self._hole_inside: dict[Path, Path] = {}
        for hole in resource.holes:
            for length in range(len(hole)):
                self._hole_inside.setdefault(hole[:length], hole)

    def place(self, path: Path = ()) -> InputPlace:
        """The place of an attribute, or of the resource."""
        return self.resource.place_of(path)

    def value(self, path: Path, *, keep_empty: bool = False) -> Any:
        """The value of an attribute; None if it is unset, which Terraform also writes as an empty text or list."""
        if (hole := self.hole(path)) is not None:
            self.note("unresolved", f"{_name(path)}, which is {self.resource.holes[hole]}", hole)
            return None
        value = self._at(path)
        return None if value in ("", [], {}) and not keep_empty else value

    def keys(self, path: Path) -> list[str]:
        """The keys of an attribute that is a mapping, with those that have no value; notes on one that is none."""
        if path in self.resource.holes:
            self.value(path)
            return []
        value = self._at(path)
        if value is not None and not isinstance(value, Mapping):
            self.note("dropped", f"{_name(path)}, which is not a mapping", path)
        inside = [str(hole[len(path)]) for hole in self.resource.holes if hole[: len(path)] == path != hole]
        return list(dict.fromkeys((*(value if isinstance(value, Mapping) else ()), *inside)))

    def text(self, path: Path) -> str | None:
        """The value of an attribute that is text; what Terraform makes no text of becomes a note."""
        value = to_text(self.value(path))
        if value is None or isinstance(value, str):
            return value
        self.note("dropped", f"{_name(path)}, which is not text", path)
        return None

    def text_if_set(self, path: Path) -> str | None:
        """The value of an attribute that is text, else None without a note."""
        value = to_text(self._at(path))
        return value if isinstance(value, str) and value and self.hole(path) is None else None

    def note_missing(self, path: Path, option: str) -> None:
        """Note an attribute without a value that a name needs; `option` gives it."""
        hole = self.hole(path)
        which = "" if hole is None else f", which is {self.resource.holes[hole]}"
        self.note("unresolved", f"{_name(path)}{which}; give it with {option}", hole or path[:-1])

    def block(self, path: Path) -> Path | None:
        """The path of the one block of a name, which may be empty; None if there is none."""
        blocks = self.blocks(path)
        if len(blocks) > 1:
            self.note("dropped", f"{_name(path)}, of which only the first block counts", blocks[1])
        return blocks[0] if blocks else None

    def blocks(self, path: Path) -> list[Path]:
        """The paths of the blocks of a name."""
        if path in self.resource.holes:
            self.note("unresolved", f"{_name(path)}, which is {self.resource.holes[path]}", path)
            return []
        value = self._at(path)
        if not value and (hole := self._hole_inside.get(path)) is not None:
            self.note("unresolved", f"{_name(hole)}, which is {self.resource.holes[hole]}", hole)
        if isinstance(value, list):
            if len(value) > MAX_BLOCKS:
                self.note("dropped", f"{_name(path)}, of which only {MAX_BLOCKS:,} blocks count", path)
            return [self._check_block((*path, index), item) for index, item in enumerate(value[:MAX_BLOCKS])]
        return [] if value is None else [self._check_block(path, value)]

    def note_others(self, path: Path, names: Iterable[str]) -> None:
        """Note the attributes at a path that are set and that no name of the table stands for."""
        value = self._at(path)
        values = value if isinstance(value, Mapping) else {}
        others = [name for name in values if name not in names and values[name] not in (None, "", [], {}, False)]
        for name in others[:MAX_FIELD_NOTES]:
            is_plain = ATTRIBUTE_NAME.match(name) is not None
            message = f"{name if is_plain else 'an attribute'}, which documents do not have"
            self.note("dropped", message, (*path, name) if is_plain else path)
        if len(others) > MAX_FIELD_NOTES:
            self.note("dropped", f"{len(others) - MAX_FIELD_NOTES:,} further attributes", path)

    def note(self, kind: Any, message: str, path: Path) -> None:
        """Add a note about an attribute."""
        self.notes.append(Note(kind, message, self.place(path)))

    def _check_block(self, path: Path, value: Any) -> Path:
        """The path of a block; what is neither a mapping nor empty becomes a note."""
        if value is not None and not isinstance(value, Mapping):
            self.note("dropped", f"{_name(path)}, which is not a block", path)
        return path

    def _at(self, path: Path) -> Any:
        value: Any = self.resource.values
        for step in path:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and step < len(value) else value
            else:
                value = value.get(step) if isinstance(value, Mapping) else None
        return value

    def hole(self, path: Path) -> Path | None:
        """The path of a hole that leaves an attribute without a value: its own, one around it, or one inside of it."""
        for length in range(len(path) + 1):
            if path[:length] in self.resource.holes:
                return path[:length]
        return self._hole_inside.get(path)


def to_text(value: Any) -> Any:
    """A number or a boolean as the text that Terraform makes of it where an attribute is text, also in a list."""
    match value:
        case list():
            return [to_text(item) for item in value]
        case bool():
            return str(value).lower()
        case float() if math.isfinite(value):
            return str(int(value)) if value.is_integer() else f"{Decimal(repr(value)):f}"
        case int():
            return str(value)
    return value


def _name(path: Path) -> str:
    return next(str(step) for step in reversed(path) if isinstance(step, str))


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths at which a structure of marks, such as `sensitive_values`, says true.

    A part that is deeper than any attribute counts as a whole, so that marks do not take the square of their depth.
    """
    if value is True or (len(path) == MAX_ATTRIBUTE_DEPTH and value not in (False, None, {}, [])):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
