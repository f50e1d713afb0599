"""Measures a store in Redis and looks for torn and mixed snapshots: `python -m benchmarks.redis_store WHAT`.

`load` loads rows by two writers into a cluster of three, beside bare pipelined MSETs of the same bytes: a first load
where all rows are `new`, or one over a snapshot of which all rows are `changed` or `unchanged`. The latter count what
they change, so they are also shown beside MSETs and MGETs of as many bytes, which is the least that this needs.
`fetch` fetches an entity, beside a bare GET of the same bytes. `switches` switches snapshots while four readers read.
The servers are started here, and ended. Numbers depend on the machine; compare the two of each line.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any

from benchmarks.measure import cpu_seconds
from benchmarks.redis_servers import Server, cluster
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


@dataclass(frozen=True)
class Turn:
    """What one load took beside bare MSETs, and MGETs: seconds until it was written and served, and of processors."""

    written: float
    served: float
    bare: float
    bare_read: float
    client_cpu: float
    server_cpu: float
    bare_client_cpu: float
    bare_read_client_cpu: float
    bare_server_cpu: float


def write_part(writer: PartitionWriter, first: int, count: int, number: int) -> tuple[WrittenRows, float, float]:
    """What each of the two writers does, and the seconds that it takes, encoding included."""
    listed = list(rows(first, count, number))
    started, spent = time.perf_counter(), time.process_time()
    written = writer.write(listed)
    return written, time.perf_counter() - started, time.process_time() - spent


@dataclass(frozen=True)
class BarePart:
    """The seconds that bare MSETs took, and MGETs of the same keys, and those of the processor."""

    set: float
    set_cpu: float
    read: float
    read_cpu: float


def set_part(port: int, part: int, first: int, count: int) -> BarePart:
    """Set the same bytes by bare MSETs, as many keys at once as a bucket has, and read them, encoded before."""
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
    nodes = {name: client.get_redis_connection(client.get_node(node_name=name)) for name in by_node}
    keys_by_node = {name: [pairs[::2] for pairs in listed] for name, listed in by_node.items()}
    return BarePart(*_timed_commands(nodes, "MSET", by_node), *_timed_commands(nodes, "MGET", keys_by_node))


def _timed_commands(
    nodes: Mapping[str, Any], name: str, by_node: Mapping[str, Sequence[Sequence[bytes]]]
) -> tuple[float, float]:
    """The seconds that a command takes with all of some arguments, in pipelines, and those of the processor."""
    started, spent = time.perf_counter(), time.process_time()
    for at in itertools.count(0, 512):
        parts = {node: listed[at : at + 512] for node, listed in by_node.items() if listed[at : at + 512]}
        if not parts:
            break
        for node, chosen in parts.items():
            pipeline = nodes[node].pipeline(transaction=False)
            for arguments in chosen:
                pipeline.execute_command(name, *arguments)
            pipeline.execute()
    return time.perf_counter() - started, time.process_time() - spent


def measure_load(entities: int, repeats: int, kind: str) -> list[Turn]:
    """Loads by two writers of rows of one kind, and bare MSETs of as many bytes, in turns."""
    with cluster(3, 0, *SAVED) as servers, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(str, range(8)))
        store = store_of(servers[0])
        if kind != "new":
            store.load(VIEW, RowLoad(LAYOUT, rows(0, entities, 0), START, lambda: None))
        return [_load_once(servers, store, pool, entities, number, kind) for number in range(1, repeats + 1)]


def _load_once(
    servers: Sequence[Server], store: RedisStore, pool: ProcessPoolExecutor, entities: int, number: int, kind: str
) -> Turn:
    view, content = f"{VIEW}{number}" if kind == "new" else VIEW, number if kind == "changed" else 0
    half, load = entities // 2, RowLoad(LAYOUT, (), START + timedelta(days=number), lambda: None)
    firsts, counts = (0, half), (half, half)
    at_first = _server_seconds(servers)
    with store.begin_load(view, LAYOUT, load.synced_at) as session:
        parts = list(pool.map(write_part, [session.writer] * 2, firsts, counts, [content] * 2))
        written = max(seconds for _, seconds, _ in parts)
        started, spent = time.perf_counter(), time.process_time()
        changes = session.serve(load, sum((part for part, _, _ in parts), WrittenRows()))
        serving, client = time.perf_counter() - started, time.process_time() - spent
    assert getattr(changes, kind) == 2 * half, changes
    loaded = _server_seconds(servers)
    bare = list(pool.map(set_part, [servers[0].port] * 2, range(2), firsts, counts))
    return Turn(
        written,
        written + serving,
        max(part.set for part in bare),
        max(part.set + part.read for part in bare),
        client + sum(cpu for _, _, cpu in parts),
        loaded - at_first,
        sum(part.set_cpu for part in bare),
        sum(part.set_cpu + part.read_cpu for part in bare),
        _server_seconds(servers) - loaded,
    )


def _server_seconds(servers: Sequence[Server]) -> float:
    return sum(cpu_seconds(server.process.pid) for server in servers)


def load_text(entities: int, kind: str, turns: Sequence[Turn]) -> str:
    """What turns of loads show: medians, those of ratios turn by turn."""

    def middle(figure: Callable[[Turn], float]) -> float:
        return statistics.median(map(figure, turns))

    ratios = [turn.served / turn.bare for turn in turns]
    lines = [
        f"{entities:,} rows by two writers, all of them {kind}, {len(turns)} turns: written in "
        f"{middle(lambda turn: turn.written):.2f} s, served in {middle(lambda turn: turn.served):.2f} s; bare MSETs "
        f"{middle(lambda turn: turn.bare):.2f} s: {middle(lambda turn: turn.written / turn.bare):.2f} and "
        f"{statistics.median(ratios):.2f} times ({min(ratios):.2f} at least; must 3, aim 2)",
        f"CPU of clients {middle(lambda turn: turn.client_cpu):.2f} s, of nodes "
        f"{middle(lambda turn: turn.server_cpu):.2f} s; of bare MSETs {middle(lambda turn: turn.bare_client_cpu):.2f} "
        f"s, of MSETs and MGETs {middle(lambda turn: turn.bare_read_client_cpu):.2f} s, of nodes for both "
        f"{middle(lambda turn: turn.bare_server_cpu):.2f} s",
    ]
    if kind != "new":
        lines.append(
            f"bare MSETs and MGETs {middle(lambda turn: turn.bare_read):.2f} s: served in "
            f"{middle(lambda turn: turn.served / turn.bare_read):.2f} times"
        )
    return "\n".join(lines)


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
            ours.append(_milliseconds(lambda at=at: store.fetch(VIEW, [(f"e{at % 10_000:09}",)])))  # type: ignore[misc]
            others.append(_milliseconds(lambda: bare.get(key)))
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


def _milliseconds(deed: object) -> float:
    started = time.perf_counter()
    deed()  # type: ignore[operator]
    return (time.perf_counter() - started) * 1000


def _percentiles(times: Sequence[float]) -> str:
    return f"median {times[len(times) // 2]:.3f} ms, p99 {times[int(len(times) * 0.99)]:.3f} ms"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.redis_store", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("what", choices=("load", "fetch", "switches"))
    parser.add_argument("--rows", choices=("new", "changed", "unchanged"), default="new", help="of a load; default new")
    parser.add_argument("--entities", type=int, help="default 400,000 to load, else 2,000")
    parser.add_argument("--times", type=int, help="loads (default 5), fetches (10,000), switches (1,000)")
    options = parser.parse_args()
    entities = options.entities or (400_000 if options.what == "load" else 2_000)
    if options.what == "load":
        print(load_text(entities, options.rows, measure_load(entities, options.times or 5, options.rows)))
    elif options.what == "fetch":
        mine, others = measure_fetch(options.times or 10_000)
        ratio = mine[len(mine) // 2] / others[len(others) // 2]
        print(f"fetch {_percentiles(mine)}; bare GET {_percentiles(others)}: {ratio:.2f} times (p99 must 2 ms)")
    else:
        print(dict(measure_switches(options.times or 1_000, entities)), "(missing, torn, mixed, older: must 0)")


if __name__ == "__main__":
    main()
