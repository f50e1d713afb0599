"""Scenario: a test of configurations, as steps in time with the expectations of each (`docs/scenarios.md`).

A step kind is a field of `ScenarioStep` here, and the player of that name in `trialrun.runtime.scenario`.
"""

from typing import Any, ClassVar, Literal

from trialrun.model import node
from trialrun.model.node import MENU_NAME, EntityIdValue, Integer, Node, RequiredEntityId, Resource, field

LEVEL = Literal["brand-default", "brand-binding", "store-default", "store-binding"]


class Column(Node):
    """A declared column of a source."""

    item_key: ClassVar = ("name",)

    name: str | None = field("Name of the column.", mode="required", declares="column")
    type: str | None = field("Type of the column.", mode="required", format="column-type")
    mode: Literal["NULLABLE", "REQUIRED", "REPEATED"] | None = field("Mode of the column; NULLABLE when unset.")


class GivenSource(Node):
    """The rows of a uri for as long as a scenario runs, in place of what the workspace has there."""

    unions: ClassVar = {"content": ("rows", "table")}
    required_unions: ClassVar = frozenset({"content"})
    item_key: ClassVar = ("uri",)

    uri: str | None = field("The uri, as views and feature groups write it.", mode="required", names="source")
    rows: list[dict[str, Any]] | None = field("The rows, each a mapping of columns to values.", keys=("column",))
    table: str | None = field(
        "The rows as text: a line for each row, cells separated by |, the first line names the columns.",
        format="data-table",
    )
    columns: list[Column] | None = field(
        "Declared columns; when unset, those of the workspace's Source, else derived from the values."
    )
    timestampColumn: str | None = field(
        "Column of the feature timestamp; that of the workspace's Source when unset.", names="column"
    )


class Given(Node):
    """What a scenario starts from; all else is as the workspace has it."""

    sources: list[GivenSource] | None = field("Sources with their own rows.")


class ExpectedEntity(Node):
    """What is served for an entity: some of its values, exactly these values, or nothing."""

    unions: ClassVar = {"served": ("values", "missing")}
    item_key: ClassVar = ("id",)

    id: RequiredEntityId | None = field("The entity id; a list if it has several columns.", mode="required")
    values: dict[str, Any] | None = field(
        "Expected values by feature; other features may have any value.", keys=("served feature",)
    )
    missing: bool | None = field("When true, nothing is served for the id.")
    exactly: bool | None = field("When true, there are no other features than those listed.")
    timestamp: str | None = field("The time of the newest value.", format="timestamp")
    tolerance: float | None = field("Allowed difference from the expected numbers; 0 when unset.", minimum=0)


class ExpectedSync(Node):
    """What a sync is expected to do."""

    rowsRead: Integer | None = field("The number of rows read.", minimum=0)
    entities: Integer | None = field("The number of entities served after the sync.", minimum=0)
    new: Integer | None = field("The number of entities that were not served before.", minimum=0)
    changed: Integer | None = field("The number of entities whose values changed.", minimum=0)
    unchanged: Integer | None = field("The number of entities whose values did not change.", minimum=0)
    vanished: Integer | None = field(
        "The number of entities that were served before and are no longer in the source.", minimum=0
    )
    findings: list[str] | None = field(
        "The codes of all data findings; an empty list means none.", format="data-finding"
    )
    served: list[ExpectedEntity] | None = field("What is served afterwards.")
    refused: str | None = field("A part of the message with which the sync is refused.", format="text-part")


class SyncStep(Node):
    """Sync a view."""

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    expect: ExpectedSync | None = field("What is expected; when unset, a sync that succeeds.")


class ExpectedFetch(Node):
    """What is expected to be served."""

    served: list[ExpectedEntity] | None = field("The entities to fetch, with what is served for each.")
    refused: str | None = field("A part of the message with which fetching is refused.", format="text-part")


class FetchStep(Node):
    """Fetch the entities that are expected."""

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    expect: ExpectedFetch | None = field("What is expected.", mode="required")


class ExpectedWrite(Node):
    """What a direct write is expected to do."""

    stale: list[str] | None = field(
        "The features whose newer values are kept; an empty list means none.", names="served feature"
    )
    served: list[ExpectedEntity] | None = field("What is served afterwards.")
    refused: str | None = field("A part of the message with which the write is refused.", format="text-part")


class WriteStep(Node):
    """Write values of an entity directly into a view."""

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    id: RequiredEntityId | None = field("The entity id; a list if it has several columns.", mode="required")
    values: dict[str, Any] | None = field("Values by feature.", mode="required", keys=("served feature",))
    timestamp: str | None = field(
        "The timestamp of the values; the clock of the scenario when unset.", format="timestamp"
    )
    expect: ExpectedWrite | None = field("What is expected.")


class SearchStringFilter(Node):
    """Keeps entities with an allowed token in a column, and drops those with a denied one."""

    item_key: ClassVar = ("column",)

    column: str | None = field("One of the filter columns of the view.", mode="required", names="filter column")
    allow: list[str] | None = field("Allowed tokens; all when unset.", format="data-value")
    deny: list[str] | None = field("Denied tokens.", format="data-value")


class SearchNumericFilter(Node):
    """Keeps entities whose number in a column compares so with a value."""

    item_key: ClassVar = ("column",)

    column: str | None = field("One of the filter columns of the view.", mode="required", names="filter column")
    operator: Literal["LESS", "LESS_EQUAL", "EQUAL", "GREATER_EQUAL", "GREATER", "NOT_EQUAL"] | None = field(
        "The comparison of the number with the value.", mode="required"
    )
    value: float | None = field("The value.", mode="required")


class ExpectedNeighbor(Node):
    """A neighbor, at its place in the order."""

    item_key: ClassVar = ("id",)

    id: RequiredEntityId | None = field("The entity id; a list if it has several columns.", mode="required")
    distance: float | None = field("The distance of the neighbor.")
    values: dict[str, Any] | None = field(
        "Expected values by feature; other features may have any value.", keys=("served feature",)
    )


class ExpectedSearch(Node):
    """What a search is expected to find."""

    neighbors: list[ExpectedNeighbor] | None = field("All neighbors in the result, nearest first.")
    recall: float | None = field("The lowest accepted recall, measured against an exact search.", minimum=0, maximum=1)
    tolerance: float | None = field("Allowed difference from the expected numbers; 0.000001 when unset.", minimum=0)
    refused: str | None = field("A part of the message with which the search is refused.", format="text-part")


class SearchStep(Node):
    """Search the nearest entities of an entity or of a vector."""

    unions: ClassVar = {"query": ("entity", "vector")}
    required_unions: ClassVar = frozenset({"query"})

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    entity: EntityIdValue | None = field(
        "The entity whose neighbors are searched; a list if its id has several columns."
    )
    vector: list[float] | None = field("The vector whose neighbors are searched.")
    count: Integer | None = field("The maximum number of neighbors; 10 when unset.", minimum=1)
    stringFilters: list[SearchStringFilter] | None = field("Filters on text columns.")
    numericFilters: list[SearchNumericFilter] | None = field("Filters on number columns.")
    perCrowdingAttribute: Integer | None = field(
        "The maximum number of neighbors with the same value of the crowding column.", minimum=1
    )
    expect: ExpectedSearch | None = field("What is expected.", mode="required")


class ExpectedSchedule(Node):
    """When a view is expected to be synced."""

    runs: list[str] | None = field(
        "The next runs after the clock; an empty list means that the view has no schedule.", format="timestamp"
    )


class ScheduleStep(Node):
    """Check when a view is synced next."""

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    expect: ExpectedSchedule | None = field("What is expected.", mode="required")


class ExpectedRun(Node):
    """A sync that the scheduler is expected to make."""

    item_key: ClassVar = ("view",)

    view: str | None = field("Name of the view, or its last segments.", mode="required", names="view")
    clock: str | None = field("The time of the sync.", mode="required", format="timestamp")


class ExpectedWait(Node):
    """What the scheduler is expected to do."""

    syncs: list[ExpectedRun] | None = field("All syncs of the scheduler, in order; an empty list means none.")


class WaitStep(Node):
    """Let time pass, while the scheduler syncs views when they are due."""

    until: str | None = field("The clock after the step.", mode="required", format="timestamp")
    views: list[str] | None = field("The views that the scheduler syncs.", mode="required", names="view")
    expect: ExpectedWait | None = field("What is expected; when unset, syncs that succeed.")


class ExpectedValue(Node):
    """A value that is expected to be effective at a store, and where it comes from."""

    unions: ClassVar = {"outcome": ("value", "absent")}
    item_key: ClassVar = ("field",)

    field: str | None = node.field("The field, by its path in the ChannelConfig.", mode="required", format="field-path")
    type: Literal["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"] | None = node.field(
        "The type of config to resolve; when unset, the type from which a session takes the field."
    )
    value: Any | None = node.field("The expected value; of a message, only the listed fields are compared.")
    absent: bool | None = node.field("When true, nothing sets the field.")
    file: str | None = node.field(
        "The file that sets it, or the end of its path; with :LINE to check the line as well.", format="config-file"
    )
    config: str | None = node.field(
        "The ChannelConfig that sets it: its name, or the last segments of it.", names="config"
    )
    level: LEVEL | None = node.field("The level of precedence that sets it.")
    rule: str | None = node.field("The config application rule whose binding applies the config.", names="binding")
    overrode: list[str] | None = node.field(
        "What it overwrote, latest first: configs or files as above; an empty list means nothing.",
        format="config-or-file",
    )


class ExpectedResolution(Node):
    """What is expected to be effective at a store."""

    values: list[ExpectedValue] | None = field("Expected values by field; other fields may have any value.")


class ResolveStep(Node):
    """Resolve the effective configuration of a store."""

    store: str | None = field("Name of the store, or its last segments.", mode="required", names="store")
    expect: ExpectedResolution | None = field("What is expected.", mode="required")


class ExpectedOffer(Node):
    """An upsell that is expected to be made."""

    item_key: ClassVar = ("upsell", "text")

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    items: list[str] | None = field("All its items, by name.", names="item", by=MENU_NAME)
    modifiers: list[str] | None = field("All its modifiers, by name.", names="modifier", by=MENU_NAME)
    text: str | None = field("A part of the text of the offer.", format="text-part")


class ExpectedPass(Node):
    """An upsell that is expected not to be made, and the reason."""

    item_key: ClassVar = ("upsell",)

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    because: str | None = field("The code of the reason, or a part of its text.", format="skip-reason")


class ExpectedSaid(Node):
    """A text that the agent is expected to say, or to be told to use."""

    item_key: ClassVar = ("text",)

    text: str | None = field("A part of the text.", format="text-part")
    kind: Literal["greeting", "greeting-offer", "closing-offer", "question", "invalid-item", "instruction"] | None = (
        field("The kind of the text.")
    )
    language: str | None = field("The language of the text.", format="language-tag")


class ExpectedMapping(Node):
    """A customer term that is expected to be heard, and what it means."""

    item_key: ClassVar = ("term",)

    term: str | None = field("The customer term, as the mapping spells it.", mode="required", names="customer term")
    type: Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"] | None = field("The type of the mapping.")
    targets: list[str] | None = field("All its targets, as order lines.", format="order-line")


class ExpectedCondition(Node):
    """The condition of a CEL upsell, and what it is expected to come to."""

    unions: ClassVar = {"outcome": ("value", "error")}
    item_key: ClassVar = ("upsell",)

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    value: bool | None = field("The result of the condition.")
    error: str | None = field("A part of the error of the condition.", format="text-part")
    parts: dict[str, Any] | None = field("The values of its parts, by their text.", keys=("cel-expression",))


class ExpectedTurn(Node):
    """What the agent is expected to do in a turn; what is not named may be anything."""

    offered: list[ExpectedOffer] | None = field("All upsells that are offered; an empty list means none.")
    suggested: list[ExpectedOffer] | None = field("All upsells that are only shown; an empty list means none.")
    notOffered: list[ExpectedPass] | None = field("Upsells that are not offered.")
    said: list[ExpectedSaid] | None = field("Texts that the agent says; an empty list means nothing at all.")
    notSaid: list[str] | None = field("Parts of texts that the agent does not say.", format="text-part")
    language: str | None = field("The language of the turn.", format="language-tag")
    mapped: list[ExpectedMapping] | None = field("All customer terms that are recognized; an empty list means none.")
    order: list[str] | None = field(
        "The complete order after the turn, as order lines; an empty list means an empty order.", format="order-line"
    )
    conditions: list[ExpectedCondition] | None = field("Conditions of CEL upsells.")
    refused: str | None = field("A part of the message with which the turn is refused.", format="text-part")


class SessionTurn(Node):
    """A turn: what the customer does, and what the agent is expected to do. Without a customer it is the welcome."""

    item_key: ClassVar = ("customer",)

    customer: str | None = field("What the customer does, in the language of session scripts.", format="session-script")
    expect: ExpectedTurn | None = field("What is expected; when unset, a turn that is accepted.")


class ExpectedSession(Node):
    """What a session is expected to be made of."""

    instructions: list[str] | None = field("Parts of the instructions that the agent receives.", format="text-part")
    notInstructions: list[str] | None = field("Texts that no instruction contains.", format="text-part")
    tools: list[str] | None = field("Names of tools that the agent has.", names="tool")
    notTools: list[str] | None = field("Names of tools that the agent does not have.", names="tool")


class SessionStep(Node):
    """Play a session at a store."""

    unions: ClassVar = {"turns": ("turns", "table")}

    store: str | None = field("Name of the store, or its last segments.", mode="required", names="store")
    seed: Integer | None = field("The random seed of the session; 0 when unset.")
    language: str | None = field(
        "The customer's initial language; when unset, that of the store.", format="language-tag"
    )
    state: dict[str, Any] | None = field(
        "Values of the session state that the client sends, by path.", keys=("state-path",)
    )
    turns: list[SessionTurn] | None = field("The turns, in order.")
    table: str | None = field(
        "The turns as text: a line for each turn, cells separated by |, the first line names the columns.",
        format="session-table",
    )
    expect: ExpectedSession | None = field("What is expected of the whole session.")


class ScenarioStep(Node):
    """What is done next, from which moment on; the clock stands still between two steps that say none."""

    unions: ClassVar = {"deed": ("sync", "fetch", "search", "schedule", "wait", "write", "resolve", "session")}
    required_unions: ClassVar = frozenset({"deed"})
    item_key: ClassVar = ()

    clock: str | None = field("The clock from this step on.", format="timestamp")
    sync: SyncStep | None = field("Sync a view.")
    fetch: FetchStep | None = field("Fetch what is served.")
    search: SearchStep | None = field("Search the nearest entities.")
    schedule: ScheduleStep | None = field("Check when a view is synced next.")
    wait: WaitStep | None = field("Let time pass, while the scheduler syncs views when they are due.")
    write: WriteStep | None = field("Write values directly.")
    resolve: ResolveStep | None = field("Check what is effective at a store.")
    session: SessionStep | None = field("Play a session at a store.")


class Scenario(Resource):
    """A test of configurations: what is given, what is done, and what is expected."""

    kind: Literal["Scenario"] | None = field("Scenario.")
    name: str | None = field("What the scenario shows, in one sentence.", mode="required", format="free-text")
    clock: str | None = field(
        "The clock at the start of the scenario; when unset, the clock of the command.", format="timestamp"
    )
    given: Given | None = field("The initial state of the scenario.")
    steps: list[ScenarioStep] | None = field("The steps, in order.", mode="required")
