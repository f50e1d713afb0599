"""One point of `benchmarks.growth`, in a process of its own: the tables are made in one, and synced in another.

`python -m benchmarks.growth_point make|measure JSON FOLDER`: the point as JSON; `measure` writes result.json there.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import cpu_seconds
from benchmarks.sync import NOW, rows

TYPES = {"number": "DOUBLE", "count": "INT64", "word": "STRING", "flag": "BOOL"}
VECTOR_ROWS = (
    "SELECT i AS entity, TIMESTAMP '2026-01-01' AS feature_timestamp, {vector} AS embedding FROM range({rows}) t (i)"
)


@dataclass(frozen=True)
class Point:
    """What is synced: a table of a format, its rows and entities, the dimension of a vector (0: ten features), the
    memory limit, and the engine that reads it."""

    source: str
    rows: int
    entities: int
    dimension: int = 0
    limit: str = "4GB"
    threads: int = 0
    engine: str = "embedded"


def statement(point: Point) -> str:
    """The statement that makes the rows of a point."""
    if not point.dimension:
        return rows(point.rows, point.entities)
    item = "((hash(i * 1031 + d * 7) % 2000) / 1000.0 - 1)::FLOAT"
    vector = f"[{item} FOR d IN range({point.dimension})]"
    return VECTOR_ROWS.format(vector=vector, rows=point.rows)


def make_table(point: Point, folder: Path) -> None:
    """Write the table of a point into a folder."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        if point.source in ("duckdb", "sqlite"):
            return _make_database(connection, point, folder)
        options = {"parquet": "FORMAT PARQUET", "csv": "FORMAT CSV, HEADER", "json": "FORMAT JSON"}[point.source]
        connection.execute(f"COPY ({statement(point)}) TO '{folder / source_fields(point)['files']}' ({options})")
    return None


def _make_database(connection: Any, point: Point, folder: Path) -> None:
    file = folder / source_fields(point)["database"]
    if point.source == "duckdb":
        connection.execute(f"ATTACH '{file}' AS made")
        connection.execute(f"CREATE TABLE made.rows AS {statement(point)}")
        return
    made = connection.execute(statement(point))
    names = [column[0] for column in made.description]
    with closing(sqlite3.connect(file)) as database:
        typed = ", ".join(f"{name} {_sqlite_type(name)}" for name in names)
        database.execute(f"CREATE TABLE rows ({typed})")
        while batch := made.fetchmany(50_000):
            database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(names))})", map(_plain, batch))
        database.commit()


def _sqlite_type(name: str) -> str:
    return {"entity": "INT64", "feature_timestamp": "TIMESTAMP"}.get(name) or TYPES[name.partition("_")[0]]


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (row[0], row[1].isoformat(" "), *row[2:])


def source_fields(point: Point) -> dict[str, str]:
    """The fields of the Source of a point's table."""
    if point.source in ("duckdb", "sqlite"):
        return {"database": f"rows.{point.source}", "table": "rows"}
    return {"files": f"rows.{point.source}"}


def declared(point: Point, folder: Path) -> Any:
    """The catalog of a view over the table of a point."""
    from trialrun.diagnostic import Range
    from trialrun.model.companion import Source
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.text import Position

    def resource(node: Any) -> Any:
        return DeclaredResource(node, "views.yaml", str(folder), 0, lambda _: Range(Position(1, 1), Position(1, 1)))

    view: dict[str, Any] = {
        "name": "featureViews/growth",
        "warehouseSource": {"uri": "rows", "entityIdColumns": ["entity"]},
    }
    if point.dimension:
        view["indexConfig"] = {
            "embeddingColumn": "embedding",
            "embeddingDimension": point.dimension,
            "distanceMeasureType": "SQUARED_L2_DISTANCE",
            "treeAhConfig": {},
        }
    source = Source.model_validate({"uri": "rows", **source_fields(point)})
    return Catalog([resource(FeatureView.model_validate(view))], [], [], [resource(source)])


def sync_embedded(point: Point, folder: Path) -> Mapping[str, float]:
    """Sync the table of a point with the embedded engine into a store on the disk; seconds and bytes."""
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.search import SnapshotIndexes
    from trialrun.runtime.feature_view.store.sqlite import SqliteStore
    from trialrun.runtime.feature_view.sync import sync_view
    from trialrun.runtime.options import Options

    catalog, store, spent = declared(point, folder), folder / "store", time.process_time()
    indexes = SnapshotIndexes(folder / "indexes") if point.dimension else None
    report = sync_view(
        catalog.views[0],
        catalog,
        SqliteStore(store),
        clock=FixedClock(NOW),
        options=Options(memory_limit=point.limit, threads=point.threads),
        before_serving=indexes.before_serving(catalog.views[0]) if indexes else None,
    )
    return {
        "seconds": report.seconds,
        "cpu": time.process_time() - spent,
        "entities": report.counts.entities,
        "source_bytes": report.bytes,
        "store_bytes": sum(file.stat().st_size for file in store.glob("*.db")),
        "index_bytes": sum(path.stat().st_size for path in folder.glob("indexes/**/*") if path.is_file()),
    }


def build_index_alone(point: Point, folder: Path) -> Mapping[str, float]:
    """Build the index of the vectors of a point, without a table and a store, from rows that are drawn as it reads."""
    import numpy as np

    from trialrun.model.feature_view import IndexConfig, TreeAHConfig
    from trialrun.runtime.feature_view.index.interface import index_parameters
    from trialrun.runtime.feature_view.index.vector_index import build_index, save_index

    dice, spent, begin = np.random.default_rng(1), time.process_time(), time.perf_counter()
    rows = (((number,), dice.random(point.dimension, np.float32)) for number in range(point.entities))
    config = IndexConfig(embeddingColumn="e", distanceMeasureType="SQUARED_L2_DISTANCE", treeAhConfig=TreeAHConfig())
    save_index(build_index(rows, index_parameters(config)), folder / "index")
    return {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - spent}


def statement_on_spark(point: Point, folder: Path) -> Mapping[str, float]:
    """Run the statement of a plan, translated, in Spark's local mode without a store: once to warm up, then once."""
    import sqlglot
    from pyspark.sql import SparkSession

    from trialrun.runtime.feature_view.plan import build_plan

    catalog = declared(point, folder)
    statement = build_plan(catalog.views[0], catalog, cutoff=NOW).statement
    text = sqlglot.transpile(statement.text, read="duckdb", write="spark")[0]
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": point.limit.lower().removesuffix("b"),
        "spark.sql.shuffle.partitions": "8",
        "spark.local.dir": str(folder),
    }
    begin = time.perf_counter()
    session = SparkSession.builder.master(f"local[{point.threads or 1}]").config(map=settings).getOrCreate()
    try:
        session.read.parquet(str(folder / "rows.parquet")).createOrReplaceTempView("rows")
        started = time.perf_counter()
        virtual_machine = session.sparkContext._gateway.proc.pid
        for _ in range(2):
            again, spent = time.perf_counter(), cpu_seconds(virtual_machine)
            session.sql(text).write.format("noop").mode("overwrite").save()
        return {
            "seconds": time.perf_counter() - again,
            "cpu": cpu_seconds(virtual_machine) - spent,
            "session_seconds": started - begin,
        }
    finally:
        session.stop()


def write_to_redis(point: Point, folder: Path) -> Mapping[str, float]:
    """Write as many entities of ten features to a Redis of our own by pipelined MSETs, as encoded as in JSON."""
    import redis

    from benchmarks.redis_servers import one_server

    values = json.dumps([0.123456789] * 4 + [12_345] * 3 + ["segment-123", "city-12", True]).encode()
    with one_server() as server, closing(redis.Redis(port=server.port)) as client:
        spent = time.process_time() + cpu_seconds(server.process.pid)
        before = int(client.info("memory")["used_memory"])  # type: ignore[index]
        begin = time.perf_counter()
        for start in range(0, point.entities, 1_000):
            entities = range(start, min(start + 1_000, point.entities))
            client.mset({f"view:{{{entity % 4096}}}:1:{entity}": values for entity in entities})
        seconds, spent = time.perf_counter() - begin, time.process_time() + cpu_seconds(server.process.pid) - spent
        used = int(client.info("memory")["used_memory"]) - before  # type: ignore[index]
        reads = []
        for entity in range(0, point.entities, max(1, point.entities // 2_000)):
            asked = time.perf_counter()
            client.get(f"view:{{{entity % 4096}}}:1:{entity}")
            reads.append(time.perf_counter() - asked)
    reads.sort()
    return {
        "seconds": seconds,
        "cpu": spent,
        "redis_bytes": used,
        "value_bytes": len(values),
        "read_median_ms": reads[len(reads) // 2] * 1e3,
        "read_p99_ms": reads[len(reads) * 99 // 100] * 1e3,
    }


def sync_into_redis(point: Point, folder: Path) -> Mapping[str, float]:
    """Sync the table of a point with the embedded engine into our store in a Redis of our own."""
    from benchmarks.redis_servers import one_server
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.store.store_folder import open_store
    from trialrun.runtime.feature_view.sync import sync_view
    from trialrun.runtime.options import Options

    catalog, options = declared(point, folder), Options(memory_limit=point.limit, threads=point.threads)
    with one_server() as server:
        spent = time.process_time() + cpu_seconds(server.process.pid)
        store = open_store(f"redis://127.0.0.1:{server.port}")
        report = sync_view(catalog.views[0], catalog, store, clock=FixedClock(NOW), options=options)
        spent = time.process_time() + cpu_seconds(server.process.pid) - spent
    return {"seconds": report.seconds, "cpu": spent, "entities": report.counts.entities}


ENGINES: Mapping[str, Callable[[Point, Path], Mapping[str, float]]] = {
    "embedded": sync_embedded,
    "spark": statement_on_spark,
    "redis": write_to_redis,
    "redis-sync": sync_into_redis,
    "index": build_index_alone,
}
"""What is measured at a point, by its engine."""


def main(deed: str, text: str, folder: str) -> None:
    """Make the table of a point, or measure it."""
    point = Point(**json.loads(text))
    if deed == "make":
        return make_table(point, Path(folder))
    shutil.rmtree(Path(folder) / "indexes", ignore_errors=True)
    measured = ENGINES[point.engine](point, Path(folder))
    (Path(folder) / "result.json").write_text(json.dumps({**asdict(point), **measured}), encoding="utf-8")
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
