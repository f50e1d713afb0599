"""A condition depends on the session.

One that is always true makes the upsell in every turn of every session and crowds out the others; one that is always
false never makes it. To switch an upsell off, set `disabled: true`. Disabled upsells are left alone.

Rests on: a condition that cannot change decides nothing.

Good, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() > 0
      suggestedMenuItems: [Fries]

Good, as UpsellConfig:

    priority: 1
    disabled: true
    celUpsell: {conditionExpression: "false", suggestedMenuItems: [Fries]}

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() >= 0  # <- the condition is always true
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() > 3 && false  # <- the condition is always false
      suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.conditions import sound
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.channel_config import UpsellConfig

ADVICE = {
    True: "the condition is always true, so the upsell is made in every turn; say when it is wanted",
    False: "the condition is always false, so the upsell is never made; correct it, or set disabled: true",
}


@rule(UpsellConfig, severity=Severity.WARNING)
def check(upsell: UpsellConfig, context: Context) -> Findings:
    """Flag a condition that is proved to have one value in every session."""
    condition = sound(upsell, context)
    if condition is not None and condition.constant is not None and upsell.celUpsell is not None:
        yield upsell.celUpsell.flag("conditionExpression", ADVICE[condition.constant])
