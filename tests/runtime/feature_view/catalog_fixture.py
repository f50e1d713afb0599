"""What the tests of syncs declare: documents as catalogs, and rows as the tables behind them."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trialrun.diagnostic import Range
from trialrun.model.companion import FeatureGroupTable, FeatureOnlineStore, Source
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.model.validate import validate
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import SyncReport, sync_view
from trialrun.runtime.feature_view.trial_run import PointInTime, StoreLocations, TrialRun, ViewStores
from trialrun.runtime.options import Options
from trialrun.text import Position

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
STORE = "projects/p/locations/l/featureOnlineStores/s"
NAME = f"{STORE}/featureViews/v"
Row = Mapping[str, Any]


def declared(model: type[Node], value: Mapping[str, Any], folder: Path) -> DeclaredResource[Any]:
    """A document of the workspace."""
    where = Range(Position(1, 1), Position(1, 1))
    return DeclaredResource(validate(value, model).node, "documents.yaml", str(folder), 0, lambda place: where)


def catalog(
    folder: Path,
    view: Mapping[str, Any],
    *,
    sources: Sequence[Mapping[str, Any]] = (),
    groups: Sequence[Mapping[str, Any]] = (),
    store: str = "OPTIMIZED",
) -> Catalog:
    """A catalog with one view, whose name is NAME."""
    return Catalog(
        [declared(FeatureView, {"name": NAME, **view}, folder)],
        [declared(FeatureOnlineStore, {"name": STORE, "type": store}, folder)],
        [declared(FeatureGroupTable, group, folder) for group in groups],
        [declared(Source, source, folder) for source in sources],
    )


def guests(folder: Path, *rows: Row, view: Mapping[str, Any] | None = None, **source: Any) -> Catalog:
    """A catalog with a warehouse view of guests, whose rows are in a file of JSON lines."""
    lines(folder / "guests.jsonl", rows)
    of = {"warehouseSource": {"uri": "bq://guests", "entityIdColumns": ["id"]}}
    return catalog(folder, of | dict(view or {}), sources=[{"uri": "bq://guests", "files": "guests.jsonl", **source}])


def grouped(folder: Path, uris: Mapping[str, str], *sources: Mapping[str, Any], **view: Any) -> Catalog:
    """A catalog with a view of groups, each with a feature of its own name from the table of a uri."""
    asked = [{"featureGroupId": name, "featureIds": [name]} for name in uris]
    groups = [
        {"featureGroupId": name, "uri": uri, "entityIdColumns": ["id"], "features": [{"id": name}]}
        for name, uri in uris.items()
    ]
    of = {"featureRegistrySource": {"featureGroups": asked}}
    return catalog(folder, of | view, sources=sources, groups=groups)


def synced(
    catalog: Catalog, store: OnlineStore | None = None, *, now: datetime = NOW, options: Options | None = None
) -> tuple[SyncReport, dict[tuple[int | str, ...], dict[str, Any]]]:
    """The report of a sync, and what is served after it."""
    store = store or SqliteStore(":memory:")
    report = sync_view(catalog.view(NAME), catalog, store, clock=FixedClock(now), options=options or Options())
    features = [column.name for column in report.plan.layout.features]
    rows = {row[0]: dict(zip(features, row[1:], strict=True)) for row in store.scan(NAME, features)}
    return report, rows  # type: ignore[return-value]


class OneStore(StoreLocations):
    """Has a store for all views."""

    def __init__(self, store: OnlineStore) -> None:
        self._store = store

    def store_of(self, view: str) -> OnlineStore:
        return self._store


def restored(
    catalog: Catalog, store: OnlineStore, moment: datetime, ids: Sequence[EntityId] | None = None
) -> PointInTime:
    """What a store served at a moment."""
    trial = TrialRun(catalog, ViewStores(OneStore(store)), FixedClock(NOW), Options())
    return trial.at(catalog.view(NAME), moment, ids=ids)[0]


def codes(report: SyncReport) -> list[str]:
    """What a sync found in the rows."""
    return [finding.code for finding in report.findings]


def lines(file: Path, rows: Sequence[Row]) -> None:
    """Write rows as JSON lines."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def sqlite_table(file: Path, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows into a table of SQLite."""
    connection = sqlite3.connect(file)
    connection.execute(f'CREATE TABLE "{table}" ({columns})')
    marks = ", ".join("?" * len(rows[0] if rows else columns.split(",")))
    connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
    connection.commit()
    connection.close()


def duckdb_table(file: Path, *statements: str) -> None:
    """Write a DuckDB file by statements."""
    import duckdb

    with duckdb.connect(str(file)) as connection:
        for statement in statements:
            connection.execute(statement)
