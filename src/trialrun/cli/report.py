"""`trialrun report`: one HTML file that shows a workspace to people who do not live in a terminal."""

from __future__ import annotations

import os
from typing import Any

import click

from trialrun.changes.plan import make_plan
from trialrun.changes.sides import open_sides
from trialrun.cli.files import require_not_checked, require_replaceable, write_atomically
from trialrun.cli.options import ALLOW_PATH, AT, DEFAULT_OPTIONS, ISOLATED, check_request
from trialrun.cli.stores import NO_STORE
from trialrun.cli.workspace_options import access_options, require_libraries, suggest_names
from trialrun.errors import UsageError
from trialrun.outputs.plan import LEVELS
from trialrun.page.html import page_html
from trialrun.page.sections import build_sections
from trialrun.page.sources import PageSources
from trialrun.page.views_section import schedule_picture
from trialrun.runtime.declaration import UndeclaredError
from trialrun.runtime.options import runtime_options

DEFAULT_FILE = "trialrun-report.html"
MAX_SESSIONS = 10_000


@click.command("report")
@click.option(
    "-o",
    "--output",
    "file",
    metavar="FILE",
    help=f"Where to write; - is standard output. [default: {DEFAULT_FILE}, with --only NAME.svg]",
)
@AT
@click.option("--stores", multiple=True, metavar="STORE", help="Show only these stores; may be repeated.")
@click.option(
    "--sessions",
    type=click.IntRange(0, MAX_SESSIONS),
    default=200,
    show_default=True,
    metavar="N",
    help="Random sessions for each configuration of the stores.",
)
@click.option("--since", metavar="REV", help="Also show the plan from a revision of git to the working tree.")
@click.option("--with-data", is_flag=True, help="Also show rows and values of views.")
@click.option("--only", type=click.Choice(("schedule",)), help="Write only this picture, as SVG.")
@click.option("--force", is_flag=True, help="Overwrite a file that is not a report.")
@ISOLATED
@ALLOW_PATH
def command(file: str | None, force: bool, **options: Any) -> int:
    """Write one HTML file that shows the workspace: stores, upsells, views, findings, scenarios.

    The file needs no network and no other file: open it from a disk, keep it as an artifact of a pipeline, or publish
    it. The same workspace and --at give the same bytes. What a view serves, and examples of rows, are on it only with
    --with-data. Exit code 0: it was written, whatever the findings are; 2: FILE cannot be written.
    """
    only = options["only"]
    file = file or (f"{only}.svg" if only else DEFAULT_FILE)
    if file != "-":
        require_replaceable([file], force=force)
    sources = _sources(options)
    if file != "-":
        require_not_checked([file], sources.checked.paths)
    if only:
        picture = schedule_picture(sources)
        if picture is None:
            raise UsageError(f"--only {only}: the workspace declares no view")
        parts = [picture]
    else:
        root = sources.request.root
        parts = list(page_html(f"{os.path.basename(root) or root} · trialrun", build_sections(sources)))
    if file == "-":
        write_atomically("/dev/stdout", parts)
        return 0
    write_atomically(file, parts)
    print(f"{file}: {sum(len(part.encode()) for part in parts) / 1000:,.0f} kB")
    return 0


def _sources(options: dict[str, Any]) -> PageSources:
    """The workspace of the working directory, with some of its stores alone. Raises UsageError."""
    request = check_request((), {**DEFAULT_OPTIONS, **options}, with_baselines=True)
    if options["with_data"]:
        require_libraries("--with-data", "runtime", "duckdb", "numpy")
    plan = None
    if options["since"] is not None:
        settings = request.profiles.settings
        levels = {id: LEVELS[word] for id, word in settings.change_levels.items()}
        sides = open_sides(request, options["since"], None)
        plan = make_plan(sides, levels, runtime_options(settings.runtime))
    sources = PageSources(
        request, plan, sessions=options["sessions"], with_data=options["with_data"], access=access_options(options)
    )
    if options["stores"]:
        given = [name.strip() for words in options["stores"] for name in words.split(",")]
        try:
            sources.chosen_stores = [sources.brands.store(name).name for name in given]
        except UndeclaredError as error:
            name = str(error).partition('"')[2].partition('"')[0]
            raise UsageError(f"--stores: {error}{suggest_names(name, error.candidates, NO_STORE)}") from error
    return sources
