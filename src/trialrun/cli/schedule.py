"""`trialrun schedule [VIEW…]`: when the views of the workspace are synced next."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import AT_HELP
from trialrun.cli.request import requested
from trialrun.usage import UsageError, did_you_mean

if TYPE_CHECKING:
    from trialrun.cli.outlook import Outlook
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declared import Catalog, Declared
    from trialrun.text import Source
    from trialrun.workspace import Request

LONGEST_SPAN = 366 * 24 * 60
CHECKED = {"select": (), "ignore": (), "policies": (), "jobs": 0, "no_cache": False}
"""What commands that check files may choose, as it is where nothing is chosen."""


@click.command("schedule")
@click.argument("views", nargs=-1, metavar="[VIEW]...")
@click.option("--count", type=click.IntRange(min=1), default=3, show_default=True, help="How many runs of each view.")
@click.option("--span", default="24h", show_default=True, metavar="TIME", help="How much the timeline shows: 90m, 7d.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--at", metavar="TIME", help=AT_HELP)
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
def command(views: tuple[str, ...], count: int, span: str, output_format: str, color: str, **options: Any) -> int:
    """Show when views are synced next, all views of the workspace without a VIEW.

    A VIEW is a resource name or the end of one, such as its id. The runs are those after --at, by the wall clock of
    each schedule's zone. A timeline shows all of them together, with the herds (more views of one store in a minute
    than the setting sync-herd-size allows) and the runs that changes of the clocks take away or double. Exit code 1:
    a schedule cannot be read, or never runs.
    """
    from trialrun.cli.outlook import outlook
    from trialrun.workspace.catalog import catalog

    request = requested((), {**CHECKED, **options})
    declared = catalog(request)
    chosen = _chosen(declared, views)
    ahead = outlook(request, declared, chosen, count=count, span=_span(span))
    if output_format == "json":
        from trialrun.cli.outlook import as_json

        sys.stdout.writelines(as_json(ahead))
    else:
        _show(ahead, color)
    return _told(request, () if views else declared.troubled, ahead, color)


def _span(text: str) -> timedelta:
    from trialrun.values.duration import minutes

    try:
        told = minutes(text)
    except ValueError as error:
        raise UsageError(f"--span: {error}") from error
    if not 1 <= told <= LONGEST_SPAN:
        raise UsageError(f"--span: {text} is not between 1m and 366d")
    return timedelta(minutes=told)


def _chosen(declared: Catalog, names: Sequence[str]) -> list[Declared[FeatureView]]:
    """The views of some names, all where there are none, in the order of path and document. Raises UsageError."""
    from trialrun.values.resource_name import is_same, last_id

    if not names:
        return list(declared.views)
    known = [view.node.name for view in declared.views if view.node.name]
    found: set[int] = set()
    for name in names:
        exact = [number for number, view in enumerate(declared.views) if view.node.name == name]
        same = [
            number for number, view in enumerate(declared.views) if view.node.name and is_same(view.node.name, name)
        ]
        if not (exact or same):
            near = did_you_mean(name, [*known, *map(last_id, known)])
            raise UsageError(f'there is no view "{name}"{near or _listed(known)}')
        found.update(exact or same)
    return [declared.views[number] for number in sorted(found)]


def _listed(known: Sequence[str]) -> str:
    from trialrun.values.resource_name import last_id

    names = sorted({last_id(name) for name in known})
    return f"; there are {', '.join(names)}" if 0 < len(names) <= 10 else "; trialrun schedule lists all"


def _show(ahead: Outlook, color: str) -> None:
    from trialrun.cli.outlook_text import text
    from trialrun.report.cells import columns
    from trialrun.report.color import painter, wanted

    paint = painter(color=wanted(color, sys.stdout, os.environ))
    sys.stdout.writelines(text(ahead, columns(sys.stdout, os.environ), paint, sys.stdout.encoding))


def _told(request: Request, troubled: Sequence[str], ahead: Outlook, color: str) -> int:
    """Say on standard error what keeps schedules from being read, as `trialrun check` does; the exit code."""
    from trialrun.workspace.blame import blame

    found = blame(request, [one.view for one in ahead.prospects if one.trouble], troubled)
    if found:
        from trialrun.cli.refusal import show

        sys.stdout.flush()
        show(found, lambda path: _source(request, path), color=color)
    return int(bool(found) or any(one.trouble for one in ahead.prospects))


def _source(request: Request, path: str) -> Source | None:
    from trialrun.tree import source

    data = request.files.bytes_of(path)
    return None if data is None else source(data, path)
