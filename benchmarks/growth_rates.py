"""The rates of `trialrun sync --plan`, from the figures of `benchmarks.growth`: `python -m benchmarks.growth_rates`.

Each is a difference of two points, so that neither a start nor other work is in it. They go, rounded, into
src/trialrun/runtime/feature_view/estimate/rates.py, which a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.growth import Figures, load_figures
from trialrun.runtime.feature_view.estimate.rates import ROW_WIDTH

MEBIBYTE = 1024 * 1024
MAX_FITTED_ROWS = 10_000_000
"""Points of more rows make no rate. At a hundred million, four fifths of the work are the ten million entities that are
stored, so the rate of reading would be the rest of two large numbers: 5 % more of one is a quarter of it. These points
rather test the estimate, which knows a tenth of their rows: see tests/test_growth.py."""


def line(figures: Figures, axis: str, source: str, engine: str = "embedded") -> list[Mapping[str, Any]]:
    """The points of a line that did not fail, in their order."""
    return [
        figure
        for figure in figures
        if (figure["axis"], figure["source"], figure["engine"]) == (axis, source, engine) and "cpu" in figure
    ]


def slope(first: Mapping[str, Any], last: Mapping[str, Any], above: str, below: str) -> float:
    """How much of one figure there is for each more of another, between two points."""
    return float((last[above] - first[above]) / (last[below] - first[below]))


def _with_bytes(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Points of vectors with the bytes of these."""
    return [{**figure, "bytes": figure["entities"] * figure["dimension"] * 4} for figure in points]


def derived_rates(figures: Figures) -> dict[str, float]:
    """The rates by the names that they have."""
    figures = [figure for figure in figures if figure["rows"] <= MAX_FITTED_ROWS]
    entities, rows = line(figures, "entities", "parquet"), line(figures, "rows", "parquet")
    redis = line(figures, "entities", "parquet", "redis")
    storing = slope(entities[0], entities[-1], "cpu", "entities")
    into_redis = line(figures, "entities", "parquet", "redis-sync")
    vector_bytes = _with_bytes(line(figures, "dimension", "parquet"))
    synced, alone = (_with_bytes(line(figures, "vectors", "parquet", engine)) for engine in ("embedded", "index"))
    of_statement = slope(entities[0], entities[-1], "mebibytes", "entities") * MEBIBYTE / ROW_WIDTH
    of_vectors = slope(synced[0], synced[-1], "mebibytes", "bytes")
    rates = {
        "embedded-start": rows[0]["cpu"],
        "embedded-memory": rows[0]["mebibytes"],
        "scan-memory": entities[0]["mebibytes"] - rows[0]["mebibytes"],
        "entity-memory": of_statement,
        "sqlite-store": 1 / storing,
        "sqlite-store-size": slope(entities[0], entities[-1], "store_bytes", "entities") / ROW_WIDTH,
        "index-build": 1e-6 / slope(vector_bytes[0], vector_bytes[-1], "cpu", "bytes"),
        "index-memory": of_vectors * MEBIBYTE - of_statement,
        "vector-memory": max(
            point["mebibytes"] - rows[0]["mebibytes"] - of_vectors * point["bytes"] for point in synced + vector_bytes
        ),
        "index-build-memory": slope(alone[0], alone[-1], "mebibytes", "bytes") * MEBIBYTE,
        "index-size": slope(vector_bytes[0], vector_bytes[-1], "index_bytes", "bytes"),
        "vector-store-size": slope(vector_bytes[0], vector_bytes[-1], "store_bytes", "bytes"),
        "redis-bare": redis[-1]["entities"] / redis[-1]["cpu"],
        "redis-store": 1 / slope(into_redis[0], into_redis[-1], "cpu", "entities"),
        "redis-entity": redis[-1]["redis_bytes"] / redis[-1]["entities"] - redis[-1]["value_bytes"],
    }
    for source in ("parquet", "duckdb", "csv", "json", "sqlite"):
        rates[f"embedded-{source}"] = _reading(line(figures, "rows", source), storing)
    if spark := line(figures, "rows", "parquet", "spark"):
        rates["spark-start"] = median(figure["session_seconds"] for figure in spark)
        rates["spark-statement"] = 1 / slope(spark[-2], spark[-1], "cpu", "rows")
    return rates


def _reading(points: Sequence[Mapping[str, Any]], storing: float) -> float:
    """Rows a second of CPU, without what storing the entities takes."""
    first, last = points[0], points[-1]
    work = last["cpu"] - first["cpu"] - storing * (last["entities"] - first["entities"])
    return float((last["rows"] - first["rows"]) / work)


def main() -> None:
    """Print the rates."""
    for name, value in sorted(derived_rates(load_figures()["figures"]).items()):
        print(f"{name:20} {value:,.4g}")


if __name__ == "__main__":
    main()
