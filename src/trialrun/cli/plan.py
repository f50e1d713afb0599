"""`trialrun plan BASE [HEAD]`: what lies between two revisions of a workspace, and whom it reaches."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import default_request
from trialrun.cli.options import ALLOW_PATH, AT_HELP
from trialrun.cli.output import write_utf8

if TYPE_CHECKING:
    from trialrun.changes.change import Plan

NEVER = "never"


@click.command("plan")
@click.argument("base", metavar="BASE")
@click.argument("head", required=False, metavar="[HEAD]")
@click.option(
    "--fail-on",
    type=click.Choice(("breaking", "risky", NEVER)),
    default="breaking",
    show_default=True,
    help="Lowest level of a change that makes the exit code 1.",
)
@click.option(
    "--output-format",
    type=click.Choice(("text", "json", "markdown", "github")),
    default="text",
    show_default=True,
)
@click.option("--at", metavar="TIME", help=AT_HELP)
@click.option("--isolated", is_flag=True, help="Do not read settings files.")
@ALLOW_PATH
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
def command(base: str, head: str | None, fail_on: str, output_format: str, color: str, **options: Any) -> int:
    """Show what the changes from BASE to HEAD do.

    BASE and HEAD are revisions of git; HEAD is the working tree when left out. BASE..HEAD and BASE...HEAD are as git
    has them. What the documents mean is compared, not their text: comments, the order of keys, formatting and moved
    files are no changes. Each change is breaking, risky or safe; trialrun explain ID shows why. Exit code
    1: a change of the level of --fail-on, or above it.
    """
    from trialrun.changes.change import LEVELS
    from trialrun.changes.plan import make_plan
    from trialrun.changes.sides import open_sides
    from trialrun.workspace.dry_run import runtime_options

    request = default_request((), options)
    levels = {id: LEVELS[word] for id, word in request.profiles.settings.change_levels.items()}
    plan = make_plan(open_sides(request, base, head), levels, runtime_options(request.profiles.settings.runtime))
    _write(plan, output_format, color)
    return _exit_code(plan, fail_on)


def _write(plan: Plan, output_format: str, color: str) -> None:
    from trialrun.changes.report import FOR_PEOPLE, load_report
    from trialrun.report.color import use_color
    from trialrun.report.terminal_width import terminal_columns

    report = load_report(output_format)
    parts = report(plan, color=use_color(color, sys.stdout, os.environ), width=terminal_columns(sys.stdout, os.environ))
    if output_format in FOR_PEOPLE:
        sys.stdout.writelines(parts)
    else:
        write_utf8(parts)


def _exit_code(plan: Plan, fail_on: str) -> int:
    from trialrun.changes.change import LEVELS

    if fail_on == NEVER:
        return 0
    return int(any(change.level >= LEVELS[fail_on] for change in plan.changes))
