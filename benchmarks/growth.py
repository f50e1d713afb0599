"""What a sync costs as it grows: by rows, entities, the dimension and number of vectors, and memory, for each engine.

`python -m benchmarks.growth` makes the tables of every point, runs each point in a process of its own, writes the
figures to benchmarks/growth.json, draws benchmarks/growth.svg, and prints a table with the knees. `--rows 100000000`
goes on to a hundred million rows of Parquet (ten million of a DuckDB table), which take 5 GB of disk for the table and
1 GB for the store; `--only rows` measures one axis.
`--draw` draws and prints the figures of benchmarks/growth.json again.

The work is CPU time, since it depends less than the clock on what else a machine does; a start is not counted.

The engines are those at hand: the embedded one; Spark in local mode on one core, the statement alone, where pyspark,
sqlglot and Java are; a Redis of our own where redis-server is: bare, written by
one client in commands of 1,000 values, and with our store in it. The index of vectors is built by a sync, and alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.growth_point import ENGINES, Point
from benchmarks.line_chart import Chart, Series, draw_charts
from benchmarks.measure import Command, run
from benchmarks.redis_servers import has_redis

FOLDER = Path(__file__).parent
FIGURES, PICTURE = FOLDER / "growth.json", FOLDER / "growth.svg"
ROWS_OF_OTHER_AXES = 1_000_000
SOURCES = ("parquet", "duckdb", "csv", "json", "sqlite")
MOST_ROWS = {"duckdb": 10_000_000, "csv": 1_000_000, "json": 1_000_000, "sqlite": 1_000_000, "spark": 3_000_000}
"""Rows that a kind of table goes up to, where more take too long."""
MAX_VECTORS, VECTOR_DIMENSION = 300_000, 256
"""Vectors that the axis of vectors goes up to, and their dimension."""
START_SHARE, GROWTH_SHARE = 2.0, 1.5
"""A line has a knee where it takes so many times its least time, and where a row takes so much more than at best."""

Figures = list[dict[str, Any]]


def engines_at_hand() -> list[str]:
    """The engines that can be measured on this machine."""
    has_spark = _are_installed("pyspark", "sqlglot") and shutil.which("java")
    has_store = has_redis()
    return ["embedded", "index", *(["spark"] if has_spark else []), *(["redis", "redis-sync"] if has_store else [])]


def _are_installed(*names: str) -> bool:
    return all(importlib.util.find_spec(name) for name in names)


def powers(least: int, most: int) -> list[int]:
    """1, 3, 10, 30 … times the least number, up to the most."""
    numbers = [least * 10**power * factor for power in range(9) for factor in (1, 3)]
    return [number for number in numbers if number <= most]


def points(axis: str, most: int, engines: Sequence[str]) -> Iterator[Point]:
    """The points of an axis."""
    base = Point("parquet", min(most, ROWS_OF_OTHER_AXES), min(most, ROWS_OF_OTHER_AXES) // 10)
    if axis == "rows":
        for source in SOURCES:
            for rows in powers(10_000, min(most, MOST_ROWS.get(source, most))):
                yield Point(source, rows, rows // 10)
        if "spark" in engines:
            for rows in powers(100_000, min(most, MOST_ROWS["spark"])):
                yield Point("parquet", rows, rows // 10, threads=1, engine="spark", limit="2GB")
    elif axis == "entities":
        for entities in powers(1_000, base.rows):
            yield replace(base, entities=entities)
        if "redis" in engines:
            for entities in powers(10_000, base.rows):
                yield Point("parquet", 0, entities, engine="redis")
        if "redis-sync" in engines:
            for entities in powers(1_000, min(base.rows, 300_000)):
                yield replace(base, entities=entities, engine="redis-sync")
    elif axis == "dimension":
        for dimension in (16, 64, 256, 768):
            yield Point("parquet", min(most, 20_000), min(most, 20_000), dimension)
    elif axis == "vectors":
        for vectors in powers(10_000, min(most, MAX_VECTORS)):
            yield Point("parquet", vectors, vectors, VECTOR_DIMENSION)
            yield Point("parquet", 0, vectors, VECTOR_DIMENSION, engine="index")
    elif axis == "limit":
        for limit in ("4GB", "1GB", "500MB", "250MB", "125MB"):
            yield Point("parquet", min(most, 3_000_000), min(most, 3_000_000) // 3, limit=limit)
    elif axis == "threads":
        for threads in (1, os.cpu_count() or 1):
            yield Point("parquet", min(most, 3_000_000), min(most, 3_000_000) // 10, threads=threads)


AXES = ("rows", "entities", "dimension", "vectors", "limit", "threads")


def measure(axis: str, point: Point, times: int) -> dict[str, Any]:
    """The figures of a point: the run with the least work; without `seconds` where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(_command("make", point, folder))
        results = [_measured(point, Path(folder)) for _ in range(times)] if done.exit == 0 else []
    done_results = [result for result in results if "cpu" in result]
    return {"axis": axis, **min(done_results or results or [asdict(point)], key=lambda result: result.get("cpu", 0))}


def _measured(point: Point, folder: Path) -> dict[str, Any]:
    shutil.rmtree(folder / "store", ignore_errors=True)
    (folder / "result.json").unlink(missing_ok=True)
    ran = run(_command("measure", point, str(folder)), watch_memory=True)
    if ran.exit != 0 or not (folder / "result.json").exists():
        return asdict(point)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in result.items()}
    return {**rounded, "mebibytes": round(ran.peak)}


def _command(deed: str, point: Point, folder: str) -> Command:
    words = [sys.executable, "-m", "benchmarks.growth_point", deed, json.dumps(asdict(point)), folder]
    return Command(words, FOLDER.parent, os.environ)


def line_name(figure: Mapping[str, Any]) -> str:
    """The line that a figure is on."""
    return str(figure["source"] if figure["engine"] == "embedded" else figure["engine"])


NAMES = {
    "parquet": "Parquet",
    "duckdb": "DuckDB table",
    "csv": "CSV",
    "json": "JSON",
    "sqlite": "SQLite table",
    "spark": "Spark, one core",
    "redis": "Redis, bare",
    "redis-sync": "Parquet into Redis",
    "index": "index alone",
}


def lines(figures: Figures, axis: str, x: str, y: str) -> list[Series]:
    """The lines of an axis, with their knees marked where the cost is seconds."""
    of_axis = [figure for figure in figures if figure["axis"] == axis and y in figure]
    found = []
    for name in dict.fromkeys(map(line_name, of_axis)):
        at = sorted((float(figure[x]), float(figure[y])) for figure in of_axis if line_name(figure) == name)
        marks = [value for value, _ in knees(at)] if y == "cpu" else []
        found.append(Series(NAMES[name], at, marks, list(NAMES).index(name)))
    return found


def knees(at: Sequence[tuple[float, float]]) -> list[tuple[float, str]]:
    """Where a line bends: where the work outweighs the start, and where each more costs more again.

    The first is the first point that takes twice the time of the first one; the second is the first point after the
    cheapest, by the unit, that costs half more than it.
    """
    bends = []
    if start := next((x for x, seconds in at if seconds >= START_SHARE * at[0][1]), None):
        bends.append((start, "from here on the work costs more than the start"))
    each = [(seconds / x, x) for x, seconds in at]
    cheapest = min(each)
    dearer = (x for cost, x in each if x > cheapest[1] and cost >= GROWTH_SHARE * cheapest[0])
    if again := next(dearer, None):
        bends.append((again, f"from here on a unit costs {GROWTH_SHARE:g} times as much as at {cheapest[1]:,.0f}"))
    return bends


def charts(figures: Figures) -> list[Chart]:
    """The charts of the figures."""
    shown = [
        Chart(
            "Work by rows (circles: knees)",
            "rows, a tenth as many entities",
            "CPU seconds",
            lines(figures, "rows", "rows", "cpu"),
        ),
        Chart("Peak memory by rows", "rows", "MiB", lines(figures, "rows", "rows", "mebibytes")),
        Chart(
            "Work by entities",
            "entities, of 1,000,000 rows (bare Redis: entities alone)",
            "CPU seconds",
            lines(figures, "entities", "entities", "cpu"),
        ),
        Chart(
            "Work by dimension",
            "dimension of 20,000 vectors, with their index",
            "CPU seconds",
            lines(figures, "dimension", "dimension", "cpu"),
        ),
    ]
    return [chart for chart in shown if chart.series]


def report(figures: Figures) -> str:
    """The figures as Markdown: a row for each point, then the knees."""
    rows = ["| by | table | rows | entities | limit, threads | s | s CPU | rows/s CPU | MiB | |", f"|{'---|' * 10}"]
    rows += [_row(figure) for figure in figures]
    bends = [
        f"- {series.name}, by {axis}: {at:,.0f}: {words}"
        for axis in ("rows", "entities", "dimension")
        for series in lines(figures, axis, axis, "cpu")
        for at, words in knees(series.points)
    ]
    return "\n".join([*rows, "", "Knees:", "", *(bends or ["- none"])]) + "\n"


def _row(figure: Mapping[str, Any]) -> str:
    rows = figure["rows"] or figure["entities"]
    cpu = figure.get("cpu")
    speed = (
        f"{figure['seconds']:.2f} | {cpu:.2f} | {rows / cpu:,.0f} | {figure['mebibytes']:,}" if cpu else "failed | | | "
    )
    extra = f"dimension {figure['dimension']}" if figure["dimension"] else ""
    limits = f"{figure['limit']}, {figure['threads'] or 'all'}"
    cells = [figure["axis"], NAMES[line_name(figure)], f"{figure['rows']:,}", f"{figure['entities']:,}", limits]
    return f"| {' | '.join(cells)} | {speed} | {extra} |"


def machine() -> str:
    """This machine in a few words."""
    return f"{os.cpu_count()} shared cores of {platform.machine()}, Python {platform.python_version()}"


def load_figures() -> dict[str, Any]:
    """What benchmarks/growth.json has."""
    loaded: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return loaded


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or draw again what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the most rows of a table")
    parser.add_argument(
        "--times", type=int, default=2, help="runs of each point, of which the one with the least work counts"
    )
    parser.add_argument("--only", choices=AXES, action="append", help="measure an axis, and keep the figures of others")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="default: all at hand")
    parser.add_argument("--table", choices=SOURCES, action="append", help="default: all kinds")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    asked = parser.parse_args(arguments)
    if not asked.draw:
        kept = load_figures()["figures"] if FIGURES.exists() and (asked.only or asked.engine or asked.table) else []
        _write(_measure_all(asked, kept), asked)
    figures = load_figures()["figures"]
    PICTURE.write_text(draw_charts(charts(figures)), encoding="utf-8")
    print(report(figures))


def _measure_all(asked: argparse.Namespace, kept: Figures) -> Figures:
    engines = asked.engine or engines_at_hand()
    axes = asked.only or AXES
    found = []
    for axis in axes:
        for point in points(axis, asked.rows, engines):
            if point.engine in engines and point.source in (asked.table or SOURCES):
                found.append(measure(axis, point, asked.times))
                print(_row(found[-1]), file=sys.stderr, flush=True)
    again = {(figure["axis"], line_name(figure)) for figure in found}
    others = [figure for figure in kept if (figure["axis"], line_name(figure)) not in again]
    return sorted([*found, *others], key=_order)


def _order(figure: Mapping[str, Any]) -> tuple[Any, ...]:
    place = (AXES.index(figure["axis"]), list(NAMES).index(line_name(figure)))
    return *place, figure["rows"], figure["entities"], figure["dimension"]


def _write(figures: Figures, asked: argparse.Namespace) -> None:
    command = f"python -m benchmarks.growth --rows {asked.rows} --times {asked.times}"
    head = {"command": command, "machine": machine(), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    items = ",\n".join(json.dumps(figure) for figure in figures)
    FIGURES.write_text(f'{json.dumps(head)[:-1]}, "figures": [\n{items}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
