"""What is written down about requests, however they come: numbers for Prometheus, and one line each on standard error.

Lines have neither credentials nor control characters. Nobody may read them: a pipe that is full stops the thread that
writes, and no request.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from threading import Event, Thread
from time import perf_counter
from typing import Any, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from trialrun.report.terminal_width import disarm_ci_commands

LogFormat = Literal["text", "json"]
MAX_TEXT = 1000
"""Characters of a path or a message that are shown."""
MAX_LINES = 5_000
"""Lines that wait to be written; further ones are lost, and counted."""
LINES_TOGETHER = 0.02
"""Seconds in which lines come that are written together."""
STANDARD_ERROR = 2
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Bounds of the durations, in seconds."""
OTHER = "other"
"""The operation of requests that are none of the tables."""


@dataclass
class RequestRecord:
    """What is known of a request: how it came, which operation it is, and how it ended.

    `operation` is the name of one of the operations, empty for anything else; `reason` and `message` say why it was
    refused. The path has no query, which may have credentials. The status is a code of HTTP, or a name of gRPC,
    and the size that of the body.
    """

    method: str
    path: str
    operation: str = ""
    status: int | str = 0
    reason: str = ""
    message: str = ""
    seconds: float = 0.0
    size: int = 0


class LineWriter:
    """Writes lines to a descriptor from a thread of its own, so that no caller waits for whoever reads them.

    The thread wakes for what has come meanwhile: waking it for each line would take a third of the time of a request.
    `lost_line` is the line that says how many were lost, written once there is room again.
    """

    def __init__(self, descriptor: int, lost_line: Callable[[int], str] = "{} lines are lost".format) -> None:
        self._descriptor, self._lost_line = descriptor, lost_line
        self._lines = deque[str]()
        self._lost = 0
        self._has_lines, self._is_closed = Event(), Event()
        self._thread = Thread(target=self._write_lines, name="log", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Have a line written, or lost where too many wait."""
        if len(self._lines) >= MAX_LINES:
            self._lost += 1
            return
        self._lines.append(line)
        if not self._has_lines.is_set():
            self._has_lines.set()

    def close(self, timeout: float) -> None:
        """Write what waits, for so many seconds at most."""
        self._is_closed.set()
        self._has_lines.set()
        self._thread.join(timeout)

    def _write_lines(self) -> None:
        is_last = False
        while not is_last:
            self._has_lines.wait()
            self._has_lines.clear()
            is_last = self._is_closed.is_set()
            while self._lines:
                self._write_out([self._lines.popleft() for _ in range(len(self._lines))])
                if self._lost:
                    lost, self._lost = self._lost, 0
                    self._write_out([self._lost_line(lost)])
            self._is_closed.wait(LINES_TOGETHER)

    def _write_out(self, lines: Sequence[str]) -> None:
        data = "".join(f"{disarm_ci_commands(line)}\n" for line in lines).encode("utf-8", "backslashreplace")
        with suppress(OSError):  # nobody is there to read it, or no room is left
            while data:
                data = data[os.write(self._descriptor, data) :]


class RequestLog(logging.Handler):
    """Writes a line for each request, and for what libraries have to say."""

    def __init__(self, log_format: LogFormat = "text", *, is_verbose: bool = False) -> None:
        super().__init__(logging.WARNING)
        self._is_json, self._is_verbose = log_format == "json", is_verbose
        self.write_line: Callable[[str], None] = _write_to_standard_error

    @contextmanager
    def in_thread(self, timeout: float) -> Iterator[None]:
        """Write from a thread until the block is left; what is unread then has so many seconds."""

        def lost_line(lost: int) -> str:
            return self._message_line("warning", f"{lost} lines of this log were lost, since nobody read it")

        writer = LineWriter(STANDARD_ERROR, lost_line)
        self.write_line = writer.write
        logging.getLogger().addHandler(self)
        try:
            yield
        finally:
            writer.close(timeout)

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a library logs."""
        if record.exc_info and record.exc_info[1]:
            self.write_internal_error(record.exc_info[1])
        else:
            self.write_message(record.levelname.lower(), record.getMessage())

    def write(self, record: RequestRecord) -> None:
        """Write the line of a request that was answered."""
        milliseconds = record.seconds * 1000
        if self._is_json:
            line: dict[str, Any] = {"time": _now(), "method": record.method, "path": shortened(record.path)}
            line |= {"status": record.status or None, "ms": round(milliseconds, 3)}
            if self._is_verbose:
                line["operation"] = record.operation or None
                if record.reason:
                    line |= {"reason": record.reason, "message": shortened(record.message)}
            self.write_line(json.dumps(line))
            return
        text = f"{_now()} {record.method} {escaped(record.path)} {record.status or '-'} {milliseconds:.1f} ms"
        if self._is_verbose:
            refusal = f" {record.reason}: {escaped(record.message)}" if record.reason else ""
            text += f" {record.operation or '-'}{refusal}"
        self.write_line(text)

    def write_message(self, severity: str, message: str) -> None:
        """Write what the server itself has to say."""
        self.write_line(self._message_line(severity, message))

    def _message_line(self, severity: str, message: str) -> str:
        if self._is_json:
            return json.dumps({"time": _now(), "severity": severity, "message": shortened(message)})
        return f"{_now()} {severity}: {escaped(message)}"

    def write_internal_error(self, error: BaseException) -> None:
        """Write an error of the server's own, with where it is."""
        trace = "".join(traceback.format_exception(error))
        ending = "this is a bug in trialrun: please report it with the lines above"
        if self._is_json:
            self.write_line(json.dumps({"error": trace, "message": ending}))
        else:
            self.write_line("\n".join(escaped(line) for line in [*trace.splitlines(), ending]))


def _write_to_standard_error(line: str) -> None:
    with suppress(OSError, ValueError):  # nobody is there to read it, or no room is left
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def shortened(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def escaped(text: str) -> str:
    """A text on one line, whose control characters and others that a terminal would not show are escaped."""
    text = shortened(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Monitoring:
    """The log of a server, and its numbers: labels have only values of the tables, so no client can make more."""

    def __init__(self, log: RequestLog) -> None:
        self.log = log
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "trialrun_requests", "Requests answered.", ("protocol", "operation", "status"), registry=registry
        )
        duration = ("trialrun_request_duration_seconds", "Time from request to answer.", ("protocol", "operation"))
        self._durations = Histogram(*duration, registry=registry, buckets=BUCKETS)
        in_flight = ("trialrun_requests_in_flight", "Requests being answered.", ("protocol",))
        self._in_flight = Gauge(*in_flight, registry=registry)
        self._streams = Gauge("trialrun_streams_open", "Streams that are open.", ("operation",), registry=registry)
        self._syncs = Counter("trialrun_syncs", "Syncs of views made.", ("status",), registry=registry)
        self._numbers = cache(lambda metric, *labels: metric.labels(*labels))  # Prometheus finds them under a lock

    @contextmanager
    def watch(self, protocol: str, record: RequestRecord) -> Iterator[None]:
        """Count and log a request, which is answered in the block; the block fills in its record."""
        began = perf_counter()
        in_flight = self._numbers(self._in_flight, protocol)
        in_flight.inc()
        try:
            yield
        finally:
            record.seconds = perf_counter() - began
            operation = record.operation or OTHER
            in_flight.dec()
            self._numbers(self._requests, protocol, operation, str(record.status)).inc()
            self._numbers(self._durations, protocol, operation).observe(record.seconds)
            self.log.write(record)

    def open_stream(self, operation: str) -> Any:
        """A context in which a stream of an operation is open."""
        return self._streams.labels(operation).track_inprogress()

    def count_sync(self, status: str) -> None:
        """A sync was made, with the name of its status: OK, or why it failed."""
        self._syncs.labels(status).inc()

    def metrics(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        return generate_latest(self._registry)
