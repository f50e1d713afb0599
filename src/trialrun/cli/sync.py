"""`trialrun sync VIEW…`: read the sources of views and serve what they have from then on, or say what that would do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.notes import INDENT, LabelledLines, assumption_notes, result_notes
from trialrun.cli.options import AT
from trialrun.cli.output import print_note, write_utf8
from trialrun.cli.progress import Progress
from trialrun.cli.views import (
    NO_VIEW,
    document_error,
    find_view,
    report_errors,
    store_errors_as_usage,
    view_name,
    view_title,
)
from trialrun.cli.workspace_options import (
    ACCESS,
    ENGINE,
    STORE,
    dry_run_from_options,
    page_layout,
    require_libraries,
    workspace_options,
)
from trialrun.errors import UsageError
from trialrun.outputs.views import sync_object
from trialrun.report.color import Paint
from trialrun.report.format_value import align_if_wide_enough, format_time, join_cells
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.runtime.options import exceeded_limits, sync_limits
from trialrun.working_folder import display_path

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.feature_view.plan import SyncPlan
    from trialrun.runtime.feature_view.source.table_size import Estimate, SyncEstimate
    from trialrun.runtime.feature_view.sync import SyncReport
    from trialrun.service.iam import Policy
    from trialrun.workspace.dry_run import DryRun

UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


@click.command("sync")
@click.argument("views", nargs=-1, metavar="[VIEW]...")
@click.option("--all", "every", is_flag=True, help="Sync all views of the workspace.")
@click.option("--due", is_flag=True, help="Sync the views with a scheduled run since their last sync.")
@click.option("--plan", "only_planned", is_flag=True, help="Show what a sync would do and its size; read no rows.")
@click.option("--fail-on-findings", is_flag=True, help="Also exit 1 if the data has findings.")
@ACCESS
@ENGINE
@STORE
@AT
@workspace_options
def command(views: tuple[str, ...], only_planned: bool, fail_on_findings: bool, **options: Any) -> int:
    """Sync views: read their sources and serve their values.

    A VIEW is a resource name or the end of one, such as its id. A sync replaces all values of a view at once; they are
    stored in the folder .trialrun at the root of the workspace, or in the store that --store names. A continuous view
    is synced by --due and --all, not by its name. A view with its own service account needs a grant on its sources: by
    their documents, or by a policy of --access. Exit code 1: a view could not be synced (the reason is shown); it keeps
    its previous values, and the other views are synced.
    """
    if bool(views) + options["every"] + options["due"] != 1:
        raise UsageError("give VIEW names, --all or --due: exactly one of the three")
    require_libraries("sync", "runtime", "duckdb", "numpy")
    trial = dry_run_from_options(options)
    trial = replace(trial, options=replace(trial.options, bounded=True))
    settings = trial.request.profiles.settings
    asked = {"memory-limit": settings.runtime.get("memory-limit")}
    for problem in exceeded_limits(asked, sync_limits(), "three quarters of the memory of this machine"):
        raise UsageError(f"{display_path(settings.file or settings.folder)}: runtime: {problem}; lower it")
    done = _SyncReporter(trial, options, several=len({*views}) != 1)
    policies: Mapping[str, Policy] = {}
    if options["access"]:
        from trialrun.server.access import read_access_file

        policies = read_access_file(options["access"]).control.policies
    named = {view_name(view): view for view in (find_view(name, trial) for name in views)}
    with Progress() as progress:
        for view in named.values() or _select_views(trial, options, done):
            done.told = True
            refused = _refused(view, trial, None if only_planned else policies, is_named=bool(views))
            if refused:
                done.report_refused(view_name(view), refused)
            else:
                _sync_or_plan(view, trial, done, progress, only_planned=only_planned)
    return done.finish(fail_on_findings=fail_on_findings)


def _select_views(
    trial: DryRun, options: dict[str, Any], done: _SyncReporter
) -> Sequence[DeclaredResource[FeatureView]]:
    """All views with a source, or those that are due; what keeps others from being read is told.

    Raises UsageError without any.
    """
    from trialrun.workspace.relevant_diagnostics import schedule_errors

    unread = schedule_errors(trial.request, (), trial.catalog.unreadable_paths)
    done.report_refused("", unread)
    if not trial.catalog.views and not unread:
        raise UsageError(NO_VIEW)
    if options["due"]:
        return [view for view, _ in trial.due()]
    for view in trial.catalog.views:
        if not has_source(view.node):
            print_note(f"{view_title(view, trial)} has no source, so there is nothing to sync")
    return [view for view in trial.catalog.views if has_source(view.node)]


def _refused(
    view: DeclaredResource[FeatureView], trial: DryRun, policies: Mapping[str, Policy] | None, *, is_named: bool
) -> Sequence[Diagnostic]:
    """What keeps a view from being synced, as the server refuses it; of a plan, without policies, errors alone."""
    if wrong := trial.errors_of(view):
        return wrong
    # values are kept under the name of a view
    if not view_name(view):
        message = "the view has no name, so it cannot be served; add a name"
        return [document_error(view, "cannot-sync", message, ())]
    try:
        trial.catalog.view(view_name(view))
    except UndeclaredError as error:
        return [document_error(view, "cannot-sync", str(error), ("name",))]
    asks = view.node.serviceAgentType or (view.node.syncConfig and view.node.syncConfig.continuous)
    if policies is None or not asks:
        return []
    from trialrun.service.error import ServiceError
    from trialrun.service.feature_view.syncs import require_on_demand
    from trialrun.service.iam import Grants

    steps: tuple[str, ...] = ("syncConfig", "continuous")
    advice = "; trialrun sync --due syncs it"
    try:
        if is_named:
            require_on_demand(view.node)
        steps, advice = ("serviceAgentType",), ", by `readers` of its Source or a policy of --access"
        Grants(policies).require(view.node, trial.catalog)
    except ServiceError as error:
        return [document_error(view, error.reason, error.message + advice, steps)]
    return []


def _sync_or_plan(
    view: DeclaredResource[FeatureView], trial: DryRun, done: _SyncReporter, progress: Progress, *, only_planned: bool
) -> None:
    """Sync a view, or plan it, and tell what was done, or what keeps the view from it."""
    try:
        if only_planned:
            plan = trial.plan(view)
            done.report(view, plan, trial.size(view, plan))
            return
        with store_errors_as_usage():
            report = _sync(view, trial, progress)
        done.report(view, report)
    except CannotSync as error:
        done.report_refused(view_name(view), [document_error(view, "cannot-sync", str(error), error.steps)])
    except NotSearchable as error:
        steps = error.steps or ("indexConfig",)
        done.report_refused(view_name(view), [document_error(view, "not-searchable", str(error), steps)])
    except SyncRunning as error:
        done.report_refused(view_name(view), [document_error(view, "sync-running", str(error), ("name",))])


def _sync(view: DeclaredResource[FeatureView], trial: DryRun, progress: Progress) -> SyncReport:
    has_index = trial.stores.indexes(view_name(view)).before_serving(view) is not None
    progress.set_title(view_title(view, trial))
    progress.set_activity("reading the sources")
    before_serving = (lambda: progress.set_activity("building the index")) if has_index else None
    try:
        return trial.sync(view, before_serving=before_serving, progress=progress)
    finally:
        progress.clear()


class _SyncReporter:
    """Tells what was done with each view when it is done; as JSON, one object when all are."""

    def __init__(self, trial: DryRun, options: dict[str, Any], *, several: bool) -> None:
        self.told = False
        self._trial, self._options, self._several = trial, options, several
        self._objects: list[dict[str, Any]] = []
        self._refused: list[dict[str, Any]] = []
        self._findings = 0
        self._assumed: dict[str, None] = {}

    def report(
        self, view: DeclaredResource[FeatureView], done: SyncPlan | SyncReport, size: SyncEstimate | None = None
    ) -> None:
        """Tell what was synced, or planned and of what size."""
        self._findings += len(done.findings)
        if self._options["output_format"] == "json":
            self._objects.append(sync_object(view, done, size))
            return
        self._assumed.update(dict.fromkeys(done.assumptions))
        width, paint = page_layout(self._options["color"])
        title = view_title(view, self._trial)
        snapshot = None if size else self._trial.snapshot(view)
        lines = sync_text(title, done, size, snapshot.synced_at if snapshot else None, width=width, paint=paint)
        sys.stdout.writelines(lines)
        sys.stdout.flush()

    def report_refused(self, name: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Tell why a view, or the views of a file, cannot be synced."""
        if diagnostics:
            self._refused.append(report_errors(name, diagnostics, self._trial, self._options))

    def finish(self, *, fail_on_findings: bool) -> int:
        """Tell the rest; the exit code."""
        if self._options["output_format"] == "json":
            each = (*self._objects, *self._refused)
            whole = {"syncs": self._objects, "refused": self._refused} if self._several else each[0]
            write_utf8([json_text({"version": 1, **whole}), "\n"])
        elif self._options["due"] and not self.told:
            sys.stdout.write("no view is due; trialrun schedule shows the next runs\n")
        else:
            width, paint = page_layout(self._options["color"])
            sys.stdout.writelines(assumption_notes(list(self._assumed), width=width, paint=paint))
        return int(bool(self._refused) or (fail_on_findings and bool(self._findings)))


def sync_text(
    title: str, done: SyncPlan | SyncReport, size: SyncEstimate | None, at: datetime | None, *, width: int, paint: Paint
) -> Iterator[str]:
    """The block of a view that was synced `at` a time, or that a sync was planned of."""
    from trialrun.runtime.feature_view.plan import SyncPlan

    page = LabelledLines(width, paint)
    is_plan = isinstance(done, SyncPlan)
    aside = "nothing is read or served" if is_plan else f"synced {format_time(at)}" if at else ""
    yield f"{paint(escape_controls(title), 'rule')}  {paint(aside, 'gutter')}\n"
    if isinstance(done, SyncPlan):
        yield f"{INDENT}{paint('statement', 'help')}\n"
        yield from (f"{INDENT * 2}{escape_controls(line)}\n" for line in done.statement.text.splitlines())
        yield f"{INDENT}{paint('columns', 'help')}\n"
        columns = [[key.name, key.type_text, "entity id"] for key in done.layout.keys]
        columns += [[feature.name, feature.type_text, ""] for feature in done.layout.features]
        for cells in align_if_wide_enough(columns, width=width - 2 * len(INDENT)):
            yield f"{INDENT * 2}{join_cells(cells)}\n"
        for number, check in enumerate(done.checks):
            yield from page.line("" if number else "checked", check)
    else:
        counts = done.counts
        rows = pluralize(counts.read, "row").replace(str(counts.read), f"{counts.read:,}", 1)
        yield from page.line("read", f"{rows}, {byte_size(done.bytes)} of files")
        changes = (counts.new, "new"), (counts.changed, "changed"), (counts.unchanged, "unchanged")
        parts = [f"{number:,} {word}" for number, word in changes if number]
        parts += [f"{counts.vanished:,} vanished from the source"] if counts.vanished else []
        entities = f"{counts.entities:,} {'entity' if counts.entities == 1 else 'entities'}"
        yield from page.line("served", f"{entities}: {', '.join(parts)}" if parts else entities, "clean")
        rate = counts.entities / max(done.seconds, 0.001)
        yield from page.line("took", f"{done.seconds:.2f} s, {rate:,.0f} entities a second")
    yield from result_notes(done.findings, done.skipped, page)
    if size:
        yield from _size_lines(size, page)
    yield "\n"


def _size_lines(size: SyncEstimate, page: LabelledLines) -> Iterator[str]:
    for source in size.sources:
        rows = f"unknown: {source.rows_from}"
        if source.rows is not None:
            files = f"{byte_size(source.file_bytes)} of {source.format}"
            rows = f"{_range_text(source.rows, _number)} in {files}, from {source.rows_from}"
        yield from page.line("rows", rows)
    rounded = _range_text(size.bytes, lambda bytes: byte_size(float(f"{bytes:.2g}")))
    known = "" if size.bytes is None else f", {rounded} in their latest rows"
    yield from page.line("entities", f"{_range_text(size.entities, _number)}{known}: {size.entities_from}")
    for problem in size.problems:
        yield from page.line("not enough", problem, "warning")
    for advice in size.advice:
        yield from page.line("would be", advice)


def byte_size(size: float) -> str:
    """Bytes for people: `8.07 kB`."""
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}"


def _range_text(range: Estimate, text: Callable[[float], str]) -> str:
    """A range for people: one figure where both ends look alike, `unknown` where there is none."""
    if range is None:
        return "unknown"
    low, high = text(range.low), text(range.high)
    return low if low == high else f"{low} to {high}"


def _number(number: float) -> str:
    return f"{int(float(f'{number:.3g}')):,}" if number >= 10_000 else f"{number:,.0f}"
