"""Measures the online store beside the bare statements of SQLite: `python -m benchmarks.serving`.

Loads entities, then fetches some of them by id, one at a time and by the hundred, in turns with a connection of its own
that runs the one statement on the same table and throws the rows away.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, RowLoad
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = ("DOUBLE", "DOUBLE", "DOUBLE", "INT64", "STRING")
MUST = 2.0
BATCH = 100


def layout(features: int) -> RowLayout:
    """A layout of features of the usual types."""
    columns = tuple(Column(f"feature_{place}", TYPES[place % len(TYPES)]) for place in range(features))  # type: ignore[arg-type]
    return RowLayout((Column("user_id", "STRING"),), columns)


def row(number: int, features: int) -> tuple[object, ...]:
    """The row of an entity."""
    values = (number / 3, number / 7, -float(number), number, f"region {number % 50}")
    return f"user_{number:08}", number, *(values[place % len(values)] for place in range(features))


def seconds(work: Callable[[], object], *, clock: Callable[[], float] = time.perf_counter) -> float:
    """How long something takes."""
    start = clock()
    work()
    return clock() - start


def loads(store: SqliteStore, entities: int, features: int, *, shuffled: bool) -> Iterator[tuple[str, float]]:
    """Load the entities, and load them again; the seconds of CPU of each. The rows are made before."""
    numbers = [*range(entities)]
    if shuffled:
        random.Random(1).shuffle(numbers)
    # Rows lie in memory in the order in which they come, as those of an engine do.
    rows = [row(number, features) for number in numbers]
    load = RowLoad(layout(features), rows, NOW, lambda: None)
    yield "first load", seconds(lambda: store.load(VIEW, load), clock=time.process_time)
    yield "the same again, compared", seconds(lambda: store.load(VIEW, load), clock=time.process_time)


def statement(folder: Path, features: int) -> tuple[sqlite3.Connection, str]:
    """A connection of its own, and the statement that selects an entity's values, without its end."""
    (file,) = folder.glob("*.db")
    columns = ", ".join(["k0", "m0", *(f"f{place}" for place in range(features))])
    return sqlite3.connect(file, isolation_level=None), f"SELECT {columns} FROM rows WHERE k0 "


def fetches(
    store: SqliteStore, folder: Path, ids: Sequence[Sequence[EntityId]], features: int
) -> list[tuple[float, float]]:
    """The seconds of each fetch, by the store and by the bare statement, in turns."""
    connection, beginning = statement(folder, features)
    bare = f"{beginning} IN ({', '.join('?' * len(ids[0]))})" if len(ids[0]) > 1 else f"{beginning} = ?"
    both = []
    for turn, some in enumerate(ids):
        keys = [id[0] for id in some]
        works: list[Callable[[], object]] = [partial(store.fetch, VIEW, some), partial(whole, connection, bare, keys)]
        # Whoever comes first finds the row in no cache of the processor, so each does so every other time.
        took = [seconds(work) for work in works[:: 1 - 2 * (turn % 2)]]
        both.append((took[turn % 2], took[1 - turn % 2]))
    return both


def whole(connection: sqlite3.Connection, statement: str, keys: Sequence[object]) -> list[object]:
    """All rows of a statement."""
    return connection.execute(statement, keys).fetchall()


def told(what: str, both: Sequence[tuple[float, float]]) -> str:
    """A line of the medians and the slowest hundredth, with the ratios."""
    ours, bare = (sorted(one) for one in zip(*both, strict=True))
    figures = []
    for name, place in (("p50", len(ours) // 2), ("p99", len(ours) * 99 // 100)):
        a, b = ours[place] * 1e6, bare[place] * 1e6
        figures.append(f"{name} {a:.1f} µs to {b:.1f} µs: {a / b:.2f}")
    return f"{what}: {', '.join(figures)} (must {MUST})"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--entities", type=int, default=1_000_000, help="entities (default 1,000,000)")
    parser.add_argument("--features", type=int, default=20, help="features of each (default 20)")
    parser.add_argument("--fetches", type=int, default=20_000, help="fetches of one entity (default 20,000)")
    parser.add_argument("--shuffled", action="store_true", help="rows come in no order")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name)
        store = SqliteStore(folder)
        for what, took in loads(store, options.entities, options.features, shuffled=options.shuffled):
            print(f"{what}: {took:.2f} s of CPU, {options.entities / took:,.0f} entities a second")
        dice = random.Random(2)
        ids: list[EntityId] = [(f"user_{dice.randrange(options.entities):08}",) for _ in range(options.fetches)]
        print(told("one entity", fetches(store, folder, [[id] for id in ids], options.features)))
        some = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
        print(told(f"{BATCH} entities", fetches(store, folder, some, options.features)))


if __name__ == "__main__":
    main()
