"""Ctrl-C ends a statement that is being worked on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
from trialrun.runtime.feature_view.source.write_table import make_table
from trialrun.runtime.options import Options


def test_a_statement_is_interrupted_as_everything_else_is() -> None:
    engine = DuckDbEngine([], Options(threads=1))
    Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        engine.all("SELECT SUM(hash(i)) FROM range(1000000000000) AS t(i)")
    engine.close()


def test_rows_that_are_put_into_a_table_are_interrupted_too(tmp_path: Path) -> None:
    def rows() -> Iterator[list[object]]:
        import duckdb

        yield ["a"]
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    with pytest.raises(KeyboardInterrupt):
        make_table(str(tmp_path / "made.duckdb"), "rows", [Column("id", "STRING", False, "STRING", False)], rows())
