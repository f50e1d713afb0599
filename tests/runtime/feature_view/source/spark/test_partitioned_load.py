"""Executors write the rows of a sync into a store in Redis themselves; what fails leaves what was served."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

pytest.importorskip("redis", reason="needs redis-server; run .ci/servers")

from tests.redis_servers import Server
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog
from tests.spark_cluster import needs_spark
from trialrun.errors import StoreError
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.source.spark_engine import SparkEngine
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.redis.nodes import parse_address
from trialrun.runtime.feature_view.store.redis.store import RedisStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import SyncReport, sync_view
from trialrun.runtime.options import EngineAddress, Options

pytestmark = needs_spark
COLUMNS = ["number", "word", "vector", "moments"]


def tables(folder: Path, rows: int) -> Catalog:
    """A view of a table with so many rows, of a third as many entities."""
    duckdb.execute(
        f"COPY (SELECT (i % {rows // 3 + 1})::BIGINT AS id, "
        "TIMESTAMP '2026-01-01' + to_seconds(i) AS feature_timestamp, "
        "i / 7.0 AS number, CASE WHEN i % 5 > 0 THEN 'é ' || i END AS word, [i, i / 2]::DOUBLE[] AS vector, "
        f"[TIMESTAMP '2026-01-01'] AS moments FROM range({rows}) AS t (i)) TO '{folder}/rows.parquet'"
    )
    view = {"warehouseSource": {"uri": "bq://rows", "entityIdColumns": ["id"]}}
    return catalog(folder, view, sources=[{"uri": "bq://rows", "files": "rows.parquet"}])


def synced(declared: Catalog, store: OnlineStore, spark: EngineAddress | None) -> SyncReport:
    return sync_view(declared.view(NAME), declared, store, clock=FixedClock(NOW), options=Options(engine=spark))


@pytest.fixture
def store(redis_server: Server, tmp_path: Path) -> Iterator[RedisStore]:
    yield RedisStore(parse_address(f"redis://127.0.0.1:{redis_server.port}?prefix={tmp_path.name}"))


def no_stream(*_: Any) -> Iterator[Any]:
    raise AssertionError("rows passed through this process")
    yield


def test_rows_go_from_executors_to_the_store(
    spark: EngineAddress, store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared, local = tables(tmp_path, 2000), SqliteStore(":memory:")
    expected = synced(declared, local, None)
    monkeypatch.setattr(SparkEngine, "latest", no_stream)
    report = synced(declared, store, spark)
    assert (report.counts, report.findings) == (expected.counts, expected.findings)
    assert list(store.scan(NAME, COLUMNS)) == list(local.scan(NAME, COLUMNS))


def test_without_a_secret_nothing_of_the_store_leaves_this_process(
    spark: EngineAddress, store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trialrun.runtime.feature_view.source.spark_engine.spark_session", lambda engine: session)
    from trialrun.runtime.feature_view.source.spark_session import spark_session

    session = spark_session(spark)
    assert synced(tables(tmp_path, 200), store, replace(spark, secret=None)).counts.entities == 67


def test_what_the_store_says_to_an_executor_is_the_error(
    spark: EngineAddress, store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(tables(tmp_path, 200), store, spark)

    def refuse(self: object, query: object, function: object) -> Iterator[Any]:
        return iter(["the store is full; free memory"])

    monkeypatch.setattr(SparkEngine, "each_partition", refuse)
    with pytest.raises(StoreError, match="the store is full"):
        synced(tables(tmp_path, 2000), store, spark)
    assert store.snapshot(NAME).entities == 67  # type: ignore[union-attr]


def executors() -> list[int]:
    """The processes of executors, as the system lists them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"CoarseGrainedExecutorBackend" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def driver_of(spark: EngineAddress) -> int:
    from trialrun.runtime.feature_view.source.spark_session import _connection

    assert _connection._driver is not None
    return _connection._driver.pid


def ours(pids: list[int]) -> list[int]:
    """Those executors that belong to our driver, by the port that they were given."""
    from trialrun.runtime.feature_view.source.spark_session import _connection

    port = str(_connection.session.sparkContext.getConf().get("spark.driver.port")).encode()
    return [pid for pid in pids if b":" + port in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_lost_executor_loses_no_row(spark: EngineAddress, store: RedisStore, tmp_path: Path) -> None:
    synced(tables(tmp_path, 200), store, spark)
    declared, lost = tables(tmp_path, 300_000), []

    def kill() -> None:
        time.sleep(1)
        lost.extend(ours(before)[:1])
        os.kill(lost[0], signal.SIGKILL)

    before = executors()
    assert ours(before), [Path(f"/proc/{pid}/cmdline").read_bytes()[-400:] for pid in before]
    killer = threading.Thread(target=kill)
    killer.start()
    report = synced(declared, store, spark)
    killer.join()
    assert lost
    assert report.counts.entities == 100_001
    assert sum(1 for _ in store.scan(NAME, ["number"])) == 100_001


def test_a_killed_driver_leaves_what_was_served(
    spark: EngineAddress, store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(tables(tmp_path, 200), store, spark)
    declared, driver = tables(tmp_path, 300_000), driver_of(spark)
    each_partition = SparkEngine.each_partition

    def while_rows_are_written(*arguments: Any) -> Any:
        threading.Timer(0.1, os.kill, (driver, signal.SIGKILL)).start()
        return each_partition(*arguments)

    monkeypatch.setattr(SparkEngine, "each_partition", while_rows_are_written)
    with pytest.raises((CannotSync, StoreError)) as refused:
        synced(declared, store, spark)
    assert "java" not in str(refused.value).lower() and "\n" not in str(refused.value)
    assert store.snapshot(NAME).entities == 67  # type: ignore[union-attr]
    monkeypatch.undo()
    assert synced(declared, store, spark).counts.entities == 100_001
