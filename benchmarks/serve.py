"""Measures fetches from the server by REST beside a bare endpoint of Starlette: `python -m benchmarks.serve`.

The server is a process of its own, on one core where the system can say so, and the client speaks HTTP by bare sockets,
so that the figures are those of the server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import cpu_seconds

STORE = "projects/p/locations/l/featureOnlineStores/serving"
USERS = f"{STORE}/featureViews/users"
ENTITIES, FEATURES, CONNECTIONS = 10_000, 20, 32
SOURCE = {"uri": "bq://p.d.users", "entityIdColumns": ["user_id"]}
DOCUMENTS = [
    {"kind": "FeatureOnlineStore", "name": STORE, "type": "KEY_VALUE"},
    {"kind": "Source", "uri": SOURCE["uri"], "files": "users.json", "format": "JSON"},
    {"kind": "FeatureView", "name": USERS, "warehouseSource": SOURCE},
]
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
BARE = """
import pathlib, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
body = pathlib.Path(sys.argv[1]).read_bytes()
async def fetch(request):
    await request.body()
    return Response(body, media_type="application/json")
application = Starlette(routes=[Route("/{path:path}", fetch, methods=["POST"])])
uvicorn.run(application, port=int(sys.argv[2]), log_level="error")
"""
"""An endpoint that answers every request with the same bytes."""


def write_workspace(folder: Path) -> Path:
    """A workspace with a view of many users, in a new folder."""
    folder.mkdir()
    features = [f"feature_{at}" for at in range(FEATURES)]
    rows = ({"user_id": f"u{n}", **{name: n / (at + 3) for at, name in enumerate(features)}} for n in range(ENTITIES))
    (folder / "users.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in DOCUMENTS))
    return folder


@contextmanager
def serving(workspace: Path) -> Iterator[tuple[int, tuple[str, int]]]:
    """The process and the address of a server over a workspace whose view is synced; it ends with the block."""
    with tempfile.TemporaryDirectory(prefix="trialrun-serve-") as folder:
        ready = Path(folder, "ready.json")
        command = [sys.executable, "-m", "trialrun", "serve", "--ready-file", str(ready)]
        with process_on_one_core(command, workspace) as process:
            while not ready.exists():
                if process.poll() is not None:
                    raise SystemExit(f"the server ended with {process.returncode}")
                time.sleep(0.001)
            said = json.loads(ready.read_text())
            host, _, port = said["http"].removeprefix("http://").rpartition(":")
            Connection.to((host, int(port))).call(post(f"{USERS}:sync", {}))
            yield process.pid, (host, int(port))


@contextmanager
def process_on_one_core(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block."""
    pinned = ["taskset", "-c", str(CORES[0])] if len(CORES) > 1 and shutil.which("taskset") else []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    process = subprocess.Popen([*pinned, *command], cwd=folder, **quiet)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@dataclass
class Connection:
    """A kept connection, which sends one request after the other."""

    socket: socket.socket
    received: bytearray = field(default_factory=bytearray)

    @classmethod
    def to(cls, address: tuple[str, int]) -> Connection:
        made = socket.create_connection(address)
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


def post(path: str, body: Any) -> bytes:
    """A request as bytes."""
    content = json.dumps(body).encode()
    head = f"POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def fetch_request(number: int) -> bytes:
    """A request for the values of a user."""
    return post(f"{USERS}:fetchFeatureValues", {"dataKey": {"key": f"u{number}"}})


def fetch_row(folder: Path) -> str:
    """Fetches a second of a server on one core, in turns with an endpoint of Starlette that answers the same bytes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        bare_address = probe.getsockname()
    answer = folder / "answer.json"
    with serving(folder) as (pid, address):
        connection = Connection.to(address)
        answer.write_bytes(connection.call(fetch_request(1)))
        command = [sys.executable, "-c", BARE, str(answer), str(bare_address[1])]
        with process_on_one_core(command, folder) as bare:
            while socket.socket().connect_ex(bare_address):
                time.sleep(0.05)
            rounds = [(fetches_a_second(pid, address), fetches_a_second(bare.pid, bare_address)) for _ in range(3)]
        taken = sorted(_milliseconds(connection, fetch_request(number % ENTITIES)) for number in range(3000))
    ours, beside = (median(figures) for figures in zip(*rounds, strict=True))
    figures = f"{ours:,.0f} a second of its CPU; {taken[1500]:.2f} ms (p99 {taken[2970]:.2f})"
    return f"| REST fetches, {CONNECTIONS} connections, Starlette | {figures} | {beside / ours:.2f} times | 3 |"


def _milliseconds(connection: Connection, request: bytes) -> float:
    began = time.perf_counter()
    connection.call(request)
    return 1000 * (time.perf_counter() - began)


def fetches_a_second(process: int, address: tuple[str, int], seconds: float = 3) -> float:
    """How many fetches are answered in a second of the server's CPU."""
    dice, count = random.Random(2), 0
    requests = [fetch_request(dice.randrange(ENTITIES)) for _ in range(1000)]
    with selectors.DefaultSelector() as selector:
        for number in range(CONNECTIONS):
            connection = Connection.to(address)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.socket.sendall(requests[number])
        began, used = time.perf_counter(), cpu_seconds(process)
        while time.perf_counter() - began < seconds:
            for key, _ in selector.select(1.0):
                if key.data.response() is not None:
                    count += 1
                    key.data.socket.sendall(requests[count % len(requests)])
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    return count / (cpu_seconds(process) - used)


def main() -> None:
    """Print a Markdown table."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    print("| work | | beside | must |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="trialrun-serve-") as folder:
        print(fetch_row(write_workspace(Path(folder, "workspace"))))


if __name__ == "__main__":
    main()
