"""What commands on stores and scenarios print as JSON: `resolve`, `session`, `explore` and `test`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.schema.checks import FilePath, LineNumber, Severity
from trialrun.outputs.schema.views import Assumptions, DocumentError, Moment

Level = Literal["brand-default", "brand-binding", "store-default", "store-binding"]
Pointer = Annotated[str, Field(description="JSON Pointer into the value")]


class Origin(TypedDict):
    """Where a value comes from."""

    level: Level
    rule: NotRequired[Annotated[str, Field(description="the config application rule; only for a binding")]]
    config: Annotated[str | None, Field(description="the name of the ChannelConfig")]
    path: FilePath
    line: LineNumber


Sourced = TypedDict("Sourced", {"from": Origin})


class OverriddenValue(Origin):
    """A value and where it comes from."""

    value: Any


class ValueOrigin(Origin):
    """Where a value comes from, and what it overrode."""

    overrode: Annotated[list[OverriddenValue], Field(description="most recently overridden first")]


class Clash(TypedDict):
    """Two values of the same level for the same field."""

    sort: Annotated[Literal["level", "priority"], Field(description="what both have in common")]
    pointer: Pointer
    winner: OverriddenValue
    loser: OverriddenValue
    settled: Annotated[Origin | None, Field(description="a later level that overrides both, if any")]


class RuleError(DocumentError):
    """An error in a document, with its rule."""

    rule: str


class EffectiveType(TypedDict):
    """The effective configuration of one type."""

    value: dict[str, Any]
    origins: Annotated[dict[Pointer, ValueOrigin], Field(description="by JSON Pointer into the value")]
    layers: Annotated[list[Origin], Field(description="the configs, in the order of application")]
    clashes: list[Clash]


class Unapplied(Origin):
    """A default or a binding without effect."""

    reason: str


class ResolvedStore(TypedDict):
    """`trialrun resolve STORE --output-format json`."""

    version: Literal[1]
    store: str
    types: dict[str, EffectiveType]
    unapplied: list[Unapplied]
    assumptions: Assumptions
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class EffectiveField(TypedDict):
    """The effective value of a field in one type."""

    pointer: Pointer
    value: Any
    origins: dict[Pointer, ValueOrigin]


class ResolvedField(TypedDict):
    """`resolve STORE --field PATH`."""

    version: Literal[1]
    store: str
    field: str
    types: Annotated[dict[str, EffectiveField], Field(description="the types that set it")]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class Difference(TypedDict):
    """A place where a group of stores differs from the first group."""

    type: str
    path: list[str | int]
    pointer: Annotated[str | None, Field(description="null where the group has no value")]
    value: NotRequired[Any]


class StoreGroup(TypedDict):
    """Stores with the same effective configuration."""

    stores: list[str]
    differs: Annotated[list[Difference], Field(description="empty for the first group")]


class StoreMatrix(TypedDict):
    """`resolve --all-stores`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    types: Annotated[dict[str, Any], Field(description="the effective configuration of the first group")]
    groups: list[StoreGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class FieldGroup(TypedDict):
    """Stores with the same value of a field."""

    types: dict[str, Any]
    stores: list[str]


class FieldMatrix(TypedDict):
    """`resolve --all-stores --field PATH`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    field: str
    groups: list[FieldGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class RefusedStore(TypedDict):
    """A store whose session cannot be simulated; the exit code is 1."""

    version: Literal[1]
    store: str
    errors: list[DocumentError]


class Instruction(Sourced):
    """An instruction of the agent."""

    text: str


class Tool(Sourced):
    """A tool of the agent."""

    name: str
    description: str


class UnheardTerm(Sourced):
    """A customer term that is never recognized."""

    term: str
    reason: str


class Said(Sourced):
    """A text of the agent."""

    text: str
    kind: str
    language: str | None


class OrderedModifier(TypedDict):
    """A modifier of an item."""

    modifier: str
    id: str | None
    group: str | None


class OrderedItem(TypedDict):
    """An item with its modifiers."""

    item: str
    id: str | None
    quantity: int
    modifiers: list[OrderedModifier]
    price: Annotated[float | None, Field(description="unit price in the currency of the menu")]


class Offered(Sourced):
    """An upsell that is offered."""

    upsell: str
    kind: Literal["greeting-offer", "upsell", "closing-offer", "suggestion"]
    message: Annotated[str | None, Field(description="the text; null if the conversational model words it")]
    message_name: str | None
    items: list[str]
    modifiers: list[str]
    reason: str


class Reason(TypedDict):
    """A further reason."""

    reason: str
    code: str


class PassedOver(Sourced):
    """An upsell that is not offered, and why."""

    upsell: str
    reason: str
    code: Annotated[str, Field(description="see the table of codes in trialrun docs session")]
    further: list[Reason]


class ConditionPart(TypedDict):
    """A part of a condition."""

    text: str
    value: Any
    error: NotRequired[str]
    start: Annotated[int, Field(ge=0, description="in characters from the start of the condition")]
    end: Annotated[int, Field(ge=0, description="exclusive")]


class Condition(Sourced):
    """The condition of an upsell in a turn."""

    upsell: str
    value: Annotated[bool | None, Field(description="null if the evaluation fails")]
    error: NotRequired[str]
    parts: list[ConditionPart]


class MappedTerm(Sourced):
    """A customer term that was recognized."""

    term: str
    heard: str
    kind: Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"]
    targets: list[OrderedItem]
    instruction: str | None


class Turn(TypedDict):
    """A turn of a session."""

    turn: Annotated[int, Field(ge=0, description="0 is the welcome")]
    customer: str | None
    language: str | None
    said: list[Said]
    offered: list[Offered]
    passed_over: list[PassedOver]
    conditions: list[Condition]
    mapped: list[MappedTerm]
    order: Annotated[list[OrderedItem], Field(description="after the turn")]
    finished: bool
    silence: Annotated[str | None, Field(description="why there is no greeting")]


class PlayedSession(TypedDict):
    """`trialrun session STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Moment
    instructions: list[Instruction]
    tools: list[Tool]
    unheard: list[UnheardTerm]
    turns: list[Turn]


class KeptBack(TypedDict):
    """How often an upsell was skipped for a reason."""

    reason: str
    sessions: int
    turns: int


class UpsellShare(Sourced):
    """How often an upsell was offered."""

    upsell: str
    kind: Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]
    disabled: bool
    offered: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    accepted: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    declined: Annotated[float, Field(ge=0, le=1, description="share of the sessions")]
    passed_over: list[KeptBack]


class SessionExample(TypedDict):
    """The shortest session that shows a surprise."""

    script: Annotated[list[str], Field(description="one line per turn")]
    turn: int
    seed: int
    at: Moment
    language: str | None
    shortest: Annotated[bool, Field(description="false if the search for a shorter one was stopped")]
    shows: NotRequired[str]
    replay: Annotated[str, Field(description="the command that replays it")]


MaybeSourced = TypedDict("MaybeSourced", {"from": NotRequired[Origin]})


class Surprise(MaybeSourced):
    """Behavior that may be unintended."""

    kind: str
    severity: Severity
    message: str
    upsells: list[str]
    sessions: int
    certain: Annotated[bool, Field(description="whether it is proven from the config, rather than only not observed")]
    passed_over: NotRequired[list[KeptBack]]
    nearest: NotRequired[str]
    example: NotRequired[SessionExample]


class Explored(TypedDict):
    """`trialrun explore STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Moment
    sessions: Annotated[int, Field(ge=0, description="sessions played; fewer than requested after Ctrl-C")]
    sessions_wanted: int
    turns: int
    habits: Annotated[dict[str, float], Field(description="probabilities from 0 to 1")]
    command: Annotated[str, Field(description="the command that replays the same sessions")]
    upsells: list[UpsellShare]
    surprises: list[Surprise]
    assumptions: Assumptions
    summary: Annotated[dict[str, int], Field(description="number of surprises by severity")]


class Failure(TypedDict):
    """An expectation that was not met."""

    line: LineNumber
    expected: Annotated[str | None, Field(description="null if the scenario could not run")]
    got: str
    trace: list[str]
    path: NotRequired[Annotated[FilePath, Field(description="if it differs from that of the scenario")]]


class PlayedScenario(TypedDict):
    """A scenario and its outcome."""

    name: str
    path: FilePath
    line: LineNumber
    outcome: Literal["passed", "failed", "error"]
    failures: list[Failure]


class Uncovered(TypedDict):
    """Something that no scenario exercises."""

    name: str
    path: FilePath
    line: LineNumber


class Aspect(TypedDict):
    """One aspect of coverage."""

    total: int
    covered: int
    missing: list[Uncovered]


class Tests(TypedDict):
    """`trialrun test --output-format json`."""

    version: Literal[1]
    scenarios: list[PlayedScenario]
    coverage: NotRequired[Annotated[dict[str, Aspect], Field(description="only with --coverage")]]


ResolveOutput = ResolvedStore | ResolvedField | StoreMatrix | FieldMatrix
SessionOutput = PlayedSession | RefusedStore
ExploreOutput = Explored | RefusedStore
