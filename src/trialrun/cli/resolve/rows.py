"""The effective configuration as rows for text output: each value with its origin, overridden values and conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from trialrun.diagnostic import Path, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_value import format_value
from trialrun.runtime.channel_config.field_path import item_name, item_names, key_fields

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.effective import Conflict, EffectiveConfig, Origin

MAX_ITEMS = 4


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a value: a value that it overrode or conflicts with, and the origin of that."""

    kind: Literal["over", "clash", "unused"]
    text: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a configuration: a value with its origin, or the heading of a message or list."""

    depth: int
    label: str
    value: str = ""
    origin: Origin | None = None
    notes: Sequence[Note] = ()


def rows(effective: EffectiveConfig, path: Path = (), *, unused: Mapping[Path, str] = {}) -> Iterator[Row]:
    """The rows of a configuration, or of the part at a path.

    `unused` maps fields that a session takes from the other type to the text of the note.
    """
    value: Any = effective.value
    parents: list[tuple[Any, str | int]] = []
    for step in path:
        parents.append((value, step))
        value = value[step]
    label = _label(*parents[-1]) if parents else ""
    all_rows = list(_RowBuilder(effective, unused).rows(value, path, label, 0 if parents else -1))
    if parents and not any(
        row.origin for row in all_rows
    ):  # the path is inside a list that is set as one value, so the origin is that of the list
        all_rows[0] = replace(all_rows[0], origin=effective.origin(json_pointer(path)))
    yield from all_rows


def _label(holder: Any, step: str | int) -> str:
    return item_name(holder, step) if isinstance(step, int) else step


class _RowBuilder:
    """Builds the rows of one configuration."""

    def __init__(self, effective: EffectiveConfig, unused: Mapping[Path, str]) -> None:
        self._effective = effective
        self._origins = effective.origins
        self._unused = unused
        self._clashes: dict[str, list[Conflict]] = {}
        for conflict in effective.conflicts:
            self._clashes.setdefault(conflict.pointer, []).append(conflict)

    def rows(self, value: Any, path: Path, label: str, depth: int) -> Iterator[Row]:
        """The row of a value, followed by the rows of its content."""
        pointer = json_pointer(path)
        origin, notes = self._origins.get(pointer), [*self._notes(pointer), *self._origin_of_path(path)]
        is_one_value = origin is not None and (isinstance(value, list) or not value)
        if not isinstance(value, dict | list) or is_one_value:
            yield Row(depth, label, short_value(value), origin, notes)
            return
        named = self._label_field(value, path, label)
        if depth >= 0:
            origin = (self._origins.get(json_pointer((*path, named))) if named else None) or origin
            yield Row(depth, label, "", origin, notes)
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if step != named:
                yield from self.rows(inner, (*path, step), _label(value, step), depth + 1)

    def _label_field(self, value: Any, path: Path, label: str) -> str:
        """The field whose value is the label of a list item; it does not get a row. Empty if there is none."""
        if not isinstance(value, dict) or not path or not isinstance(path[-1], int):
            return ""
        return next((name for name in key_fields() if value.get(name) == label), "")

    def _notes(self, pointer: str) -> Iterator[Note]:
        origin = self._origins.get(pointer)
        conflicts = self._clashes.get(pointer, ())
        for conflict in conflicts:
            yield self._clash_note(conflict)
        conflicting = {
            id(conflict.loser.place.node): conflict.loser.place for conflict in conflicts if conflict.kind == "level"
        }
        for overridden in origin.overrode if origin else ():
            if conflicting.get(id(overridden.place.node)) != overridden.place:
                yield Note("over", short_value(overridden.value), overridden)

    def _clash_note(self, conflict: Conflict) -> Note:
        if conflict.kind == "level":
            settled = ", and neither applies" if conflict.settled else ""
            return Note("clash", f"{short_value(conflict.loser.value)} on the same level{settled}", conflict.loser)
        upsells = self._effective.value["operationsConfig"]["upsellStrategy"]["upsells"]
        first = int(conflict.winner_pointer.split("/")[-2])
        return Note("clash", f'"{item_name(upsells, first)}" has it too, and comes first', conflict.winner)

    def _origin_of_path(self, path: Path) -> Iterator[Note]:
        if path in self._unused:
            yield Note("unused", self._unused[path])


def short_value(value: Any) -> str:
    """A value on one line; a list is shown by the names of its first items."""
    if isinstance(value, list):
        names = [_item_name(item) for item in value[:MAX_ITEMS]]
        more = f", … {len(value)} in all" if len(value) > MAX_ITEMS else ""
        return f"[{', '.join(names)}{more}]"
    if isinstance(value, dict):
        return f"{{{', '.join(value)}}}" if value else "{}"
    return format_value(value.strip() or value) if isinstance(value, str) else format_value(value)


def _item_name(value: Any) -> str:
    """The display name of a list item."""
    if not isinstance(value, dict):
        return format_value(value)
    name = next(item_names(value), None)
    return "{…}" if name is None else format_value(name)
