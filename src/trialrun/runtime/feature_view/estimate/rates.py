"""Measured rates, one table: what a row, an entity and a byte take on each engine and in each store.

`python -m benchmarks.growth` measures those of its command; `benchmarks/growth_rates.py` derives them from its figures,
and a test compares them. Rates of processors are of CPU time of one core, so that they depend less on what else the
machine does. `trialrun docs scale` shows the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from trialrun.lazy_dataclass import dataclass

MACHINE = "two shared cores of x86-64, 24 GiB, 2026-11-23"
GROWTH = "python -m benchmarks.growth --rows 100000000 --times 1"


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate: its value and unit, what it is of, and the command that measured it, on which machine."""

    value: float
    unit: str
    meaning: str
    command: str
    machine: str = MACHINE


RATES: Mapping[str, Rate] = {
    "embedded-start": Rate(0.14, "s CPU", "a sync without rows: planning, opening engine and store", GROWTH),
    "embedded-parquet": Rate(7_000_000, "rows/s CPU", "Parquet to the latest row of each entity", GROWTH),
    "embedded-duckdb": Rate(5_800_000, "rows/s CPU", "the same of a DuckDB table", GROWTH),
    "embedded-csv": Rate(970_000, "rows/s CPU", "the same of CSV", GROWTH),
    "embedded-json": Rate(690_000, "rows/s CPU", "the same of JSON", GROWTH),
    "embedded-sqlite": Rate(96_000, "rows/s CPU", "the same of a SQLite table, in SQLite", GROWTH),
    "embedded-memory": Rate(96, "MiB", "memory of a sync without rows", GROWTH),
    "scan-memory": Rate(69, "MiB", "memory of reading rows, of a million and more", GROWTH),
    "entity-memory": Rate(2.4, "bytes/byte", "memory of the statement for each byte of the rows that it gives", GROWTH),
    "sqlite-store": Rate(226_000, "entities/s CPU", "entities of 10 features into the store in SQLite", GROWTH),
    "sqlite-store-size": Rate(0.88, "bytes/byte", "bytes of that store for each byte of a row", GROWTH),
    "vector-store-size": Rate(2.7, "bytes/byte", "the same for each byte of a vector of 32-bit numbers", GROWTH),
    "vector-memory": Rate(263, "MiB", "memory of the batches in which vectors are read, at most", GROWTH),
    "index-build": Rate(15.1, "MB/s CPU", "bytes of vectors into the store and an index of treeAhConfig", GROWTH),
    "index-memory": Rate(
        1.06, "bytes/byte", "memory of that for each byte of the vectors beside the statement", GROWTH
    ),
    "index-build-memory": Rate(1.35, "bytes/byte", "memory of building that index alone", GROWTH),
    "index-size": Rate(1.0, "bytes/byte", "bytes of that index for each byte of the vectors", GROWTH),
    "redis-bare": Rate(363_000, "entities/s CPU", "values of 105 bytes into one Redis, of client and server", GROWTH),
    "redis-store": Rate(99_000, "entities/s CPU", "entities of 10 features into our store there", GROWTH),
    "redis-entity": Rate(95, "bytes", "memory of one Redis for an entity beside its value", GROWTH),
    "spark-start": Rate(27, "s", "a session in Spark's local mode, on a busy machine", GROWTH),
    "spark-statement": Rate(279_000, "rows/s CPU", "Parquet to the latest rows in Spark's local mode, warm", GROWTH),
}
"""All rates by name."""

ROW_WIDTH = 121.0
"""Bytes of a row of 10 features in the tables of the benchmark, which the rates by rows and entities are of."""
FIXED_SHARE = 0.5
"""The share of the work for a row that does not depend on its width: an assumption."""


def rate(name: str) -> float:
    """The value of a rate."""
    return RATES[name].value


def width_factor(width: float) -> float:
    """How much more work a row of so many bytes is than one of the benchmark."""
    return FIXED_SHARE + (1 - FIXED_SHARE) * width / ROW_WIDTH
