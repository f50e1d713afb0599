"""What the commands of trial runs share: their options, the workspace under trial, and the view that a name means."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import (
    ALLOW_PATH,
    COLOR,
    ISOLATED,
    TEXT_OR_JSON,
    Option,
    allowed_folder_options,
    default_request,
    give_options,
    parse_time,
)
from trialrun.errors import UsageError
from trialrun.extras import missing_libraries
from trialrun.report.color import painter, use_color
from trialrun.report.terminal_width import terminal_columns
from trialrun.runtime.clock import FixedClock, SystemClock
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.report.color import Paint
    from trialrun.runtime.options import Options
    from trialrun.workspace import CheckRequest
    from trialrun.workspace.dry_run import DryRun

workspace_options = give_options(TEXT_OR_JSON, ISOLATED, ALLOW_PATH, COLOR)
"""Gives a command the options of every trial run."""
STORE = Option(
    "--store",
    metavar="ADDRESS",
    help="The online store: redis://HOST:PORT, or an alias of your own settings; TRIALRUN_STORE where it is not given.",
)
ENGINE = Option(
    "--engine",
    metavar="ADDRESS",
    help="What reads the sources: spark://HOST:PORT, or an alias of your own settings; TRIALRUN_ENGINE if not given.",
)
ACCESS = click.option("--access", type=click.Path(dir_okay=False), help="Your file of callers and of their policies.")
THEN_HELP = "Show what was served at this time: RFC 3339, or a date (midnight UTC)."
MAX_NAMES = 10


def access_options(options: dict[str, Any]) -> list[str]:
    """The options that say which files are read, in parts of a command that stay together."""
    return [
        *(["--isolated"] if options["isolated"] else []),
        *(f"--allow-path {quote(folder)}" for folder in allowed_folder_options()),
    ]


def dry_run_from_options(options: dict[str, Any]) -> DryRun:
    """The workspace of the working directory under trial, at the time of `--at`. Raises UsageError."""
    from trialrun.workspace.dry_run import dry_run

    at = options.get("at")
    clock = SystemClock() if at is None else FixedClock(parse_time(at))
    request = default_request((), options)
    return dry_run(
        request, clock, store=options.get("store"), engine=options.get("engine"), is_isolated=options["isolated"]
    )


def request_and_options(options: dict[str, Any]) -> tuple[CheckRequest, Options]:
    """The workspace of the working directory, and its choices for trial runs, as they are now. Raises UsageError."""
    from trialrun.workspace.dry_run import options_of

    request = default_request((), options)
    return request, options_of(request, options.get("engine"), is_isolated=options["isolated"])


def suggest_names(name: str, known: Sequence[str], empty: str) -> str:
    """The nearest name, else all there are, where no name fits; nothing if too many do. `empty` is said without any."""
    if any(is_same_resource(entry, name) for entry in known):  # it is named, by several
        return ""
    ids = sorted({last_id(entry) for entry in known})
    if not ids:
        return f"; {empty}"
    listed = f"{', '.join(ids[:MAX_NAMES])}{', …' if len(ids) > MAX_NAMES else ''}"
    return did_you_mean(name, known) or f"; there are {listed}"


def page_layout(color: str) -> tuple[int, Paint]:
    """The width of a line and the paint for standard output."""
    return terminal_columns(sys.stdout, os.environ), painter(color=use_color(color, sys.stdout, os.environ))


def require_libraries(deed: str, extra: str, *libraries: str) -> None:
    """Raise UsageError, which says what to install, where a library is not there."""
    if missing := missing_libraries(deed, extra, *libraries):
        raise UsageError(missing)
