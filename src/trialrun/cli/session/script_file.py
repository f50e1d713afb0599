"""Reads scripts from a file or standard input, and reports their mistakes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, Range, Severity
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.runtime.channel_config.script import ScriptError, ScriptLine, ScriptMistake, parse
from trialrun.text import Position, Source

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import BrandMenu

SCRIPT_NAME = "script"
"""Shown in place of a rule id."""
STANDARD_INPUT = "standard input"


class InvalidScript(UsageError):
    """A script with mistakes, each with its location."""

    def __init__(self, source: Source, mistakes: Sequence[ScriptMistake]) -> None:
        super().__init__(
            "; ".join(f"{source.path}:{mistake.line}:{mistake.column}: {mistake.message}" for mistake in mistakes)
        )
        self.diagnostics = [
            Diagnostic(SCRIPT_NAME, Severity.ERROR, mistake.message, source.path, range_of(mistake))
            for mistake in mistakes
        ]
        self.sources = {source.path: source}


def range_of(mistake: ScriptMistake) -> Range:
    """The range of a mistake."""
    return Range(Position(mistake.line, mistake.column), Position(mistake.line, mistake.end))


def read_script(file: str) -> Source:
    """The text of a script; `-` is standard input. Raises UsageError."""
    from trialrun.parser.decode import decode

    path = STANDARD_INPUT if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else _read_bytes(file)
    except OSError as error:
        raise UsageError(f"the script {path} cannot be read: {os_error_reason(error)}") from error
    decoded = decode(data, path)
    for parse_error in decoded.errors:
        line = decoded.source.position(parse_error.span.start).line
        raise UsageError(f"the script {path} cannot be read: line {line}: {parse_error.message}")
    return decoded.source


def _read_bytes(file: str) -> bytes:
    try:
        resolve_target(file, named_in=os.getcwd())
        with open(file, "rb") as stream:
            return stream.read()
    except FileNotFoundError as error:
        raise UsageError(f"there is no script {file}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"there is no script {file}: file names cannot contain NUL") from error


def parse_script(source: Source, menu: BrandMenu) -> list[ScriptLine]:
    """Parse a script into turns. Raises InvalidScript."""
    try:
        return parse(source.text, menu)
    except ScriptError as error:
        raise InvalidScript(source, error.mistakes) from error
