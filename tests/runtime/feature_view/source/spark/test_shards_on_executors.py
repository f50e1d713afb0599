"""Executors build the shards of an index, with the bytes of those that this machine builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog
from tests.spark_cluster import needs_spark
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.engine_address import EngineAddress
from trialrun.runtime.feature_view.index import partitioned_build, shard_build
from trialrun.runtime.feature_view.index.shard import Sharding
from trialrun.runtime.feature_view.indexes import SnapshotIndexes
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.runtime.options import Options

pytestmark = needs_spark
ROWS = 24_000


def tables(folder: Path, index: dict[str, Any]) -> Catalog:
    """A view of vectors in three files, with two entity id columns."""
    for part in range(3):
        duckdb.execute(
            "COPY (SELECT 'é' || (i % 9) AS name, i::BIGINT AS number, TIMESTAMP '2026-01-01' AS feature_timestamp, "
            "CASE WHEN i % 100 = 7 THEN NULL ELSE [sin(i * j) * (1 + i % 3) FOR j IN range(1, 9)] END "
            "AS e, i / 7.0 AS price, TIMESTAMP '2026-01-01' + to_seconds(i % 50) AS day "
            f"FROM range({ROWS}) AS t (i) WHERE i % 3 = {part}) TO '{folder}/rows{part}.parquet'"
        )
    view = {
        "warehouseSource": {"uri": "bq://rows", "entityIdColumns": ["name", "number"]},
        "indexConfig": {"embeddingColumn": "e", "filterColumns": ["price"], "crowdingColumn": "day"} | index,
    }
    return catalog(folder, view, sources=[{"uri": "bq://rows", "files": "rows*.parquet"}])


def synced(declared: Catalog, folder: Path, spark: EngineAddress | None) -> None:
    """Sync the view, with an index in a folder."""
    view, options = declared.view(NAME), Options(engine=spark, index_shards=4)
    before_serving = SnapshotIndexes(folder, sharding=Sharding(4, 1)).before_serving(view)
    sync_view(
        view,
        declared,
        SqliteStore(":memory:"),
        clock=FixedClock(NOW),
        options=options,
        before_serving=before_serving,
    )


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("index", [{"bruteForceConfig": {}}, {"treeAhConfig": {"leafNodeEmbeddingCount": "200"}}])
def test_shards_are_built_by_executors(
    index: dict[str, Any], spark: EngineAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = tables(tmp_path, index)
    synced(declared, tmp_path / "here", None)
    monkeypatch.setattr(shard_build, "build_sharded_index", None)
    monkeypatch.setattr(partitioned_build, "build_shard", None)  # here; executors have their own
    synced(declared, tmp_path / "there", spark)
    assert len(contents(tmp_path / "here")) > 30
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_a_folder_that_executors_do_not_see_is_filled_here(
    spark: EngineAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working directory of a process is another one for each of them."""
    declared = tables(tmp_path, {"bruteForceConfig": {}})
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path / "own")
    synced(declared, Path("/proc/self/cwd"), spark)
    monkeypatch.undo()
    synced(declared, tmp_path / "here", None)
    assert contents(tmp_path / "own") == contents(tmp_path / "here")
