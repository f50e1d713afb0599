"""Kills nodes of Redis, writers and drivers of syncs, and looks for what is lost: `python -m benchmarks.redis_kills`.

Three masters have a replica each, which keep everything (`appendonly yes`, `appendfsync always`). A driver loads one
snapshot after another by two writers, each a process; in turns a master, a writer or the driver is killed, while
another process reads, and writes values directly. A snapshot counts once its load has returned, a write once it was
answered, which is after WAIT 1. Nothing of both may be lost, and no answer may be of two snapshots.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from datetime import timedelta
from multiprocessing import active_children, get_context

from benchmarks.redis_store import LAYOUT, SAFE, START, VIEW, rows, write_part
from tests.redis_servers import Server, cluster, wait_until_whole
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.interface import DirectWrite, NeverSynced, RowLoad
from trialrun.runtime.feature_view.store.redis.load_session import WrittenRows
from trialrun.runtime.feature_view.store.redis.nodes import parse_address
from trialrun.runtime.feature_view.store.redis.store import RedisStore

VICTIMS = ("node", "writer", "driver")


def load_forever(address: str, entities: int) -> None:
    """Load snapshots one after another by two writers; print the writers, and each snapshot that is served."""
    store = RedisStore(parse_address(address, {}))
    while True:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            list(pool.map(time.sleep, [0.1, 0.1]))
            print("writers", *(child.pid for child in active_children()), flush=True)
            with suppress(BrokenProcessPool):  # a writer was killed
                while True:
                    _load_once(store, pool, entities)


def _load_once(store: RedisStore, pool: ProcessPoolExecutor, entities: int) -> None:
    half = entities // 2
    try:
        snapshot = store.snapshot(VIEW)
        number = snapshot.number + 1 if snapshot else 1
        load = RowLoad(LAYOUT, (), START + timedelta(seconds=number), lambda: None)
        with store.begin_load(VIEW, LAYOUT, load.synced_at) as session:
            parts = pool.map(write_part, [session.writer] * 2, (0, half), (half, entities - half), [number] * 2)
            session.serve(load, sum(parts, WrittenRows()))
        print(number, flush=True)
    except StoreError:
        time.sleep(0.1)


class Witness:
    """What a process that reads and writes beside kills saw, and what it must find again."""

    def __init__(self, store: RedisStore, entities: int) -> None:
        self.store, self.entities, self.counts = store, entities, Counter[str]()
        self.written, self.served = 0, 1

    def look(self) -> None:
        """Read some entities, and write to one that no sync has."""
        try:
            found = self.store.fetch(VIEW, [(f"e{at:09}",) for at in range(0, 100, 7)])
            self.counts["mixed"] += None in found or len({one.values["number"] for one in found if one}) != 1
            self.counts["answers"] += 1
            at = START - timedelta(days=1) + timedelta(microseconds=self.written + 1)
            self.store.write(VIEW, [DirectWrite(("written",), "number", self.written + 1, at)], now=at)
            self.written += 1
        except StoreError:
            self.counts["refused"] += 1
        except NeverSynced:
            self.counts["lost snapshots"] += 1

    def look_again(self, loaded: Iterable[int]) -> None:
        """Look for the snapshots that were loaded and the values that were written, when the nodes are whole again."""
        expected = max([self.served, *loaded])
        snapshot = self.store.snapshot(VIEW)
        number = snapshot.number if snapshot else 0
        self.counts["lost snapshots"] += number < expected
        scanned = [(id, value) for id, value in self.store.scan(VIEW, ["number"]) if id != ("written",)]
        self.counts["mixed"] += {value for _, value in scanned} != {number} or len(scanned) != self.entities
        (entity,) = self.store.fetch(VIEW, [("written",)])
        value = int(str(entity.values["number"])) if entity else 0
        self.counts["lost writes"] += value < self.written
        self.served, self.written = max(expected, number), max(value, self.written)


def count_losses(kills: int, entities: int, *, seed: int = 1) -> Counter[str]:
    """Kill masters, writers and drivers in turns; what was lost."""
    dice = random.Random(seed)
    with cluster(3, 1, *SAFE) as servers:
        nodes = ",".join(f"127.0.0.1:{server.port}" for server in servers)
        store = RedisStore(parse_address(f"redis://{nodes}", {}))
        store.load(VIEW, RowLoad(LAYOUT, rows(0, entities, 1), START, lambda: None))
        witness = Witness(store, entities)
        for kill in range(kills):
            victim = VICTIMS[kill % len(VICTIMS)]
            witness.look_again(_kill_once(servers, witness, dice, victim))
            witness.counts[f"kills of a {victim}"] += 1
        return witness.counts + Counter(kills=kills, snapshots=witness.served, writes=witness.written)


def _kill_once(servers: Sequence[Server], witness: Witness, dice: random.Random, victim: str) -> list[int]:
    """Load by a driver and its writers, kill one of all, wait until nodes are whole; which snapshots were served."""
    address = str(witness.store._nodes.address)
    command = [sys.executable, "-m", "benchmarks.redis_kills", "--entities", str(witness.entities), "--load", address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as driver:
        try:
            assert driver.stdout
            writers = [int(word) for word in driver.stdout.readline().split()[1:]]
            _look_for(witness, dice.random() * 1.5)
            if victim == "node":
                chosen = dice.choice([server for server in servers if server.is_master()])
                chosen.kill()
                _look_for(witness, 4 + dice.random())
                chosen.start_again()
                chosen.wait_until_up()
                wait_until_whole(servers)
            elif victim == "writer":
                os.kill(dice.choice(writers), signal.SIGKILL)
                _look_for(witness, 1.5)
            else:
                driver.kill()
        finally:
            os.killpg(driver.pid, signal.SIGKILL)  # its writers, too
        return [int(line) for line in driver.stdout.read().split("\n") if line.isdecimal()]


def _look_for(witness: Witness, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        witness.look()


def main() -> None:
    """Kill as often as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--times", type=int, default=100, help="kills (default 100)")
    parser.add_argument("--entities", type=int, default=2_000, help="entities of a snapshot (default 2,000)")
    parser.add_argument("--load", metavar="ADDRESS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        load_forever(options.load, options.entities)
    print(dict(count_losses(options.times, options.entities)), "(lost snapshots, lost writes, mixed: must 0)")


if __name__ == "__main__":
    main()
