"""Rows on their way to shards: a file for each, in the folder that the index is written to, until the shard is built.

So the rows are read once, whatever they decide together, and one process never has more than those of one shard.
"""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import reduce
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from trialrun.runtime.feature_view.index.distance import Floats, Positions
from trialrun.runtime.feature_view.index.load_vectors import Row
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.row_profile import RowBlock, RowProfile, merge_profiles, row_blocks
from trialrun.runtime.feature_view.index.shard import shard_of
from trialrun.runtime.feature_view.store.interface import EntityId


class SpooledRows(NamedTuple):
    """Some rows of one shard with vectors of one length; `positions` count all valid rows with that length."""

    length: int
    positions: Positions
    ids: list[EntityId]
    matrix: Floats
    columns: list[tuple[object, ...]]


def spool_rows(
    rows: Iterable[Row], shape: IndexParameters, columns: Sequence[str], files: Sequence[Path]
) -> RowProfile:
    """Write the rows to the file of their shard, and say what they decide together."""
    profile: RowProfile = {}
    counts: Counter[int] = Counter()
    with ExitStack() as stack:
        streams = [stack.enter_context(open(file, "xb")) for file in files]
        for block in row_blocks(rows, shape, columns):
            profile = reduce(merge_profiles, [{block.length: block.profile}], profile)
            _write_block(block, counts[block.length], streams)
            counts[block.length] += len(block.rows)
    return profile


def _write_block(block: RowBlock, start: int, streams: Sequence[IO[bytes]]) -> None:
    shards = np.array([shard_of(row[0], len(streams)) for row in block.rows], np.intp)  # type: ignore[arg-type]
    for shard, stream in enumerate(streams):
        chosen = np.flatnonzero(shards == shard)
        if len(chosen):
            rows = [block.rows[at] for at in chosen.tolist()]
            ids: list[EntityId] = [row[0] for row in rows]  # type: ignore[misc]
            part = SpooledRows(block.length, chosen + start, ids, block.matrix[chosen], [row[2:] for row in rows])
            pickle.dump(tuple(part), stream, pickle.HIGHEST_PROTOCOL)


def read_spool(file: str | os.PathLike[str], dimension: int) -> Iterator[Row]:
    """The rows of a file whose vectors have a dimension, as `build_shard` takes them."""
    for part in _parts(file, dimension):
        for id, vector, columns in zip(part.ids, part.matrix, part.columns, strict=True):
            yield (id, vector, *columns)


def take_vectors(files: Iterable[Path], dimension: int, positions: Positions) -> Floats:
    """The vectors at some positions, which ascend, in their order."""
    taken = np.empty((len(positions), dimension), np.float32)
    for file in files:
        for part in _parts(file, dimension):
            places = np.searchsorted(positions, part.positions)
            is_taken = places < len(positions)
            is_taken[is_taken] = positions[places[is_taken]] == part.positions[is_taken]
            taken[places[is_taken]] = part.matrix[is_taken]
    return taken


def _parts(file: str | os.PathLike[str], dimension: int) -> Iterator[SpooledRows]:
    """The parts that this process, or the one that started it, has just written to a file."""
    with open(file, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        while stream.tell() < size:
            part = SpooledRows._make(pickle.load(stream))
            if part.length == dimension:
                yield part
