"""Open the engine of some sources: in this process, bounded in its memory, or in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trialrun.runtime.feature_view.source.interface import Engine
from trialrun.runtime.feature_view.source.local_engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation
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
            self._engine, self._places = engine(places, self._options), tuple(places)
        return self._engine

    def close(self) -> None:
        """Close it, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None


def engine(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine that reads these sources, in a process of its own where the choices say so. Raises Unreadable."""
    if options.confined:
        from trialrun.runtime.feature_view.source.confined import ConfinedEngine

        return ConfinedEngine(places, options)
    if options.bounded:
        from trialrun.runtime.feature_view.source.bounded import BoundedEngine

        return BoundedEngine(partial(open_engine, places, options), parse_bytes(options.memory_limit) or 0)
    return open_engine(places, options)
