"""Strategy whose upsells can never be offered.

A limit of 0 is a limit, not "no limit": it stops every upsell. For "no limit", leave the field out; for "no upsells",
disable them one by one. A list of upsells that are all disabled is reported when one of them has an offer: overrides
that only disable what an earlier level offers are not reported.

Specification: channel-config, UpsellStrategy: "Maximum upsell offers per session."; "Maximum declines by a customer
before further upsells are skipped for the session."; "Cart size beyond which further upsells are skipped for the
session."

Good, as UpsellStrategy:

    maxUpsellOffers: 1
    upsells:
      - priority: 1
        disabled: true
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}

Good, as UpsellStrategy:

    upsells:
      - {displayName: Fries, priority: 1, disabled: true}

Bad, as UpsellStrategy:

    maxUpsellOffers: 0  # <- maxUpsellOffers of 0 allows no upsells; remove it if no limit was intended
    maxUpsellDeclines: 0  # <- maxUpsellDeclines of 0 is reached before the first upsell, so none is offered
    maxItemsInCart: 0  # <- maxItemsInCart of 0 skips every upsell once anything is in the cart
    upsells:
      - priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}

Bad, as UpsellStrategy:

    upsells:  # <- every upsell is disabled
      - priority: 1
        disabled: true
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import UpsellStrategy

OF_ZERO = {
    "maxUpsellOffers": "allows no upsells",
    "maxUpsellDeclines": "is reached before the first upsell, so none is offered",
    "maxItemsInCart": "skips every upsell once anything is in the cart",
}


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag each limit of 0, and a list whose upsells are all disabled."""
    for field, effect in OF_ZERO.items():
        if getattr(strategy, field) == 0:
            yield strategy.finding(field, f"{field} of 0 {effect}; remove it if no limit was intended")
    upsells = strategy.upsells or ()
    only_disables = not any(upsell.members("upsell_type_config") for upsell in upsells)
    if upsells and all(upsell.disabled for upsell in upsells) and not only_disables:
        yield strategy.finding("upsells", "every upsell is disabled, so none is ever offered; enable one")
