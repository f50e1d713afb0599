"""The engine of this process, DuckDB, which everything that this machine has is read by."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.source.dialect import STANDARD
from trialrun.runtime.feature_view.source.interface import Engine, EngineKind
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.options import Options


def open_local(places: Sequence[TableLocation], options: Options) -> Engine:
    """The engine of these places in this process. Raises Unreadable."""
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine

    return DuckDbEngine(places, options)


DUCKDB = EngineKind("DuckDB", STANDARD, open=open_local)
