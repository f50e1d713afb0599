"""The steps of a scenario at a store: what is effective there, and what a session there comes to."""

from typing import Any, ClassVar, Literal

from trialrun.model import node
from trialrun.model.node import Integer, Node, field

LEVEL = Literal["brand-default", "brand-binding", "store-default", "store-binding"]


class ExpectedValue(Node):
    """A value that is expected to be effective at a store, and where it comes from."""

    unions: ClassVar = {"outcome": ("value", "absent")}
    item_key: ClassVar = ("field",)

    field: str | None = node.field("The field, by its path in the ChannelConfig.", mode="required", format="field-path")
    type: Literal["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"] | None = node.field(
        "The type of config that is resolved; the one that a session takes the field from when unset."
    )
    value: Any | None = node.field("The value; of a message, the fields that are named.")
    absent: bool | None = node.field("When true, nothing sets the field.")
    file: str | None = node.field(
        "The file that sets it, or the end of its path; with :LINE where the line matters.", format="config-file"
    )
    config: str | None = node.field("The ChannelConfig that sets it: its name, or the end of it.", names="config")
    level: LEVEL | None = node.field("The level of precedence that sets it.")
    rule: str | None = node.field("The config application rule whose binding applies the config.", names="binding")
    overrode: list[str] | None = node.field(
        "What it overwrote, the last first: configs or files as above; nothing with an empty list.",
        format="config-or-file",
    )


class ExpectedResolution(Node):
    """What is expected to be effective at a store."""

    values: list[ExpectedValue] | None = field("Values by their fields; what is not named may be anything.")


class ResolveStep(Node):
    """Resolve the effective configuration of a store."""

    store: str | None = field("Name of the store, or the end of it.", mode="required", names="store")
    expect: ExpectedResolution | None = field("What is expected.", mode="required")


class ExpectedOffer(Node):
    """An upsell that is expected to be made."""

    item_key: ClassVar = ("upsell", "text")

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    items: list[str] | None = field("All its items, by name.", names="item")
    modifiers: list[str] | None = field("All its modifiers, by name.", names="modifier")
    text: str | None = field("A part of the words that are said.", format="text-part")


class ExpectedPass(Node):
    """An upsell that is expected not to be made, and the reason."""

    item_key: ClassVar = ("upsell",)

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    because: str | None = field("The code of the reason, or a part of its text.", format="skip-reason")


class ExpectedSaid(Node):
    """A text that the agent is expected to say, or to be told to go by."""

    item_key: ClassVar = ("text",)

    text: str | None = field("A part of the text.", format="text-part")
    kind: Literal["greeting", "greeting-offer", "closing-offer", "question", "invalid-item", "instruction"] | None = (
        field("What sort of text it is.")
    )
    language: str | None = field("Its language.", format="language-tag")


class ExpectedMapping(Node):
    """A customer term that is expected to be heard, and what it means."""

    item_key: ClassVar = ("term",)

    term: str | None = field("The customer term, as the mapping has it.", mode="required", names="customer term")
    type: Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"] | None = field("The type of the mapping.")
    targets: list[str] | None = field("All its targets, as order lines.", format="order-line")


class ExpectedCondition(Node):
    """The condition of a CEL upsell, and what it is expected to come to."""

    unions: ClassVar = {"outcome": ("value", "error")}
    item_key: ClassVar = ("upsell",)

    upsell: str | None = field("Display name of the upsell.", mode="required", names="upsell")
    value: bool | None = field("Its value.")
    error: str | None = field("A part of the error that it meets.", format="text-part")
    parts: dict[str, Any] | None = field("Values of its parts, by their texts.", keys=("cel-expression",))


class ExpectedTurn(Node):
    """What the agent is expected to do in a turn; what is not named may be anything."""

    offered: list[ExpectedOffer] | None = field("All upsells that are offered; none with an empty list.")
    suggested: list[ExpectedOffer] | None = field("All upsells that are only shown; none with an empty list.")
    notOffered: list[ExpectedPass] | None = field("Upsells that are not made.")
    said: list[ExpectedSaid] | None = field("Texts that are said; nothing at all with an empty list.")
    notSaid: list[str] | None = field("Parts of texts, none of which is said.", format="text-part")
    language: str | None = field("The language of the turn.", format="language-tag")
    mapped: list[ExpectedMapping] | None = field("All customer terms that are heard; none with an empty list.")
    order: list[str] | None = field(
        "The whole order after the turn, as order lines; empty with an empty list.", format="order-line"
    )
    conditions: list[ExpectedCondition] | None = field("Conditions of CEL upsells.")
    refused: str | None = field("A part of the message with which the turn is refused.", format="text-part")


class SessionTurn(Node):
    """A turn: what the customer does, and what the agent is expected to do. Without a customer it is the welcome."""

    item_key: ClassVar = ("customer",)

    customer: str | None = field("What the customer does, in the language of session scripts.", format="session-script")
    expect: ExpectedTurn | None = field("What is expected; a turn that is not refused when unset.")


class ExpectedSession(Node):
    """What a session is expected to be made of."""

    instructions: list[str] | None = field("Parts of the instructions that the agent is given.", format="text-part")
    notInstructions: list[str] | None = field("Texts that no instruction has in it.", format="text-part")
    tools: list[str] | None = field("Names of tools that the agent has.", names="tool")
    notTools: list[str] | None = field("Names of tools that the agent lacks.", names="tool")


class SessionStep(Node):
    """Play a session at a store."""

    unions: ClassVar = {"turns": ("turns", "table")}

    store: str | None = field("Name of the store, or the end of it.", mode="required", names="store")
    seed: Integer | None = field("The seed of all chance in the session; 0 when unset.")
    language: str | None = field(
        "The language that the customer begins with; that of the store when unset.", format="language-tag"
    )
    state: dict[str, Any] | None = field(
        "Values of the session state that the client sends, by their paths.", keys=("state-path",)
    )
    turns: list[SessionTurn] | None = field("The turns, in their order.")
    table: str | None = field(
        "The turns as a text: a line for each, cells between |, the first line names the columns.",
        format="session-table",
    )
    expect: ExpectedSession | None = field("What is expected of the whole session.")
