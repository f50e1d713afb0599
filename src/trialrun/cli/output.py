"""The standard streams as commands write to them, whatever is at their other end."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TextIO

from trialrun.errors import UsageError, os_error_reason

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


ERROR_HANDLER = "json-escapes"
"""The error handler of the output streams: escapes that JSON readers decode again."""


class StandardOutput(io.FileIO):
    """A descriptor that takes what is written: once its reader has gone, or its disk is full, the rest is dropped.

    So a command ends with the exit code of what it found, also before `| head`. Unless it is `quiet`, it raises
    UsageError, once, where the system cannot write for another reason than a reader that has gone.
    """

    ended = False
    quiet = False

    def write(self, part: ReadableBuffer, /) -> int:
        """Write a part; a descriptor that does not block is waited for."""
        size = memoryview(part).nbytes
        if self.ended:
            return size
        try:
            return self._written(part)
        except OSError as error:
            self.ended = True
            if self.quiet or isinstance(error, BrokenPipeError):
                return size
            raise UsageError(f"the output cannot be written: {os_error_reason(error)}") from error

    def _written(self, part: ReadableBuffer) -> int:
        while (written := super().write(part)) is None:  # the descriptor would block, whatever its type says
            import select

            select.select([], [self], [])
        return written


class ClosedInput(io.TextIOWrapper):
    """Stands for a standard input that the caller closed: it has nothing."""


class TerminalOrLog(io.TextIOWrapper):
    """A text stream that ends in a terminal or in the log of a CI system, to which no line of it is a command."""

    def write(self, text: str, /) -> int:
        """Write a text; of a line that begins with `::` the first colon is written as an escape."""
        if "::" in text:
            from trialrun.report.terminal_width import disarm_ci_commands

            super().write(disarm_ci_commands(text))
            return len(text)
        return super().write(text)


def write_utf8(parts: Iterable[str], stream: TextIO | None = None) -> None:
    """Write for a program: UTF-8, with `\\n` at line ends, whatever the locale is; to standard output by default."""
    stream = stream or sys.stdout
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # a stream of text alone, as tests put in its place
        stream.writelines(parts)
        return
    stream.flush()
    for part in parts:
        buffer.write(part.encode("utf-8", ERROR_HANDLER))


def open_streams() -> None:
    """Make the three standard streams ready: one that the caller closed is a stream without an end or a reader.

    Otherwise the next file opened would take its number and be written to in its place.
    """
    codecs.register_error(ERROR_HANDLER, _escape_characters)
    if sys.stdin is None:
        sys.stdin = _open_null(0, "r")
    if sys.stdout is None:
        sys.stdout = _open_null(1, "w")
    if sys.stderr is None:
        sys.stderr = _open_null(2, "w")
    sys.stdout = _keep_open(sys.stdout)
    sys.stderr = _keep_open(sys.stderr, quiet=True)


def is_reader_gone() -> bool:
    """Whether nobody reads standard output any more."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, StandardOutput) and raw.ended


def _escape_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = memoryview(error.object[error.start : error.end].encode("utf-16", "surrogatepass")[2:]).cast("H")
    return "".join(f"\\u{unit:04x}" for unit in units), error.end


def _open_null(descriptor: int, mode: Literal["r", "w"]) -> TextIO:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    if mode == "r":
        return ClosedInput(
            io.BufferedReader(io.FileIO(descriptor, closefd=False)), encoding="utf-8", errors=ERROR_HANDLER
        )
    return os.fdopen(descriptor, mode, encoding="utf-8", errors=ERROR_HANDLER, closefd=False)


def _keep_open(stream: TextIO, *, quiet: bool = False) -> TextIO:
    """The stream over an Output, which writes what the encoding lacks as escapes; a console or a test's stays."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    if type(getattr(stream.buffer, "raw", stream.buffer)) is not io.FileIO:  # PYTHONUNBUFFERED leaves the buffer out
        return stream
    raw = StandardOutput(stream.fileno(), "w", closefd=False)
    raw.quiet = quiet
    return TerminalOrLog(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=ERROR_HANDLER,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
