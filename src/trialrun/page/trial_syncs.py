"""Trial syncs of all views in a folder that is gone afterwards: what they read, and what their data shows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.report.format_value import format_rfc3339, to_json_value
from trialrun.runtime.feature_view.schedule import created_at, last_run, schedule_of

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.runtime.feature_view.store.interface import OnlineStore, RowLayout
    from trialrun.runtime.feature_view.sync import SyncReport
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.workspace import CheckRequest
    from trialrun.workspace.dry_run import DryRun

MAX_BYTES = 64 * 2**20
"""Bytes of files that are read for a page that does not show rows."""
SAMPLE_ROWS = 20


TrialSync = dict[str, Any]
"""What a trial sync of a view showed: counts and findings, or the problem, and some rows where asked for."""


def trial_syncs(
    request: CheckRequest, documents: Catalog, *, files_with_errors: Collection[str], with_data: bool
) -> dict[str, TrialSync]:
    """The syncs of the views by resource name; none where the libraries of trial runs are not installed."""
    if find_spec("duckdb") is None or find_spec("numpy") is None:
        return {}
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.feature_view.store.store_folder import StoreFolder
    from trialrun.runtime.feature_view.trial_run import TrialRun, ViewStores
    from trialrun.workspace.run_scenarios import scenario_options

    with tempfile.TemporaryDirectory(prefix="trialrun-report-", ignore_cleanup_errors=True) as folder:
        trial = TrialRun(
            documents,
            ViewStores(StoreFolder(folder, temporary=True)),
            FixedClock(request.now),
            scenario_options(request),
        )
        found = {}
        for name, view in _views(documents):
            if view.path in files_with_errors:
                found[name] = {"problem": "its file has errors"}
            elif with_data or _source_bytes(view, documents) <= MAX_BYTES:
                found[name] = _trial_sync(view, trial, with_data=with_data)
        return found


def served_views(trial: DryRun) -> dict[str, TrialSync]:
    """What the views of a server serve now, and which of their runs nobody made, by resource name.

    Those that were never synced are left out, unless a run of theirs is over.
    """
    from trialrun.runtime.scenario.view_steps import REFUSALS

    found = {}
    for name, view in _views(trial.catalog):
        try:
            snapshot = trial.snapshot(view)
            overdue = _overdue(view, trial, snapshot.synced_at if snapshot else None)
            if snapshot is not None:
                data = {"served": snapshot.entities, "at": format_rfc3339(snapshot.synced_at), "findings": []}
                sample = {"sample": _sample(view, trial.store(view), snapshot.layout)}
                found[name] = data | sample | overdue
            elif overdue:
                found[name] = {"problem": "nothing is served from it", **overdue}
        except REFUSALS as error:
            found[name] = {"problem": str(error)}
    return found


def _overdue(view: DeclaredResource[FeatureView], trial: DryRun, synced: datetime | None) -> dict[str, Any]:
    """The last run of a view that should be over, where no sync was made since."""
    run = last_run(schedule_of(view.node, trial.options), until=trial.request.now)
    done = max((time for time in (synced, created_at(view.node)) if time), default=None)
    return {"overdue": format_rfc3339(run)} if run is not None and (done is None or done < run) else {}


def _views(documents: Catalog) -> Iterator[tuple[str, DeclaredResource[FeatureView]]]:
    from trialrun.runtime.feature_view.direct_write import has_source

    for view in documents.views:
        if view.node.name and has_source(view.node):
            yield view.node.name, view


def _trial_sync(view: DeclaredResource[FeatureView], trial: TrialRun, *, with_data: bool) -> TrialSync:
    from trialrun.runtime.scenario.view_steps import REFUSALS

    try:
        report = trial.sync(view, with_index=False)
        data = _data(report, with_data=with_data)
        if with_data:
            data["sample"] = _sample(view, trial.store(view), report.plan.layout)
    except REFUSALS as error:
        return {"problem": str(error)}
    return data


def _sample(view: DeclaredResource[FeatureView], store: OnlineStore, layout: RowLayout) -> dict[str, Any]:
    """The first rows that are served, in the order of their entity ids."""
    features = [column.name for column in layout.features]
    rows = islice(store.scan(view.node.name or "", features), SAMPLE_ROWS)
    columns = [*(column.name for column in layout.keys), *features]
    return {"columns": columns, "rows": [[_plain(value) for value in _flat(row)] for row in rows]}


def _flat(row: tuple[object, ...]) -> list[object]:
    id, *values = row
    return [*(id if isinstance(id, tuple) else (id,)), *values]


def _plain(value: Any) -> Any:
    """A value of a table; of a long list, how long it is."""
    if isinstance(value, list | tuple) and len(value) > SAMPLE_ROWS:
        return f"[{len(value)} values]"
    return to_json_value(value)


def _data(report: SyncReport, *, with_data: bool) -> dict[str, Any]:
    findings = [
        {
            "code": finding.code,
            "message": finding.message if with_data else "",
            **({"examples": list(finding.examples)} if with_data else {}),
        }
        for finding in report.findings
    ]
    return {"read": report.counts.read, "served": report.counts.entities, "findings": findings}


def _source_bytes(view: DeclaredResource[FeatureView], documents: Catalog) -> int:
    """The size of the files that a view reads; a table that is no file counts as too large."""
    from trialrun.guarded_path import TooManyEntries, matching_files

    size = 0
    for uri in _uris(view, documents):
        declared = documents.source(uri)
        pattern = declared and (declared.node.files or declared.node.database)
        if declared is None or not pattern or "://" in pattern:
            continue
        try:
            size += sum(os.path.getsize(file) for file in matching_files(pattern, declared.folder))
        except (OSError, TooManyEntries):
            size += MAX_BYTES + 1
    return size


def _uris(view: DeclaredResource[FeatureView], documents: Catalog) -> Iterator[str]:
    node = view.node
    for source in (node.warehouseSource, node.ragSource):
        if source is not None and source.uri:
            yield source.uri
    registry = node.featureRegistrySource
    for group in (registry and registry.featureGroups) or ():
        declared = documents.group(group.featureGroupId or "", registry.projectNumber if registry else None)
        if declared is not None and declared.node.uri:
            yield declared.node.uri
