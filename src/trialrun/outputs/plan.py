"""What `plan` prints as JSON: changes between two revisions of a workspace, their reach, and what was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import IntEnum
from typing import Annotated, Any, Literal

from pydantic import Field, InstanceOf, PlainSerializer, SkipValidation, TypeAdapter
from pydantic.dataclasses import dataclass

from trialrun import diagnostic
from trialrun.outputs.origin import Range, Severity
from trialrun.report.json import range_object
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.layers import ResolvedType
from trialrun.runtime.channel_config.overlay import MERGE_KEYS
from trialrun.serialization import FilePath, Hidden, LineNumber, omits

Operation = Literal["added", "removed", "changed", "reordered", "renamed"]
"""What happens to a field, to an item of a list, or to a resource."""
Outcome = Literal["passed", "failed", "error"]
Version = Literal["both", "base", "head"]
MAX_STORES = 10
"""Number of stores that are named for a change."""


class Level(IntEnum):
    """How much a change may do; higher values do more."""

    SAFE = 1
    RISKY = 2
    BREAKING = 3

    @property
    def word(self) -> str:
        """The name in settings, options and JSON."""
        return self.name.lower()


LEVELS: dict[str, Level] = {level.word: level for level in Level}


def field_title(path: Sequence[str]) -> str:
    """The path of a field as messages and `resolve --field` write it."""
    above, title = "", ""
    for step in path:
        title += f"[{step}]" if above in MERGE_KEYS else f".{step}"
        above = step
    return title.removeprefix(".")


Count = Annotated[int, Field(ge=0)]
StoreCount = Annotated[int, Field(ge=0, description="how many stores there are in all")]
StoreNames = Annotated[
    Sequence[str],
    SkipValidation,  # which would copy thousands of names for each field
    PlainSerializer(lambda names: list(names[:MAX_STORES]), return_type=list[str]),
    Field(description="the first ten"),
]
AsWord = PlainSerializer(lambda level: level and level.word, return_type=Literal["breaking", "risky", "safe"])


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Something that was not compared."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class EffectiveChange:
    """A field that is effective at stores, and differs."""

    type: Annotated[ResolvedType, PlainSerializer(str), Field(description="the type of the ChannelConfig")]
    path: Annotated[
        tuple[str, ...],
        PlainSerializer(field_title, return_type=str),
        Field(description="the field, with upsells and greetings by name"),
    ]
    before: Any
    after: Any
    origin_before: Annotated[str, Field(description="path and line of the value; empty if there is none")]
    origin_after: Annotated[str, Field(description="path and line of the value; empty if there is none")]
    stores: StoreNames
    count: StoreCount


@dataclass(frozen=True, slots=True)
class Lines:
    """Texts that stores lose and gain, in order."""

    removed: Sequence[str]
    added: Sequence[str]
    stores: StoreNames
    count: StoreCount


@dataclass(frozen=True, slots=True)
class UpsellOrder:
    """The enabled upsells of stores, in the order in which they are attempted."""

    before: Sequence[str]
    after: Sequence[str]
    stores: StoreNames
    count: StoreCount


@dataclass(frozen=True, slots=True)
class StoreReach:
    """The stores at which something differs."""

    count: Count
    total: Annotated[int, Field(ge=0, description="the stores of the workspace, on both sides together")]
    names: StoreNames
    fields: Sequence[EffectiveChange]
    instructions: Annotated[Sequence[Lines], Field(description="instructions that the agent loses and gains")]
    tools: Annotated[Sequence[Lines], Field(description="tools that the agent loses and gains")]
    upsells: Annotated[
        Sequence[UpsellOrder], Field(description="the order in which upsells are attempted, where it differs")
    ]


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a view in one period, where they differ."""

    period: Annotated[str, Field(description="`next`, or the clock change in whose week they are")]
    before: Sequence[str]
    after: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rows:
    """The entities that a sync would serve."""

    appear: Count
    vanish: Count
    change: Count


@dataclass(frozen=True, slots=True)
class ViewReach:
    """A view that is reached."""

    name: str
    runs: Sequence[Runs]
    rows: Annotated[Rows | None, Field(description="with --rows, where both sides can be synced")]


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """A scenario that passes on the documents of one revision only."""

    name: str
    path: FilePath
    line: Annotated[int, Field(ge=1)]
    version: Annotated[Version, Field(description="the revision that has the scenario as it was played")]
    before: Annotated[Outcome, Field(description="on the documents of BASE")]
    after: Annotated[Outcome, Field(description="on the documents of HEAD")]
    reason: Annotated[str, Field(description="the first thing that is not as expected")]
    causes: Annotated[Sequence[int], Hidden]
    """The numbers of the changes of the plan that it is attributed to."""


@dataclass(frozen=True, slots=True)
class OfferCounts:
    """The sessions in which an upsell was offered, accepted and declined."""

    offered: Count
    accepted: Count
    declined: Count


@dataclass(frozen=True, slots=True)
class UpsellShares:
    """An upsell in the sessions of both sides."""

    upsell: str
    before: Annotated[OfferCounts | None, Field(description="null if BASE has no enabled upsell of the name")]
    after: Annotated[OfferCounts | None, Field(description="null if HEAD has no enabled upsell of the name")]


@dataclass(frozen=True, slots=True)
class DifferentSession:
    """The first session that differs, made short."""

    session: Annotated[int, Field(ge=0, description="the number of the session that it was made of")]
    shortest: Annotated[bool, Field(description="false if an interrupt kept it from being made short")]
    store: str
    seed: int
    at: Annotated[str, Field(description="when it begins, RFC 3339")]
    language: Annotated[str | None, Field(description="null for that of the store")]
    lines: Annotated[Sequence[str], Field(description="the script, a line for each turn")]
    before: Annotated[Sequence[str], Field(description="what the agent of BASE alone does in the last turn")]
    after: Annotated[Sequence[str], Field(description="what the agent of HEAD alone does in the last turn")]
    command: Annotated[str, Field(description="plays it on the working tree")]
    played: Annotated[InstanceOf[Example], Hidden]
    access: Annotated[Sequence[str], Hidden]
    """The options of which files are read."""


@dataclass(frozen=True, slots=True)
class SessionsDifference:
    """Sessions of the same customers on both sides, at stores with equal configurations."""

    stores: StoreNames
    count: Annotated[int, Field(ge=1, description="how many stores there are in all")]
    sessions: Annotated[int, Field(ge=1, description="played on each side")]
    differing: Count
    upsells: Annotated[
        Sequence[UpsellShares], Field(description="those offered in another number of sessions; sorted by name")
    ]
    example: DifferentSession | None
    causes: Annotated[Sequence[int], Hidden]
    """The numbers of the changes of the plan that this is attributed to."""


@dataclass(frozen=True, slots=True)
class ProvedUpsell:
    """An upsell that only one side offers where sessions first differ: HEAD offers it more, less, or both."""

    upsell: str
    offered: Literal["more", "less", "both"]


@dataclass(frozen=True, slots=True)
class ProvedSessions:
    """What is proved of the sessions at stores with equal configurations."""

    stores: StoreNames
    count: Annotated[int, Field(ge=1, description="how many stores there are in all")]
    verdict: Annotated[
        Literal["same", "differs", "unknown"],
        Field(description="same is a proof that no session differs; differs was played on both sides"),
    ]
    reason: Annotated[str, Field(description="why it is unknown")]
    upsells: Sequence[ProvedUpsell]
    premises: Annotated[Sequence[str], Field(description="bounds and assumptions that the proof rests on")]
    example: DifferentSession | None


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a change reaches."""

    stores: Annotated[StoreReach | None, Field(description="null if stores were not looked at")]
    views: Sequence[ViewReach]
    scenarios: Annotated[
        Sequence[ScenarioOutcome], Field(description="that the change is behind and that end in another way")
    ]
    sessions: Annotated[
        Sequence[SessionsDifference], Field(description="at stores that the change reaches; empty without --sessions")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change; changes are sorted by level, path, range, id and pointer."""

    id: Annotated[str, Field(description="the kind of change; trialrun explain ID shows its page")]
    level: Annotated[Level, AsWord]
    lowered_from: Annotated[Level | None, AsWord, Field(description="the level of the id, if that is higher")] = None
    resource: Annotated[str, Field(description="the name of the resource")]
    kind: str
    path: FilePath
    pointer: Annotated[str, Field(description="JSON Pointer from the root of the document")]
    before: Annotated[Any, Field(description="null if there was nothing")]
    after: Annotated[Any, Field(description="null if there is nothing")]
    range: Annotated[
        InstanceOf[diagnostic.Range],
        PlainSerializer(range_object, return_type=Range),
        Field(description="in HEAD; in BASE for a resource that is gone"),
    ]
    reach: Reach
    why: Annotated[str, Field(description="why it has its level")]


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """A finding of `check`."""

    rule: str
    severity: Annotated[diagnostic.Severity, PlainSerializer(lambda severity: severity.word, return_type=Severity)]
    path: FilePath
    line: LineNumber
    message: str


@dataclass(frozen=True, slots=True)
class PlanFindings:
    """The findings of `check` that only one of the revisions has."""

    new: Sequence[PlanFinding]
    gone: Sequence[PlanFinding]


@dataclass
class Played:
    """All that was played for a plan; `scenarios` and `sessions` are how many were played on each side."""

    scenarios: int = 0
    sessions: int = 0
    outcomes: list[ScenarioOutcome] = field(default_factory=list)
    differences: list[SessionsDifference] = field(default_factory=list)
    proofs: list[ProvedSessions] = field(default_factory=list)
    is_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class ResourceCounts:
    """The resources of both sides; each is counted once."""

    added: Count
    changed: Count
    removed: Count
    moved: Annotated[int, Field(ge=0, description="resources that are only in another file")]


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """The number of changes of each level, and of resources."""

    breaking: Count
    risky: Count
    safe: Count
    resources: ResourceCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What lies between two revisions."""

    version: Literal[1]
    base: str
    head: str
    summary: PlanSummary
    changes: Sequence[Annotated[Change, omits("lowered_from")]]
    not_compared: Sequence[NotCompared]
    findings: PlanFindings
    played: Annotated[InstanceOf[Played] | None, Hidden]
    proofs: Annotated[Sequence[ProvedSessions], Field(description="with --prove")] = ()
    page_url: Annotated[str | None, Hidden] = None
    """Where the page of `trialrun report` is kept that shows the same, for a review comment to link to."""


def plan_object(plan: Plan) -> dict[str, Any]:
    """The object of JSON; the same plan gives the same object."""
    written: dict[str, Any] = TypeAdapter(Plan).dump_python(plan)
    return written
