"""The role of an online store: it serves the newest snapshot of each view, whole, whatever happens while it is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from trialrun.runtime.feature_view.column import Column

T = TypeVar("T")
Scalar = bool | int | float | str | bytes | datetime
Value = Scalar | Sequence[Scalar | None] | None
"""A value as it is served: timestamps are in UTC, to the microsecond; a REPEATED one is a list."""
EntityId = tuple[int | str, ...]
"""The values of the entity id columns, in their order; one column makes a tuple of one."""


@dataclass(frozen=True)
class RowLayout:
    """What a row is made of: the entity id columns, and the features by name.

    A row is a flat sequence: the entity id's values, the moment of the row in microseconds since 1970 in UTC (None for
    one without), and the features' values; a TIMESTAMP feature is a datetime or, which is faster, such microseconds.

    Where the values of a row are of several moments, it has several in that place, and `timestamp_indexes` has for each
    feature which of them is its own, counted from 0; empty: the row has one moment for all. A moment is None where its
    features are null. So a sparse row of three features has three moments, and `timestamp_indexes` is (0, 1, 2).
    """

    keys: tuple[Column, ...]
    features: tuple[Column, ...]
    timestamp_indexes: tuple[int, ...] = ()

    @property
    def timestamp_count(self) -> int:
        """How many moments a row has."""
        return max(self.timestamp_indexes, default=0) + 1

    @property
    def feature_start(self) -> int:
        """The position of the first feature in a row."""
        return len(self.keys) + self.timestamp_count


@dataclass(frozen=True)
class Snapshot:
    """A sync that was made: of which moment its values are, and what they look like.

    `number` counts the syncs of the view from 1, and goes on when the view is removed and comes again; it is 0 where
    there was none, and all was written directly. `synced_at` is what the clock said; `watermark` is the newest moment
    of a row that was read, which a continuous sync goes on from. `plan` is a digest of what it was made by, first of
    what the documents said of the rows.
    """

    view: str
    number: int
    synced_at: datetime
    watermark: datetime | None
    layout: RowLayout
    entities: int
    plan: str = ""


@dataclass(frozen=True, slots=True)
class ServedEntity:
    """An entity as it is served: its values by feature, and the moment of the newest of them."""

    id: EntityId
    values: Mapping[str, Value]
    timestamp: datetime | None


@dataclass(frozen=True, slots=True)
class SyncCounts:
    """What a sync did to the entities of a view: `entities` are served after it; the vanished are those not read."""

    read: int = 0
    entities: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    vanished: int = 0


@dataclass(frozen=True, slots=True)
class DirectWrite:
    """A value that is written directly: of which entity and feature, and from when it is."""

    id: EntityId
    feature: str
    value: Value
    at: datetime


@dataclass(frozen=True, slots=True)
class ViewHistory:
    """The moments of all syncs of a view, in order, and the direct writes that are kept.

    Kept is the newest write of each feature of an entity, unless a sync read a newer value.
    """

    syncs: Sequence[datetime] = ()
    writes: Sequence[DirectWrite] = ()


Scan = Callable[[Sequence[str]], Iterator[tuple[object, ...]]]
"""Gives the rows of a snapshot in the order of their entity ids: the EntityId, then the values of the columns.

A column is a feature or one of the entity id's; capitals count only between names that differ in nothing else.
"""


@dataclass(frozen=True)
class RowLoad:
    """What is to be served from now on.

    `keep_vanished` says that entities which are not among the rows stay as they were, `incremental` that the rows are
    only those of entities with newer values, each whole: the others stay as well, and none is said to have vanished.
    `before_serving` is called with the number of the snapshot and its rows when all of them are there and none is
    served yet; what it raises leaves the old snapshot in place. `is_sync` is false where no sync brings the rows, so
    that none is on record.
    """

    layout: RowLayout
    rows: Iterable[Sequence[object]]
    synced_at: datetime
    watermark: Callable[[], datetime | None]
    plan: str = ""
    keep_vanished: bool = False
    incremental: bool = False
    before_serving: Callable[[int, Scan], None] | None = None
    is_sync: bool = True


class SyncRunning(Exception):
    """Another sync of this view is running."""


class InvalidWrite(ValueError):
    """A direct write does not fit the view; none of the writes that came with it was made."""


class NeverSynced(LookupError):
    """Nothing is served for this view: it was never synced."""


def require_synced(view: str, found: T | None) -> T:
    """What was found of a view. Raises NeverSynced for nothing."""
    if found is None:
        raise NeverSynced(f'"{view}" was never synced; sync it first')
    return found


class OnlineStore(Protocol):
    """Serves the values of views; readers see the old snapshot or the new one, also after a kill."""

    def snapshot(self, view: str) -> Snapshot | None:
        """The snapshot that is served, None before the first sync."""

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        """Serve other rows, all at once. Raises SyncRunning."""

    def fetch(self, view: str, ids: Sequence[EntityId]) -> list[ServedEntity | None]:
        """The entities of some ids, in their order, None for one that is not served. Raises NeverSynced."""

    def fetch_in_layout(
        self, view: str, ids_in: Callable[[RowLayout], Sequence[EntityId]]
    ) -> list[ServedEntity | None]:
        """The same for ids that are made by the layout of what is served, where need be again by a newer one."""

    def scan(self, view: str, features: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """All rows that are served, as a Scan gives them. Raises NeverSynced."""

    def write(self, view: str, writes: Sequence[DirectWrite], *, now: datetime) -> list[bool]:
        """Write values directly; each says whether it is served now, which it is unless a newer one is.

        An entity that is not served yet is from then on. Raises NeverSynced and InvalidWrite.
        """

    def extend(self, view: str, layout: RowLayout, *, now: datetime) -> None:
        """Serve a view with the features of a layout, too, null until they are written. Raises SyncRunning."""

    def history(self, view: str) -> ViewHistory:
        """What became of a view so far; nothing before its first sync."""

    def remove(self, view: str) -> None:
        """Forget a view with all its values. Raises SyncRunning."""


INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which no text in UTF-8 can have."""


class InvalidEntityId(ValueError):
    """An entity id does not fit the entity id columns; the message says what is wrong, then what to do."""


def entity_id_from_parts(parts: Sequence[object], keys: tuple[Column, ...]) -> EntityId:
    """The entity id of one part for each column: "7" is 7 where the column is INT64. Raises InvalidEntityId."""
    if len(parts) != len(keys):
        names = ", ".join(column.name for column in keys)
        count = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        raise InvalidEntityId(f"the entity id has {count}; write one for each of its columns: {names}")
    return tuple(_parse_part(part, column) for part, column in zip(parts, keys, strict=True))


def _parse_part(part: object, column: Column) -> int | str:
    is_integer = isinstance(part, int) and not isinstance(part, bool)
    if column.type == "INT64":
        if isinstance(part, str) and INTEGER.fullmatch(part) and len(part) <= 100:
            part, is_integer = int(part), True
        if isinstance(part, int) and is_integer and -(2**63) <= part < 2**63:
            return part
        type, advice = "an INT64", "write a 64-bit integer"
    else:
        if isinstance(part, str) and SURROGATE.search(part):
            raise InvalidEntityId(f"{part!r} has half of a surrogate pair; write both halves or the character itself")
        if isinstance(part, str) or is_integer:
            return str(part)
        type, advice = f"a {column.type_text}", "write text"
    raise InvalidEntityId(f"{part!r} is not {type}, the type of the entity id column {column.name}; {advice}")
