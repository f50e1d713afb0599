"""`trialrun baseline`: write down the findings of today, and take out those that are gone."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli import FAULT_EXIT
from trialrun.cli.group import Group
from trialrun.cli.request import request_options, requested
from trialrun.usage import UsageError

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.workspace import Outcome, Request

USUAL_FILE = "trialrun-baseline.json"
FILE_HELP = f"The baseline; that of the settings when unset, else {USUAL_FILE}."


@click.group("baseline", cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Keep a file of known findings, which check --baseline FILE leaves out.

    A finding is known by its rule, its resource and the path of its field, not by its line.
    """


@command.command("write")
@click.argument("file", required=False)
@click.option("--baseline", "option", metavar="FILE", help=FILE_HELP)
@click.option("--grow", is_flag=True, help="Also where FILE exists and would get findings that it does not have.")
@request_options
def write(file: str | None, option: str | None, grow: bool, **options: Any) -> int:
    """Write the findings of the whole workspace to FILE.

    A FILE that exists may only lose findings, unless --grow is given.
    """
    request, file = _asked(file or option, options)
    outcome = _outcome(request)
    if outcome.internal:
        return _fault(outcome)
    from trialrun.lint.baseline import baseline_of
    from trialrun.workspace.opening import read_baseline_file

    new = len(read_baseline_file(file).without(outcome.diagnostics)) if os.path.lexists(file) else 0
    if new and not grow:
        raise UsageError(f"{file} does not have {new} of the findings; mend them, or add them with --grow")
    baseline = baseline_of(outcome.diagnostics)
    _write(file, baseline)
    click.echo(f"{_counted(len(baseline.entries))} written to {file}")
    return 0


@command.command("prune")
@click.argument("file", required=False)
@click.option("--baseline", "option", metavar="FILE", help=FILE_HELP)
@request_options
def prune(file: str | None, option: str | None, **options: Any) -> int:
    """Take out of FILE what is no longer found.

    What it has of a file that cannot be read at the moment is kept, and what --select and --ignore leave out.
    """
    from trialrun.workspace.opening import read_baseline_file

    request, file = _asked(file or option, options)
    before = read_baseline_file(file)
    outcome = _outcome(request)
    if outcome.internal:
        return _fault(outcome)
    some = options["select"] or options["ignore"]
    after = before.pruned(outcome.diagnostics, of=request.profiles.whole.rules if some else None)
    gone = len(before.entries) - len(after.entries)
    if gone:
        _write(file, after)
    click.echo(f"{_counted(gone)} taken out of {file}, {len(after.entries)} left")
    return 0


def _asked(file: str | None, options: dict[str, Any]) -> tuple[Request, str]:
    """What the file has findings of, whatever its baseline, and the file.

    One that the settings name is for their own workspace alone; every other for all workspaces of a check.
    """
    from trialrun.workspace.discovery import shown_path

    request = requested((), options)
    usual = request.profiles.settings.baseline_file
    if usual and (not file or os.path.abspath(file) == os.path.abspath(usual)):
        return replace(request, workspace_at=None), file or shown_path(usual)
    return request, file or USUAL_FILE


def _outcome(request: Request) -> Outcome:
    from trialrun.workspace import check

    return check(request)


def _write(file: str, baseline: Baseline) -> None:
    from trialrun.cli.output_file import write_whole
    from trialrun.lint.baseline import written

    write_whole(file, [written(baseline)])


def _fault(outcome: Outcome) -> int:
    for one in outcome.diagnostics:
        if one.rule == "internal-error":
            click.echo(f"{one.path}: {one.message}", err=True)
    return FAULT_EXIT


def _counted(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"
