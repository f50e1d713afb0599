"""Explorations that the page asks for: they keep nobody waiting, neither clients nor the end of the server."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.server.server_process import RunningServer, start_server

WORKSPACE = Path(__file__).parents[2] / "fixtures" / "workspaces" / "burger-brand"
LONG = "/trialrun/v1/explore?store=austin-lamar&sessions=2000&turns=20"


@contextmanager
def explorations(server: RunningServer, number: int) -> Iterator[None]:
    """Many long explorations under way, of clients that hang up when the block is left."""
    with ExitStack() as stack:
        for _ in range(number):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(f"GET {LONG} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(number / 50)
        yield


@pytest.mark.exhaustive
@pytest.mark.parametrize(("number", "views", "advance"), [(8, "guest-profile.yaml", "1d"), (50, "*.yaml", "1s")])
def test_explorations_keep_nobody_waiting(tmp_path: Path, number: int, views: str, advance: str) -> None:
    """Nobody waits: not even the syncs of some views, which take several times as long beside them."""
    workspace = shutil.copytree(WORKSPACE, tmp_path / "workspace")
    kept = {*(workspace / "feature-views").glob(views)}
    for file in {*(workspace / "feature-views").iterdir()} - kept:
        file.unlink()
    with start_server(workspace, "--at", "2026-11-20", "--speed", "0", "--store", str(tmp_path / "store")) as server:
        server.send("GET", LONG.replace("sessions=2000", "sessions=1"))
        with explorations(server, number):
            start = time.monotonic()
            moved = server.send("POST", "/trialrun/v1/clock", json={"advance": advance}).json()
            assert (moved["complete"], moved["syncCount"] > 0) == (True, True)
            assert time.monotonic() - start < 10
        explored = server.send("GET", LONG.replace("sessions=2000", "sessions=1"))
        assert (explored.json()["sessions"], time.monotonic() - start < 20) == (1, True), "abandoned ones go on"
        with explorations(server, number):
            start = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - start < 5
