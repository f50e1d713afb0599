"""The files of shards: a folder for each, and the manifest that makes them an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.index.parameters import IndexParameters
from trialrun.runtime.feature_view.index.persist import (
    SHARDED_FORMAT,
    FileMark,
    read_contents,
    read_index,
    write_contents,
)
from trialrun.runtime.feature_view.index.serialize import serialize_parameters
from trialrun.runtime.feature_view.index.shard import BuiltShard
from trialrun.runtime.feature_view.index.vector_index import VectorIndex


@dataclass(frozen=True)
class ShardFiles:
    """Where a shard is, what its digest names it by, and the mark of its contents that the manifest has."""

    folder: str
    title: str
    mark: FileMark


def shard_name(number: int) -> str:
    """The folder of a shard, in that of its index."""
    return f"shard-{number}"


def write_manifest(
    folder: Path, shape: IndexParameters, dimension: int, built: Sequence[BuiltShard], *, title: str, key: bytes
) -> None:
    """Write what makes shards an index: which there are, and the marks of their contents. It is written last."""
    shards = [{"size": shard.size, "contents": shard.mark} for shard in sorted(built, key=lambda shard: shard.number)]
    contents = {
        "format": SHARDED_FORMAT,
        "files": {},
        "shape": serialize_parameters(shape),
        "dimension": dimension,
        "shards": shards,
    }
    write_contents(folder, contents, title=title, key=key)


def load_shard(shard: ShardFiles) -> VectorIndex:
    """A shard with the contents that the manifest vouches for. May raise what `damage_as_not_searchable` takes."""
    folder = Path(shard.folder)
    return read_index(folder, read_contents(folder, title=shard.title, key=b"", mark=shard.mark))
