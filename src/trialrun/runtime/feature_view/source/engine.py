"""Open the engine of some sources: the one whose address the user chose, else one of this machine.

One of this machine works in this process, bounded in its memory, or in a process of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trialrun.runtime.feature_view.source.interface import Engine, EngineKind
from trialrun.runtime.feature_view.source.local_engine import DUCKDB, open_local
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import Options
from trialrun.values.memory import parse_bytes


class EngineCache:
    """The engine that was opened last, kept open: a plan most often reads the schema of the one table of its rows."""

    def __init__(self, options: Options) -> None:
        self._options, self._places = options, tuple[TableLocation, ...]()
        self._engine: Engine | None = None

    def of(self, places: Sequence[TableLocation]) -> Engine:
        """The engine of these places, the one that is open if it is theirs. Raises Unreadable."""
        if self._engine is None or self._places != tuple(places):
            self.close()
            self._engine, self._places = open_engine(places, self._options), tuple(places)
        return self._engine

    def close(self) -> None:
        """Close it, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None


def engine_kind(options: Options) -> EngineKind:
    """The kind of engine that reads the sources; nothing is opened yet. Raises Unreadable.

    What nobody vouched for is read on this machine, whatever address there is.
    """
    if options.engine is None or options.confined:
        return DUCKDB
    return remote_kind(options.engine.address)


def remote_kind(address: str) -> EngineKind:
    """The kind of engine that an address is of, which is imported when it is asked for. Raises Unreadable."""
    scheme = address.partition("://")[0]
    if scheme == "spark":
        from trialrun.runtime.feature_view.source.spark.kind import SPARK

        return SPARK
    raise Unreadable(f'there is no engine for addresses that begin with "{scheme}://"; check the address')


def open_engine(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine that reads these sources. Raises Unreadable."""
    if options.engine is not None and not options.confined:
        return remote_kind(options.engine.address).open(places, options)
    if options.confined:
        from trialrun.runtime.feature_view.source.confined import ConfinedEngine

        return ConfinedEngine(places, options)
    if options.bounded:
        from trialrun.runtime.feature_view.source.bounded import BoundedEngine

        return BoundedEngine(partial(open_local, places, options), parse_bytes(options.memory_limit) or 0)
    return open_local(places, options)
