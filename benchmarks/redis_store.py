"""Measures a store in Redis and looks for torn and mixed snapshots: `python -m benchmarks.redis_store WHAT`.

`load` loads rows by two writers into a cluster of three, beside bare pipelined MSETs of the same bytes: a first load
where all rows are `new`, or one over a snapshot of which all rows are `changed` or `unchanged`; to count these needs
MSETs and MGETs at least, so it is shown beside both.
`fetch` fetches an entity, beside a bare GET of the same bytes. `switches` switches snapshots while four readers read.
The servers are started here, and ended. Numbers depend on the machine; compare the two of each line.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from statistics import median

from tests.redis_servers import Server, cluster
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import RowLayout, RowLoad
from trialrun.runtime.feature_view.store.redis.load_session import PartitionWriter, WrittenRows
from trialrun.runtime.feature_view.store.redis.nodes import parse_address
from trialrun.runtime.feature_view.store.redis.row_codec import bucket_of, row_codec
from trialrun.runtime.feature_view.store.redis.store import RedisStore

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
START = datetime(2026, 1, 1, tzinfo=UTC)
SAVED = ("--save", "3600 1 300 100 60 10000")
"""The persistence that a server has unless it is told otherwise."""
SAFE = ("--appendonly", "yes", "--appendfsync", "always")
LAYOUT = RowLayout(
    (Column("id", "STRING"),),
    (
        Column("number", "INT64"),
        *(Column(f"amount{at}", "DOUBLE") for at in range(6)),
        Column("name", "STRING"),
        Column("city", "STRING"),
        Column("is_new", "BOOL"),
        Column("seen", "TIMESTAMP"),
    ),
)
Row = tuple[object, ...]


def rows(first: int, count: int, number: int = 1) -> Iterator[Row]:
    """Rows of eleven features, 160 bytes each."""
    for at in range(first, first + count):
        amounts = (at * 0.5, 1.5, at / 7, 0.0, -1.0, 1e9)
        yield (f"e{at:09}", 1_767_225_600_000_000, number, *amounts, f"name of {at}", "Berlin", at % 2 == 0, at)


def store_of(server: Server, **options: float) -> RedisStore:
    """The store of a cluster."""
    return RedisStore(parse_address(f"redis://127.0.0.1:{server.port}", {}), **options)


def write_part(writer: PartitionWriter, first: int, count: int, number: int) -> WrittenRows:
    """What each of two writers of a load does."""
    return writer.write(rows(first, count, number))


def set_part(port: int, part: int, first: int, count: int) -> tuple[float, float]:
    """The seconds of bare MSETs of the same bytes, encoded before, a bucket's keys at once; and of MGETs of these."""
    import redis.cluster

    client = redis.cluster.RedisCluster(host="127.0.0.1", port=port)
    listed = list(rows(first, count))
    by_bucket: dict[int, list[bytes]] = {}
    for row, value in zip(listed, row_codec(LAYOUT).encode(listed, 0), strict=True):
        field = str(row[0]).encode()
        bucket = bucket_of(field)
        by_bucket.setdefault(bucket, []).extend((b"bare:{%d}:%d:%b" % (bucket, part, field), value))
    by_node: dict[str, list[list[bytes]]] = {}
    for pairs in by_bucket.values():
        by_node.setdefault(client.get_node_from_key(pairs[0]).name, []).append(pairs)
    taken = []
    for name, step in (("MSET", 1), ("MGET", 2)):
        started = time.perf_counter()
        for at in range(0, max(map(len, by_node.values())), 512):
            for node, chosen in by_node.items():
                pipeline = client.get_redis_connection(client.get_node(node_name=node)).pipeline(transaction=False)
                for pairs in chosen[at : at + 512]:
                    pipeline.execute_command(name, *pairs[::step])
                pipeline.execute()
        taken.append(time.perf_counter() - started)
    return taken[0], taken[1]


def measure_load(entities: int, repeats: int, kind: str) -> Iterator[tuple[float, float, float]]:
    """In turns: the seconds until a load by two writers is served, those of bare MSETs, and of MSETs and MGETs."""
    half = entities // 2
    with cluster(3, 0, *SAVED) as servers, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(str, range(8)))
        store = store_of(servers[0])
        if kind != "new":
            store.load(VIEW, RowLoad(LAYOUT, rows(0, entities, 0), START, lambda: None))
        for number in range(1, repeats + 1):
            view, content = f"{VIEW}{number}" if kind == "new" else VIEW, number if kind == "changed" else 0
            load = RowLoad(LAYOUT, (), START + timedelta(days=number), lambda: None)
            started = time.perf_counter()
            with store.begin_load(view, LAYOUT, load.synced_at) as session:
                parts = pool.map(write_part, [session.writer] * 2, (0, half), (half, half), [content] * 2)
                changes = session.serve(load, sum(parts, WrittenRows()))
            served = time.perf_counter() - started
            assert getattr(changes, kind) == 2 * half, changes
            bare = list(pool.map(set_part, [servers[0].port] * 2, range(2), (0, half), (half, half)))
            yield served, max(written for written, _ in bare), max(map(sum, bare))


def measure_fetch(count: int) -> tuple[list[float], list[float]]:
    """The milliseconds of fetches of an entity, and of bare GETs of the same bytes, sorted; in turns."""
    import redis.cluster

    with cluster(3) as servers:
        store = store_of(servers[0])
        store.load(VIEW, RowLoad(LAYOUT, rows(0, 10_000), START, lambda: None))
        (row,), key = row_codec(LAYOUT).encode(list(rows(7, 1)), 0), b"bare:{7}:e7"
        node = redis.cluster.RedisCluster(host="127.0.0.1", port=servers[0].port).get_node_from_key(key)
        bare = redis.Redis(node.host, node.port)
        bare.set(key, row)
        ours, others = [], []
        for at in range(count):
            started = time.perf_counter()
            store.fetch(VIEW, [(f"e{at % 10_000:09}",)])
            between = time.perf_counter()
            bare.get(key)
            others.append(1000 * (time.perf_counter() - between))
            ours.append(1000 * (between - started))
        return sorted(ours), sorted(others)


def watch(address: str, entities: int, over: Event) -> Counter[str]:
    """Read beside switches: each answer must be whole, of one snapshot, and of none older than the one before."""
    store, dice, counts, last = RedisStore(parse_address(address, {})), random.Random(), Counter[str](), 0
    while not over.is_set():
        asked = [(f"e{dice.randrange(entities):09}",) for _ in range(20)]
        found = store.fetch(VIEW, asked)
        numbers = {one.values["number"] for one in found if one}
        counts["reads"] += 1
        counts["missing"] += sum(one is None for one in found)
        counts["mixed"] += len(numbers) > 1
        counts["older"] += int(str(min(numbers, default=last))) < last  # type: ignore[type-var]
        counts["torn"] += sum(
            one is not None and one.values["name"] != f"name of {int(str(one.id[0])[1:])}" for one in found
        )
        last = max(last, *map(int, map(str, numbers)))
    return counts


def measure_switches(switches: int, entities: int, readers: int = 4) -> Counter[str]:
    """What readers in processes of their own saw while snapshots were switched."""
    context = get_context("spawn")
    with cluster(3) as servers, context.Manager() as manager:
        store, over = store_of(servers[0]), manager.Event()
        store.load(VIEW, RowLoad(LAYOUT, rows(0, entities, 0), START, lambda: None))
        with ProcessPoolExecutor(readers, mp_context=context) as pool:
            address = str(store._nodes.address)
            seen = [pool.submit(watch, address, entities, over) for _ in range(readers)]
            for number in range(1, switches + 1):
                at = START + timedelta(seconds=number)
                store.load(VIEW, RowLoad(LAYOUT, rows(0, entities, number), at, lambda: None))
            over.set()
            return sum((one.result() for one in seen), Counter(switches=switches))


def _percentiles(times: Sequence[float]) -> str:
    return f"median {times[len(times) // 2]:.3f} ms, p99 {times[int(len(times) * 0.99)]:.3f} ms"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("load", "fetch", "switches"))
    parser.add_argument("--rows", choices=("new", "changed", "unchanged"), default="new", help="of a load; default new")
    parser.add_argument("--entities", type=int, help="default 400,000 to load, else 2,000")
    parser.add_argument("--times", type=int, help="loads (default 5), fetches (10,000), switches (1,000)")
    options = parser.parse_args()
    entities = options.entities or (400_000 if options.what == "load" else 2_000)
    if options.what == "load":
        turns = list(measure_load(entities, options.times or 5, options.rows))
        by_sets, by_both = ([turn[0] / turn[at] for turn in turns] for at in (1, 2))
        print(
            f"{entities:,} rows by two writers, all of them {options.rows}, {len(turns)} turns: served in "
            f"{median(turn[0] for turn in turns):.2f} s; beside MSETs {median(by_sets):.2f} times (least "
            f"{min(by_sets):.2f}; must 3, aim 2), beside MSETs and MGETs {median(by_both):.2f}"
        )
    elif options.what == "fetch":
        mine, others = measure_fetch(options.times or 10_000)
        ratio = mine[len(mine) // 2] / others[len(others) // 2]
        print(f"fetch {_percentiles(mine)}; bare GET {_percentiles(others)}: {ratio:.2f} times (p99 must 2 ms)")
    else:
        print(dict(measure_switches(options.times or 1_000, entities)), "(missing, torn, mixed, older: must 0)")


if __name__ == "__main__":
    main()
