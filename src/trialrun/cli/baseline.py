"""`trialrun baseline`: write down the findings of today, and take out those that are gone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli import FAULT_EXIT
from trialrun.cli.check_options import request_options, requested
from trialrun.cli.lazy_group import Group
from trialrun.cli.report_error import note
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.workspace import Outcome, Request

USUAL_FILE = "trialrun-baseline.json"
FILE_HELP = f"The baseline; that of the settings when unset, else {USUAL_FILE}."


@dataclass(frozen=True, slots=True)
class Target:
    """A baseline, and the workspaces that it has findings of."""

    file: str
    parts: Sequence[Request]


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
    """Write the findings of the whole workspace, and of those inside of it, to FILE.

    Without FILE, each workspace's go to the baseline that its settings name.

    A FILE that exists may only lose findings, unless --grow is given.
    """
    from trialrun.lint.baseline import baseline_of

    outcomes = [(target.file, _outcome(target.parts)) for target in _targets(file or option, options)]
    for path, outcome in outcomes:  # nothing is written where any of them may not be
        if outcome.internal:
            return _fault(outcome)
        new = _new(path, outcome)
        if new and not grow:
            raise UsageError(f"{path} does not have {new} of the findings; mend them, or add them with --grow")
    for path, outcome in outcomes:
        baseline = baseline_of(outcome.diagnostics)
        _write(path, baseline)
        click.echo(f"{_counted(len(baseline.entries))} written to {path}")
    return 0


def _new(file: str, outcome: Outcome) -> int:
    """How many findings a file does not have, where it exists. Raises UsageError where it is no baseline."""
    from trialrun.workspace.check_requests import read_baseline_file

    return len(read_baseline_file(file).without(outcome.diagnostics)) if os.path.lexists(file) else 0


@command.command("prune")
@click.argument("file", required=False)
@click.option("--baseline", "option", metavar="FILE", help=FILE_HELP)
@request_options
def prune(file: str | None, option: str | None, **options: Any) -> int:
    """Take out of FILE what is no longer found.

    What it has of a file that cannot be read at the moment is kept, and what --select and --ignore leave out.
    """
    for target in _targets(file or option, options):
        code = _pruned(target, is_part=bool(options["select"] or options["ignore"]))
        if code:
            return code
    return 0


def _pruned(target: Target, *, is_part: bool) -> int:
    """Prune one baseline, of which only some rules ran where it `is_part`; the exit code."""
    from trialrun.workspace.check_requests import read_baseline_file

    file, before = target.file, read_baseline_file(target.file)
    outcome = _outcome(target.parts)
    if outcome.internal:
        return _fault(outcome)
    rules = frozenset[str]().union(*(part.profiles.whole.rules for part in target.parts))
    after = before.pruned(outcome.diagnostics, of=rules if is_part else None)
    gone = len(before.entries) - len(after.entries)
    if gone:
        _write(file, after)
    click.echo(f"{_counted(gone)} taken out of {file}, {len(after.entries)} left")
    return 0


def _targets(file: str | None, options: dict[str, Any]) -> list[Target]:
    """The baselines that a command is about, each with the workspaces that it has findings of.

    Without a FILE they are those that the settings of the workspaces name; where none does, one file is for all. A FILE
    that settings name is for their workspaces alone; every other for all workspaces of a check.
    """
    from trialrun.workspace.discovery import shown_path
    from trialrun.workspace.workspaces import workspaces

    parts = workspaces(requested((), options))
    named: dict[str, list[Request]] = {}
    for part in parts:
        usual = part.profiles.settings.baseline_file
        if usual:
            named.setdefault(os.path.abspath(usual), []).append(part)
    if file:
        return [Target(file, named.get(os.path.abspath(file), parts))]
    if not named:
        return [Target(USUAL_FILE, parts)]
    for part in parts:
        if not part.profiles.settings.baseline_file and part.known:
            folder = shown_path(part.root)
            note(f"the settings of {folder} name no baseline, so its findings are left out; name one with baseline")
    return [Target(shown_path(usual), named[usual]) for usual in sorted(named)]


def _outcome(parts: Sequence[Request]) -> Outcome:
    from trialrun.workspace.check import check_workspace
    from trialrun.workspace.workspaces import merged

    return merged([(part, check_workspace(part)) for part in parts])


def _write(file: str, baseline: Baseline) -> None:
    from trialrun.cli.atomic_output import write_whole
    from trialrun.lint.baseline import written

    write_whole(file, [written(baseline)])


def _fault(outcome: Outcome) -> int:
    for one in outcome.diagnostics:
        if one.rule == "internal-error":
            click.echo(f"{one.path}: {one.message}", err=True)
    return FAULT_EXIT


def _counted(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"
