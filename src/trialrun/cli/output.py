"""The standard streams as commands write to them, whatever is at their other end."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TextIO

from trialrun.errors import UsageError, os_error_reason

if TYPE_CHECKING:
    import click
    from _typeshed import ReadableBuffer

    from trialrun.diagnostic import Diagnostic
    from trialrun.text import Source

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
            while (written := super().write(part)) is None:  # the descriptor would block, whatever its type says
                import select

                select.select([], [self], [])
            return written
        except OSError as error:
            self.ended = True
            if self.quiet or isinstance(error, BrokenPipeError):
                return size
            raise UsageError(f"the output cannot be written: {os_error_reason(error)}") from error


class ClosedInput(io.TextIOWrapper):
    """Stands for a standard input that the caller closed: it has nothing."""


class TerminalOrLog(io.TextIOWrapper):
    """A text stream that ends in a terminal or in the log of a CI system, neither of which a text can control."""

    takes_color = False
    """Whether our own colours are written as they are; `use_color` says so."""

    def write(self, text: str, /) -> int:
        """Write lines; what would control a terminal or a CI system is written as an escape."""
        if text.isascii() and text.replace("\n", "").isprintable() and "##" not in text and "::" not in text:
            return super().write(text)
        from trialrun.report.terminal_width import escape_lines

        super().write(escape_lines(text, with_colors=self.takes_color))
        return len(text)


def send_control(stream: TextIO, sequence: str) -> None:
    """Write a control sequence of ours to a terminal; it contains no text of anybody else."""
    if isinstance(stream, TerminalOrLog):
        io.TextIOWrapper.write(stream, sequence)
    else:
        stream.write(sequence)


def write_utf8(parts: Iterable[str], stream: TextIO | None = None, *, is_commands: bool = False) -> None:
    """Write for a program: UTF-8, with `\\n` at line ends, whatever the locale is; to standard output by default.

    What would control a terminal or a CI system is escaped, except for the workflow command that each part may begin
    with where the format `is_commands`.
    """
    stream = stream or sys.stdout
    safe = program_parts(parts, is_commands=is_commands)
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # a stream of text alone, as tests put in its place
        stream.writelines(safe)
        return
    stream.flush()
    for part in safe:
        buffer.write(part.encode("utf-8", ERROR_HANDLER))


def program_parts(parts: Iterable[str], *, is_commands: bool = False) -> Iterator[str]:
    """The parts of text for programs, escaped as `write_utf8` writes them."""
    from trialrun.report.json import escape_for_programs

    for part in parts:
        head = "::" if is_commands and part.startswith("::") else ""
        yield head + escape_for_programs(part[len(head) :])


def write_filtered(data: bytes) -> None:
    """Write what came by standard input and was changed: exactly, except to a terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


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


def report_error(error: UsageError | click.ClickException) -> None:
    """Say on standard error what is wrong: with the lines of the files that it is about, where it is about files."""
    if not isinstance(error, UsageError):
        _report_click_error(error)
    elif error.diagnostics:
        show_diagnostics(error.diagnostics, error.sources.get)
    else:
        for message in error.messages or [str(error)]:
            _print_message("error", message)


def print_note(message: str) -> None:
    """Say on standard error what is worth knowing of an answer."""
    _print_message("note", message)


def _print_message(severity: str, message: str) -> None:
    from trialrun.report.terminal_width import escape_controls

    print(f"{severity}: {escape_controls(message)}", file=sys.stderr, flush=True)


def _report_click_error(error: click.ClickException) -> None:
    """Say what click says of a command line, as one clause, and where to look; it may know what was meant."""
    import click

    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # its words are the help
        error.show()
        return
    words = error.format_message()
    message = (words[:1].lower() + words[1:]).removesuffix(".")
    context = getattr(error, "ctx", None)
    if context is not None and "id you mean" not in message:
        message += f"; see {context.command_path} --help"
    _print_message("error", message)


def show_diagnostics(
    diagnostics: Iterable[Diagnostic], sources: Callable[[str], Source | None], *, color: str = "auto"
) -> None:
    """Say on standard error what is wrong in files, with the lines that it is about."""
    from trialrun.report.code_frame import TextOutput, format_finding
    from trialrun.report.color import painter, use_color
    from trialrun.report.terminal_width import terminal_columns

    paint = painter(color=use_color(color, sys.stderr, os.environ))
    page = TextOutput(sources, terminal_columns(sys.stderr, os.environ), paint)
    for diagnostic in diagnostics:
        print("\n".join([*format_finding(diagnostic, page), ""]), file=sys.stderr, flush=True)
