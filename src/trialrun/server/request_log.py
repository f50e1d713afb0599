"""The log of requests: one line each on standard error, without credentials and without control characters."""

from __future__ import annotations

import json
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.server.options import LogFormat

MAX_TEXT = 1000
"""Characters of a path or a message that are shown."""


@dataclass
class RequestRecord:
    """What is known of a request: how it came, which operation it is, and how it ended.

    `operation` is the name of one of the operations, empty for anything else; `reason` and `message` say why it was
    refused. The path has no query, which may have credentials. The status is a code of HTTP, or a name of gRPC.
    """

    method: str
    path: str
    operation: str = ""
    status: int | str = 0
    reason: str = ""
    message: str = ""
    seconds: float = 0.0


class RequestLog:
    """Writes a line for each request."""

    def __init__(self, log_format: LogFormat = "text", *, is_verbose: bool = False) -> None:
        self._is_json = log_format == "json"
        self._is_verbose = is_verbose

    def write(self, record: RequestRecord) -> None:
        """Write the line of a request that was answered."""
        self._write_line(self._json(record) if self._is_json else self._text(record))

    def write_message(self, severity: str, message: str) -> None:
        """Write what the server itself has to say."""
        line = {"time": _now(), "severity": severity, "message": shortened(message)}
        self._write_line(_json_line(line) if self._is_json else f"{_now()} {severity}: {escaped(message)}")

    def write_internal_error(self, error: BaseException) -> None:
        """Write an error of the server's own, with where it is."""
        trace = "".join(traceback.format_exception(error))
        ending = "this is a bug in trialrun: please report it with the lines above"
        self._write_line(_json_line({"error": trace, "message": ending}) if self._is_json else f"{trace}{ending}")

    def _write_line(self, line: str) -> None:
        with suppress(OSError, ValueError):  # nobody is there to read it, or no room is left
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def _text(self, record: RequestRecord) -> str:
        status = record.status or "-"
        line = f"{_now()} {record.method} {escaped(record.path)} {status} {record.seconds * 1000:.1f} ms"
        if not self._is_verbose:
            return line
        refusal = f" {record.reason}: {escaped(record.message)}" if record.reason else ""
        return f"{line} {record.operation or '-'}{refusal}"

    def _json(self, record: RequestRecord) -> str:
        line: dict[str, Any] = {
            "time": _now(),
            "method": record.method,
            "path": shortened(record.path),
            "status": record.status or None,
            "ms": round(record.seconds * 1000, 3),
        }
        if self._is_verbose:
            line["operation"] = record.operation or None
            if record.reason:
                line |= {"reason": record.reason, "message": shortened(record.message)}
        return _json_line(line)


def shortened(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def escaped(text: str) -> str:
    """A text on one line, whose control characters and others that a terminal would not show are escaped."""
    text = shortened(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _json_line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
