"""Open the engine of some sources: the one whose address the user chose, else one of this machine.

One of this machine works in this process, or in a process of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.source.interface import SPARK_DIALECT, STANDARD, Dialect, Engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import Options


class EngineCache:
    """The engine that was opened last, kept open: a plan most often reads the schema of the one table of its rows."""

    def __init__(self, options: Options) -> None:
        self.options, self._places = options, tuple[TableLocation, ...]()
        self._engine: Engine | None = None

    def of(self, places: Sequence[TableLocation]) -> Engine:
        """The engine of these places, the one that is open if it is theirs. Raises Unreadable."""
        if self._engine is None or self._places != tuple(places):
            self.close()
            self._engine, self._places = open_engine(places, self.options), tuple(places)
        return self._engine

    def close(self) -> None:
        """Close it, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None


def engine_dialect(options: Options) -> Dialect:
    """The dialect of the engine that reads; what nobody vouched for is read on this machine. Raises Unreadable."""
    if options.engine is None or options.confined:
        return STANDARD
    scheme = options.engine.address.partition("://")[0]
    if scheme == "spark":
        return SPARK_DIALECT
    raise Unreadable(f'there is no engine for addresses that begin with "{scheme}://"; check the address')


def open_engine(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine that reads these sources. Raises Unreadable."""
    if engine_dialect(options) is SPARK_DIALECT:
        from trialrun.runtime.feature_view.source.spark_engine import SparkEngine

        return SparkEngine(places, options)
    if options.confined:
        from trialrun.runtime.feature_view.source.confined import ConfinedEngine

        return ConfinedEngine(places, options)
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine

    return DuckDbEngine(places, options)
