"""`trialrun baseline`: write down the findings of today, and take out those that are gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import click

from trialrun.cli.files import write_atomically
from trialrun.cli.options import check_request, request_options
from trialrun.cli.output import print_note
from trialrun.cli.program import SuggestingGroup
from trialrun.errors import INTERNAL_ERROR_EXIT, UsageError
from trialrun.lint.baseline import create_baseline, format_baseline
from trialrun.report.summary import pluralize
from trialrun.working_folder import absolute_path, display_path, relative_path
from trialrun.workspace import CheckRequest, CheckResult
from trialrun.workspace.check import check_workspace, merge_results
from trialrun.workspace.check_request import read_baseline_file
from trialrun.workspace.workspaces import workspaces

DEFAULT_FILE = "trialrun-baseline.json"
FILE_HELP = f"Baseline file. Default: the one in the settings, else {DEFAULT_FILE}."


@click.group("baseline", cls=SuggestingGroup, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Manage a file of known findings, which check --baseline FILE does not report.

    A finding is identified by its rule, its resource and the path of its field, not by its line.
    """


@command.command("prune")
@click.argument("file", required=False)
@click.option("--baseline", "option", metavar="FILE", help=FILE_HELP)
@request_options
def prune(file: str | None, option: str | None, **options: Any) -> int:
    """Remove from FILE the findings that no longer occur.

    Findings of files that cannot be read now are kept, as are those of rules that --select and --ignore leave out.
    """
    for path, parts in _targets(file or option, options):
        before = read_baseline_file(path)
        outcome = _check(parts)
        if outcome.has_internal_error:
            return _internal_error_exit(outcome)
        rules = frozenset[str]().union(*(part.profiles.whole.rules for part in parts))
        is_part = options["select"] or options["ignore"]
        after = before.prune(outcome.diagnostics, rules=rules if is_part else None)
        gone = len(before.entries) - len(after.entries)
        if gone:
            write_atomically(path, [format_baseline(after)])
        print(f"{pluralize(gone, 'finding')} removed from {path}, {len(after.entries)} left")
    return 0


@command.command("write")
@click.argument("file", required=False)
@click.option("--baseline", "option", metavar="FILE", help=FILE_HELP)
@click.option("--grow", is_flag=True, help="Allow adding findings to an existing FILE.")
@request_options
def write(file: str | None, option: str | None, grow: bool, **options: Any) -> int:
    """Write the findings of the whole workspace, and of the workspaces inside it, to FILE.

    Without FILE, the findings of each workspace are written to the baseline that its settings name.

    An existing FILE may only lose findings, unless --grow is given.
    """
    outcomes = [(path, _check(parts)) for path, parts in _targets(file or option, options)]
    for path, outcome in outcomes:  # nothing is written where any of them may not be
        if outcome.has_internal_error:
            return _internal_error_exit(outcome)
        known = read_baseline_file(path) if os.path.lexists(path) else None
        new = len(known.new_diagnostics(outcome.diagnostics)) if known else 0
        if new and not grow:
            are, them = ("is", "it") if new == 1 else ("are", "them")
            raise UsageError(
                f"{pluralize(new, 'finding')} {are} not in {path}; fix {them}, or use --grow to accept more"
            )
    for path, outcome in outcomes:
        baseline = create_baseline(outcome.diagnostics)
        write_atomically(path, [format_baseline(baseline)])
        print(f"{pluralize(len(baseline.entries), 'finding')} written to {path}")
    return 0


def _targets(file: str | None, options: dict[str, Any]) -> list[tuple[str, Sequence[CheckRequest]]]:
    """The baselines that a command is about, each with the workspaces that it has findings of.

    Without a FILE they are those that the settings of the workspaces name; where none does, one file is for all. A FILE
    that settings name is for their workspaces alone; every other for all workspaces of a check.
    """
    parts = workspaces(check_request((), options))
    named: dict[str, list[CheckRequest]] = {}
    for part in parts:
        usual = part.profiles.settings.baseline_file
        if usual:
            named.setdefault(os.path.abspath(usual), []).append(part)
    if file:
        return [(file, named.get(os.path.abspath(file), parts))]
    if not named:
        return [(DEFAULT_FILE, parts)]
    for part in parts:
        if not part.profiles.settings.baseline_file and part.known_files:
            folder = display_path(part.root)
            print_note(f"the settings of {folder} set no baseline, so its findings are not written; set baseline there")
    return [(display_path(usual), named[usual]) for usual in sorted(named)]


def _check(parts: Sequence[CheckRequest]) -> CheckResult:
    """The result of workspaces, with paths from the folder around them, so that the baseline is the same from any."""
    outcome = merge_results([(part, check_workspace(part)) for part in parts])
    top = os.path.commonpath([part.root for part in parts])
    from_top = cache(lambda path: relative_path(absolute_path(path), top).replace(os.sep, "/"))
    if not outcome.has_internal_error:  # they are shown, and nothing is written
        outcome.diagnostics = [one._replace(path=from_top(one.path)) for one in outcome.diagnostics]
    return outcome


def _internal_error_exit(outcome: CheckResult) -> int:
    for diagnostic in outcome.diagnostics:
        if diagnostic.rule == "internal-error":
            print(f"{diagnostic.path}: {diagnostic.message}", file=sys.stderr)
    return INTERNAL_ERROR_EXIT
