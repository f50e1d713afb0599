"""`trialrun sync VIEW…`: read the sources of views and serve what they have from then on, or say what that would do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.notes import assumption_notes
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import print_note
from trialrun.cli.workspace_options import (
    ACCESS,
    AT,
    ENGINE,
    STORE,
    document_error,
    dry_run_from_options,
    errors_as_json,
    find_view,
    page_layout,
    show_document_errors,
    store_errors_as_usage,
    view_name,
    view_title,
    workspace_options,
)
from trialrun.display_path import display_path
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.sync import sync_object
from trialrun.report.json_encoding import json_text

if TYPE_CHECKING:
    from trialrun.cli.progress import Progress
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.plan import SyncPlan
    from trialrun.runtime.feature_view.sync import SyncReport, SyncSize
    from trialrun.service.iam import Policy
    from trialrun.workspace.dry_run import DryRun


@dataclass(frozen=True)
class RefusedSync:
    """A sync that was not made, and the errors in the workspace's files that are to blame."""

    view: str
    diagnostics: Sequence[Diagnostic]


@dataclass(frozen=True)
class PlannedSync:
    """A sync that was only planned, and how large it would be."""

    plan: SyncPlan
    size: SyncSize


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
    from trialrun.cli.progress import Progress
    from trialrun.cli.require_libraries import require_libraries

    if bool(views) + options["every"] + options["due"] != 1:
        raise UsageError("give VIEW names, --all or --due: exactly one of the three")
    require_libraries("sync", "runtime", "duckdb", "numpy")
    trial = dry_run_from_options(options)
    trial = replace(trial, options=replace(trial.options, bounded=True))
    _require_memory(trial)
    done = _SyncReporter(trial, options, several=len({*views}) != 1)
    policies: Mapping[str, Policy] = {}
    if options["access"]:
        from trialrun.server.access import read_access_file

        policies = read_access_file(options["access"]).control.policies
    named = {view_name(view): view for view in (find_view(name, trial) for name in views)}
    with Progress() as progress:
        for view in named.values() or _select_views(trial, options, done):
            if refused := _refused(view, trial, None if only_planned else policies, is_named=bool(views)):
                done.report(view, RefusedSync(view_name(view), refused))
            else:
                done.report(view, _plan_or_sync(view, trial, progress, only_planned=only_planned))
    return done.finish(fail_on_findings=fail_on_findings)


def _require_memory(trial: DryRun) -> None:
    """Raise UsageError where the settings ask for more than a sync may take on this machine."""
    from trialrun.runtime.limits import exceeded_limits, sync_limits

    settings = trial.request.profiles.settings
    asked = {"memory-limit": settings.runtime.get("memory-limit")}
    for problem in exceeded_limits(asked, sync_limits(), "three quarters of the memory of this machine"):
        raise UsageError(f"{display_path(settings.file or settings.folder)}: runtime: {problem}; lower it")


def _select_views(
    trial: DryRun, options: dict[str, Any], done: _SyncReporter
) -> Sequence[DeclaredResource[FeatureView]]:
    """All views, or those that are due; what keeps others from being read is told. Raises UsageError without any."""
    from trialrun.workspace.schedule_errors import schedule_errors

    unread = schedule_errors(trial.request, (), trial.catalog.unreadable_paths)
    done.report_refused("", unread)
    if not trial.catalog.views and not unread:
        raise UsageError("the workspace declares no view")
    return [due.view for due in trial.due()] if options["due"] else list(_with_source(trial))


def _with_source(trial: DryRun) -> Iterator[DeclaredResource[FeatureView]]:
    """All views but those without a source, of which it is said that there is nothing to sync."""
    from trialrun.runtime.feature_view.direct_write import has_source

    for view in trial.catalog.views:
        if has_source(view.node):
            yield view
        else:
            print_note(f"{view_title(view, trial)} has no source, so there is nothing to sync")


def _refused(
    view: DeclaredResource[FeatureView], trial: DryRun, policies: Mapping[str, Policy] | None, *, is_named: bool
) -> Sequence[Diagnostic]:
    """What keeps a view from being synced, as the server refuses it; of a plan, without policies, errors alone."""
    wrong = trial.errors_of(view) or list(_ambiguous_name(view, trial))
    asks = view.node.serviceAgentType or (view.node.syncConfig and view.node.syncConfig.continuous)
    if wrong or policies is None or not asks:
        return wrong
    from trialrun.service.error import ServiceError
    from trialrun.service.feature_view.access import Grants
    from trialrun.service.feature_view.syncs import require_on_demand

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


def _plan_or_sync(
    view: DeclaredResource[FeatureView], trial: DryRun, progress: Progress, *, only_planned: bool
) -> PlannedSync | SyncReport | RefusedSync:
    """The plan of a sync, or the report of the one that was made, or why there is none."""
    from trialrun.runtime.feature_view.data_finding import CannotSync
    from trialrun.runtime.feature_view.index.interface import NotSearchable
    from trialrun.runtime.feature_view.store.interface import SyncRunning

    try:
        if only_planned:
            return _planned(view, trial)
        with store_errors_as_usage():
            return _sync(view, trial, progress)
    except CannotSync as error:
        return RefusedSync(view_name(view), [document_error(view, "cannot-sync", str(error), error.steps)])
    except NotSearchable as error:
        return RefusedSync(
            view_name(view), [document_error(view, "not-searchable", str(error), error.steps or ("indexConfig",))]
        )
    except SyncRunning as error:
        return RefusedSync(view_name(view), [document_error(view, "sync-running", str(error), ("name",))])


def _planned(view: DeclaredResource[FeatureView], trial: DryRun) -> PlannedSync:
    """The plan of a view, and how large its sync would be. Raises CannotSync."""
    plan = trial.plan(view)
    return PlannedSync(plan, trial.size(view, plan))


def _ambiguous_name(view: DeclaredResource[FeatureView], trial: DryRun) -> Iterator[Diagnostic]:
    """What keeps a view from being told apart by its name, which its values are kept under."""
    from trialrun.runtime.declaration import UndeclaredError

    if not view_name(view):
        yield document_error(view, "cannot-sync", "the view has no name, so it cannot be served; add a name", ())
        return
    try:
        trial.catalog.view(view_name(view))
    except UndeclaredError as error:
        yield document_error(view, "cannot-sync", str(error), ("name",))


def _sync(view: DeclaredResource[FeatureView], trial: DryRun, progress: Progress) -> SyncReport:
    has_index = trial.stores.indexes(view_name(view)).before_serving(view) is not None
    progress.set_title(view_title(view, trial))
    progress.set_activity("reading the sources")
    try:
        return trial.sync(
            view,
            before_serving=(lambda: progress.set_activity("building the index")) if has_index else None,
            progress=progress,
        )
    finally:
        progress.clear()


class _SyncReporter:
    """Tells what was done with each view when it is done; as JSON, one object when all are."""

    def __init__(self, trial: DryRun, options: dict[str, Any], *, several: bool) -> None:
        self._trial = trial
        self._options = options
        self._several = several
        self._objects: list[dict[str, Any]] = []
        self._refused: list[dict[str, Any]] = []
        self._findings = 0
        self._told = False
        self._assumed: dict[str, None] = {}

    def report(self, view: DeclaredResource[FeatureView], done: PlannedSync | SyncReport | RefusedSync) -> None:
        """Tell what was done with a view."""
        self._told = True
        if isinstance(done, RefusedSync):
            self.report_refused(done.view, done.diagnostics)
            return
        result = done.plan if isinstance(done, PlannedSync) else done
        self._findings += len(result.findings)
        if self._options["output_format"] == "json":
            size = done.size if isinstance(done, PlannedSync) else None
            self._objects.append(sync_object(view, result, size))
            return
        self._assumed.update(dict.fromkeys(result.assumptions))
        sys.stdout.writelines(self._text(view, done))
        sys.stdout.flush()

    def report_refused(self, name: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Tell why a view, or the views of a file, cannot be synced."""
        if diagnostics:
            self._refused.append(errors_as_json(name, diagnostics))
            show_document_errors(diagnostics, self._trial, self._options["color"])

    def finish(self, *, fail_on_findings: bool) -> int:
        """Tell the rest; the exit code."""
        if self._options["output_format"] == "json":
            each = (*self._objects, *self._refused)
            whole = {"syncs": self._objects, "refused": self._refused} if self._several else each[0]
            write_utf8([json_text({"version": 1, **whole}), "\n"])
        elif self._options["due"] and not self._told:
            sys.stdout.write("no view is due; trialrun schedule shows the next runs\n")
        else:
            width, paint = page_layout(self._options["color"])
            sys.stdout.writelines(assumption_notes(list(self._assumed), width=width, paint=paint))
        return int(bool(self._refused) or (fail_on_findings and bool(self._findings)))

    def _text(self, view: DeclaredResource[FeatureView], done: PlannedSync | SyncReport) -> Iterator[str]:
        from trialrun.cli.sync_text import plan_text, report_text

        width, paint = page_layout(self._options["color"])
        title = view_title(view, self._trial)
        if isinstance(done, PlannedSync):
            return plan_text(title, done.plan, done.size, width=width, paint=paint)
        snapshot = self._trial.snapshot(view)
        return report_text(title, done, snapshot.synced_at if snapshot else None, width=width, paint=paint)
