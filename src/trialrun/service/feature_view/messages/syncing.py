"""Syncs, and how things ended."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_serializer, field_validator

from trialrun.service.error import Detail, detail_json, read_detail
from trialrun.service.listing import ListRequest
from trialrun.service.message import Int64, Message, Timestamp


class SyncFeatureViewRequest(Message):
    """sync: one view, now."""

    featureView: str


class SyncFeatureViewResponse(Message):
    """The name of the sync that was made."""

    featureViewSync: str


class RpcStatus(Message):
    """How something ended: OK, or why not, with details as a refused operation has them."""

    code: int = 0
    message: str = ""
    details: list[Annotated[Detail, Field(discriminator="type")]] = Field(default_factory=list)

    @field_validator("details", mode="before")
    @classmethod
    def _read_details(cls, details: Any) -> Any:
        return [read_detail(detail) for detail in details] if isinstance(details, list) else details

    @field_serializer("details", when_used="json")
    def _details_json(self, details: list[Detail]) -> list[dict[str, Any]]:
        return [detail_json(detail) for detail in details]


class RunTime(Message):
    """From when to when something ran."""

    startTime: Timestamp
    endTime: Timestamp


class SyncSummary(Message):
    """What a sync did; `rowSynced` counts the entities that are served after it."""

    rowSynced: Int64
    rowsRead: Int64
    new: Int64
    changed: Int64
    unchanged: Int64
    vanished: Int64


class SyncNote(Message):
    """Something that a sync tells about rows, or a check that it skipped."""

    code: str
    message: str
    examples: list[str] = Field(default_factory=list)


class FeatureViewSync(Message):
    """A sync of a view: when it ran, how it ended, what it found, and the rows of the assumptions that applied."""

    name: str
    createTime: Timestamp
    runTime: RunTime
    finalStatus: RpcStatus
    syncSummary: SyncSummary | None = None
    findings: list[SyncNote] = Field(default_factory=list)
    skippedChecks: list[SyncNote] = Field(default_factory=list)
    assumptions: list[str] = Field(default_factory=list)


class GetFeatureViewSyncRequest(Message):
    """One sync."""

    name: str


class ListFeatureViewSyncsRequest(ListRequest):
    """The syncs of a view, the newest first."""


class ListFeatureViewSyncsResponse(Message):
    """A page of syncs."""

    featureViewSyncs: list[FeatureViewSync]
    nextPageToken: str = ""
