"""The steps of a scenario at a store: what is effective there, and what a session there comes to."""

from typing import Any, ClassVar, Literal

from trialrun.model import node
from trialrun.model.node import MENU_NAME, Integer, Node, field

LEVEL = Literal["brand-default", "brand-binding", "store-default", "store-binding"]


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
