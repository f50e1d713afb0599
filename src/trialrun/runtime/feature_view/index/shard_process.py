"""The process that builds and searches shards for another one.

It answers requests on standard input by replies on standard output, both pickled behind their length, and ends with the
process that started it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any

from trialrun.runtime.feature_view.index.interface import NotSearchable, Query
from trialrun.runtime.feature_view.index.persist import damage_as_not_searchable
from trialrun.runtime.feature_view.index.shard import BuiltShard, ShardTask
from trialrun.runtime.feature_view.index.shard_build import build_spooled_shard
from trialrun.runtime.feature_view.index.shard_files import ShardFiles, load_shard
from trialrun.runtime.feature_view.index.shard_search import ShardGroup, ShardHit
from trialrun.runtime.feature_view.source.reader_process import receive, send
from trialrun.runtime.feature_view.store.interface import EntityId

EXPECTED = (OSError, ValueError, LookupError, TypeError, RuntimeError, MemoryError)


def serve() -> None:
    """Answer requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    handler = _ShardRequestHandler()
    while (request := receive(requests)) is not None:
        send(replies, handler.reply(*request))


class _ShardRequestHandler:
    """The shards that are open."""

    def __init__(self) -> None:
        self._group: ShardGroup | None = None

    def reply(self, deed: str, *arguments: Any) -> tuple[str, Any]:
        """Do what is asked: the word `done` and a value, else why not."""
        try:
            return "done", getattr(self, f"_{deed}")(*arguments)
        except NotSearchable as error:
            return "not-searchable", (str(error), error.steps)
        except EXPECTED as error:
            return "failed", str(error) or type(error).__name__

    def _build(self, task: ShardTask, file: str) -> BuiltShard:
        return build_spooled_shard(task, file)

    def _open(self, shards: Sequence[ShardFiles], groups: int) -> None:
        with damage_as_not_searchable():
            loaded = [load_shard(shard) for shard in shards]
        self._group = ShardGroup(loaded, groups=groups)

    def _check(self) -> int:
        return len(self._opened().shards)

    def _search(self, query: Query, exactly: bool) -> list[ShardHit]:
        return self._opened().search(query, exactly=exactly)

    def _vector(self, number: int, id: EntityId) -> Sequence[float] | None:
        return self._opened().shards[number].vector(id)

    def _opened(self) -> ShardGroup:
        assert self._group is not None
        return self._group
