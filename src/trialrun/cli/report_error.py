"""How a command that cannot be carried out says why."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.text import Source


def refuse(error: UsageError | click.ClickException) -> None:
    """Say on standard error what is wrong: with the lines of the files that it is about, where it is about files."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # its words are the help
        error.show()
    elif isinstance(error, click.ClickException):
        _say(_in_our_voice(error))
    elif error.diagnostics:
        show(error.diagnostics, error.sources.get)
    else:
        for message in error.messages or [str(error)]:
            _say(message)


def note(message: str) -> None:
    """Say on standard error what is worth knowing of an answer."""
    _say(message, "note")


def _say(message: str, severity: str = "error") -> None:
    from trialrun.report.terminal_width import visible

    print(f"{severity}: {visible(message)}", file=sys.stderr, flush=True)


def _in_our_voice(error: click.ClickException) -> str:
    """What click says of a command line, as one clause, and where to look; it may know what was meant."""
    words = error.format_message()
    message = (words[:1].lower() + words[1:]).removesuffix(".")
    context = getattr(error, "ctx", None)
    if context is None or "id you mean" in message:
        return message
    return f"{message}; see {context.command_path} --help"


def show(diagnostics: Iterable[Diagnostic], sources: Callable[[str], Source | None], *, color: str = "auto") -> None:
    """Say on standard error what is wrong in files, with the lines that it is about."""
    from trialrun.report.color import painter, wanted
    from trialrun.report.terminal_width import columns
    from trialrun.report.text_finding import Page, finding

    paint = painter(color=wanted(color, sys.stderr, os.environ))
    page = Page(sources, columns(sys.stderr, os.environ), paint)
    for diagnostic in diagnostics:
        print("\n".join([*finding(diagnostic, page), ""]), file=sys.stderr, flush=True)
