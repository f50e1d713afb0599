"""A server of its own for tests: started, controlled and ended by the process that tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from trialrun.extras import install_command

CONTROL = "/trialrun/v1"
START_TIMEOUT = 60.0
END_TIMEOUT = 10.0
REQUEST_TIMEOUT = 600.0
LOG_LINES_SHOWN = 30
NOT_INHERITED = ("TRIALRUN_TOKEN",)
"""Variables of the tests' environment that the server does not get: it listens to this machine alone."""


class ServerFailed(Exception):
    """A server ended before it answered; the message has the end of its log."""


class RequestRefused(Exception):
    """The server refuses a request about itself, such as a time that is gone; `reason` is one word."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class ClockMove:
    """What a change of the clock came to: the time now, and the syncs that were made on the way."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.now = _parse_time(answer["now"])
        self.sync_count: int = answer["syncCount"]
        self.failed_count: int = answer["failedCount"]
        self.is_complete: bool = answer["complete"]
        self.syncs: Sequence[Mapping[str, Any]] = answer["syncs"]


class Fault:
    """A fault that is set on a server until it is removed, or until its `with` block ends."""

    def __init__(self, server: Server, id: str) -> None:
        self._server, self.id = server, id

    @property
    def happened(self) -> int:
        """How often it happened so far."""
        count: int = self._server.request("GET", f"{CONTROL}/faults/{self.id}")["happenedCount"]
        return count

    def remove(self) -> None:
        """Take it back."""
        self._server.request("DELETE", f"{CONTROL}/faults/{self.id}")

    def __enter__(self) -> Fault:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Server:
    """A server that answers: where, how clients are pointed at it, its clock and its faults.

    `http` is a URL, `grpc` is HOST:PORT, None where it does not listen for gRPC; `environment` has the variables that
    the server prints.
    """

    def __init__(self, ready: Mapping[str, Any], log_file: Path) -> None:
        self.http: str = ready["http"]
        self.grpc: str | None = ready["grpc"]
        self.environment: dict[str, str] = dict(ready["environment"])
        self.process_id: int = ready["pid"]
        self._log_file = log_file
        self._opener = build_opener(ProxyHandler({}))  # a proxy of the environment is not for this machine

    @property
    def log(self) -> str:
        """What the server has written so far."""
        return self._log_file.read_text(encoding="utf-8", errors="replace")

    def rest_options(self) -> dict[str, Any]:
        """Arguments for the vendor's Python clients by REST: `FeatureOnlineStoreServiceClient(**...)`."""
        credentials = import_module("google.auth.credentials").AnonymousCredentials()  # a library of the client
        return {"transport": "rest", "client_options": {"api_endpoint": self.http}, "credentials": credentials}

    def grpc_channel(self) -> Any:
        """A channel for clients by gRPC: `Client(transport=Client.get_transport_class("grpc")(channel=...))`."""
        if self.grpc is None:
            raise ServerFailed(
                f"the server does not listen for gRPC; run {install_command('grpc')}, or start it with grpc=True"
            )
        options = [("grpc.enable_http_proxy", 0)]  # as for HTTP, a proxy of the environment is not for this machine
        return import_module("grpc").insecure_channel(self.grpc, options)

    def now(self) -> datetime:
        """The time of the server."""
        return _parse_time(self.request("GET", f"{CONTROL}/clock")["now"])

    def advance(self, by: timedelta | float | str) -> ClockMove:
        """Move the clock on by a time, of seconds or such as "12h", and make the syncs that are due until then.

        By 0, make those that are due now. Raises RequestRefused.
        """
        if isinstance(by, timedelta):
            by = by.total_seconds()
        return self._move({"advance": by if isinstance(by, str) else f"{by:.6f}s"})

    def set_time(self, time: datetime | str) -> ClockMove:
        """Move the clock to a time, such as "2026-03-01T06:00:00Z", as `advance` does. Raises RequestRefused."""
        return self._move({"time": time if isinstance(time, str) else time.astimezone(UTC).isoformat()})

    def set_speed(self, speed: float) -> ClockMove:
        """Have the clock move so many seconds in one; 0 stands still."""
        return self._move({"speed": speed})

    def fault(self, operation: str = "*", **fault: Any) -> Fault:
        """Have calls of an operation fail or wait: `fault("FetchFeatureValues", status="UNAVAILABLE", nth=2)`.

        The names are those of `POST /trialrun/v1/faults`. Raises RequestRefused.
        """
        answer = self.request("POST", f"{CONTROL}/faults", {"operation": operation, **fault})
        return Fault(self, answer["id"])

    def clear_faults(self) -> None:
        """Take back all faults."""
        self.request("DELETE", f"{CONTROL}/faults")

    def request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The JSON object that a request by HTTP is answered with. Raises RequestRefused."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        request = Request(self.http + quote(path, safe="/:?&=%*"), data, headers, method=method)
        try:
            with self._opener.open(request, timeout=REQUEST_TIMEOUT) as response:
                answer: dict[str, Any] = json.load(response)
        except HTTPError as error:
            try:
                refusal = json.load(error)["error"]
                message, details = refusal["message"], refusal["details"]
                reason = next((detail["reason"] for detail in details if "reason" in detail), "")
            except (ValueError, KeyError, TypeError):
                message, reason = f"the server answers {error.code}", ""
            raise RequestRefused(message, reason) from None
        return answer

    def _move(self, change: dict[str, Any]) -> ClockMove:
        return ClockMove(self.request("POST", f"{CONTROL}/clock", change))


@contextmanager
def serve(
    workspace: str | os.PathLike[str] = ".",
    *,
    at: datetime | str | None = None,
    speed: float = 0,
    dialect: str | None = None,
    store: str | os.PathLike[str] | None = None,
    grpc: bool | None = None,
    arguments: Sequence[str] = (),
) -> Iterator[Server]:
    """A server over a workspace, on free ports of this machine, until the block ends.

    It begins at a time (now), and its clock stands still unless it is given a speed. What clients create is kept in a
    folder of its own, gone with the server, or in `store`. It listens for gRPC where trialrun[grpc] is installed.
    `arguments` are further ones of `trialrun serve`. The views that are due are synced before the block begins. Raises
    ServerFailed.
    """
    with TemporaryDirectory(prefix="trialrun-serve-", ignore_cleanup_errors=True) as folder:
        ready_file, log_file = Path(folder, "ready.json"), Path(folder, "log.txt")
        command = [sys.executable, "-P", "-m", "trialrun", "serve", os.fspath(workspace)]
        command += ["--ready-file", str(ready_file), "--store", os.fspath(store or Path(folder, "store"))]
        command += [] if at is None else ["--at", at if isinstance(at, str) else at.isoformat()]
        command += ["--speed", str(speed)]
        command += ["--dialect", dialect] if dialect else []
        has_grpc = find_spec("grpc") is not None and find_spec("grpc_status") is not None
        command += ["--grpc-port", "0"] if (has_grpc if grpc is None else grpc) else []
        environment = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                [*command, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
        try:
            server = Server(_wait_until_ready(process, ready_file, log_file), log_file)
            server.advance(0)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(END_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], ready_file: Path, log_file: Path) -> dict[str, Any]:
    end = time.monotonic() + START_TIMEOUT
    while not ready_file.exists():
        why = ""
        if process.poll() is not None:
            why = f"ended with exit code {process.returncode}"
        elif time.monotonic() > end:
            why = f"did not answer within {START_TIMEOUT:g} seconds"
        if why:
            lines = log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES_SHOWN:]
            raise ServerFailed("\n  ".join([f"trialrun serve {why}", *lines]))
        time.sleep(0.01)
    ready: dict[str, Any] = json.loads(ready_file.read_text(encoding="utf-8"))
    return ready


def _parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
