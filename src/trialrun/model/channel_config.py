"""ChannelConfig: an operational strategy of an ordering agent (specification: channel-config, section 2)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from trialrun.model.node import ID, MENU_NAME, SEMANTIC_MENU_NAME, Integer, Node, Resource, field

NAME_FORMAT = "projects/{project}/locations/{location}/brands/{brand}/channelConfigs/{channelConfig}"
MAX_DISPLAY_NAME_LENGTH = 63
MAX_CUSTOMER_TERM_LENGTH = 100

State = Literal["STATE_UNSPECIFIED", "DRAFT", "ACTIVE", "PROMOTED"]
ConfigType = Literal["TYPE_UNSPECIFIED", "UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]
Tone = Literal["TONE_UNSPECIFIED", "CONCISE_AND_DIRECT", "PROFESSIONAL_AND_FORMAL", "FRIENDLY"]
InteractionMode = Literal["INTERACTION_MODE_UNSPECIFIED", "ORDER_TAKING", "LISTEN_ONLY"]
MappingType = Literal["TYPE_UNSPECIFIED", "SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"]
CustomerTerm = Annotated[str, Field(max_length=MAX_CUSTOMER_TERM_LENGTH)]


class MessageConfig(Node):
    """The text of an offer in one language."""

    item_key: ClassVar = ("languageCode",)

    languageCode: str | None = field("Language of the message, a BCP-47 code.", mode="required", format="language-tag")
    messageText: str | None = field("What the agent says.", mode="required", format="free-text")


class OfferMessage(Node):
    """One way to word an offer, and how often it is used."""

    unions: ClassVar = {"upsold items": ("upsoldItems", "upsoldItemIds")}
    item_key: ClassVar = ("displayName", "upsoldItems", "upsoldItemIds")

    displayName: str | None = field("Name for display and analytics.", format="free-text")
    messageFrequency: float | None = field(
        "Fraction of sessions using this message (0.2 means 20%). When all values are unset (0.0), each message is "
        "used for 1/n of sessions, n being the number of OfferMessages for the offer type. When only some are set, "
        "messages with unset frequency are not used.",
        minimum=0,
        maximum=1,
    )
    upsoldItems: list[str] | None = field(
        "Names of items upsold. Set this or upsoldItemIds, not both.", names="item", by=MENU_NAME
    )
    upsoldItemIds: list[str] | None = field(
        "IDs of items upsold. Set this or upsoldItems, not both.", names="item", by=ID
    )
    messageConfigs: list[MessageConfig] | None = field("Per-language messages.", mode="required")


class GreetingOffer(Node):
    """Upsell of specific items in the agent welcome message."""

    messages: list[OfferMessage] | None = field("The messages of the offer.", mode="required")


class ClosingMessage(Node):
    """An offer after the order is complete, and when to leave it out."""

    item_key: ClassVar = ("offerMessage",)

    offerMessage: OfferMessage | None = field("The message of the offer.", mode="required")
    skipTerms: list[str] | None = field(
        "The upsell is skipped when any term is present in the name of an item already in the order.",
        format="item-name-part",
    )


class ClosingOffer(Node):
    """Upsell of specific items after the order is complete."""

    closingMessages: list[ClosingMessage] | None = field("The messages of the offer.", mode="required")


class SuggestedModifierGroup(Node):
    """A modifier group to suggest."""

    item_key: ClassVar = ("name",)

    name: str | None = field("Semantic name of the group.", names="modifier group", by=SEMANTIC_MENU_NAME)
    suggestedModifiers: list[str] | None = field(
        "Semantic names of modifiers to suggest.", names="modifier", by=SEMANTIC_MENU_NAME
    )


class CelUpsell(Node):
    """Dynamically evaluated rule in Common Expression Language (CEL)."""

    conditionExpression: str | None = field(
        "CEL expression evaluated against the current session state (the order and client session metadata); the rule "
        "triggers when it evaluates to true.",
        mode="required",
        format="cel-condition",
    )
    suggestedMenuItems: list[str] | None = field(
        "Semantic names of items to suggest on trigger.", mode="required", names="item", by=SEMANTIC_MENU_NAME
    )
    triggerReason: str | None = field(
        "Natural-language instruction to the conversational model explaining why the upsell is made.",
        format="free-text",
    )
    priority: Integer | None = field(
        "Higher number means higher priority; when several rules trigger, the highest priority rule's suggestions are "
        "favored. Defaults to 0."
    )
    suggestedModifiers: list[str] | None = field(
        "Semantic names of modifiers to suggest.", names="modifier", by=SEMANTIC_MENU_NAME
    )
    suggestedModifierGroups: list[SuggestedModifierGroup] | None = field("Modifier groups to suggest.")
    maxModifierPerGroup: Integer | None = field("Maximum modifiers suggested per group.", minimum=0)
    suggestionOnly: bool | None = field("Not a real upsell; only shows the suggested options to the user.")


def upsell_title(display_name: str | None, priority: int | None, *, has_priority: bool = False) -> str:
    """An upsell's display name in quotes, else its priority where it is known; it may have one that was refused."""
    if display_name:
        return f'"{display_name}"'
    if priority is None:
        return "an upsell" if has_priority else "an upsell without priority"
    return f"the upsell of priority {priority}"


class UpsellConfig(Node):
    """One upsell of a strategy."""

    unions: ClassVar = {"upsell_type_config": ("greetingOffer", "closingOffer", "celUpsell")}
    required_unions: ClassVar = frozenset({"upsell_type_config"})
    without_union: ClassVar = {"upsell_type_config": ({"disabled": {"const": True}},)}
    item_key: ClassVar = ("displayName", "priority")

    displayName: str | None = field("For UI display, metrics aggregation and analytics.", declares="upsell")
    priority: Integer | None = field(
        "Ordering among UpsellConfigs of one UpsellStrategy. Lower value means attempted first (1 first). Each "
        "UpsellConfig in a strategy has a unique priority. Values need not be contiguous; only relative order counts.",
        mode="required",
        minimum=1,
    )
    skipOnMultiQuantityUpsoldFromItem: bool | None = field(
        "Skip this upsell when the item upsold from has quantity above 1. Applies only to the types: item to combo, "
        "combo up size, modifier addition, combo drink, item up size, combo variant, item triggered."
    )
    skipOnPreviousTurnUpsell: bool | None = field("Skip this upsell when the prior conversational turn was an upsell.")
    disabled: bool | None = field(
        "When true the upsell is not attempted; useful to disable a type in a config application rule override."
    )
    greetingOffer: GreetingOffer | None = field("Upsell of specific items in the agent welcome message.")
    closingOffer: ClosingOffer | None = field("Upsell of specific items after the order is complete.")
    celUpsell: CelUpsell | None = field("Dynamically evaluated rule in Common Expression Language (CEL).")

    @property
    def title(self) -> str:
        """What a message calls this upsell: its display name in quotes, else its priority where it is known."""
        return upsell_title(self.displayName, self.priority, has_priority=self.has("priority"))


class UpsellStrategy(Node):
    """Upsell behavior."""

    maxUpsellOffers: Integer | None = field("Maximum upsell offers per session.", minimum=0)
    maxUpsellDeclines: Integer | None = field(
        "Maximum declines by a customer before further upsells are skipped for the session.", minimum=0
    )
    maxItemsInCart: Integer | None = field(
        "Cart size beyond which further upsells are skipped for the session.", minimum=0
    )
    upsells: list[UpsellConfig] | None = field("Configured upsells.")
    cateringGuidelines: str | None = field(
        "Text of offline-generated serving calculations and group ordering rules for the menu; read by the "
        "conversational model.",
        format="free-text",
    )


class Greetings(Node):
    """Custom greetings in one language."""

    item_key: ClassVar = ("languageCode",)

    languageCode: str | None = field("Language of the phrases, a BCP-47 code.", format="language-tag")
    greetingPhrases: list[str] | None = field("What the agent may say first.", format="free-text")


class OrderPickup(Node):
    """Order for pickup via the agent; it has no fields."""


class OrderDineIn(Node):
    """Order for dine-in via the agent; it has no fields."""


class NameCollection(Node):
    """Agent collects the customer name; it has no fields."""


class GetOrderPrices(Node):
    """Agent gets order prices from the point-of-sale system; it has no fields."""


class EndSessionWithCheckoutRequest(Node):
    """Agent ends the session with a checkout request; it has no fields."""


class EnableAddressCollection(Node):
    """Agent collects the delivery address; it has no fields."""


class SupportCashPayment(Node):
    """Agent supports cash payment; it has no fields."""


class FeaturesConfig(Node):
    """Agent features; the flags are used to generate the agent's custom instructions and tools."""

    orderPickup: OrderPickup | None = field("Order for pickup via the agent.")
    orderDineIn: OrderDineIn | None = field("Order for dine-in via the agent.")
    nameCollection: NameCollection | None = field("Agent collects the customer name.")
    confirmOrderInfoAtStart: bool | None = field(
        "Confirm order info at session start; replaced by confirmOrderInfoOnFinalize.",
        replaced_by="confirmOrderInfoOnFinalize",
    )
    confirmOrderInfoOnFinalize: bool | None = field("Confirm order info when finalizing.")
    getOrderPrices: GetOrderPrices | None = field("Agent gets order prices from the point-of-sale system.")
    endSessionWithCheckoutRequest: EndSessionWithCheckoutRequest | None = field(
        "Agent ends the session with a checkout request."
    )
    enableAddressCollection: EnableAddressCollection | None = field("Agent collects the delivery address.")
    supportCashPayment: SupportCashPayment | None = field("Agent supports cash payment.")
    budgetBasedOrdering: bool | None = field("Enables budget based ordering.")


class TargetModifier(Node):
    """A modifier to attach to a target item."""

    item_key: ClassVar = ("modifierName", "modifierId")

    modifierName: str | None = field(
        "Modifier name matching the catalog.", mode="required", names="modifier", by=MENU_NAME
    )
    modifierGroupName: str | None = field("Group name to bind the modifier.", names="modifier group", by=MENU_NAME)
    modifierId: str | None = field("Unique modifier ID in the catalog.", names="modifier", by=ID)
    modifierGroupId: str | None = field("Unique modifier group ID in the catalog.", names="modifier group", by=ID)


class TargetItem(Node):
    """A target menu item, with nested modifiers."""

    item_key: ClassVar = ("itemName", "itemId")

    itemName: str | None = field("Item name in the menu catalog.", mode="required", names="item", by=MENU_NAME)
    modifiers: list[TargetModifier] | None = field("Modifiers to attach.")
    itemId: str | None = field("Unique item ID in the menu catalog.", names="item", by=ID)


class DisambiguationMapping(Node):
    """What customers say, and what they mean by it."""

    item_key: ClassVar = ("customerTerms",)

    type: MappingType | None = field("Operational type of the rule.", mode="required")
    customerTerms: list[CustomerTerm] | None = field(
        "Customer utterances or shortcuts; each at most 100 characters.", mode="required", declares="customer term"
    )
    targets: list[TargetItem] | None = field("Target menu items, with nested modifiers.", mode="required")
    customInstruction: str | None = field("Conditional instructions or phrasing hints.", format="free-text")


class DisambiguationStrategy(Node):
    """Disambiguation control."""

    mappings: list[DisambiguationMapping] | None = field("The mappings.")


class OperationsConfig(Node):
    """The operational strategy."""

    item_key: ClassVar = ("displayName",)

    displayName: str | None = field("Name of this strategy.", format="free-text")
    description: str | None = field("Description.", format="free-text")
    upsellStrategy: UpsellStrategy | None = field("Upsell behavior.")
    greetings: list[Greetings] | None = field("Custom greetings per language.")
    defaultLanguageCode: str | None = field("Default language for serving customers.", format="language-tag")
    featuresConfig: FeaturesConfig | None = field("Agent features.")
    interactionMode: InteractionMode | None = field("Agent interaction mode.")
    disambiguationStrategy: DisambiguationStrategy | None = field("Disambiguation control.")


class SupplementalInstructions(Node):
    """Extra instructions."""

    freeformInstructions: str | None = field("Free-form text included in the prompt.", format="free-text")


class ChannelConfig(Resource):
    """An operational strategy configuration for a conversational ordering agent, under a brand."""

    kind: Literal["ChannelConfig"] | None = field("ChannelConfig.")
    name: str | None = field(
        f"Resource name: {NAME_FORMAT}.", mode="identifier", name_format=NAME_FORMAT, declares="config"
    )
    displayName: str | None = field(
        "Display name for user interfaces.", max_length=MAX_DISPLAY_NAME_LENGTH, format="free-text"
    )
    createTime: str | None = field("Creation time.", mode="output only", format="timestamp")
    updateTime: str | None = field("Time of last update.", mode="output only", format="timestamp")
    operationsConfig: OperationsConfig | None = field("The operational strategy.")
    state: State | None = field("Status.", mode="output only")
    type: ConfigType | None = field("Type of the configuration.", mode="required")
    supplementalInstructions: SupplementalInstructions | None = field("Extra instructions.")
    tone: Tone | None = field("Tone of the agent.")
    configApplicationRules: list[dict[str, Any]] | None = field(
        "Rules associated with this configuration.", mode="output only", keys=("unspecified",)
    )
