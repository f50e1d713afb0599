"""How a command that cannot be carried out says why."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from trialrun.errors import UsageError

if TYPE_CHECKING:
    import click

    from trialrun.diagnostic import Diagnostic
    from trialrun.text import Source


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
