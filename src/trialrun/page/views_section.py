"""The section of feature views: source, sync, store and index of each, and when what runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from trialrun.model.feature_view import IndexConfig
from trialrun.outputs.schedule import UpcomingRuns, UpcomingSchedule, rfc_3339, upcoming_schedule, zone_of
from trialrun.page.schedule_drawing import clock_change_drawings, drawing_svg, week_drawing
from trialrun.page.sources import PageSources
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.schedule import Continuous, CronSchedule, InvalidSchedule, SyncSchedule
from trialrun.values.cron import describe
from trialrun.values.resource_name import last_id

RUNS = 5
WEEK = timedelta(days=7)
MAX_MINUTES = 200
"""Minutes of herds that a page lists."""


def views_section(sources: PageSources) -> dict[str, Any] | None:
    """Every feature view with its way from the source to the index, and the schedule of a week; None without views."""
    if not sources.documents.views:
        return None
    ahead = week_schedule(sources)
    errors = Counter(diagnostic.resource for diagnostic in sources.checked.diagnostics)
    labels = Counter(view.label for view in ahead.views)
    return {
        "views": [_view(sources, view, number, labels, errors) for number, view in enumerate(ahead.views)],
        "schedule": {
            "from": rfc_3339(ahead.now),
            "to": rfc_3339(ahead.end),
            "week": week_drawing(ahead),
            "clock_changes": list(clock_change_drawings(ahead)),
            "herds": [
                {
                    "store": herd.store_id,
                    "views": list(map(last_id, herd.views)),
                    "minutes": [rfc_3339(minute) for minute in herd.minutes[:MAX_MINUTES]],
                    "count": len(herd.minutes),
                }
                for herd in ahead.herds
            ],
        },
    }


def week_schedule(sources: PageSources) -> UpcomingSchedule:
    """What lies ahead of all views in a week."""
    documents = sources.documents
    return upcoming_schedule(sources.request, documents, list(documents.views), count=RUNS, span=WEEK)


def schedule_picture(sources: PageSources) -> str | None:
    """The schedule of a week as a file of its own, for a chat or a pull request; None without views."""
    return "".join(drawing_svg(week_drawing(week_schedule(sources)))) if sources.documents.views else None


def _view(
    sources: PageSources, upcoming: UpcomingRuns, number: int, labels: Mapping[str, int], errors: Mapping[str, int]
) -> dict[str, Any]:
    """A view; its address is its label, with its number where another view has that."""
    view, label = upcoming.view, upcoming.label
    node, name = view.node, view.node.name or ""
    declared = sources.documents.store_of(name)
    store = {"type": declared.node.type, "path": declared.path, "line": declared.line()} if declared else {}
    return {
        **({"data": sources.synced[name]} if name in sources.synced else {}),
        "id": label if labels[label] == 1 else f"{label}-{number}",
        "label": label,
        "name": node.name,
        "path": view.path,
        "line": view.line("name") if name else view.line(),
        "labels": dict(node.labels or {}),
        "findings": errors.get(name, 0) if name else 0,
        "source": _source(sources, view),
        "sync": _sync(upcoming.schedule),
        "zone": zone_of(upcoming.schedule),
        "store": {"id": last_id(name.rpartition("/featureViews/")[0]), **store},
        "index": _index(node.indexConfig or node.vectorSearchConfig),
        "runs": [rfc_3339(run) for run in upcoming.runs],
        "changes": [{"kind": each.kind, "local": each.local.isoformat()} for each in upcoming.changes[:MAX_MINUTES]],
    }


def _source(sources: PageSources, view: DeclaredResource[Any]) -> dict[str, Any]:
    warehouse, registry, rag = view.node.warehouseSource, view.node.featureRegistrySource, view.node.ragSource
    if warehouse is not None:
        tables = [_table(sources, warehouse.uri)]
        return {"kind": "warehouse", "tables": tables, "entity": list(warehouse.entityIdColumns or ())}
    if registry is not None:
        tables = []
        for group in registry.featureGroups or ():
            id = group.featureGroupId or ""
            declared = sources.documents.group(id, registry.projectNumber)
            table = _table(sources, declared.node.uri if declared else None)
            tables.append({"group": id, "features": list(group.featureIds or ()), **table})
        return {"kind": "registry", "tables": tables}
    if rag is not None:
        corpus = {} if rag.ragCorpusId is None else {"corpus": str(rag.ragCorpusId)}
        return {"kind": "RAG", "tables": [_table(sources, rag.uri)], **corpus}
    return {"kind": "none", "tables": []}


def _table(sources: PageSources, uri: str | None) -> dict[str, Any]:
    """A table by its uri, and where the workspace says that its rows are."""
    declared = sources.documents.source(uri) if uri else None
    if declared is None:
        return {"uri": uri}
    rows = declared.node.files or declared.node.database
    return {"uri": uri, "rows": rows, "path": declared.path, "line": declared.line()}


def _sync(schedule: SyncSchedule) -> dict[str, Any]:
    if isinstance(schedule, CronSchedule):
        return {"kind": "schedule", "text": describe(schedule.cron), "cron": schedule.text}
    if isinstance(schedule, Continuous):
        return {"kind": "continuous", "text": "synced continuously"}
    kind = "invalid" if isinstance(schedule, InvalidSchedule) else "on demand"
    return {"kind": kind, "text": schedule.reason, **({} if schedule.text is None else {"cron": schedule.text})}


def _index(config: IndexConfig | None) -> dict[str, Any] | None:
    if config is None:
        return None
    tree = config.treeAhConfig
    leaf = {} if tree is None or tree.leafNodeEmbeddingCount is None else {"leaf": tree.leafNodeEmbeddingCount}
    return {
        "column": config.embeddingColumn,
        "dimension": config.embeddingDimension,
        "distance": config.distanceMeasureType,
        "algorithm": "brute force" if config.bruteForceConfig is not None else "tree-AH",
        "filters": list(config.filterColumns or ()),
        "crowding": config.crowdingColumn,
        **leaf,
    }
