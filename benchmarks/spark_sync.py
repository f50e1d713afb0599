"""`python -m benchmarks.spark_sync [--rows N] [--entities N] [--memory]`: a warm sync by Spark, and memory here.

It starts a cluster of its own (scripts/cluster.sh) with one worker core in use, and one node of Redis.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.redis_servers import one_server
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog
from tests.spark_cluster import spark_cluster
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.source.spark_session import driver_process
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.redis.nodes import parse_address
from trialrun.runtime.feature_view.store.redis.store import RedisStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.runtime.options import EngineAddress, Options

FILES = 8
HEAP = "512m"
FIXED_HEAP = (
    ("spark.driver.memory", HEAP),
    ("spark.driver.extraJavaOptions", f"-Duser.timezone=UTC -Xms{HEAP} -XX:+AlwaysPreTouch"),
)
"""A heap that is there as a whole from the start: what Spark's driver takes beyond that is no garbage."""


def main() -> None:
    """Sync twice, the second time warm, and say what it took; or compare the memory that a tenth of the rows takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument(
        "--memory", action="store_true", help="the memory of one sync, and of one of a tenth of the rows"
    )
    parser.add_argument("--store", choices=("redis", "files"), default="redis", help="where to; with --memory")
    given = parser.parse_args()
    if given.memory:
        print(memory_text(given.store, [_measure_apart(given, share) for share in (10, 1)]))
        return
    with (
        _files(given.rows, given.entities) as folder,
        one_server() as server,
        spark_cluster(folder / "cluster") as address,
    ):
        declared, store = _catalog(folder), RedisStore(parse_address(f"redis://127.0.0.1:{server.port}"))
        for run in ("first", "warm"):
            seconds = _sync(declared, store, Options(engine=_one_core(address)))
            print(f"{run}: {seconds:.1f} s, {given.rows / seconds:,.0f} rows/s; {_memory()}", flush=True)


@dataclass(frozen=True)
class DriverMemory:
    """What a sync of some rows took of the process that asks for it, and of Spark's driver; in MB.

    `live` is what Spark's driver still has after its garbage was collected.
    """

    rows: int
    process: int
    driver: int
    live: int
    seconds: float


def measure_memory(rows: int, entities: int, store: str) -> DriverMemory:
    """Sync once on all cores, in a process that did nothing else before, with a driver of a fixed heap."""
    with _files(rows, entities) as folder, one_server() as server, spark_cluster(folder / "cluster") as address:
        redis = RedisStore(parse_address(f"redis://127.0.0.1:{server.port}"))
        options = Options(engine=EngineAddress(address.address, options=FIXED_HEAP, secret=address.secret))
        with closing(redis if store == "redis" else SqliteStore(folder / "store")) as target:
            seconds = _sync(_catalog(folder), target, options)
        return DriverMemory(rows, *_peaks(), _live_megabytes(), seconds)


def memory_text(store: str, measured: Sequence[DriverMemory]) -> str:
    """The memory of syncs, and the ratio of the last to the first."""
    lines = [
        f"{one.rows:,} rows into {store}, {one.seconds:.0f} s: peak of this process {one.process:,} MB, of Spark's "
        f"driver {one.driver:,} MB with a heap of {HEAP}, of which {one.live:,} MB are live at the end"
        for one in measured
    ]
    few, many = measured[0], measured[-1]
    pairs = [(few.process, many.process), (few.driver, many.driver), (few.live, many.live)]
    ratios = ", ".join(f"{of_many / max(of_few, 1):.2f}" for of_few, of_many in pairs)
    return "\n".join([*lines, f"ratios {ratios} (must 1.1, aim 1.0)"])


def _measure_apart(given: argparse.Namespace, share: int) -> DriverMemory:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure_memory, given.rows // share, given.entities // share, given.store).result()


@contextmanager
def _files(rows: int, entities: int) -> Iterator[Path]:
    """A folder with the rows, which another process writes, so that its memory is not counted."""
    with tempfile.TemporaryDirectory() as name:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(_write, Path(name), rows, entities).result()
        yield Path(name)


def _one_core(address: EngineAddress) -> EngineAddress:
    return EngineAddress(address.address, options=(("spark.cores.max", "1"),), secret=address.secret)


def _write(folder: Path, rows: int, entities: int) -> None:
    """Rows of ten features, with a few nulls and few ties."""
    numbers = [f"(hash(i * 13 + {place}) % 1000000) / 7.0 AS number_{place}" for place in range(4)]
    counts = [f"(hash(i * 17 + {place}) % 100000)::BIGINT AS count_{place}" for place in range(3)]
    city = "CASE WHEN hash(i) % 10 > 0 THEN 'city-' || i % 50 END AS word_1"
    words = f"'segment-' || (hash(i + 77) % 1000) AS word_0, {city}"
    moment = "TIMESTAMP '2026-01-01' + to_microseconds((hash(i * 3 + 2) % 25920000000000)::BIGINT)"
    features = f"{', '.join([*numbers, *counts])}, {words}, hash(i + 9) % 2 = 0 AS flag"
    duckdb.execute("SET enable_progress_bar = false")
    for place in range(FILES):
        span = f"range({rows * place // FILES}, {rows * (place + 1) // FILES}) AS t (i)"
        duckdb.execute(
            f"COPY (SELECT (hash(i * 7 + 1) % {entities})::BIGINT AS id, {moment} AS feature_timestamp, {features} "
            f"FROM {span}) TO '{folder}/rows_{place}.parquet'"
        )


def _catalog(folder: Path) -> Catalog:
    view = {"warehouseSource": {"uri": "bq://rows", "entityIdColumns": ["id"]}}
    return catalog(folder, view, sources=[{"uri": "bq://rows", "files": "rows_*.parquet"}])


def _sync(declared: Catalog, store: OnlineStore, options: Options) -> float:
    begin = time.perf_counter()
    sync_view(declared.view(NAME), declared, store, clock=FixedClock(NOW), options=options)
    return time.perf_counter() - begin


def _memory() -> str:
    """The most memory that this process and Spark's driver have had."""
    if not sys.platform.startswith("linux"):
        return "memory is only measured on Linux"
    peaks = _peaks()
    return f"peak of this process {peaks[0]:,} MB, of Spark's driver {peaks[1]:,} MB"


def _peaks() -> tuple[int, int]:
    return _peak("self"), _peak(driver_process())


def _live_megabytes() -> int:
    """What is live on the heap of Spark's driver."""
    from pyspark import SparkContext

    machine: Any = SparkContext._active_spark_context._jvm  # type: ignore[union-attr]
    machine.java.lang.System.gc()
    runtime = machine.java.lang.Runtime.getRuntime()
    return int((runtime.totalMemory() - runtime.freeMemory()) >> 20)


def _peak(pid: int | str | None) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


if __name__ == "__main__":
    main()
