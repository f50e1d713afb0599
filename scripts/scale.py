"""Compute what a view beyond one machine takes, from measured rates and stated assumptions, into docs/scale.md.

python scripts/scale.py
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from trialrun.runtime.feature_view.estimate.rates import RATES, ROW_WIDTH, rate  # noqa: E402

PAGE = ROOT / "docs" / "scale.md"
MILLION, BILLION = 10**6, 10**9
MEBIBYTE = 1024 * 1024
ROWS, ENTITIES, VECTORS, DIMENSION = 10 * BILLION, 100 * MILLION, 100 * MILLION, 768


@dataclass(frozen=True)
class Assumption:
    """A number that nobody measured here: what it is, and why it is what it is."""

    value: float
    unit: str
    meaning: str


ASSUMPTIONS = {
    "executors": Assumption(50, "", "executors of the cluster"),
    "executor-cores": Assumption(4, "", "cores of each"),
    "executor-memory": Assumption(16, "GB", "memory of each"),
    "memory-share": Assumption(0.6, "", "share of that for rows, Spark's default"),
    "efficiency": Assumption(0.7, "", "share of the cores' time that is work; the rest is waiting for the last tasks"),
    "file-row": Assumption(48, "bytes", "a row of 10 features in Parquet, as in the benchmark's files"),
    "partition": Assumption(128, "MB", "a partition, Spark's default for files"),
    "network": Assumption(1, "GB/s", "network of a node, that is 10 Gbit/s less its overhead"),
    "redis-node": Assumption(16, "GB", "memory of a Redis node"),
    "redis-full": Assumption(0.7, "", "share of it for values; a copy for a replica needs the rest"),
    "redis-replicas": Assumption(1, "", "replicas of each master"),
    "redis-overhead": Assumption(1.6, "", "time of our load over a snapshot beside bare MSETs, when all rows changed"),
    "snapshots": Assumption(2, "", "snapshots side by side while the new one is loaded"),
    "builder-memory": Assumption(64, "GB", "memory of a machine that builds the index of a shard"),
    "shard": Assumption(1, "million", "vectors of a shard"),
    "shard-replicas": Assumption(2, "", "machines that serve each shard"),
    "query": Assumption(0.23, "ms", "CPU of a query among 100,000 x 128, the slowest of `benchmarks.vectors`"),
    "queries": Assumption(100, "1/s", "searches a second"),
    "disk": Assumption(0.5, "GB/s", "reading from the disk of one machine"),
}
"""All that is assumed, by name."""


def assumed(name: str) -> float:
    """The value of an assumption."""
    return ASSUMPTIONS[name].value


CORES = assumed("executors") * assumed("executor-cores")
FILE_BYTES = ROWS * assumed("file-row")
SHUFFLE_BYTES = ROWS * ROW_WIDTH
INPUT_PARTITIONS = math.ceil(FILE_BYTES / (assumed("partition") * MILLION))
SHUFFLE_PARTITIONS = math.ceil(SHUFFLE_BYTES / (assumed("partition") * MILLION))
VECTOR_BYTES = DIMENSION * 4


@dataclass(frozen=True)
class Figure:
    """A computed number: what it is, its value and unit, and from what it comes."""

    name: str
    value: float
    unit: str
    formula: str


def embedded() -> Iterator[Figure]:
    """The embedded engine on one machine of two cores."""
    yield Figure("files", FILE_BYTES / BILLION, "GB", "rows x file-row")
    yield Figure("reading the disk", FILE_BYTES / BILLION / assumed("disk") / 60, "min", "files / disk")
    reading, storing = ROWS / rate("embedded-parquet"), ENTITIES / rate("sqlite-store")
    yield Figure("work of the statement", reading / 60, "min CPU", "rows / embedded-parquet")
    yield Figure("work of the store", storing / 60, "min CPU", "entities / sqlite-store, on one core")
    needed = ENTITIES * ROW_WIDTH * rate("entity-memory") / BILLION
    yield Figure("memory of the statement", needed, "GB", "entities x row x entity-memory; the rest spills")
    store = ENTITIES * ROW_WIDTH * rate("sqlite-store-size") * assumed("snapshots") / BILLION
    yield Figure("store", store, "GB", "entities x row x sqlite-store-size x snapshots")


def spark() -> Iterator[Figure]:
    """Spark on the executors that are assumed."""
    yield Figure("cores", CORES, "", "executors x executor-cores")
    yield Figure("input partitions", INPUT_PARTITIONS, "", "files / partition")
    yield Figure("rows that are shuffled, at most", SHUFFLE_BYTES / BILLION, "GB", "rows x row")
    yield Figure("shuffle partitions", SHUFFLE_PARTITIONS, "", "shuffled / partition")
    work = ROWS / (rate("spark-statement") * CORES * assumed("efficiency"))
    yield Figure(
        "statement",
        (work + rate("spark-start")) / 60,
        "min",
        "rows / (spark-statement x cores x efficiency) + spark-start",
    )
    across = SHUFFLE_BYTES / (assumed("executors") * assumed("network") * BILLION)
    yield Figure("network of the shuffle, of that", across, "s", "shuffled / (executors x network)")
    room = assumed("executors") * assumed("executor-memory") * assumed("memory-share")
    yield Figure("memory for rows", room, "GB", "executors x executor-memory x memory-share")
    spilled = max(0.0, SHUFFLE_BYTES / BILLION - room)
    yield Figure("spilled to the disks of the executors", spilled, "GB", "shuffled - memory for rows")


def redis() -> Iterator[Figure]:
    """Redis Cluster for the values of the entities; vectors are served by shards."""
    values = ENTITIES * (105 + rate("redis-entity")) * assumed("snapshots") / BILLION
    masters = math.ceil(values / (assumed("redis-node") * assumed("redis-full")))
    yield Figure("values", values, "GB", "entities x (105 bytes + redis-entity) x snapshots")
    yield Figure("masters", masters, "", "values / (redis-node x redis-full)")
    yield Figure("nodes", masters * (1 + assumed("redis-replicas")), "", "masters x (1 + redis-replicas)")
    writing = ENTITIES / (rate("redis-store") * CORES * assumed("efficiency"))
    yield Figure("work of the writers", writing, "s", "entities / (redis-store x cores x efficiency)")
    seconds = ENTITIES / (rate("redis-bare") * masters) * assumed("redis-overhead")
    yield Figure("load", seconds / 60, "min", "entities / (redis-bare x masters) x redis-overhead, a core for each")
    sent = ENTITIES * (105 + 20) * (1 + assumed("redis-replicas")) / BILLION
    yield Figure("network of the load", sent, "GB", "entities x 125 bytes with their keys x (1 + redis-replicas)")


def search() -> Iterator[Figure]:
    """Vectors in shards."""
    shards = math.ceil(VECTORS / (assumed("shard") * MILLION))
    yield Figure("shards", shards, "", "vectors / shard")
    yield Figure("vectors", VECTORS * VECTOR_BYTES / BILLION, "GB", "vectors x 768 x 4 bytes")
    of_shard = assumed("shard") * MILLION * VECTOR_BYTES / BILLION
    building = of_shard * rate("index-build-memory")
    yield Figure("memory of building one shard", building, "GB", "shard x 3,072 bytes x index-build-memory")
    largest = assumed("builder-memory") * BILLION / (rate("index-build-memory") * VECTOR_BYTES) / MILLION
    yield Figure(
        "the largest shard that can be built", largest, "million", "builder-memory / (index-build-memory x 3,072 bytes)"
    )
    built = of_shard * 1000 / rate("index-build") / 60
    yield Figure("building one shard", built, "min CPU", "shard x 3,072 bytes / index-build")
    yield Figure("building all", built * shards / 60, "h CPU", "that x shards")
    memory = VECTORS * VECTOR_BYTES * rate("index-size") * assumed("shard-replicas") / BILLION
    yield Figure("memory of serving", memory, "GB", "vectors x 3,072 bytes x index-size x shard-replicas")
    query = assumed("query") * (assumed("shard") * MILLION / 100_000) * (DIMENSION / 128)
    yield Figure(
        "a query in one shard, at most", query, "ms CPU", "query x 10 x 6: as if it grew with vectors and dimension"
    )
    cores = assumed("queries") * query * shards / 1000
    yield Figure("cores for the searches", cores, "", "queries x that x shards")
    yield Figure("answers that are merged", shards * 10 * 20 / 1000, "kB", "shards x 10 neighbors x 20 bytes")


PARTS = {"embedded": embedded, "spark": spark, "redis": redis, "search": search}
"""The tables of figures by the names of their sections."""


def number_text(value: float) -> str:
    """A number with two digits that count, or all of them before the point."""
    return f"{value:,.0f}" if value >= 100 or float(value).is_integer() else f"{float(f'{value:.2g}'):g}"


def figure_table(figures: Iterator[Figure]) -> str:
    """Figures as Markdown."""
    rows = [f"| {figure.name} | {number_text(figure.value)} {figure.unit} | {figure.formula} |" for figure in figures]
    return "\n".join(["| what | value | from |", "|---|---|---|", *(row.replace("  |", " |") for row in rows)])


def rate_table() -> str:
    """The rates as Markdown."""
    rows = [f"| `{name}` | {number_text(each.value)} {each.unit} | {each.meaning} |" for name, each in RATES.items()]
    return "\n".join(["| rate | value | of |", "|---|---|---|", *rows])


def assumption_table() -> str:
    """The assumptions as Markdown."""
    rows = [
        f"| `{name}` | {number_text(each.value)} {each.unit} | {each.meaning} |".replace("  |", " |")
        for name, each in ASSUMPTIONS.items()
    ]
    return "\n".join(["| assumption | value | of |", "|---|---|---|", *rows])


def sections() -> dict[str, str]:
    """The computed sections of the page."""
    return {
        "rates": rate_table(),
        "assumptions": assumption_table(),
        **{name: figure_table(part()) for name, part in PARTS.items()},
    }


def section_of(text: str, name: str) -> str:
    """A computed section of the page's text."""
    return text.partition(f"<!-- {name} -->\n\n")[2].partition(f"\n\n<!-- end of {name} -->")[0]


def replace_section(name: str, table: str) -> None:
    """Write a section into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    after = rest.partition(f"<!-- end of {name} -->")[2]
    text = f"{before}<!-- {name} -->\n\n{table}\n\n<!-- end of {name} -->{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name, table in sections().items():
        replace_section(name, table)
