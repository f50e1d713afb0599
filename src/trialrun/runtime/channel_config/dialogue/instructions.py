"""Instructions and tools that a store's configs give the agent, in prompt order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from trialrun.model.channel_config import DisambiguationStrategy, FeaturesConfig, SupplementalInstructions
from trialrun.runtime.channel_config.active_config import ActiveConfig, FromOrigin, Origin
from trialrun.runtime.channel_config.session.ranking import sort_by_priority
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values import join_words


@dataclass(frozen=True, slots=True)
class Feature:
    """A row of FeaturesConfig at work: the instruction for the agent, and its tool by name and description.

    `off` is the instruction where the flag is explicitly false.
    """

    on: str
    off: str = ""
    tool: tuple[str, str] | None = None


FEATURES: Final[Mapping[str, Feature]] = {
    "confirmOrderInfoAtStart": Feature(
        "At the start of the session, confirm the order information with the customer.",
        "Do not confirm the order information at the start of the session.",
    ),
    "nameCollection": Feature(
        "Ask for the customer's name and record it with the order.",
        tool=("collect_name", "Records the customer's name with the order."),
    ),
    "orderPickup": Feature("Customers can order for pickup.", tool=("order_pickup", "Sets the order to pickup.")),
    "orderDineIn": Feature("Customers can order for dine-in.", tool=("order_dine_in", "Sets the order to dine-in.")),
    "enableAddressCollection": Feature(
        "If the order is for delivery, ask for the delivery address and record it with the order.",
        tool=("collect_address", "Records the delivery address with the order."),
    ),
    "budgetBasedOrdering": Feature(
        "When a customer names a budget, suggest an order that stays within it.",
        "Do not suggest orders for a budget.",
        tool=("order_within_budget", "Finds items whose total price is within a budget."),
    ),
    "getOrderPrices": Feature(
        "Take prices and the total from the point-of-sale system, never from memory.",
        tool=("get_order_prices", "Gets the prices of the order from the point-of-sale system."),
    ),
    "supportCashPayment": Feature(
        "Customers can pay in cash.", tool=("pay_in_cash", "Sets the payment method of the order to cash.")
    ),
    "confirmOrderInfoOnFinalize": Feature(
        "Before the order is finalized, read it back and have the customer confirm it.",
        "Finalize the order without reading it back for the customer to confirm.",
    ),
    "endSessionWithCheckoutRequest": Feature(
        "When the order is complete, end the session with a checkout request.",
        tool=("request_checkout", "Sends the checkout request that ends the session."),
    ),
}
"""By the fields of FeaturesConfig, in the order in which they matter in a session."""


def features(config: FeaturesConfig) -> Iterator[tuple[str, Feature, bool]]:
    """The features that a config sets: the field of each, what it means, and whether it is on.

    A message is on where it is set, with no fields in it; confirmOrderInfoOnFinalize replaces the deprecated
    confirmOrderInfoAtStart where both are set.
    """
    for field, feature in FEATURES.items():
        value = getattr(config, field)
        is_replaced = field == "confirmOrderInfoAtStart" and config.confirmOrderInfoOnFinalize is not None
        if value is not None and not is_replaced:
            yield field, feature, value is not False


MODES: Final = {
    "ORDER_TAKING": "Take the customer's order in a two-way conversation.",
    "LISTEN_ONLY": "Only listen: record the order and say nothing to the customer, whatever other instructions say.",
}
TONES: Final = {
    "CONCISE_AND_DIRECT": "Be concise and direct.",
    "PROFESSIONAL_AND_FORMAL": "Be professional and formal.",
    "FRIENDLY": "Be friendly.",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of the agent."""

    text: str
    origin: FromOrigin


def instructions(active_config: ActiveConfig) -> tuple[Instruction, ...]:
    """The instructions for the agent, from the general to the particular; the text of the brand comes last."""
    return tuple(Instruction(text, origin) for text, origin in _texts(active_config) if text.strip())


def _texts(config: ActiveConfig) -> Iterator[tuple[str, Origin]]:
    mode, tone = config.operations_field("interactionMode"), config.field("tone")
    if mode and (origin := config.origin("operationsConfig", "interactionMode")):
        yield MODES.get(mode, ""), origin
    if tone and (origin := config.origin("tone")):
        yield TONES.get(tone, ""), origin
    set_features = config.operations_field("featuresConfig")
    for field, feature, is_on in features(set_features) if set_features else ():
        yield feature.on if is_on else feature.off, config.origin_of(set_features, field)
    strategy = config.upsell_strategy
    if strategy and strategy.cateringGuidelines:
        yield strategy.cateringGuidelines, config.origin_of(strategy, "cateringGuidelines")
    disambiguation: DisambiguationStrategy | None = config.operations_field("disambiguationStrategy")
    for mapping in (disambiguation and disambiguation.mappings) or ():
        if mapping.customInstruction and mapping.customInstruction.strip():
            text, terms = mapping.customInstruction, [f'"{term}"' for term in mapping.customerTerms or ()]
            text = _after(f"When a customer says {join_words(terms, 'or')}:", text) if terms else text
            yield text, config.origin_of(mapping, "customInstruction")
    for upsell in sort_by_priority((strategy and strategy.upsells) or ()):
        cel = upsell.celUpsell
        if cel and cel.triggerReason and cel.triggerReason.strip() and not upsell.disabled:
            items = join_words(cel.suggestedMenuItems or ("something",), "or")
            text = _after(f'When you offer {items} ("{upsell_name(upsell)}"):', cel.triggerReason)
            yield text, config.origin_of(cel, "triggerReason")
    supplemental: SupplementalInstructions | None = config.field("supplementalInstructions")
    if supplemental and supplemental.freeformInstructions:
        yield supplemental.freeformInstructions, config.origin_of(supplemental, "freeformInstructions")


def _after(introduction: str, text: str) -> str:
    """A text as it is written behind an introduction; on lines of its own where it has several, or is indented."""
    is_block = "\n" in text.strip() or text[0].isspace()
    return f"{introduction}\n{text}" if is_block else f"{introduction} {text}"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the agent."""

    name: str
    description: str
    origin: FromOrigin
    """The feature that lets it."""


def tools(active_config: ActiveConfig) -> tuple[Tool, ...]:
    """The tools of the features that are on, in the order in which they matter in a session."""
    config = active_config.operations_field("featuresConfig")
    return tuple(
        Tool(*feature.tool, active_config.origin_of(config, field))
        for field, feature, is_on in (features(config) if config else ())
        if is_on and feature.tool
    )
