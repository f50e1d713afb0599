"""Builds an index of several shards where its rows are, in parts on other machines; none of them passes this process.

What passes are the profiles of the parts, the vectors that a tree is trained with (262,144 at most), and the marks of
the shards, whose files the other machines write. They need the folder of the index by the same path: each of them is
asked for a file in it first. Where one does not have it, or a library is missing there, the index is built here.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.persist import replaced_folder, title_of
from trialrun.runtime.feature_view.index.shard import BuiltShard, Sharding, ShardTask, build_shard
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.store import value_codec
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, Scan, StoreError

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.distance import Floats, Positions
    from trialrun.runtime.feature_view.index.load_vectors import Row
    from trialrun.runtime.feature_view.index.row_profile import DecidedTypes, RowProfile

PROBE = "probe"
"""A file that says whether another machine has the folder of the index."""
MODULES_OF_TREES = ("numpy", "faiss")


class RowParts(Protocol):
    """The rows of a snapshot where they are, in parts, as a load has them."""

    @property
    def layout(self) -> RowLayout:
        """What the rows are made of."""
        ...

    def each(self, function: Callable[[Iterator[Sequence[Any]]], Any], shards: int = 0) -> Iterator[Any] | None:
        """What a function makes of each part: of all rows in the order of their entity ids, which the parts are in too.

        With `shards` each part has whole shards, one after the other, and each row has the number of its own at the
        end. None where the rows are not elsewhere after all. Raises Unreadable.
        """
        ...


@dataclass(frozen=True)
class PartitionedScan:
    """A Scan whose rows are elsewhere as well."""

    scan: Scan
    parts: RowParts

    def __call__(self, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
        """The rows, which pass through this process."""
        return self.scan(columns)


@dataclass(frozen=True)
class ScanColumns:
    """What an index takes of the rows of a layout. It can be pickled."""

    layout: RowLayout
    names: tuple[str, ...]

    def rows(self, rows: Iterable[Sequence[Any]]) -> Iterator[Row]:
        """The rows as a Scan gives them: as they would come from a store."""
        width, places = len(self.layout.keys), [self._place(name) for name in self.names]
        features = self._features()
        for row in rows:
            yield (tuple(row[:width]), *(_stored(features.get(place), row[place]) for place in places))

    def _place(self, name: str) -> int:
        columns = (*self.layout.keys, *self.layout.features)
        column = find_column(name, columns)
        if column is None:
            raise KeyError(name)
        at = columns.index(column)
        return at if at < len(self.layout.keys) else at + self.layout.timestamp_count

    def _features(self) -> Mapping[int, Column]:
        return dict(enumerate(self.layout.features, self.layout.feature_start))


def _stored(column: Column | None, value: Any) -> object:
    """A value as a store gives it back."""
    if column is None or value is None:
        return value
    stored, decoder = value_codec.encode(column, value), value_codec.decoder(column)
    return stored if decoder is None or stored is None else decoder(stored)


@dataclass(frozen=True)
class PartSurvey:
    """What a part says of itself: its first entity, its profile, and why a shard cannot be built there, if so."""

    first: EntityId | None = None
    profile: RowProfile | None = None
    obstacle: str = ""


@dataclass(frozen=True)
class SurveyPart:
    """Looks at a part, and whether an index can be built where it is. It can be pickled."""

    columns: ScanColumns
    shape: IndexParameters
    folder: str
    token: str

    def __call__(self, rows: Iterator[Sequence[Any]]) -> PartSurvey:
        if obstacle := self._obstacle():
            return PartSurvey(obstacle=obstacle)
        from trialrun.runtime.feature_view.index.row_profile import profile_rows

        index_rows = self.columns.rows(rows)
        first = next(index_rows, None)
        if first is None:
            return PartSurvey()
        profile = profile_rows(_chained(first, index_rows), self.shape, self.columns.names[1:])
        return PartSurvey(first[0], profile)  # type: ignore[arg-type]

    def _obstacle(self) -> str:
        if missing := [name for name in MODULES_OF_TREES if importlib.util.find_spec(name) is None]:
            return f"{', '.join(missing)} is not installed there"
        try:
            if (Path(self.folder) / PROBE).read_text() != self.token:
                return "the folder of the index is another one there"
            own = Path(self.folder) / f"{PROBE}-{secrets.token_hex(8)}"
            own.touch()
            own.unlink()
        except OSError as error:
            return error.strerror or type(error).__name__
        return ""


@dataclass(frozen=True)
class TakeVectors:
    """Takes vectors of a part by their positions among all, given where each part starts. It can be pickled."""

    columns: ScanColumns
    shape: IndexParameters
    dimension: int
    starts: Mapping[EntityId, int]
    positions: Positions

    def __call__(self, rows: Iterator[Sequence[Any]]) -> bytes:
        from trialrun.runtime.feature_view.index.row_profile import row_blocks

        index_rows = self.columns.rows(rows)
        first = next(index_rows, None)
        if first is None:
            return b""
        start, taken = self.starts[first[0]], []  # type: ignore[index]
        for block in row_blocks(_chained(first, index_rows), self.shape, self.columns.names[1:]):
            if block.length == self.dimension:
                begin, end = self.positions.searchsorted([start, start + len(block.rows)])
                taken.append(block.matrix[self.positions[begin:end] - start].tobytes())
                start += len(block.rows)
        return b"".join(taken)


@dataclass(frozen=True)
class BuildShards:
    """Builds the shards of a part, whose rows come shard by shard. It can be pickled."""

    columns: ScanColumns
    tasks: Sequence[ShardTask]

    def __call__(self, rows: Iterator[Sequence[Any]]) -> list[BuiltShard] | str:
        try:
            return [
                _build_anew(self.tasks[number], self.columns.rows(own)) for number, own in groupby(rows, itemgetter(-1))
            ]
        except OSError as error:
            return error.strerror or type(error).__name__


def _build_anew(task: ShardTask, rows: Iterator[Row]) -> BuiltShard:
    """Build a shard, which an attempt before this one may have built as well."""
    attempt = f"{task.folder}-{secrets.token_hex(8)}"
    built = build_shard(replace(task, folder=attempt), rows)
    shutil.rmtree(task.folder, ignore_errors=True)
    os.rename(attempt, task.folder)
    return built


def _chained(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rows


class _NotElsewhere(Exception):
    """The index is to be built here."""


def build_where_rows_are(
    parts: RowParts, shape: IndexParameters, folder: Path, *, sharding: Sharding, key: bytes = b""
) -> bool:
    """Build an index of several shards on the machines that have its rows; false where that is not possible.

    Raises NotSearchable, Unreadable where the rows are lost meanwhile, and StoreError where a shard cannot be written.
    """
    columns = ScanColumns(parts.layout, (shape.embedding, *shape.columns))
    try:
        with replaced_folder(folder) as part:
            _build(parts, columns, shape, part, title_of(folder), sharding.shards, key)
    except _NotElsewhere:
        return False
    return True


def _build(
    parts: RowParts, columns: ScanColumns, shape: IndexParameters, folder: Path, title: str, shards: int, key: bytes
) -> None:
    from trialrun.runtime.feature_view.index.row_profile import decide_types, merge_profiles
    from trialrun.runtime.feature_view.index.shard_files import shard_name, write_manifest

    surveys = _surveys(parts, columns, shape, folder)
    decided = decide_types(reduce(merge_profiles, [survey.profile or {} for survey in surveys], {}), shape)
    trained = _train(parts, columns, shape, decided, surveys)
    tasks = [
        ShardTask(
            number,
            str(folder / shard_name(number)),
            f"{title}/{shard_name(number)}",
            shape,
            columns.names[1:],
            decided.dimension,
            decided.types,
            trained,
        )
        for number in range(shards)
    ]
    built = _built_shards(parts, columns, tasks)
    _remove_others(folder, {Path(task.folder).name for task in tasks})
    write_manifest(folder, shape, decided.dimension, built, title=title, key=key)


def _remove_others(folder: Path, names: Set[str]) -> None:
    """Remove what attempts that were lost have left beside the shards."""
    for entry in folder.iterdir():
        if entry.name not in names:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _surveys(parts: RowParts, columns: ScanColumns, shape: IndexParameters, folder: Path) -> list[PartSurvey]:
    """What all parts say. Raises _NotElsewhere where one of them cannot build."""
    token = secrets.token_hex(16)
    (folder / PROBE).write_text(token)
    surveys: list[PartSurvey] | None = None
    with suppress(Unreadable):  # whatever is in the way there: rows that are lost will be missed here, too
        answers = parts.each(SurveyPart(columns, shape, str(folder), token))
        surveys = None if answers is None else list(answers)
    (folder / PROBE).unlink()
    if surveys is None or any(survey.obstacle for survey in surveys):
        raise _NotElsewhere
    return surveys


def _train(
    parts: RowParts,
    columns: ScanColumns,
    shape: IndexParameters,
    decided: DecidedTypes,
    surveys: Sequence[PartSurvey],
) -> bytes | None:
    """The tree that all shards share, trained on the rows that that of one index is trained on."""
    from trialrun.runtime.feature_view.index.shard_build import train_tree_of

    valid: Counter[EntityId] = Counter()
    for survey in surveys:
        if survey.first is not None and survey.profile is not None and decided.dimension in survey.profile:
            valid[survey.first] = survey.profile[decided.dimension].valid
    firsts = [survey.first for survey in surveys if survey.first is not None]
    starts = dict(zip(firsts, accumulate((valid[first] for first in firsts), initial=0), strict=False))

    def take(positions: Positions) -> Floats:
        import numpy as np

        answers = parts.each(TakeVectors(columns, shape, decided.dimension, starts, positions))
        assert answers is not None
        matrix = np.frombuffer(b"".join(answers), np.float32).reshape(-1, decided.dimension)
        if len(matrix) != len(positions):
            raise StoreError("the rows changed while the index was built; sync again")
        return matrix

    return train_tree_of(shape, decided, take)


def _built_shards(parts: RowParts, columns: ScanColumns, tasks: Sequence[ShardTask]) -> list[BuiltShard]:
    """All shards; those without rows are built here."""
    built: dict[int, BuiltShard] = {}
    for answer in parts.each(BuildShards(columns, tasks), len(tasks)) or ():
        if isinstance(answer, str):
            raise StoreError(f"a shard of the index cannot be written where its rows are: {answer}; sync again")
        built |= {shard.number: shard for shard in answer}
    return [built[task.number] if task.number in built else build_shard(task, ()) for task in tasks]
