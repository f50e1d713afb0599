"""`trialrun schedule [VIEW…]`: when the views of the workspace are synced next."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import default_request
from trialrun.cli.output import write_utf8
from trialrun.cli.workspace_options import AT, page_layout, suggest_names, workspace_options
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.outputs.schedule import UpcomingSchedule
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.workspace import CheckRequest

MAX_RUNS = 1000
MAX_SPAN_MINUTES = 366 * 24 * 60


@click.command("schedule")
@click.argument("views", nargs=-1, metavar="[VIEW]...")
@click.option(
    "--count", type=click.IntRange(min=1), default=3, show_default=True, help="Number of runs per view, at most 1000."
)
@click.option("--span", default="24h", show_default=True, metavar="TIME", help="Length of the timeline: 90m, 7d.")
@AT
@workspace_options
def command(views: tuple[str, ...], count: int, span: str, output_format: str, color: str, **options: Any) -> int:
    """Show when views are synced next; without VIEW, all views of the workspace.

    A VIEW is a resource name or the end of one, such as its id. The runs are those after --at, in local time of each
    schedule's time zone. A timeline shows all of them together, with the herds (more views of one store in a minute
    than the setting sync-herd-size allows) and the runs that clock changes skip or repeat. Exit code 1: a schedule
    cannot be read, or never runs.
    """
    from trialrun.outputs.schedule import upcoming_schedule
    from trialrun.workspace.catalog import catalog

    if count > MAX_RUNS:
        raise UsageError(f"--count: {count} is more than {MAX_RUNS}; use a later --at")
    request = default_request((), options)
    declared = catalog(request)
    chosen = _select_views(declared, views)
    ahead = upcoming_schedule(request, declared, chosen, count=count, span=_parse_span(span))
    if output_format == "json":
        from trialrun.outputs.schedule import schedule_json

        write_utf8(schedule_json(ahead))
    else:
        _show(ahead, color)
    return _report_errors(request, () if views else declared.unreadable_paths, ahead, color)


def _parse_span(text: str) -> timedelta:
    from trialrun.values.duration import parse_minutes

    try:
        minutes = parse_minutes(text)
    except ValueError as error:
        raise UsageError(f"--span: {error}") from error
    if not 1 <= minutes <= MAX_SPAN_MINUTES:
        raise UsageError(f"--span: {text} is not between 1m and 366d")
    return timedelta(minutes=minutes)


def _select_views(declared: Catalog, names: Sequence[str]) -> list[DeclaredResource[FeatureView]]:
    """The views of some names, all where there are none, in the order of path and document. Raises UsageError."""
    from trialrun.values.resource_name import is_same_resource, last_id

    if not names:
        return list(declared.views)
    known = [view.node.name for view in declared.views if view.node.name]
    found: set[int] = set()
    for name in names:
        exact = [number for number, view in enumerate(declared.views) if view.node.name == name]
        same = [
            number
            for number, view in enumerate(declared.views)
            if view.node.name and is_same_resource(view.node.name, name)
        ]
        if not (exact or same):
            raise UsageError(f'there is no view "{name}"{suggest_names(name, [*known, *map(last_id, known)])}')
        found.update(exact or same)
    return [declared.views[number] for number in sorted(found)]


def _show(ahead: UpcomingSchedule, color: str) -> None:
    from trialrun.cli.upcoming_runs_text import upcoming_runs_text

    sys.stdout.writelines(upcoming_runs_text(ahead, *page_layout(color), sys.stdout.encoding))


def _report_errors(request: CheckRequest, troubled: Sequence[str], ahead: UpcomingSchedule, color: str) -> int:
    """Say on standard error what keeps schedules from being read, as `trialrun check` does; the exit code."""
    from trialrun.workspace.schedule_errors import schedule_errors

    diagnostics = schedule_errors(request, [view.view for view in ahead.views if view.is_unschedulable], troubled)
    if diagnostics:
        from trialrun.cli.report_error import show_diagnostics

        sys.stdout.flush()
        show_diagnostics(diagnostics, request.source, color=color)
    return int(bool(diagnostics) or any(view.is_unschedulable for view in ahead.views))
