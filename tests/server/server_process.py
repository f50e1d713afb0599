"""A server as a process of its own, for tests of what a process alone has: ports, signals, connections."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import httpx

from tests.program import own_environment
from tests.service.service_fixture import DISHES, DOCUMENTS, ROWS

START_TIMEOUT = 60


def write_workspace(folder: Path) -> Path:
    """Write the small workspace of the tests of the services to a new folder: views of riders and dishes."""
    folder.mkdir()
    for name, rows in (("riders", ROWS), ("menu", DISHES)):
        (folder / f"{name}.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in DOCUMENTS))
    return folder


@dataclass
class RunningServer:
    """A server that answers, its addresses and its process."""

    process: subprocess.Popen[str]
    http: str
    grpc: str | None
    ready: dict[str, Any]
    ready_file: Path
    output: Path

    @property
    def port(self) -> int:
        """The port of HTTP."""
        return int(self.http.rpartition(":")[2])

    @property
    def log(self) -> str:
        """What it has written so far, to standard output and to standard error."""
        return self.output.read_text()

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response to a request, by a connection of its own."""
        with connect_client(self.http) as client:
            return client.request(method, path, **options)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it with a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


def connect_client(address: str) -> httpx.Client:
    """A client of a server, without the certificates for TLS: to read them takes 30 ms for each client."""
    return httpx.Client(base_url=address, timeout=30, verify=False)


@contextmanager
def start_server(
    workspace: Path, *arguments: str, grpc: bool = False, environment: dict[str, str] | None = None
) -> Iterator[RunningServer]:
    """A server over a workspace, on free ports, that answers; it ends with the block."""
    with TemporaryDirectory(prefix="trialrun-server-") as folder:
        ready_file, output = Path(folder, "ready.json"), Path(folder, "output.txt")
        command = [sys.executable, "-m", "trialrun", "serve", "--ready-file", str(ready_file)]
        command += ["--grpc-port", "0"] if grpc else []
        with output.open("w") as stream:
            process = _start([*command, *arguments], workspace, environment or {}, stream)
        try:
            ready = wait_until_ready(process, ready_file, output)
            yield RunningServer(process, ready["http"], ready["grpc"], ready, ready_file, output)
        finally:
            process.kill()
            process.wait(30)


def _start(command: list[str], workspace: Path, environment: dict[str, str], output: IO[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=workspace,
        env=own_environment(workspace) | environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_until_ready(process: subprocess.Popen[str], ready_file: Path, output: Path) -> dict[str, Any]:
    """The content of the ready file, once there is one."""
    end = time.monotonic() + START_TIMEOUT
    while not ready_file.exists():
        assert process.poll() is None, f"the server ended with {process.returncode}: {output.read_text()}"
        assert time.monotonic() < end, f"the server is not ready: {output.read_text()}"
        time.sleep(0.01)
    ready: dict[str, Any] = json.loads(ready_file.read_text())
    return ready
