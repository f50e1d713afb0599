"""An index of several shards: it asks them side by side, and answers as one index would.

Exact search gives exactly the neighbors and distances of one index. Under treeAhConfig all shards share the leaves of
one index, and rank more candidates together than it does.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
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


class ShardSearcher(Protocol):
    """Has all shards of an index searched: by threads or by processes."""

    def search(self, query: Query, *, exactly: bool) -> list[list[ShardHit]]:
        """The answers of all shards for a query that was checked. Raises NotSearchable, StoreError for a lost shard."""
        ...

    def vector(self, shard: int, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity in a shard, None for one that is not there."""
        ...

    def close(self) -> None:
        """End the threads or processes."""
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
        """End the threads or processes that search."""
        self._searcher.close()


class ThreadSearcher:
    """Searches shards that this process has loaded; numpy and faiss let threads run side by side."""

    def __init__(self, shards: Sequence[VectorIndex], workers: int) -> None:
        self._shards = tuple(shards)
        groups = (self._shards[worker::workers] for worker in range(workers))
        self._groups = [ShardGroup(group, groups=workers, joins_trees=False) for group in groups]

    def search(self, query: Query, *, exactly: bool) -> list[list[ShardHit]]:
        """The answers of all shards. Raises NotSearchable."""
        others = [self._pool.submit(group.search, query, exactly=exactly) for group in self._groups[1:]]
        return [self._groups[0].search(query, exactly=exactly), *(other.result() for other in others)]

    def vector(self, shard: int, id: EntityId) -> Sequence[float] | None:
        """The vector of an entity in a shard, None for one that is not there."""
        return self._shards[shard].vector(id)

    def close(self) -> None:
        """End the threads."""
        if "_pool" in vars(self):
            self._pool.shutdown(wait=False)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max(1, len(self._groups) - 1), "shards")


def open_sharded(folder: str | os.PathLike[str], contents: Mapping[str, Any], *, sharding: Sharding) -> ShardedIndex:
    """The index of a manifest that was read. May raise what `damage_as_not_searchable` takes."""
    place = Path(folder)
    shards = [
        ShardFiles(str(place / shard_name(number)), f"{title_of(place)}/{shard_name(number)}", shard["contents"])
        for number, shard in enumerate(contents["shards"])
    ]
    sizes = [shard["size"] for shard in contents["shards"]]
    return ShardedIndex(
        deserialize_parameters(contents["shape"]), contents["dimension"], sizes, _searcher(shards, sharding)
    )


def _searcher(shards: Sequence[ShardFiles], sharding: Sharding) -> ShardSearcher:
    workers = Sharding(len(shards), sharding.workers).worker_count
    if sharding.in_processes:
        from trialrun.runtime.feature_view.index.shard_workers import ProcessSearcher

        return ProcessSearcher(shards, workers)
    return ThreadSearcher([load_shard(shard) for shard in shards], workers)


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
