"""What the sections of the page are made from: one workspace, read once, with trial syncs of its views.

These are made in a folder that is gone afterwards; they show what is read, and what the data shows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any

from trialrun.diagnostic import Severity
from trialrun.guarded_path import TooManyEntries, matching_files
from trialrun.model.feature_view import FeatureView
from trialrun.model.scenario import Scenario
from trialrun.outputs.plan import Plan
from trialrun.outputs.test_report import PlayedScenario, run_scenarios
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource, DeclaredStore, source_documents
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.schedule import created_at, last_run, schedule_of
from trialrun.runtime.feature_view.store.interface import OnlineStore, RowLayout
from trialrun.runtime.feature_view.trial_run import StoreFolder, TrialRun, ViewStores
from trialrun.runtime.options import Options, runtime_options
from trialrun.runtime.scenario.coverage import CoverageRecorder
from trialrun.runtime.scenario.view_steps import REFUSALS
from trialrun.serialization import json_value
from trialrun.values.timestamp import format_timestamp
from trialrun.workspace import CheckRequest, CheckResult
from trialrun.workspace.catalog import both_catalogs, scenarios
from trialrun.workspace.check import check
from trialrun.workspace.dry_run import DryRun
from trialrun.workspace.relevant_diagnostics import needs_runtime, scenario_options

MAX_BYTES = 64 * 2**20
"""Bytes of files that are read for a page that does not show rows."""
SAMPLE_ROWS = 20
TrialSync = dict[str, Any]
"""What a trial sync of a view showed: counts and findings, or the problem, and some rows where asked for."""


@dataclass
class PageSources:
    """A workspace at a time, with what several sections are made from.

    `plan` are the changes since a revision, if the page shows them. `trial` is what a server serves values from, whose
    rows are then shown; without one, views are synced on trial. So many random `sessions` are played for each
    configuration, and rows are on the page `with_data`. `chosen_stores` are the names of the stores that are shown, all
    of them if it is empty. `access` are the options of a command that read the same files, for the commands that the
    page prints.
    """

    request: CheckRequest
    plan: Plan | None = None
    trial: DryRun | None = None
    sessions: int = 200
    with_data: bool = False
    chosen_stores: Sequence[str] = ()
    access: Sequence[str] = ()

    @property
    def now(self) -> datetime:
        """The time of the page."""
        return self.request.now

    @cached_property
    def options(self) -> Options:
        """What the settings choose for trial runs."""
        return runtime_options(self.request.profiles.settings.runtime)

    @cached_property
    def checked(self) -> CheckResult:
        """The result of a check of the workspace, without what its baseline has."""
        return check(self.request)

    @cached_property
    def _catalogs(self) -> tuple[Catalog, BrandCatalog]:
        return both_catalogs(self.request)

    @property
    def documents(self) -> Catalog:
        """The feature views with what belongs to them."""
        return self._catalogs[0]

    @property
    def brands(self) -> BrandCatalog:
        """The brands with their configs and menus."""
        return self._catalogs[1]

    @cached_property
    def stores(self) -> Sequence[DeclaredStore]:
        """The stores that are shown."""
        chosen = set(self.chosen_stores)
        return [store for store in self.brands.stores if not chosen or store.name in chosen]

    @cached_property
    def active_configs(self) -> Sequence[ActiveConfig]:
        """What is effective at each store that is shown."""
        return [resolve_active_config(store, self.brands, self.options) for store in self.stores]

    @cached_property
    def scenarios(self) -> Sequence[DeclaredResource[Scenario]]:
        """The scenarios of the workspace."""
        return scenarios(self.request)

    @cached_property
    def recorder(self) -> CoverageRecorder:
        """What the scenarios exercised that were played."""
        return CoverageRecorder(is_enabled=True)

    @cached_property
    def played(self) -> Sequence[tuple[DeclaredResource[Scenario], PlayedScenario]]:
        """The scenarios that were played, in order; those with rows are not where the runtime is not installed."""
        chosen = [scenario for scenario in self.scenarios if _has_runtime() or not needs_runtime(scenario.node)]
        results = run_scenarios(self.request, chosen, self.documents, self.brands, self.recorder)
        return list(zip(chosen, results, strict=True))

    @cached_property
    def files_with_errors(self) -> frozenset[str]:
        """The paths of files in which the check has errors."""
        found = self.checked.diagnostics
        return frozenset(diagnostic.path for diagnostic in found if diagnostic.severity is Severity.ERROR)

    @cached_property
    def synced(self) -> Mapping[str, TrialSync]:
        """Trial syncs of the views, by resource name; with a server, what it serves.

        There are none where the libraries of trial runs are not installed.
        """
        if self.trial is not None:
            return served_views(self.trial)
        if not _has_runtime():
            return {}
        with TemporaryDirectory(prefix="trialrun-report-", ignore_cleanup_errors=True) as folder:
            stores = ViewStores(StoreFolder(folder, temporary=True))
            clock, options = FixedClock(self.now), scenario_options(self.request)
            trial = TrialRun(self.documents, stores, clock, options)
            found: dict[str, TrialSync] = {}
            for name, view in _views_with_source(self.documents):
                if view.path in self.files_with_errors:
                    found[name] = {"problem": "its file has errors"}
                elif self.with_data or _source_bytes(view, self.documents) <= MAX_BYTES:
                    found[name] = _trial_sync(view, trial, with_data=self.with_data)
            return found


def _has_runtime() -> bool:
    return find_spec("duckdb") is not None and find_spec("numpy") is not None


def _views_with_source(documents: Catalog) -> Iterator[tuple[str, DeclaredResource[FeatureView]]]:
    for view in documents.views:
        if view.node.name and has_source(view.node):
            yield view.node.name, view


def served_views(trial: DryRun) -> dict[str, TrialSync]:
    """What the views of a server serve now, and which of their runs nobody made, by resource name.

    Those that were never synced are left out, unless a run of theirs is over.
    """
    found: dict[str, TrialSync] = {}
    for name, view in _views_with_source(trial.catalog):
        try:
            snapshot = trial.snapshot(view)
            times = (snapshot.synced_at if snapshot else None, created_at(view.node))
            run = last_run(schedule_of(view.node, trial.options), until=trial.request.now)
            done = max((time for time in times if time), default=None)
            overdue = {"overdue": format_timestamp(run)} if run is not None and (done is None or done < run) else {}
            if snapshot is not None:
                data = {"served": snapshot.entities, "at": format_timestamp(snapshot.synced_at), "findings": []}
                found[name] = {**data, "sample": _sample(view, trial.store(view), snapshot.layout), **overdue}
            elif overdue:
                found[name] = {"problem": "nothing is served from it", **overdue}
        except REFUSALS as error:
            found[name] = {"problem": str(error)}
    return found


def _trial_sync(view: DeclaredResource[FeatureView], trial: TrialRun, *, with_data: bool) -> TrialSync:
    try:
        report = trial.sync(view, with_index=False)
        sample = {"sample": _sample(view, trial.store(view), report.plan.layout)} if with_data else {}
    except REFUSALS as error:
        return {"problem": str(error)}
    findings: list[dict[str, Any]] = [
        {"code": one.code, "message": one.message, "examples": list(one.examples)}
        if with_data
        else {"code": one.code, "message": ""}
        for one in report.findings
    ]
    return {"read": report.counts.read, "served": report.counts.entities, "findings": findings, **sample}


def _sample(view: DeclaredResource[FeatureView], store: OnlineStore, layout: RowLayout) -> dict[str, Any]:
    """The first rows that are served, in the order of their entity ids."""
    features = [column.name for column in layout.features]
    rows = [
        [_plain(value) for value in (*(id if isinstance(id, tuple) else (id,)), *values)]
        for id, *values in islice(store.scan(view.node.name or "", features), SAMPLE_ROWS)
    ]
    return {"columns": [*(column.name for column in layout.keys), *features], "rows": rows}


def _plain(value: Any) -> Any:
    """A value of a table; of a long list, how long it is."""
    if isinstance(value, list | tuple) and len(value) > SAMPLE_ROWS:
        return f"[{len(value)} values]"
    return json_value(value)


def _source_bytes(view: DeclaredResource[FeatureView], documents: Catalog) -> int:
    """The size of the files that a view reads; files that cannot be listed count as too large."""
    size = 0
    for document in source_documents(view.node, documents):
        pattern = getattr(document.node, "files", None) or getattr(document.node, "database", None)
        if not pattern or "://" in pattern:
            continue
        try:
            size += sum(os.path.getsize(file) for file in matching_files(pattern, document.folder))
        except (OSError, TooManyEntries):
            size += MAX_BYTES + 1
    return size
