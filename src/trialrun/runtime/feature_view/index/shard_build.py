"""Builds an index of several shards on this machine: processes build them side by side, a manifest is written last."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from trialrun.runtime.feature_view.index.distance import Floats, Positions
from trialrun.runtime.feature_view.index.interface import Vectors
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.persist import (
    replaced_folder,
    title_of,
)
from trialrun.runtime.feature_view.index.rank import MAX_ROWS_TO_SCAN
from trialrun.runtime.feature_view.index.row_profile import DecidedTypes, decide_types
from trialrun.runtime.feature_view.index.row_spool import read_spool, spool_rows, take_vectors
from trialrun.runtime.feature_view.index.shard import BuiltShard, Sharding, ShardTask, build_shard
from trialrun.runtime.feature_view.index.shard_files import shard_name, write_manifest

MIN_ROWS_FOR_PROCESSES = 20_000
"""Shards of fewer rows together are built by this process: others would take longer to start."""


def build_sharded_index(
    vectors: Vectors,
    shape: IndexParameters,
    folder: str | os.PathLike[str],
    *,
    sharding: Sharding,
    key: bytes = b"",
) -> None:
    """Build an index of some vectors in shards, in a folder; a kill leaves the old one, none, or this.

    Raises NotSearchable where faiss is needed and missing, and StoreError where a process that builds a shard ends.
    """
    with replaced_folder(folder) as part:
        files = [part / f"rows-{number}.spool" for number in range(sharding.shards)]
        profile = spool_rows(vectors.rows, shape, vectors.columns, files)
        decided = decide_types(profile, shape)
        trained = train_shards(shape, decided, files)
        title = title_of(Path(folder))
        tasks = [
            ShardTask(
                number,
                str(part / shard_name(number)),
                f"{title}/{shard_name(number)}",
                shape,
                tuple(vectors.columns),
                decided.dimension,
                decided.types,
                trained,
            )
            for number in range(sharding.shards)
        ]
        built = _build_all(tasks, files, sharding.worker_count if decided.valid >= MIN_ROWS_FOR_PROCESSES else 1)
        write_manifest(part, shape, decided.dimension, built, title=title, key=key)


def train_shards(shape: IndexParameters, decided: DecidedTypes, files: Sequence[Path]) -> bytes | None:
    """The tree that all shards share, trained on rows of all of them as that of one index is; None for exact search."""
    return train_tree_of(shape, decided, lambda positions: take_vectors(files, decided.dimension, positions))


def train_tree_of(shape: IndexParameters, decided: DecidedTypes, take: Callable[[Positions], Floats]) -> bytes | None:
    """The same, of vectors that `take` gives by their positions."""
    if shape.leaf_size is None or decided.valid <= MAX_ROWS_TO_SCAN or not decided.is_estimable:
        return None
    from trialrun.runtime.feature_view.index.tree import TrainingRows, train_empty_tree

    return train_empty_tree(TrainingRows(shape.distance, decided.valid, decided.dimension, take), shape.leaf_size)


def build_spooled_shard(task: ShardTask, file: str) -> BuiltShard:
    """Build a shard from the rows of a file, which is removed."""
    built = build_shard(task, read_spool(file, task.dimension))
    os.unlink(file)
    return built


def _build_all(tasks: Sequence[ShardTask], files: Sequence[Path], workers: int) -> list[BuiltShard]:
    if workers < 2:
        return [build_spooled_shard(task, str(file)) for task, file in zip(tasks, files, strict=True)]
    from trialrun.runtime.feature_view.index.shard_workers import build_in_processes

    return build_in_processes(tasks, [str(file) for file in files], workers)
