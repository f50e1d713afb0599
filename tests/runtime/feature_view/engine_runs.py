"""Syncs of random views on an engine, and whether they serve and say what the plain loop does.

An engine under test is a way to put the rows of tables where it reads them, and the options that choose it.
"""

import json
import math
import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from tests.lint.workspace_findings import judged
from tests.runtime.feature_view.catalog_fixture import NAME, catalog
from tests.runtime.feature_view.random_views import (
    LATER,
    NOW,
    ColumnType,
    Entity,
    Id,
    RandomView,
    Table,
    comparable,
    findings,
    latest,
    microseconds,
    selected,
)
from trialrun.diagnostic import Severity
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.plan import build_plan, open_engine_of
from trialrun.runtime.feature_view.source.column_types import DUCKDB_TYPES
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.interface import Statement, quote_identifier
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad, SyncCounts
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import SyncReport, sync_view
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

Rows = Sequence[Sequence[Any]]
Put = Callable[[Path, str, Table, Rows], Mapping[str, Any]]
RULES = ("unknown-column", "column-type", "rag-columns", "unknown-feature")


@dataclass(frozen=True)
class EngineUnderTest:
    """An engine: `put` adds rows to a table of a name, which it makes, and gives the fields of its Source.

    `holds_nan` is false where a number that is NaN cannot be stored; it is null there.
    """

    name: str
    put: Put
    options: Options = DEFAULT_OPTIONS
    holds_nan: bool = True


@dataclass
class Outcome:
    """What a view came to: its entities as they were loaded, as they are served, and the report of each sync."""

    loaded: dict[Id, Entity] = field(default_factory=dict)
    served: dict[Id, dict[str, Any]] = field(default_factory=dict)
    reports: list[SyncReport] = field(default_factory=list)


class RecordingStore(SqliteStore):
    """A store that remembers the rows of its last load."""

    def load(self, view: str, load: RowLoad) -> SyncCounts:
        self.rows = [list(row) for row in load.rows]
        return super().load(view, replace(load, rows=self.rows))


def put_in_duckdb(folder: Path, name: str, table: Table, rows: Rows) -> Mapping[str, Any]:
    """Add rows to a table of a DuckDB file."""
    import duckdb

    types = [_duckdb_type(column, has_zone=place % 2 == 1) for place, column in enumerate(table.columns.values())]
    names = [f"{quote_identifier(name)} {type}" for name, type in zip(table.columns, types, strict=True)]
    with duckdb.connect(str(folder / "tables.duckdb")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(names)})")
        marks = f"({', '.join(f'CAST(? AS {type})' for type in types)})"
        if rows:
            values = [value for row in rows for value in row]
            connection.execute(f"INSERT INTO {name} VALUES {', '.join([marks] * len(rows))}", values)
    return {"database": "tables.duckdb", "table": name}


def _duckdb_type(column: ColumnType, *, has_zone: bool) -> str:
    type = "TIMESTAMPTZ" if column.type == "TIMESTAMP" and has_zone else DUCKDB_TYPES[column.type]
    return f"{type}[]" if column.repeated else type


SQLITE_TYPES = {"BOOL": "BOOLEAN", "INT64": "INTEGER", "DOUBLE": "REAL", "BYTES": "BLOB"}


def put_in_sqlite(folder: Path, name: str, table: Table, rows: Rows, *, encoding: str = "UTF-8") -> Mapping[str, Any]:
    """Add rows to a table of SQLite: moments as ISO texts, lists as JSON."""
    columns = table.columns.items()
    types = ["TEXT" if column.repeated else SQLITE_TYPES.get(column.type, "TEXT") for column in table.columns.values()]
    names = [f"{quote_identifier(name)} {type}" for name, type in zip(table.columns, types, strict=True)]
    with closing(sqlite3.connect(folder / "tables.db")) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(names)})")
        marks = ", ".join("?" * len(names))
        values = [[_in_sqlite(value) for value in row] for row in rows]
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", values)
        connection.commit()
    mode = {True: "REPEATED", False: "NULLABLE"}
    declared = [{"name": name, "type": column.type, "mode": mode[column.repeated]} for name, column in columns]
    return {"database": "tables.db", "table": name, "columns": declared}


def _in_sqlite(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps([b64encode(item).decode() if isinstance(item, bytes) else _plain(item) for item in value])
    return _plain(value)


def _plain(value: Any) -> Any:
    return value.isoformat() + "Z" if isinstance(value, datetime) else value


def put_in_either(folder: Path, name: str, table: Table, rows: Rows) -> Mapping[str, Any]:
    """Add rows to a table of SQLite or, each second one, of DuckDB: a view of several has both."""
    return (put_in_sqlite if name.endswith(("0", "2")) else put_in_duckdb)(folder, name, table, rows)


DUCKDB = EngineUnderTest("DuckDB", put_in_duckdb)
SQLITE = EngineUnderTest("SQLite", put_in_sqlite, holds_nan=False)
SQLITE_UTF_16 = EngineUnderTest("SQLite, UTF-16", partial(put_in_sqlite, encoding="UTF-16le"), holds_nan=False)
BOTH = EngineUnderTest("both", put_in_either, holds_nan=False)


def without_nan(view: RandomView) -> RandomView:
    """The view with null for each number that is NaN; those in lists stay."""

    def plain(rows: Rows) -> Rows:
        return [[None if isinstance(value, float) and math.isnan(value) else value for value in row] for row in rows]

    return replace(
        view, tables=[replace(table, rows=plain(table.rows), later=plain(table.later)) for table in view.tables]
    )


def run_views(folder: Path, views: Sequence[RandomView], engine: EngineUnderTest) -> list[Outcome]:
    """Sync all views, and those that have later rows once more."""
    catalogs = [_put(folder, place, view, engine, is_later=False) for place, view in enumerate(views)]
    outcomes = []
    for place, (view, made) in enumerate(zip(views, catalogs, strict=True)):
        outcome, store = Outcome(), RecordingStore(":memory:")
        outcomes.append(outcome)
        if view.ids is not None:
            with closing(EngineCache(engine.options)) as cache:
                options = {"cutoff": NOW, "ids": view.ids, "options": engine.options, "engine": cache}
                planned = build_plan(made.view(NAME), made, **options)  # type: ignore[arg-type]
                with open_engine_of(planned, cache) as opened:
                    rows = [list(row) for batch in opened.latest(planned.statement) for row in batch]
            outcome.loaded = _entities(planned.layout, rows)
            continue
        for now in [NOW, LATER] if view.is_incremental else [NOW]:
            if now == LATER:
                _put(folder, place, view, engine, is_later=True)
            report = sync_view(made.view(NAME), made, store, clock=FixedClock(now), options=engine.options)
            outcome.reports.append(report)
            layout = report.plan.layout
            outcome.loaded = _entities(layout, store.rows)
            names = [column.name for column in layout.features]
            outcome.served = {row[0]: dict(zip(names, row[1:], strict=True)) for row in store.scan(NAME, names)}  # type: ignore[misc]
    return outcomes


def _put(folder: Path, place: int, view: RandomView, engine: EngineUnderTest, *, is_later: bool) -> Catalog:
    sources = []
    for number, table in enumerate(view.tables):
        fields = engine.put(folder, f"t_{place}_{number}", table, table.later if is_later else table.rows)
        moment = {"timestampColumn": table.moment} if table.moment else {}
        sources.append({"uri": table.uri, **moment, **fields})
    assert reported_errors(folder, view, sources) == []
    return catalog(folder, view.document, sources=sources, groups=view.groups)


def reported_errors(folder: Path, view: RandomView, sources: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rules about columns say of a view that can be planned."""
    documents: list[Mapping[str, Any]] = [{"kind": "FeatureView", "name": NAME, **view.document}]
    documents += [{"kind": "FeatureGroupTable", **group} for group in view.groups]
    documents += [{"kind": "Source", **source} for source in sources]
    found = judged(RULES, [(str(folder / "documents.json"), json.dumps(documents))])
    return [finding.message for finding in found if finding.severity is Severity.ERROR]


def _entities(layout: RowLayout, rows: Rows) -> dict[Id, Entity]:
    width, moments = len(layout.keys), layout.timestamp_count
    indexes = layout.timestamp_indexes or (0,) * len(layout.features)
    entities = {}
    for row in rows:
        values = {
            column.name: (row[width + moments + place], row[width + index])
            for place, (column, index) in enumerate(zip(layout.features, indexes, strict=True))
        }
        entities[tuple(row[:width])] = Entity(values, tuple(row[width + moments + len(indexes) :]))
    return entities


def expected_loads(view: RandomView, cutoff: datetime) -> dict[Id, dict[str, Any]]:
    """The values and moments of each entity as engines give them."""
    types = column_types(view)
    return {
        id: {name: _expected(*value, types[name]) for name, value in entity.values.items()}
        for id, entity in latest(view, cutoff).items()
    }


def _expected(value: Any, moment: datetime | None, column: ColumnType) -> tuple[Any, int | None]:
    if isinstance(value, datetime):
        return microseconds(value), microseconds(moment)
    return comparable(value, column), microseconds(moment)


def column_types(view: RandomView) -> dict[str, ColumnType]:
    """The types of all features."""
    return {name: table.columns[name] for table in view.tables for name in table.features}


def loads(view: RandomView, outcome: Outcome) -> dict[Id, dict[str, Any]]:
    """The values and moments of each entity as they were loaded."""
    types = column_types(view)
    return {
        id: {name: (comparable(value, types[name]), moment) for name, (value, moment) in entity.values.items()}
        for id, entity in outcome.loaded.items()
    }


def told(report: SyncReport) -> Iterator[tuple[str, int | None, list[str]]]:
    """The findings of a sync as the plain loop has them: the code, the first number of the message, and examples."""
    for finding in report.findings:
        words = finding.message.rpartition('" has ')[2].split()[0].replace(",", "")
        yield finding.code, int(words) if words.isdecimal() else None, list(finding.examples)


def check(view: RandomView, outcome: Outcome) -> None:
    """See that a view was served as the plain loop has it, and that the same was said of its rows."""
    first = replace(view, tables=[replace(table, later=()) for table in view.tables])
    if view.ids is not None:
        assert loads(view, outcome) == expected_loads(first, NOW.replace(tzinfo=None))
        return
    end = (LATER if view.is_incremental else NOW).replace(tzinfo=None)
    types = column_types(view)
    served = {
        id: {name: comparable(value, types[name]) for name, value in row.items()} for id, row in outcome.served.items()
    }
    expected = {
        id: {name: comparable(value, types[name]) for name, (value, _) in entity.values.items()}
        for id, entity in latest(view, end).items()
    }
    assert list(served) == list(expected)
    assert served == expected
    if not view.is_incremental:
        assert loads(view, outcome) == expected_loads(view, end)
    report = outcome.reports[0]
    entities = len(latest(first, NOW.replace(tzinfo=None)))
    assert (report.counts.read, report.counts.entities, report.counts.new) == (
        sum(len(selected(table)) for table in first.tables),
        entities,
        entities,
    )
    assert sorted(told(report), key=repr) == sorted(findings(first, NOW.replace(tzinfo=None)), key=repr)


def keep_rows_in_table(engine: Any, statement: Statement) -> str:
    """What `latest_relation` gives where rows stay with an engine: here they do in a table of DuckDB."""
    names = ", ".join(f"c{place}" for place in range(statement.width))
    engine.all("DROP TABLE IF EXISTS kept_rows")
    engine.all(f"CREATE TEMP TABLE kept_rows AS WITH kept ({names}) AS (\n{statement.text}\n) SELECT * FROM kept")
    return "kept_rows"
