"""What `sync`, `fetch` and `search` print as JSON: of a sync, of the plan of one, and of what is served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import Assumptions, DocumentError
from trialrun.runtime.feature_view.source.table_size import SyncEstimate
from trialrun.serialization import json_value
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view import plan
    from trialrun.runtime.feature_view.search import SearchResult
    from trialrun.runtime.feature_view.store import interface as store
    from trialrun.runtime.feature_view.sync import SyncReport


class RefusedView(TypedDict):
    """A view without a result; the exit code is 1."""

    version: NotRequired[Literal[1]]
    view: Annotated[str | None, Field(description="null if the errors belong to no named view")]
    errors: list[DocumentError]


class DataFinding(TypedDict):
    """A problem in the rows."""

    code: str
    message: str
    examples: list[str]


class SkippedCheck(TypedDict):
    """A check of the rows that was skipped."""

    check: str
    reason: str


class SyncedView(TypedDict):
    """The result of a sync."""

    version: NotRequired[Literal[1]]
    view: str
    rows_read: Annotated[int, Field(ge=0, description="number of rows")]
    entities: Annotated[int, Field(ge=0, description="entities that are served")]
    new: Annotated[int, Field(ge=0, description="entities that were not served before")]
    changed: Annotated[int, Field(ge=0, description="entities with a changed value")]
    unchanged: Annotated[int, Field(ge=0, description="entities with unchanged values")]
    vanished: Annotated[int, Field(ge=0, description="entities that are no longer in the source")]
    findings: list[DataFinding]
    assumptions: Assumptions
    skipped_checks: list[SkippedCheck]


ColumnRole = TypedDict("ColumnRole", {"as": Literal["entity id", "feature"]})


class ServedColumn(ColumnRole):
    """A column that a sync would serve."""

    name: str
    type: str


class SyncPlan(TypedDict):
    """The result of `sync --plan` for a view; no row is read."""

    version: NotRequired[Literal[1]]
    view: str
    statement: Annotated[str, Field(description="SQL")]
    columns: list[ServedColumn]
    checks: list[str]
    findings: list[DataFinding]
    assumptions: Assumptions
    skipped_checks: list[SkippedCheck]
    estimate: SyncEstimate


class Syncs(TypedDict):
    """The results of a sync of several views."""

    version: Literal[1]
    syncs: list[SyncedView | SyncPlan]
    refused: list[RefusedView]


SyncOutput = SyncedView | SyncPlan | Syncs | RefusedView


def sync_object(
    view: DeclaredResource[FeatureView], done: plan.SyncPlan | SyncReport, size: SyncEstimate | None = None
) -> dict[str, Any]:
    """The JSON object of a plan, with its size if there is one, or of a sync."""
    from trialrun.runtime.feature_view.plan import SyncPlan

    name = view.node.name
    notes = {
        "findings": [
            {"code": finding.code, "message": finding.message, "examples": list(finding.examples)}
            for finding in done.findings
        ],
        "assumptions": list(done.assumptions),
        "skipped_checks": [{"check": skipped.code, "reason": skipped.message} for skipped in done.skipped],
    }
    if isinstance(done, SyncPlan):
        keys = [(column, "entity id") for column in done.layout.keys]
        columns = [*keys, *((column, "feature") for column in done.layout.features)]
        return {
            "view": name,
            "statement": done.statement.text,
            "columns": [{"name": column.name, "type": column.type_text, "as": role} for column, role in columns],
            "checks": list(done.checks),
            **notes,
            **({"estimate": TypeAdapter(SyncEstimate).dump_python(size)} if size else {}),
        }
    counts = done.counts
    return {
        "view": name,
        "rows_read": counts.read,
        "entities": counts.entities,
        "new": counts.new,
        "changed": counts.changed,
        "unchanged": counts.unchanged,
        "vanished": counts.vanished,
        **notes,
    }


EntityId = Annotated[list[str | int], Field(min_length=1, description="an entity id: one value per entity id column")]
Values = Annotated[
    dict[str, Any],
    Field(description="values by feature; times are RFC 3339, bytes base64, non-finite numbers are strings"),
]


class FetchedEntity(TypedDict):
    """The values of an entity."""

    id: EntityId
    values: Values
    timestamp: Annotated[str | None, Field(description="time of the newest value, RFC 3339; null if it has none")]


class Fetched(TypedDict):
    """`trialrun fetch --output-format json`."""

    version: Literal[1]
    view: str
    entities: list[FetchedEntity]
    missing: Annotated[list[EntityId], Field(description="requested but not served; the exit code is then 1")]


class Neighbor(TypedDict):
    """A search result."""

    id: EntityId
    distance: Annotated[
        float | str, Field(description="in the measure of the index config; smaller is nearer; a string if not finite")
    ]
    values: NotRequired[Annotated[Values, Field(description="only with --full")]]


class Searched(TypedDict):
    """`trialrun search --output-format json`."""

    version: Literal[1]
    view: str
    neighbors: Annotated[list[Neighbor], Field(description="nearest first; ties sorted by entity id")]
    recall: NotRequired[Annotated[float, Field(ge=0, le=1, description="only with --recall")]]


FetchOutput = Fetched | RefusedView
SearchOutput = Searched | RefusedView


def fetch_object(name: str, served: Sequence[store.ServedEntity], missing: Sequence[store.EntityId]) -> Fetched:
    """The values of entities of the view of a name, and the ids that it does not serve."""
    entities: list[FetchedEntity] = [
        {
            "id": list(entity.id),
            "values": _values(entity.values),
            "timestamp": format_timestamp(entity.timestamp) if entity.timestamp else None,
        }
        for entity in served
    ]
    return {"version": 1, "view": name, "entities": entities, "missing": [list(id) for id in missing]}


def search_object(name: str, answer: SearchResult) -> Searched:
    """The nearest entities of the view of a name, with their values and the recall where these were asked for."""
    searched: Searched = {"version": 1, "view": name, "neighbors": []}
    for hit in answer.neighbors:
        neighbor: Neighbor = {"id": list(hit.id), "distance": json_value(hit.distance)}
        if hit.values is not None:
            neighbor["values"] = _values(hit.values)
        searched["neighbors"].append(neighbor)
    if answer.recall is not None:
        searched["recall"] = answer.recall
    return searched


def _values(values: Mapping[str, object]) -> dict[str, Any]:
    return {feature: json_value(value) for feature, value in values.items()}
