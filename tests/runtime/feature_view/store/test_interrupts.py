"""Ctrl-C while SQLite is at work: it is not taken for a statement that does not end."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.runtime.feature_view.store.views import load, served
from trialrun.runtime.feature_view.source import sqlite_reader
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.database import StatementBudget
from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

Ending = Callable[[StatementBudget], bool]


def strike(budget: StatementBudget) -> bool:
    raise KeyboardInterrupt


def spend(budget: StatementBudget) -> bool:
    budget.was_spent = True
    return True


@pytest.fixture
def end_statements(monkeypatch: pytest.MonkeyPatch) -> list[Ending]:
    """What happens at each look at the clock, which is taken at every step; nothing while it is empty."""
    endings: list[Ending] = []
    monkeypatch.setattr(StatementBudget, "is_spent", lambda budget: bool(endings) and endings[0](budget))
    for module in (database, sqlite_reader):
        monkeypatch.setattr(module, "STEPS_BETWEEN_CHECKS", 1)
    return endings


@pytest.mark.parametrize(("ending", "error"), [(strike, KeyboardInterrupt), (spend, StoreError)])
def test_a_load(tmp_path: Path, end_statements: list[Ending], ending: Ending, error: type[BaseException]) -> None:
    store = SqliteStore(tmp_path / "s")
    load(store, [("a", None, 1)])

    def rows() -> object:
        yield ("a", None, 2)
        end_statements.append(ending)
        yield ("b", None, 2)

    with pytest.raises(error):
        load(store, rows())  # type: ignore[arg-type]
    end_statements.clear()
    assert served(SqliteStore(tmp_path / "s"), "a") == [{"likes": 1}]


@pytest.mark.parametrize(("ending", "error"), [(strike, KeyboardInterrupt), (spend, Unreadable)])
def test_a_source(tmp_path: Path, end_statements: list[Ending], ending: Ending, error: type[BaseException]) -> None:
    with closing(sqlite3.connect(tmp_path / "d.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS id")
    with closing(sqlite_reader.SqliteReader(TableLocation("u", str(tmp_path), database="d.db", table="t"))) as reader:
        end_statements.append(ending)
        with pytest.raises(error):
            reader.all("SELECT id FROM t")
        end_statements.clear()
