"""`trialrun daemon`: a process that stays, so that `trialrun check` need not import everything for each file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from trialrun.cli.lazy_group import SuggestingGroup
from trialrun.errors import UsageError
from trialrun.resident.address import HAS_FORK

if TYPE_CHECKING:
    from trialrun.resident.start import Place, Status

SECONDS_TO_END = 15.0
NOT_RUNNING = 1


@click.group("daemon", cls=SuggestingGroup)
def command() -> None:
    """Start, stop or show the process that answers `trialrun check` faster.

    It is never started unasked. `check` asks the one of the same version, interpreter and user, and does without it
    where there is none, or where TRIALRUN_NO_DAEMON is set.
    """


@command.command("start")
@click.option(
    "--idle-minutes",
    type=click.FloatRange(min=0, min_open=True, max=10_000),
    default=30,
    show_default=True,
    help="End after this time without a check.",
)
@click.option("--foreground", is_flag=True, help="Stay in this terminal, until Ctrl-C.")
def start(idle_minutes: float, foreground: bool) -> int:
    """Start the process, which ends when it is idle, when a file of trialrun changes, or by `daemon stop`."""
    place = _place()
    from trialrun.resident.message import STATUS
    from trialrun.resident.start import ask_status, start_in_background

    if running := ask_status(place, STATUS):
        print(f"already running (process {running.process})")
        return 0
    if foreground:
        return _listen_here(place, idle_minutes * 60)
    process = start_in_background(place, idle_minutes * 60, carry_out, prepare)
    print("already running" if process is None else f"started (process {process})")
    return 0


@command.command("stop")
def stop() -> int:
    """End the process once it has answered what it was asked."""
    place = _place()
    from trialrun.resident.message import STOP
    from trialrun.resident.start import ask_status, wait_until_ended

    running = ask_status(place, STOP)
    if running is None:
        print("not running")
        return 0
    if not wait_until_ended(place, SECONDS_TO_END):
        raise UsageError(f"process {running.process} does not end; run kill -9 {running.process}")
    print(f"stopped (process {running.process})")
    return 0


@command.command("status")
def status() -> int:
    """Show whether the process is running; exit code 1 if it is not."""
    place = _place()
    from trialrun.resident.message import STATUS
    from trialrun.resident.start import ask_status

    running = ask_status(place, STATUS)
    if running is None:
        print("not running")
        return NOT_RUNNING
    print(_describe(running))
    return 0


def _describe(running: Status) -> str:
    since = datetime.fromtimestamp(running.started).astimezone().isoformat(sep=" ")
    checks = "1 check" if running.questions == 1 else f"{running.questions} checks"
    now = f", {running.running} now" if running.running else ""
    return f"running since {since} (process {running.process}), {checks}{now}"


def _place() -> Place:
    if not HAS_FORK:
        raise UsageError("this system cannot copy a process (fork); check works without the daemon")
    from trialrun.resident.start import find_place

    return find_place()


def _listen_here(place: Place, seconds_idle: float) -> int:
    from trialrun.resident.start import listen, make_private_folder

    make_private_folder(os.path.dirname(place.path))
    listen(place, seconds_idle, carry_out, prepare, _print_state)
    return 0


def _print_state(word: bytes) -> None:
    print("already running" if word == b"running" else f"listening (process {os.getpid()})", flush=True)


def carry_out(arguments: Sequence[str], before_writing: Callable[[], None]) -> int:
    """Carry out a command line in a process that was forked for it; the exit code."""
    from trialrun.cli.main import main
    from trialrun.cli.output import StandardOutput
    from trialrun.values.cel.environment import pin_time_zones

    pin_time_zones()  # the environment of the caller has replaced that in which it was done
    StandardOutput.before_writing = before_writing
    return main(arguments)


def prepare() -> None:
    """Import what a check needs, by checking small documents with and without mistakes in a folder of their own."""
    from trialrun.cli.warm_up import warm_up

    streams = sys.stdin, sys.stdout, sys.stderr
    try:
        warm_up()
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
