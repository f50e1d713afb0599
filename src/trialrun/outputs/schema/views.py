"""What commands on feature views print as JSON: `schedule`, `sync`, `fetch` and `search`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.schema.checks import FilePath, LineNumber

Moment = Annotated[str, Field(description="RFC 3339")]
EntityId = Annotated[list[str | int], Field(min_length=1, description="an entity id: one value per entity id column")]
Values = Annotated[
    dict[str, Any],
    Field(description="values by feature; times are RFC 3339, bytes base64, non-finite numbers are strings"),
]
Assumptions = Annotated[
    list[str], Field(description="ids of the assumptions that the result depends on; see trialrun explain ID")
]


class DocumentError(TypedDict):
    """An error in a document that prevents a result."""

    path: FilePath
    line: LineNumber
    message: str


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


class ScheduledView(TypedDict):
    """When a view is synced next."""

    name: str | None
    path: FilePath
    cron: Annotated[str | None, Field(description="as written in the document")]
    continuous: bool
    zone: Annotated[str, Field(description="the time zone of the schedule; default UTC")]
    runs: Annotated[list[Moment], Field(description="strictly after --at, with the offset of the zone")]


class SyncHerd(TypedDict):
    """Views of one store that sync in the same minutes."""

    store: str
    views: list[str]
    minutes: list[Moment]


class ClockChange(TypedDict):
    """A run that a clock change skips or repeats."""

    name: str | None
    path: FilePath
    kind: str
    local: Annotated[str, Field(description="the wall clock time, without an offset")]
    at: Moment


class Schedule(TypedDict):
    """`trialrun schedule --output-format json`."""

    version: Literal[1]
    tzdata: Annotated[str, Field(description="the release of the time zone data, such as 2026f")]
    views: list[ScheduledView]
    herds: list[SyncHerd]
    clock_changes: list[ClockChange]


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


class EstimatedRange(TypedDict):
    """From how much to how much something is estimated."""

    low: float
    high: float


Estimate = Annotated[EstimatedRange | None, Field(description="null if only reading the rows would tell")]


class SourceSize(TypedDict):
    """The size of a source of a sync."""

    uri: str
    format: Literal["Parquet", "CSV", "JSON", "DuckDB", "SQLite", "unknown"]
    rows: Estimate
    rows_from: Annotated[str, Field(description="what the rows are estimated from, or why they are unknown")]
    file_bytes: Annotated[int, Field(ge=0)]
    column_bytes: Annotated[EstimatedRange | None, Field(description="of the columns that are read, not compressed")]


class SyncEstimate(TypedDict):
    """How large a sync would be; it depends on what is served now, and on the memory of the machine."""

    sources: list[SourceSize]
    rows: Estimate
    entities: Estimate
    entities_from: Annotated[str, Field(description="what the entities are estimated from, or why they are unknown")]
    bytes: Annotated[EstimatedRange | None, Field(description="of the latest row of each entity, not compressed")]
    problems: Annotated[list[str], Field(description="why the embedded engine would not be enough; empty if it is")]
    advice: Annotated[list[str], Field(description="settings that would be enough")]


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


SyncOutput = SyncedView | SyncPlan | Syncs | RefusedView
FetchOutput = Fetched | RefusedView
SearchOutput = Searched | RefusedView
