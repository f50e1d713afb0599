"""An index of several shards: it asks them side by side, and answers as one index would.

Exact search gives exactly the neighbors and distances of one index. Under treeAhConfig all shards share the leaves of
one index, and rank more candidates together than it does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from trialrun.runtime.feature_view.index.interface import Neighbor, Query
from trialrun.runtime.feature_view.index.optional_imports import require_numpy
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.persist import (
    SHARDED_FORMAT,
    damage_as_not_searchable,
    read_contents,
    read_index,
    title_of,
)
from trialrun.runtime.feature_view.index.rank import MAX_ROWS_TO_SCAN, MIN_LEAF_SHARE
from trialrun.runtime.feature_view.index.serialize import deserialize_parameters
from trialrun.runtime.feature_view.index.shard import Sharding, shard_of
from trialrun.runtime.feature_view.index.shard_files import ShardFiles, load_shard, shard_name
from trialrun.runtime.feature_view.index.shard_search import (
    ShardGroup,
    ShardHit,
    check_query,
    merge_hits,
    neighbors_of,
)
from trialrun.runtime.feature_view.index.vector_index import VectorIndex
from trialrun.runtime.feature_view.store.interface import EntityId

MIN_BYTES_FOR_PROCESSES = 64 * 2**20
"""So many bytes take one core some milliseconds; where a query looks at fewer, asking processes takes longer."""


class ShardSearcher(Protocol):
    """Has all shards of an index searched: in this process or by others."""

    def search(self, query: Query, *, exactly: bool) -> list[list[ShardHit]]:
        """The answers of all shards for a query that was checked. Raises NotSearchable, StoreError for a lost shard."""
        ...

    def vector(self, shard: int, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity in a shard, None for one that is not there."""
        ...

    def close(self) -> None:
        """End the processes, if there are any."""
        ...


class ShardedIndex:
    """The shards of one snapshot; as an Index."""

    def __init__(self, shape: IndexParameters, dimension: int, sizes: Sequence[int], searcher: ShardSearcher) -> None:
        self.shape, self.dimension, self.sizes = shape, dimension, tuple(sizes)
        self._searcher = searcher

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return sum(self.sizes)

    def search(self, query: Query, *, exactly: bool = False) -> list[Neighbor]:
        """The nearest entities; `exactly` looks at every vector, whatever the algorithm.

        Raises NotSearchable, and StoreError where a shard cannot be asked: no answer is of some shards only.
        """
        checked = check_query(query, self.dimension, has_crowding=self.shape.crowding is not None)
        return neighbors_of(merge_hits(self._searcher.search(checked, exactly=exactly), checked))

    def vector(self, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity, None for one that is not in the index."""
        return self._searcher.vector(shard_of(id, len(self.sizes)), id)

    def close(self) -> None:
        """End the processes that search, if there are any."""
        self._searcher.close()


class LocalSearcher:
    """Searches shards that this process has loaded as one group; several threads may search at once."""

    def __init__(self, shards: Sequence[VectorIndex]) -> None:
        self._group = ShardGroup(shards, groups=1)

    def search(self, query: Query, *, exactly: bool) -> list[list[ShardHit]]:
        """The answer of all shards. Raises NotSearchable."""
        return [self._group.search(query, exactly=exactly)]

    def vector(self, shard: int, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity in a shard, None for one that is not there."""
        return self._group.shards[shard].vector(id)

    def close(self) -> None:
        """Nothing is to be ended."""


def open_sharded(folder: str | os.PathLike[str], contents: Mapping[str, Any], *, sharding: Sharding) -> ShardedIndex:
    """The index of a manifest that was read. May raise what `damage_as_not_searchable` takes."""
    shards = files_of_shards(Path(folder), contents)
    sizes = [shard["size"] for shard in contents["shards"]]
    shape, dimension = deserialize_parameters(contents["shape"]), contents["dimension"]
    is_large = scanned_bytes(shape, sum(sizes), dimension) >= MIN_BYTES_FOR_PROCESSES
    searcher = _searcher(shards, sharding, in_processes=sharding.in_processes and is_large)
    return ShardedIndex(shape, dimension, sizes, searcher)


def files_of_shards(folder: Path, contents: Mapping[str, Any]) -> list[ShardFiles]:
    """The shards of a manifest that was read."""
    return [
        ShardFiles(str(folder / shard_name(number)), f"{title_of(folder)}/{shard_name(number)}", shard["contents"])
        for number, shard in enumerate(contents["shards"])
    ]


def scanned_bytes(shape: IndexParameters, vectors: int, dimension: int) -> int:
    """About how many bytes a query looks at: all vectors, or the codes on the leaves that are searched."""
    if shape.leaf_size is None or vectors <= MAX_ROWS_TO_SCAN:
        return vectors * dimension * 4
    return int(vectors * MIN_LEAF_SHARE * dimension / 4)


def _searcher(shards: Sequence[ShardFiles], sharding: Sharding, *, in_processes: bool) -> ShardSearcher:
    if in_processes:
        from trialrun.runtime.feature_view.index.shard_workers import ProcessSearcher

        return ProcessSearcher(shards, Sharding(len(shards), sharding.workers).worker_count)
    return LocalSearcher([load_shard(shard) for shard in shards])


def load_any_index(
    folder: str | os.PathLike[str], *, key: bytes = b"", sharding: Sharding
) -> VectorIndex | ShardedIndex:
    """Read an index, of one shard or of several.

    Raises NotSearchable where it is missing, damaged, or was not written with this key.
    """
    require_numpy()
    with damage_as_not_searchable():
        contents = read_contents(Path(folder), title=title_of(Path(folder)), key=key)
        if contents["format"] == SHARDED_FORMAT:
            return open_sharded(folder, contents, sharding=sharding)
        return read_index(Path(folder), contents)
