"""Limit on suggested modifiers that has no effect or suggests none.

Without suggested modifiers there is nothing to limit, and a limit of 0 suggests none of the listed ones.

Basis: channel-config, CelUpsell: "Maximum modifiers suggested per group."

Good, as CelUpsell:

    conditionExpression: order.subtotal > 5.0
    suggestedMenuItems: [Burger]
    suggestedModifiers: [Cheese, Bacon]
    maxModifierPerGroup: 1

Bad, as CelUpsell:

    conditionExpression: order.subtotal > 5.0
    suggestedMenuItems: [Burger]
    maxModifierPerGroup: 1  # <- there are no modifiers to limit

Bad, as CelUpsell:

    conditionExpression: order.subtotal > 5.0
    suggestedMenuItems: [Burger]
    suggestedModifierGroups: [{name: Sauces}]
    maxModifierPerGroup: 0  # <- maxModifierPerGroup of 0 suggests no modifier at all
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import CelUpsell


def has_limit(upsell: CelUpsell) -> bool:
    """Whether an upsell limits the modifiers that it suggests."""
    return upsell.maxModifierPerGroup is not None


@rule(CelUpsell, severity=Severity.WARNING, absence=True, prefilter=has_limit)
def check(upsell: CelUpsell) -> Findings:
    """Flag a limit that limits nothing, or everything."""
    limit = upsell.maxModifierPerGroup
    if limit is None:
        return
    if upsell.is_unset("suggestedModifiers") and upsell.is_unset("suggestedModifierGroups"):
        yield upsell.finding(
            "maxModifierPerGroup",
            "there are no modifiers to limit; add suggestedModifiers or suggestedModifierGroups, or remove it",
        )
    elif limit < 1:
        yield upsell.finding(
            "maxModifierPerGroup", f"maxModifierPerGroup of {limit} suggests no modifier at all; raise it or remove it"
        )
