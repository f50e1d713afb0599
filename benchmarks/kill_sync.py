"""Kills syncs at random moments and looks for lost or mixed snapshots: `python -m benchmarks.kill_sync`.

A process syncs a view of two tables in turns, again and again, until it is killed. Each row says which of the two it is
from, and each table has entities that the other one has not. Beside it this process reads by id and whole, and writes
directly. Mixed is any answer with rows of both tables, or with fewer rows than a table has; lost is a sync that had
ended, or a direct write, that is not served after a kill.
"""

from __future__ import annotations

import argparse
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from timeit import timeit
from typing import Any

import duckdb

from trialrun.diagnostic import Range
from trialrun.model.companion import Source
from trialrun.model.feature_view import FeatureView, WarehouseSource
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.store.interface import DirectWrite, NeverSynced
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.text import Position

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
START = datetime(2026, 1, 1, tzinfo=UTC)
ENTITY = "0000001"
"""An entity of both tables, which is written directly."""


def ids(side: int, entities: int) -> Iterator[str]:
    """The entity ids of one of the two tables: every other one, and the first few."""
    return (f"{number:07}" for number in range(2 * entities) if number < 10 or number % 2 == side)


def write_tables(folder: Path, entities: int) -> None:
    """Write the two tables as Parquet files."""
    for side in (0, 1):
        vector = ", ".join([f"{side}::DOUBLE"] * 8)
        duckdb.execute(
            f"COPY (SELECT printf('%07d', n) AS id, {side} AS side, 'text ' || id AS text, [{vector}] AS vector, "
            f"NULL::BIGINT AS written, TIMESTAMP '2026-01-01' AS feature_timestamp FROM range({2 * entities}) t(n) "
            f"WHERE n < 10 OR n % 2 = {side}) TO '{folder}/{side}.parquet'"
        )


def sync(folder: Path, store: SqliteStore, number: int) -> None:
    """Sync one of the tables as the program does."""

    def declared(node: Any) -> DeclaredResource[Any]:
        return DeclaredResource(node, "document.yaml", str(folder), 0, lambda _: Range(Position(1, 1), Position(1, 1)))

    source = Source(uri="bq://p.d.t", files=f"{number % 2}.parquet")
    view = FeatureView(name=VIEW, warehouseSource=WarehouseSource(uri="bq://p.d.t", entityIdColumns=["id"]))
    catalog, clock = Catalog(sources=[declared(source)]), FixedClock(START + timedelta(days=number))
    sync_view(declared(view), catalog, store, clock=clock)


def sync_forever(folder: Path) -> None:
    """Sync the two tables in turns, and say the number of each snapshot when it is served."""
    store = SqliteStore(folder / "store")
    last = store.snapshot(VIEW)
    print("ready", flush=True)
    for number in itertools.count(last.number + 1 if last else 1):
        sync(folder, store, number)
        print(number, flush=True)


class Watch:
    """What a reader saw, beside what it must see."""

    def __init__(self, folder: Path, entities: int) -> None:
        self.folder = folder
        self.store = SqliteStore(folder / "store")
        self.asked = [(f"{number:07}",) for number in range(0, 2 * entities, max(1, entities // 50))]
        self.whole = [sorted(ids(side, entities)) for side in (0, 1)]
        self.counts: Counter[str] = Counter()
        self.ended = 0
        self.written = 0

    def look(self) -> None:
        """Read some entities, all of them, and write to one."""
        try:
            fetched = [(entity.id[0], entity.values["side"]) for entity in self.store.fetch(VIEW, self.asked) if entity]
            scanned = [(id[0], side) for id, side in self.store.scan(VIEW, ["side"])]  # type: ignore[index]
        except NeverSynced:
            self.counts["lost snapshots"] += 1
            return
        self.counts["answers"] += 2
        self.counts["mixed"] += self.is_mixed(scanned) + (len({side for _, side in fetched}) != 1)
        self.write()

    def is_mixed(self, scanned: Iterable[tuple[object, object]]) -> bool:
        """Whether rows are not exactly those of one of the tables."""
        found = [*scanned]
        sides = {side for _, side in found}
        return len(sides) != 1 or [id for id, _ in found] != self.whole[int(str(sides.pop()))]

    def write(self) -> None:
        """Write another value; it must be served from then on."""
        at = START + timedelta(microseconds=1 + self.written)
        (is_served,) = self.store.write(VIEW, [DirectWrite((ENTITY,), "written", self.written + 1, at)], now=at)
        self.written += is_served
        self.counts["lost writes"] += not is_served

    def after_kill(self) -> None:
        """What is served after a kill, to a process that comes new."""
        self.store = SqliteStore(self.folder / "store")
        snapshot = self.store.snapshot(VIEW)
        number = snapshot.number if snapshot else 0
        self.counts["lost snapshots"] += number not in (self.ended, self.ended + 1)
        self.ended = number
        if not snapshot:
            return
        scanned = [(id[0], side) for id, side in self.store.scan(VIEW, ["side"])]  # type: ignore[index]
        self.counts["mixed"] += self.is_mixed(scanned) or {side for _, side in scanned} != {number % 2}
        (one,) = self.store.fetch(VIEW, [(ENTITY,)])
        self.counts["lost writes"] += (one.values["written"] if one else None) != (self.written or None)


def kill(folder: Path, watch: Watch, seconds: float, command: list[str]) -> None:
    """Start syncing, read beside it for a while, and kill it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            watch.look()
        process.kill()
        said = process.stdout.read().split("\n")[:-1]
    watch.ended = max([watch.ended, *map(int, said)])
    watch.after_kill()


def run(kills: int, entities: int, *, seed: int, longest: float | None) -> Counter[str]:
    """Kill that many times; what was counted."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="trialrun-kill-") as name:
        folder = Path(name)
        command = [sys.executable, "-m", "benchmarks.kill_sync", "--folder", name]
        watch = Watch(folder, entities)
        write_tables(folder, entities)
        took = timeit(lambda: sync(folder, watch.store, 1), number=1)
        watch.ended = 1
        for _ in range(kills):
            kill(folder, watch, dice.random() * (longest or 4 * took), command)
        watch.counts["syncs"] = watch.ended
        watch.counts["writes"] = watch.written
        return watch.counts


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kills", type=int, default=200, help="how many syncs are killed (default 200)")
    parser.add_argument("--entities", type=int, default=20_000, help="entities of each table (default 20,000)")
    parser.add_argument("--longest", type=float, help="seconds until a kill, at most (default: four syncs)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        sync_forever(options.folder)
    counts = run(options.kills, options.entities, seed=options.seed, longest=options.longest)
    lost = f"{counts['lost snapshots']} lost snapshots, {counts['lost writes']} lost writes, {counts['mixed']} mixed"
    seen = f"{counts['syncs']} snapshots served, {counts['writes']} writes, {counts['answers']} answers read"
    print(f"{options.kills} kills: {lost} (must 0); {seen}")


if __name__ == "__main__":
    main()
