"""Measures the server beside the same work in one process: `python -m benchmarks.serve`.

Each row is named in `ROWS`; `--only` takes some of them. The server is a process of its own, on one core where the
system can say so, and the client speaks HTTP by bare sockets, so that the figures are those of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import cpu_seconds

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "fixtures" / "workspaces" / "burger-brand"
STORES = "projects/p/locations/l/featureOnlineStores"
USERS, ITEMS = f"{STORES}/serving/featureViews/users", f"{STORES}/vectors/featureViews/items"
ENTITIES, FEATURES = 10_000, 20
CONNECTIONS = 32
NEIGHBORS = 10
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
USERS_DOCUMENTS = [
    {"kind": "FeatureOnlineStore", "name": f"{STORES}/serving", "type": "KEY_VALUE"},
    {"kind": "Source", "uri": "bq://p.d.users", "files": "users.json", "format": "JSON"},
    {
        "kind": "FeatureView",
        "name": USERS,
        "warehouseSource": {"uri": "bq://p.d.users", "entityIdColumns": ["user_id"]},
    },
]


@dataclass
class Server:
    """A server that answers, and its process."""

    process: subprocess.Popen[bytes]
    address: tuple[str, int]
    seconds: float
    """From its start to its ready file."""

    def memory(self, figure: str = "VmRSS") -> float:
        """The MiB that it has in memory, or the most that it ever had (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition(f"{figure}:")[2].split()[0]) / 1024


@contextmanager
def serving(
    workspace: Path, *arguments: str, core: int | None = None, log: int = subprocess.DEVNULL
) -> Iterator[Server]:
    """A server over a workspace, which ends with the block. Its log goes to `log`."""
    with tempfile.TemporaryDirectory(prefix="trialrun-serve-") as folder:
        ready = Path(folder, "ready.json")
        command = [sys.executable, "-m", "trialrun", "serve", "--ready-file", str(ready), *arguments]
        command = ["taskset", "-c", str(core), *command] if core is not None and shutil.which("taskset") else command
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=workspace, stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            while not ready.exists():
                if process.poll() is not None:
                    raise SystemExit(f"the server ended with {process.returncode}")
                time.sleep(0.001)
            seconds = time.perf_counter() - began
            host, _, port = json.loads(ready.read_text())["http"].removeprefix("http://").rpartition(":")
            yield Server(process, (host, int(port)), seconds)
        finally:
            process.kill()
            process.wait()


@dataclass
class Connection:
    """A kept connection, which sends one request after the other."""

    socket: socket.socket
    received: bytearray = field(default_factory=bytearray)

    @classmethod
    def to(cls, server: Server) -> Connection:
        """A connection to a server."""
        made = socket.create_connection(server.address)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(made)

    def call(self, request: bytes) -> bytes:
        """The body of the response to a request, which must have status 200."""
        self.socket.sendall(request)
        while (response := self.response()) is None:
            pass
        return response

    def response(self) -> bytes | None:
        """What a read adds to the response; its body, once it is whole."""
        self.received += self.socket.recv(262_144)
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return None
        length = int(head.lower().partition(b"content-length:")[2].split()[0])
        if len(body) < length:
            return None
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"refused: {bytes(body).decode()}")
        self.received.clear()
        return bytes(body)


def post(path: str, body: Any, *, method: str = "POST") -> bytes:
    """A request as bytes."""
    content = json.dumps(body).encode()
    head = f"{method} /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def fetch_request(number: int) -> bytes:
    """A request for the values of a user."""
    return post(f"{USERS}:fetchFeatureValues", {"dataKey": {"key": f"user_{number:06}"}})


def write_users(folder: Path) -> None:
    """A workspace with a view of many users."""
    with (folder / "users.json").open("w") as file:
        for number in range(ENTITIES):
            features = {f"feature_{place}": number / (place + 3) for place in range(FEATURES)}
            file.write(json.dumps({"user_id": f"user_{number:06}", **features}) + "\n")
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in USERS_DOCUMENTS))


def write_items(folder: Path, rows: int, dimension: int) -> None:
    """A workspace with a view of many vectors."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    vectors = np.random.default_rng(1).normal(size=(rows, dimension))
    table = pa.table({"item_id": pa.array(range(rows)), "embedding": pa.array(list(vectors))})
    pq.write_table(table, folder / "items.parquet")
    index = {"embeddingColumn": "embedding", "embeddingDimension": dimension, "treeAhConfig": {}}
    documents = [
        {"kind": "FeatureOnlineStore", "name": f"{STORES}/vectors", "type": "OPTIMIZED"},
        {"kind": "Source", "uri": "bq://p.d.items", "files": "items.parquet", "format": "PARQUET"},
        {
            "kind": "FeatureView",
            "name": ITEMS,
            "warehouseSource": {"uri": "bq://p.d.items", "entityIdColumns": ["item_id"]},
            "indexConfig": index,
        },
    ]
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))


@contextmanager
def synced_service(folder: Path, view: str) -> Iterator[Any]:
    """The service of a workspace in this process, with a view that is synced."""
    from trialrun.cli.workspace_options import dry_run_from_options
    from trialrun.runtime.clock import SystemClock
    from trialrun.service.feature_view import FeatureViewService, messages

    with chdir(folder):
        trial = dry_run_from_options({"isolated": True})
        service = FeatureViewService(trial.catalog, trial.stores.locations, clock=SystemClock(), options=trial.options)
        asyncio.run(service.sync(messages.SyncFeatureViewRequest(featureView=view)))
        yield service


def microseconds(work: Callable[[int], object], numbers: Sequence[int]) -> float:
    """The median time that a piece of work takes."""
    taken = []
    for number in numbers:
        began = time.perf_counter()
        work(number)
        taken.append(time.perf_counter() - began)
    return median(taken) * 1e6


def fetch_row(folder: Path) -> str:
    """One fetch by HTTP, beside the service and the store in this process."""
    from trialrun.service.feature_view import messages

    numbers = random.Random(1).choices(range(ENTITIES), k=3000)
    with serving(folder, core=CORES[0] if len(CORES) > 1 else None) as server:
        connection = Connection.to(server)
        connection.call(post(f"{USERS}:sync", {}))
        requests = [fetch_request(number) for number in range(ENTITIES)]
        microseconds(lambda number: connection.call(requests[number]), numbers[:500])
        by_http = microseconds(lambda number: connection.call(requests[number]), numbers)
    with synced_service(folder, USERS) as service, asyncio.Runner() as runner:

        def fetch(number: int) -> object:
            request = messages.FetchFeatureValuesRequest.model_validate(
                {"featureView": USERS, "dataKey": {"key": f"user_{number:06}"}}
            )
            return runner.run(service.fetch_feature_values(request))

        microseconds(fetch, numbers[:500])
        in_process = microseconds(fetch, numbers)
        store = service._operations._kept.store(USERS)
        bare = microseconds(lambda number: store.fetch(USERS, [(f"user_{number:06}",)]), numbers)
    figures = f"{by_http / 1000:.2f} ms | {in_process / 1000:.2f} ms by the service, {bare / 1000:.3f} ms by the store"
    return f"| fetch of one entity, kept connection, median | {figures} | 1.5 ms | 0.8 ms |"


def throughput_row(folder: Path) -> str:
    """Fetches a second of a server on one core, by many connections at once."""
    with serving(folder, core=CORES[0] if len(CORES) > 1 else None) as server:
        Connection.to(server).call(post(f"{USERS}:sync", {}))
        rates = [fetches_a_second(server, seconds) for seconds in (1.0, 3.0, 3.0, 3.0)][1:]
    by_clock, by_cpu = (median(rate) for rate in zip(*rates, strict=True))
    figures = f"{by_clock:,.0f} | {by_cpu:,.0f} a second of its CPU"
    return f"| fetches a second, one core, {CONNECTIONS} connections | {figures} | 1,200 | 2,500 |"


def fetches_a_second(server: Server, seconds: float) -> tuple[float, float]:
    """How many fetches are answered: in a second, and in one of the server's CPU."""
    dice = random.Random(2)
    requests = [fetch_request(dice.randrange(ENTITIES)) for _ in range(1000)]
    count = 0
    with selectors.DefaultSelector() as selector:
        for number in range(CONNECTIONS):
            connection = Connection.to(server)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.socket.sendall(requests[number])
        began, used = time.perf_counter(), cpu_seconds(server.process.pid)
        while (taken := time.perf_counter() - began) < seconds:
            for key, _ in selector.select(1.0):
                if key.data.response() is not None:
                    count += 1
                    key.data.socket.sendall(requests[count % len(requests)])
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    return count / taken, count / (cpu_seconds(server.process.pid) - used)


def search_row(folder: Path, queries: int = 300) -> str:
    """One search by HTTP, beside the service in this process."""
    import numpy as np

    from trialrun.service.feature_view import messages

    write_items(folder, 100_000, 128)
    vectors = [vector.tolist() for vector in np.random.default_rng(2).normal(size=(queries, 128))]
    bodies = [{"query": {"embedding": {"value": vector}, "neighborCount": NEIGHBORS}} for vector in vectors]
    requests = [post(f"{ITEMS}:searchNearestEntities", body) for body in bodies]
    with serving(folder) as server, synced_service(folder, ITEMS) as service, asyncio.Runner() as runner:
        connection = Connection.to(server)
        connection.call(post(f"{ITEMS}:sync", {}))

        def search(number: int) -> object:
            asked = {"featureView": ITEMS, **bodies[number]}
            return runner.run(
                service.search_nearest_entities(messages.SearchNearestEntitiesRequest.model_validate(asked))
            )

        pairs = []
        for turn in range(4):
            by_http = microseconds(lambda number: connection.call(requests[number]), range(queries))
            in_process = microseconds(search, range(queries))
            pairs += [(by_http, in_process)] if turn else []
    ratio = median(by_http / in_process for by_http, in_process in pairs)
    figures = f"{pairs[-1][0] / 1000:.2f} ms | {pairs[-1][1] / 1000:.2f} ms: {ratio:.2f} times"
    return f"| search among 100,000 × 128, tree | {figures} | 1.3 times | 1.15 |"


def start_row(folder: Path) -> str:
    """From the start of the process to the ready file, for the example workspace."""
    example = shutil.copytree(EXAMPLE, folder / "example")
    taken = []
    for _ in range(7):
        with serving(example) as server:
            taken.append(server.seconds)
    return f"| start to ready, the example workspace | {median(taken[1:]):.2f} s | | 1.2 s | 0.8 s |"


def memory_row(folder: Path, requests: int = 200_000) -> str:
    """The memory after many requests, beside that after some."""
    with serving(folder) as server:
        connection = Connection.to(server)
        connection.call(post(f"{USERS}:sync", {}))
        memory = []
        for number in range(requests):
            connection.call(fetch_request(number % ENTITIES))
            if number in (2_000, requests - 1):
                memory.append(server.memory())
    figures = f"{memory[1]:.0f} MiB | {memory[0]:.0f} MiB: {memory[1] / memory[0]:.2f} times"
    return f"| memory after {requests:,} requests, beside 2,000 | {figures} | 1.2 times | 1.05 |"


def changes_row(folder: Path, requests: int = 3_000) -> str:
    """The memory after many patches, which are kept in the store folder, beside that after some; how long one takes."""
    with serving(folder) as server:
        connection, memory, taken = Connection.to(server), [], []
        for number in range(requests):
            began = time.perf_counter()
            connection.call(post(f"{USERS}?updateMask=labels", {"labels": {"n": str(number)}}, method="PATCH"))
            taken.append(time.perf_counter() - began)
            if number in (500, requests - 1):
                memory.append(server.memory())
    figures = f"{memory[1]:.0f} MiB | {memory[0]:.0f} MiB: {memory[1] / memory[0]:.2f} times"
    return (
        f"| memory after {requests:,} patches of {median(taken) * 1000:.1f} ms, beside 500 | {figures} | 1.2 times | |"
    )


def large_bodies(size: int) -> dict[str, bytes]:
    """Bodies of some bytes, each of a form that is dear to read."""
    keys = ",".join(f'"k{number}":1' for number in range(size // 11))
    text = "x" * (size - 100)
    return {
        "unknown keys": f"{{{keys}}}".encode(),
        "one key in a message": f'{{"dataKey": {{{keys}}}}}'.encode(),
        "a long text": json.dumps({"dataKey": {"key": text}}).encode(),
        "escapes": b'{"dataKey": {"key": "' + b"\\u00e9" * (size // 6) + b'"}}',
        "small lists": b'{"dataKey": [' + b"[]," * (size // 3) + b"[]]}",
        "numbers": b'{"dataKey": [' + b"1.5," * (size // 4) + b"1]}",
    }


def freeze_row(folder: Path, size: int = 30_000_000) -> str:
    """The longest time in which a server answers nobody while it reads a large request, and its memory."""
    worst, most = ("", 0.0), ("", 0.0)
    for name, body in large_bodies(size).items():
        with serving(folder) as server:
            health = Connection.to(server)
            health.call(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            idle = server.memory()
            client = subprocess.Popen(
                [sys.executable, "-c", SEND, *map(str, server.address)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
            )
            sender = threading.Thread(target=client.communicate, args=(request_head(body) + body,))
            sender.start()
            gaps = [0.0]
            while sender.is_alive():
                began = time.perf_counter()
                health.call(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                gaps.append(time.perf_counter() - began)
                time.sleep(0.002)
            sender.join()
            worst = max(worst, (name, max(gaps)), key=lambda pair: pair[1])
            most = max(most, (name, server.memory("VmHWM") - idle), key=lambda pair: pair[1])
    figures = f"{worst[1]:.2f} s, {most[1]:.0f} MiB | of {worst[0]}; memory of {most[0]}"
    return f"| longest freeze by one request of {size // 1_000_000} MB; its memory | {figures} | 0.5 s, 300 MB | |"


SEND = """
import contextlib, socket, sys
data = sys.stdin.buffer.read()
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection, contextlib.suppress(ConnectionError):
    connection.sendall(data)  # it may be refused before all of it is sent
    connection.recv(65536)
"""
"""A client of its own, so that what it sends does not delay who asks for the health."""


def request_head(body: bytes) -> bytes:
    """The head of a fetch with a body."""
    head = f"POST /v1/{USERS}:fetchFeatureValues HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()


def unread_row(folder: Path, requests: int = 20_000) -> str:
    """Requests that are answered while nobody reads the log, and how long the server takes to end then."""
    reader, writer = os.pipe()
    with serving(folder, log=writer) as server:
        connection = Connection.to(server)
        connection.call(post(f"{USERS}:sync", {}))
        for number in range(requests):
            connection.call(fetch_request(number % ENTITIES))
        began = time.perf_counter()
        server.process.terminate()
        server.process.wait()
        ended = time.perf_counter() - began
    os.close(reader)
    os.close(writer)
    return f"| requests answered while nobody reads the log | {requests:,} | ends in {ended:.2f} s | 20,000, 1 s | |"


ROWS = {
    "start": start_row,
    "fetch": fetch_row,
    "throughput": throughput_row,
    "search": search_row,
    "memory": memory_row,
    "changes": changes_row,
    "freeze": freeze_row,
    "unread": unread_row,
}


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), help="the rows to measure")
    chosen = parser.parse_args().only
    print("| work | | beside | must | aim |\n|---|---|---|---|---|")
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="trialrun-serve-") as folder:
            write_users(Path(folder))
            print(ROWS[name](Path(folder)), flush=True)


if __name__ == "__main__":
    main()
