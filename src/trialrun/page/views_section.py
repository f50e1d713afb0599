"""The section of feature views: source, sync, store and index of each, and when what runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from trialrun.outputs.schedule import rfc_3339, upcoming_schedule, zone_of
from trialrun.page.schedule_drawing import clock_change_drawings, drawing_svg, week_drawing
from trialrun.runtime.feature_view.schedule import Continuous, CronSchedule, InvalidSchedule
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, IndexConfig
    from trialrun.outputs.schedule import UpcomingRuns, UpcomingSchedule
    from trialrun.page.sources import PageSources
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.schedule import SyncSchedule

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
    return {
        "views": [_view(sources, upcoming, id, errors) for upcoming, id in zip(ahead.views, _ids(ahead), strict=True)],
        "schedule": {
            "from": rfc_3339(ahead.now),
            "to": rfc_3339(ahead.end),
            "week": week_drawing(ahead).to_json(),
            "clock_changes": [drawing.to_json() for drawing in clock_change_drawings(ahead)],
            "herds": list(_herds(ahead)),
        },
    }


def week_schedule(sources: PageSources) -> UpcomingSchedule:
    """What lies ahead of all views in a week."""
    documents = sources.documents
    return upcoming_schedule(sources.request, documents, list(documents.views), count=RUNS, span=WEEK)


class NothingToDraw(ValueError):
    """The workspace has nothing that the picture would show."""


def schedule_picture(sources: PageSources) -> str:
    """The schedule of a week as a file of its own, for a chat or a pull request. Raises NothingToDraw."""
    if not sources.documents.views:
        raise NothingToDraw("the workspace declares no view")
    return "".join(drawing_svg([week_drawing(week_schedule(sources))]))


def _ids(ahead: UpcomingSchedule) -> list[str]:
    """An address for each view: its label, with its number where another view has that."""
    counts = Counter(view.label for view in ahead.views)
    return [
        view.label if counts[view.label] == 1 else f"{view.label}-{number}" for number, view in enumerate(ahead.views)
    ]


def _view(sources: PageSources, upcoming: UpcomingRuns, id: str, errors: Counter[str]) -> dict[str, Any]:
    view = upcoming.view
    node = view.node
    synced = sources.synced.get(node.name or "")
    return {
        **({} if synced is None else {"data": synced}),
        "id": id,
        "label": upcoming.label,
        "name": node.name,
        "path": view.path,
        "line": view.line("name") if node.name else view.line(),
        "labels": dict(node.labels or {}),
        "findings": errors[node.name or ""] if node.name else 0,
        "source": _source(sources, view),
        "sync": _sync(upcoming.schedule),
        "zone": zone_of(upcoming.schedule),
        "store": _store(sources, view),
        "index": _index(node.indexConfig or node.vectorSearchConfig),
        "runs": [rfc_3339(run) for run in upcoming.runs],
        "changes": [{"kind": each.kind, "local": each.local.isoformat()} for each in upcoming.changes[:MAX_MINUTES]],
    }


def _source(sources: PageSources, view: DeclaredResource[FeatureView]) -> dict[str, Any]:
    node = view.node
    if node.warehouseSource is not None:
        source = node.warehouseSource
        tables = [_table(sources, source.uri)]
        return {"kind": "warehouse", "tables": tables, "entity": list(source.entityIdColumns or ())}
    if node.featureRegistrySource is not None:
        return {"kind": "registry", "tables": list(_groups(sources, view))}
    if node.ragSource is not None:
        corpus = {} if node.ragSource.ragCorpusId is None else {"corpus": str(node.ragSource.ragCorpusId)}
        return {"kind": "RAG", "tables": [_table(sources, node.ragSource.uri)], **corpus}
    return {"kind": "none", "tables": []}


def _table(sources: PageSources, uri: str | None) -> dict[str, Any]:
    """A table by its uri, and where the workspace says that its rows are."""
    declared = sources.documents.source(uri) if uri else None
    if declared is None:
        return {"uri": uri}
    rows = declared.node.files or declared.node.database
    return {"uri": uri, "rows": rows, "path": declared.path, "line": declared.line()}


def _groups(sources: PageSources, view: DeclaredResource[FeatureView]) -> Iterator[dict[str, Any]]:
    registry = view.node.featureRegistrySource
    for group in (registry and registry.featureGroups) or ():
        id = group.featureGroupId or ""
        declared = sources.documents.group(id, registry.projectNumber if registry else None)
        table = _table(sources, declared.node.uri) if declared else {"uri": None}
        yield {"group": id, "features": list(group.featureIds or ()), **table}


def _sync(schedule: SyncSchedule) -> dict[str, Any]:
    if isinstance(schedule, CronSchedule):
        from trialrun.values.cron import describe

        return {"kind": "schedule", "text": describe(schedule.cron), "cron": schedule.text}
    if isinstance(schedule, Continuous):
        return {"kind": "continuous", "text": "synced continuously"}
    kind = "invalid" if isinstance(schedule, InvalidSchedule) else "on demand"
    return {"kind": kind, "text": schedule.reason, **({} if schedule.text is None else {"cron": schedule.text})}


def _store(sources: PageSources, view: DeclaredResource[FeatureView]) -> dict[str, Any]:
    name = view.node.name or ""
    declared = sources.documents.store_of(name)
    id = last_id(name.rpartition("/featureViews/")[0])
    if declared is None:
        return {"id": id}
    return {"id": id, "type": declared.node.type, "path": declared.path, "line": declared.line()}


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


def _herds(ahead: UpcomingSchedule) -> Iterator[dict[str, Any]]:
    for herd in ahead.herds:
        names: Sequence[str] = [last_id(name) for name in herd.views]
        minutes = [rfc_3339(minute) for minute in herd.minutes[:MAX_MINUTES]]
        yield {"store": herd.store_id, "views": list(names), "minutes": minutes, "count": len(herd.minutes)}
