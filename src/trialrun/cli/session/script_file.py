"""Scripts as commands read them: a file or standard input, and how what is wrong in one is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, Range, Severity
from trialrun.errors import UsageError, system_reason
from trialrun.guarded_path import resolve_target
from trialrun.runtime.channel_config.script import Mistake, ScriptError, ScriptLine, parse
from trialrun.text import Position, Source

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import MenuOfBrand

WORD = "script"
"""What stands in the place of a rule where a mistake is shown."""
STANDARD_INPUT = "standard input"


class WrongScript(UsageError):
    """A script that cannot be played: all that is wrong with it, at its places."""

    def __init__(self, source: Source, mistakes: Sequence[Mistake]) -> None:
        super().__init__("; ".join(f"{source.path}:{one.line}:{one.column}: {one.message}" for one in mistakes))
        self.diagnostics = [
            Diagnostic(WORD, Severity.ERROR, one.message, source.path, range_of(one)) for one in mistakes
        ]
        self.sources = {source.path: source}


def range_of(mistake: Mistake) -> Range:
    """The place of a mistake."""
    return Range(Position(mistake.line, mistake.column), Position(mistake.line, mistake.end))


def script_in(file: str) -> Source:
    """The text of a script, - is standard input. Raises UsageError."""
    from trialrun.parser.decode import decode

    path = STANDARD_INPUT if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else _bytes(file)
    except OSError as error:
        raise UsageError(f"the script {path} cannot be read: {system_reason(error)}") from error
    decoded = decode(data, path)
    for trouble in decoded.troubles:
        line = decoded.source.position(trouble.span.start).line
        raise UsageError(f"the script {path} cannot be read: line {line}: {trouble.message}")
    return decoded.source


def _bytes(file: str) -> bytes:
    try:
        resolve_target(file, named_in=os.getcwd())
        with open(file, "rb") as stream:
            return stream.read()
    except FileNotFoundError as error:
        raise UsageError(f"there is no script {file}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"there is no script {file}: no name has a NUL") from error


def lines_of(source: Source, menu: MenuOfBrand) -> list[ScriptLine]:
    """The turns of a script. Raises WrongScript."""
    try:
        return parse(source.text, menu)
    except ScriptError as error:
        raise WrongScript(source, error.mistakes) from error
