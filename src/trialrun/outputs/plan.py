"""What `plan` prints as JSON; `trialrun.changes.report` writes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import FilePath, LineNumber, Range, Severity

Level = Literal["breaking", "risky", "safe"]
Outcome = Literal["passed", "failed", "error"]
Count = Annotated[int, Field(ge=0)]
StoreNames = Annotated[list[str], Field(description="the first ten")]


class ResourceCounts(TypedDict):
    """The resources of both sides; each is counted once."""

    added: Count
    changed: Count
    removed: Count
    moved: Annotated[int, Field(ge=0, description="resources that are only in another file")]


class PlanSummary(TypedDict):
    """The number of changes of each level, and of resources."""

    breaking: Count
    risky: Count
    safe: Count
    resources: ResourceCounts


class EffectiveChange(TypedDict):
    """A field that is effective at stores, and differs."""

    type: Annotated[str, Field(description="the type of the ChannelConfig")]
    path: Annotated[str, Field(description="the field, with upsells and greetings by name")]
    before: Any
    after: Any
    origin_before: Annotated[str, Field(description="path and line of the value; empty if there is none")]
    origin_after: Annotated[str, Field(description="path and line of the value; empty if there is none")]
    stores: StoreNames
    count: Annotated[int, Field(ge=0, description="how many stores there are in all")]


class Lines(TypedDict):
    """Texts that stores lose and gain, in order."""

    removed: list[str]
    added: list[str]
    stores: StoreNames
    count: Annotated[int, Field(ge=0, description="how many stores there are in all")]


class UpsellOrder(TypedDict):
    """The enabled upsells of stores, in the order in which they are attempted."""

    before: list[str]
    after: list[str]
    stores: StoreNames
    count: Annotated[int, Field(ge=0, description="how many stores there are in all")]


class StoreReach(TypedDict):
    """The stores at which something differs."""

    count: Count
    total: Annotated[int, Field(ge=0, description="the stores of the workspace, on both sides together")]
    names: StoreNames
    fields: list[EffectiveChange]
    instructions: Annotated[list[Lines], Field(description="instructions that the agent loses and gains")]
    tools: Annotated[list[Lines], Field(description="tools that the agent loses and gains")]
    upsells: Annotated[
        list[UpsellOrder], Field(description="the order in which upsells are attempted, where it differs")
    ]


class Runs(TypedDict):
    """The runs of a view in one period, where they differ."""

    period: Annotated[str, Field(description="`next`, or the clock change in whose week they are")]
    before: list[str]
    after: list[str]


class Rows(TypedDict):
    """The entities that a sync would serve."""

    appear: Count
    vanish: Count
    change: Count


class ViewReach(TypedDict):
    """A view that is reached."""

    name: str
    runs: list[Runs]
    rows: Annotated[Rows | None, Field(description="with --rows, where both sides can be synced")]


class ScenarioOutcome(TypedDict):
    """A scenario that passes on the documents of one revision only."""

    name: str
    path: FilePath
    line: Annotated[int, Field(ge=1)]
    version: Annotated[
        Literal["both", "base", "head"], Field(description="the revision that has the scenario as it was played")
    ]
    before: Annotated[Outcome, Field(description="on the documents of BASE")]
    after: Annotated[Outcome, Field(description="on the documents of HEAD")]
    reason: Annotated[str, Field(description="the first thing that is not as expected")]


class OfferCounts(TypedDict):
    """The sessions in which an upsell was offered, accepted and declined."""

    offered: Count
    accepted: Count
    declined: Count


class UpsellShares(TypedDict):
    """An upsell in the sessions of both sides."""

    upsell: str
    before: Annotated[OfferCounts | None, Field(description="null if BASE has no enabled upsell of the name")]
    after: Annotated[OfferCounts | None, Field(description="null if HEAD has no enabled upsell of the name")]


class DifferentSession(TypedDict):
    """The first session that differs, made short."""

    session: Annotated[int, Field(ge=0, description="the number of the session that it was made of")]
    shortest: Annotated[bool, Field(description="false if an interrupt kept it from being made short")]
    store: str
    seed: int
    at: Annotated[str, Field(description="when it begins, RFC 3339")]
    language: Annotated[str | None, Field(description="null for that of the store")]
    lines: Annotated[list[str], Field(description="the script, a line for each turn")]
    before: Annotated[list[str], Field(description="what the agent of BASE alone does in the last turn")]
    after: Annotated[list[str], Field(description="what the agent of HEAD alone does in the last turn")]
    command: Annotated[str, Field(description="plays it on the working tree")]


class SessionsDifference(TypedDict):
    """Sessions of the same customers on both sides, at stores with equal configurations."""

    stores: StoreNames
    count: Annotated[int, Field(ge=1, description="how many stores there are in all")]
    sessions: Annotated[int, Field(ge=1, description="played on each side")]
    differing: Count
    upsells: Annotated[
        list[UpsellShares], Field(description="those offered in another number of sessions; sorted by name")
    ]
    example: DifferentSession | None


class Reach(TypedDict):
    """Whom a change reaches."""

    stores: Annotated[StoreReach | None, Field(description="null if stores were not looked at")]
    views: list[ViewReach]
    scenarios: Annotated[
        list[ScenarioOutcome], Field(description="that the change is behind and that end in another way")
    ]
    sessions: Annotated[
        list[SessionsDifference], Field(description="at stores that the change reaches; empty without --sessions")
    ]


class Change(TypedDict):
    """A change; changes are sorted by level, path, range, id and pointer."""

    id: Annotated[str, Field(description="the kind of change; trialrun explain ID shows its page")]
    level: Level
    lowered_from: NotRequired[Annotated[Level, Field(description="the level of the id, if that is higher")]]
    resource: Annotated[str, Field(description="the name of the resource")]
    kind: str
    path: FilePath
    pointer: Annotated[str, Field(description="JSON Pointer from the root of the document")]
    before: Annotated[Any, Field(description="null if there was nothing")]
    after: Annotated[Any, Field(description="null if there is nothing")]
    range: Annotated[Range, Field(description="in HEAD; in BASE for a resource that is gone")]
    reach: Reach
    why: Annotated[str, Field(description="why it has its level")]


class PlanFinding(TypedDict):
    """A finding of `check`."""

    rule: str
    severity: Severity
    path: FilePath
    line: LineNumber
    message: str


class PlanFindings(TypedDict):
    """The findings of `check` that only one of the revisions has."""

    new: list[PlanFinding]
    gone: list[PlanFinding]


class NotCompared(TypedDict):
    """Something that was not compared."""

    what: str
    why: str


class Plan(TypedDict):
    """What lies between two revisions."""

    version: Literal[1]
    base: str
    head: str
    summary: PlanSummary
    changes: list[Change]
    not_compared: list[NotCompared]
    findings: PlanFindings
