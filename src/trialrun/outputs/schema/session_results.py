"""What commands that play sessions print as JSON: `session`, `explore` and `test`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.schema.checks import FilePath, LineNumber, Severity
from trialrun.outputs.schema.store_results import Origin, Sourced
from trialrun.outputs.schema.views import Assumptions, DocumentError, Moment


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


class ExploredGroup(TypedDict):
    """Stores with equal configurations, of which the first was explored, or what prevents that."""

    stores: list[str]
    result: NotRequired[Explored]
    errors: NotRequired[list[DocumentError]]


class ExploredStores(TypedDict):
    """`trialrun explore --all-stores --output-format json`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    groups: list[ExploredGroup]
    summary: Annotated[dict[str, int], Field(description="number of different surprises by severity")]


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


SessionOutput = PlayedSession | RefusedStore
ExploreOutput = Explored | ExploredStores | RefusedStore
