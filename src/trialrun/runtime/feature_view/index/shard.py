"""One shard of an index: which entities it has, and how it is built from its rows, wherever those are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from trialrun.cores import available_cores
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.interface import Vectors
from trialrun.runtime.feature_view.index.optional_imports import require_numpy
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.persist import FileMark, write_index
from trialrun.runtime.feature_view.store.interface import EntityId

MAX_SHARDS = 64
KEY_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Sharding:
    """How many shards an index is made of, and by how many workers at most they are built and searched; 0: each core.

    `in_processes` allows processes that stay to search them, where that is faster than searching in this one.
    """

    shards: int = 1
    workers: int = 0
    in_processes: bool = False

    @property
    def worker_count(self) -> int:
        """How many workers there are: no more than shards."""
        return max(1, min(self.shards, self.workers or available_cores()))


def shard_of(id: EntityId, shards: int) -> int:
    """The shard of an entity: the CRC-32 of its id, whose columns are joined by U+001F, modulo the shards.

    `crc32(concat_ws('\\u001f', ...)) % shards` says the same in SQL on Spark.
    """
    text = KEY_SEPARATOR.join(map(str, id))
    return crc32(text.encode("utf-8", "surrogatepass")) % shards


@dataclass(frozen=True)
class ShardTask:
    """What is to be built of a shard's rows, decided over the rows of all shards.

    `folder` is where the shard is written, `title` names it in its digest. `columns` are those of the rows behind id
    and vector. `dimension` and `types` (of filter columns) are as `decide_types` says; `trained` is the tree without
    vectors, None for exact search.
    """

    number: int
    folder: str
    title: str
    shape: IndexParameters
    columns: Sequence[str]
    dimension: int
    types: Mapping[str, str]
    trained: bytes | None = None


@dataclass(frozen=True)
class BuiltShard:
    """A shard that was written: its number, how many vectors it has, and the mark of its contents."""

    number: int
    size: int
    mark: FileMark


def build_shard(task: ShardTask, rows: Iterable[tuple[object, ...]]) -> BuiltShard:
    """Build a shard from its rows and write it: for any process that has the rows and sees the folder.

    Each row is the entity id (a tuple), the vector, and the values of `task.columns`. The rows are exactly those that
    `shard_of` gives this number, in the order of their ids. Arguments and result can be pickled, so that it runs in an
    executor: `rdd.mapPartitions` over rows that are partitioned by shard and sorted by id. It needs no key of the user;
    the manifest that is written after all shards (`write_manifest`) vouches for the mark that is returned. Raises
    NotSearchable where faiss is needed and missing, and OSError.
    """
    require_numpy()
    from trialrun.runtime.feature_view.index.load_vectors import load_vectors
    from trialrun.runtime.feature_view.index.vector_index import fill_vector_index

    decided = replace(task.shape, dimension=task.dimension or None)
    loaded = load_vectors(Vectors(task.columns, rows), decided, types=task.types, in_shard=True)
    index = fill_vector_index(task.shape, loaded, task.trained)
    folder = Path(task.folder)
    folder.mkdir()
    return BuiltShard(task.number, index.size, write_index(index, folder, title=task.title, key=b""))
