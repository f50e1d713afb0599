"""What `trialrun plan` plays: its options, and the file of rates."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trialrun.cli.workspace_options import access_options
from trialrun.errors import UsageError, os_error_reason

if TYPE_CHECKING:
    from trialrun.changes.played import Player
    from trialrun.cli.progress import Progress
    from trialrun.runtime.channel_config.explore.profile import AnswerRates

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_SESSIONS = 100_000
CONVERSION_SESSIONS = 2_000
"""Number of sessions that are played for --conversion without --sessions."""
OPTIONS = (
    click.option(
        "--scenarios/--no-scenarios",
        "with_scenarios",
        default=True,
        show_default=True,
        help="Play the scenarios of both revisions on the documents of both, where a document behind them differs.",
    ),
    click.option(
        "--sessions",
        type=click.IntRange(0, MAX_SESSIONS),
        metavar="N",
        help="Play N random sessions of the same customers on both sides of each configuration that differs.",
    ),
    click.option(
        "--conversion",
        metavar="FILE",
        help="Rates at which customers accept and decline each upsell; plays 2,000 sessions without --sessions.",
    ),
)


def played_options(command: Command) -> Command:
    """Give a command the options of what is played."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def player(options: dict[str, Any], rates: AnswerRates | None, progress: Progress) -> Player:
    """What is played by the options."""
    from trialrun.changes.played import Player

    def on_progress(title: str, done: int, total: int) -> None:
        progress.set_title(title)
        progress(done, total)

    sessions = options["sessions"]
    if sessions is None:
        sessions = 0 if rates is None else CONVERSION_SESSIONS
    return Player(options["with_scenarios"], sessions, rates, access_options(options), on_progress)


def read_rates(file: str | None, sessions: int | None) -> AnswerRates | None:
    """The rates of --conversion, None without it. Raises UsageError."""
    if file is None:
        return None
    from trialrun.changes.conversion import MAX_BYTES, InvalidRates, parse_rates
    from trialrun.guarded_path import read_file

    if sessions == 0:
        raise UsageError("--conversion needs sessions; leave out --sessions 0")
    try:
        return parse_rates(read_file(file, MAX_BYTES, named_in=os.getcwd()), file)
    except FileNotFoundError as error:
        raise UsageError(f"--conversion: there is no file {file}") from error
    except OSError as error:
        raise UsageError(f"--conversion: {file} cannot be read: {os_error_reason(error)}") from error
    except InvalidRates as error:
        raise UsageError(f"--conversion: {file}: {error}") from error
