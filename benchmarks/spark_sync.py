"""`python -m benchmarks.spark_sync [--rows N] [--entities N]`: a warm sync by Spark into Redis, and memory here.

It starts a cluster of its own (scripts/cluster.sh) with one worker core in use, and one node of Redis.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from benchmarks.redis_servers import one_server
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog
from tests.spark_cluster import spark_cluster
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.engine_address import EngineAddress
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.redis.address import parse_address
from trialrun.runtime.feature_view.store.redis.store import RedisStore
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.runtime.options import Options

FILES = 8


def main() -> None:
    """Sync twice, the second time warm, and say what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, one_server() as server:
        folder = Path(name)
        _write(folder, given.rows, given.entities)
        declared = _catalog(folder)
        with spark_cluster(folder / "cluster") as address:
            store = RedisStore(parse_address(f"redis://127.0.0.1:{server.port}"))
            options = Options(engine=_one_core(address))
            for run in ("first", "warm"):
                seconds = _sync(declared, store, options)
                print(f"{run}: {seconds:.1f} s, {given.rows / seconds:,.0f} rows/s; {_memory()}", flush=True)


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
    from trialrun.runtime.feature_view.source.spark.session import driver_process

    if not sys.platform.startswith("linux"):
        return "memory is only measured on Linux"
    peaks = [_peak(pid) for pid in ("self", driver_process())]
    return f"peak of this process {peaks[0]:,} MB, of Spark's driver {peaks[1]:,} MB"


def _peak(pid: int | str | None) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


if __name__ == "__main__":
    main()
