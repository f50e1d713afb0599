"""Features of a config: the instruction for the agent, and the tool that goes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.model.channel_config import FeaturesConfig


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
    "orderPickup": Feature(
        "Customers can order for pickup.",
        tool=("order_pickup", "Sets the order to pickup."),
    ),
    "orderDineIn": Feature(
        "Customers can order for dine-in.",
        tool=("order_dine_in", "Sets the order to dine-in."),
    ),
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
        "Customers can pay in cash.",
        tool=("pay_in_cash", "Sets the payment method of the order to cash."),
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
