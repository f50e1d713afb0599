"""The latest value of each entity, beside the best statements that a person writes for DuckDB; and the whole sync.

`python -m benchmarks.sync` makes 10 million rows of 10 features of 1 million entities, from hashes of their numbers, so
they are the same everywhere. Every program is a process of its own, and they take turns. `--many` syncs 50 million
rows under a memory limit of 4 GB.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Command, Run, interleaved, least, middle, run

NUMBERS = [f"number_{place}" for place in range(4)]
COUNTS = [f"count_{place}" for place in range(3)]
WORDS = [f"word_{place}" for place in range(2)]
FEATURES = [*NUMBERS, *COUNTS, *WORDS, "flag"]
LISTED = ", ".join(FEATURES)
NOW = datetime(2027, 1, 1, tzinfo=UTC)
TABLE = "read_parquet('{file}')"
LATEST = f"SELECT entity, MAX(feature_timestamp) AS latest FROM {TABLE} GROUP BY entity"
STATEMENTS = {
    "row number": f"SELECT entity, feature_timestamp, {LISTED} FROM {TABLE} "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY entity ORDER BY feature_timestamp DESC) = 1",
    "row number, ties decided": f"SELECT entity, feature_timestamp, {LISTED} FROM {TABLE} "
    f"QUALIFY ROW_NUMBER() OVER (PARTITION BY entity ORDER BY feature_timestamp DESC, {LISTED}) = 1",
    "join, ties decided": f"SELECT s.entity, s.feature_timestamp, {LISTED} FROM {TABLE} s JOIN ({LATEST}) l "
    "ON s.entity = l.entity AND s.feature_timestamp = l.latest "
    f"QUALIFY ROW_NUMBER() OVER (PARTITION BY s.entity ORDER BY {LISTED}) = 1",
    "arg_max": "SELECT entity, MAX(feature_timestamp), "
    + ", ".join(f"ARG_MAX({name}, feature_timestamp) AS {name}" for name in FEATURES)
    + f" FROM {TABLE} GROUP BY entity",
}
"""What a person writes: the last one is of a sparse group, the others are of a warehouse view."""


def rows(count: int, entities: int) -> str:
    """The statement that makes the rows: a third of one column is null, a tenth of another; few moments are shared."""
    numbers = [f"(hash(i * 13 + {place}) % 1000000) / 7.0 AS {name}" for place, name in enumerate(NUMBERS)]
    numbers[0] = f"CASE WHEN hash(i + 5) % 3 > 0 THEN {numbers[0].removesuffix(' AS number_0')} END AS number_0"
    counts = [f"(hash(i * 17 + {place}) % 100000)::BIGINT AS {name}" for place, name in enumerate(COUNTS)]
    return (
        f"SELECT (hash(i * 7 + 1) % {entities})::BIGINT AS entity, TIMESTAMP '2026-01-01' + "
        "to_microseconds((hash(i * 3 + 2) % 31536000000000)::BIGINT) AS feature_timestamp, "
        f"{', '.join([*numbers, *counts])}, 'segment-' || (hash(i + 77) % 1000) AS word_0, "
        "CASE WHEN hash(i + 6) % 10 > 0 THEN 'city-' || (hash(i + 78) % 50) END AS word_1, "
        f"hash(i + 9) % 2 = 0 AS flag FROM range({count}) AS t (i)"
    )


def make(file: Path, count: int, entities: int) -> None:
    """Write the rows into a Parquet file."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"COPY ({rows(count, entities)}) TO '{file}' (FORMAT PARQUET)")


def by_hand(name: str, file: str) -> None:
    """Run a statement that a person wrote, into a table."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"CREATE TEMP TABLE latest AS {STATEMENTS[name].format(file=file)}")


def ours(kind: str, file: str, limit: str) -> None:
    """Run the statement of a plan, into a table; or, with a kind that begins with sync, the whole sync."""
    from trialrun.runtime.feature_view.plan import build_plan
    from trialrun.runtime.feature_view.source.duckdb_engine import DuckDbEngine
    from trialrun.runtime.options import Options

    made, options = catalog(kind, Path(file)), Options(memory_limit=limit)
    if kind.startswith("sync"):
        return whole(made, options)
    planned = build_plan(made.views[0], made, cutoff=NOW, options=options)
    source = DuckDbEngine([table.place for table in planned.selections], options)
    source.all(f"CREATE TEMP TABLE latest AS {planned.statement.text}")
    return source.close()


def catalog(kind: str, file: Path):  # type: ignore[no-untyped-def]
    """The documents of a view over the file: a warehouse view, or one of a sparse group."""
    from trialrun.diagnostic import Range
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.text import Position

    def declared(node: object) -> DeclaredResource:  # type: ignore[type-arg]
        return DeclaredResource(
            node, "views.yaml", str(file.parent), 0, lambda place: Range(Position(1, 1), Position(1, 1))
        )

    warehouse = {"warehouseSource": {"uri": "rows", "entityIdColumns": ["entity"]}}
    registry = {"featureRegistrySource": {"featureGroups": [{"featureGroupId": "g", "featureIds": FEATURES}]}}
    view = {"name": "featureViews/benchmark"} | (registry if kind.endswith("sparse") else warehouse)
    group = {"featureGroupId": "g", "uri": "rows", "entityIdColumns": ["entity"]}
    features = [{"id": name} for name in FEATURES]
    return Catalog(
        [declared(FeatureView.model_validate(view))],
        [],
        [declared(FeatureGroupTable.model_validate(group | {"features": features}))],
        [declared(Source.model_validate({"uri": "rows", "files": file.name}))],
    )


def whole(made, options) -> None:  # type: ignore[no-untyped-def]
    """The whole sync into a store on the disk."""
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.store.sqlite import SqliteStore
    from trialrun.runtime.feature_view.sync import sync_view

    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(os.path.join(folder, "store"))
        report = sync_view(made.views[0], made, store, clock=FixedClock(NOW), options=options)
    print(f"{report.counts.entities} {report.seconds}", file=sys.stderr)


def command(kind: str, file: Path, limit: str) -> Command:
    """A process of this module that does one thing."""
    words = [sys.executable, "-m", "benchmarks.sync", "--only", kind, "--file", str(file), "--limit", limit]
    return Command(words, Path(__file__).parent.parent, os.environ)


def table(names: Sequence[str], found: Sequence[Sequence[Run]], entities: int) -> None:
    """Print what was measured; a ratio is ours, the first, by the other."""
    print("| what | s (least) | s CPU | MiB | ours by it: s, s CPU, MiB | entities/s |")
    print("|---|---|---|---|---|---|")
    first = found[0]
    for name, runs in zip(names, found, strict=True):
        failed = "" if all(timing.exit == 0 for timing in runs) else " (failed)"
        ratios = [least(first, what) / least(runs, what) for what in ("wall", "cpu", "peak")]
        print(
            f"| {name}{failed} | {middle(runs, 'wall'):.2f} ({least(runs, 'wall'):.2f}) | {least(runs, 'cpu'):.2f} | "
            f"{least(runs, 'peak'):.0f} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} | "
            f"{entities / least(runs, 'wall'):,.0f} |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or do the one thing that a process is for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--limit", default="4GB")
    parser.add_argument("--many", action="store_true", help="50 million rows and 5 million entities, once")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.only:
        return (
            by_hand(asked.only, asked.file) if asked.only in STATEMENTS else ours(asked.only, asked.file, asked.limit)
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.parquet"
        if asked.many:
            make(file, 50_000_000, 5_000_000)
            table(
                ["sync of 50 million rows"], [[run(command("sync", file, asked.limit), watch_memory=True)]], 5_000_000
            )
            return None
        make(file, asked.rows, asked.entities)
        for names in (["warehouse", *list(STATEMENTS)[:3]], ["sparse", "arg_max"], ["sync"], ["sync sparse"]):
            commands = [command(name, file, asked.limit) for name in names]
            table(names, interleaved(commands, times=asked.times), asked.entities)
            print()
    return None


if __name__ == "__main__":
    main()
