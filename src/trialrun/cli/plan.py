"""`trialrun plan BASE [HEAD]`: what lies between two revisions of a workspace, and whom it reaches."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.changes.plan import make_plan
from trialrun.changes.played import Player
from trialrun.changes.report import REPORTS
from trialrun.changes.sides import open_sides
from trialrun.changes.text_report import MAX_LINES
from trialrun.cli.files import require_not_checked, require_replaceable, write_atomically
from trialrun.cli.options import (
    ALLOW_PATH,
    AT,
    COLOR,
    FORCE,
    ISOLATED,
    JOBS,
    default_request,
    output_formats,
    parse_outputs,
)
from trialrun.cli.output import write_utf8
from trialrun.cli.progress import Progress
from trialrun.cli.workspace_options import access_options, require_libraries
from trialrun.errors import INTERRUPTED_EXIT, UsageError
from trialrun.outputs.plan import LEVELS
from trialrun.report.color import use_color
from trialrun.report.terminal_width import terminal_columns
from trialrun.runtime.options import runtime_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.outputs.plan import Plan

NEVER = "never"
MAX_SESSIONS = 100_000
PAGE_URL = re.compile(r"https?://[A-Za-z0-9:/?#@!$&*+,;=%._~-]+")
FORMATS = ("text", "json", "markdown", "github")


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
@output_formats(FORMATS)
@FORCE
@click.option(
    "--page-url",
    metavar="URL",
    help="Link to this page in the Markdown report: where the file of trialrun report --since is kept.",
)
@click.option("--rows", is_flag=True, help="Also read sources: count entities that appear, vanish and change.")
@click.option(
    "--scenarios/--no-scenarios",
    "with_scenarios",
    default=True,
    show_default=True,
    help="Play the scenarios of both revisions on the documents of both, where a document behind them differs.",
)
@click.option(
    "--sessions",
    type=click.IntRange(0, MAX_SESSIONS),
    default=0,
    metavar="N",
    help="Play N random sessions of the same customers on both sides of each configuration that differs.",
)
@JOBS
@click.option("--prove", is_flag=True, help="Prove that no session differs, or show the shortest one that does.")
@AT
@ISOLATED
@ALLOW_PATH
@COLOR
def command(base: str, head: str | None, fail_on: str, **options: Any) -> int:
    """Show what the changes from BASE to HEAD do.

    BASE and HEAD are revisions of git; HEAD is the working tree when left out. BASE..HEAD and BASE...HEAD are as git
    has them. What the documents mean is compared, not their text: comments, the order of keys, formatting and moved
    files are no changes. Each change is breaking, risky or safe; trialrun explain ID shows why. Exit code 1: a change
    of the level of --fail-on, or above it. Ctrl-C ends what is being played; the plan lists what was not played, and
    the exit code is 130.
    """
    outputs = parse_outputs(options["output_format"], FORMATS)
    files = [file for _, file in outputs if file]
    if files:
        require_replaceable(files, force=options["force"])
    page_url = options["page_url"]
    if page_url is not None and not PAGE_URL.fullmatch(page_url):  # a link and nothing else to Markdown
        raise UsageError(f"--page-url: {page_url} is not an address that a comment can link to; write https://…")
    plan = replace(_plan(base, head, files, options), page_url=page_url)
    width = terminal_columns(sys.stdout, os.environ)
    for name, file in outputs:
        color = use_color("never" if file else options["color"], sys.stdout, os.environ)
        parts = REPORTS[name](plan, color=color, width=width, max_lines=None if file else MAX_LINES)
        if file:
            write_atomically(file, parts, is_commands=name == "github")
        elif name == "text":
            sys.stdout.writelines(parts)
        else:
            write_utf8(parts, is_commands=name == "github")
    if plan.played and plan.played.is_interrupted:
        return INTERRUPTED_EXIT
    return int(fail_on != NEVER and any(change.level >= LEVELS[fail_on] for change in plan.changes))


def _plan(base: str, head: str | None, report_files: Sequence[str], options: dict[str, Any]) -> Plan:
    """The plan of two revisions of the workspace of the working directory. Raises UsageError."""
    request = default_request((), options)
    settings = request.profiles.settings
    levels = {id: LEVELS[word] for id, word in settings.change_levels.items()}
    sides = open_sides(request, base, head)
    if report_files:
        read = sides.head.parse({os.path.realpath(file) for file in report_files})
        require_not_checked(report_files, [resource.path for _, resource in read.resources])
    if options["rows"]:
        require_libraries("--rows", "runtime", "duckdb", "numpy")
    if options["prove"]:
        require_libraries("--prove", "prove", "z3")
    with Progress("plan") as progress:

        def on_progress(title: str, done: int, total: int) -> None:
            progress.set_title(title)
            progress(done, total)

        access = access_options(options)
        asked = options["with_scenarios"], options["sessions"], access, options["prove"]
        player = Player(*asked, on_progress, options["jobs"])
        runtime = runtime_options(settings.runtime)
        return make_plan(sides, levels, runtime, with_rows=options["rows"], player=player)
