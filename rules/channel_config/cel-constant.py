"""Condition whose result never changes.

A condition that is always true triggers the upsell in the first turn of every session and crowds out the others; one
that is always false, or fails in every session, never triggers it. To switch an upsell off, set `disabled: true`.
Disabled upsells are not reported.

Basis: a condition that cannot change decides nothing.

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

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.startTime.getHours() == 25  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items[-1].quantity > 1  # <- this fails in every session
      suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import may_have_noteworthy_condition, valid_condition
from trialrun.model.channel_config import UpsellConfig

ADVICE = {
    True: "the condition is always true, so it triggers in the first turn of every session; write when to offer it",
    False: "the condition is always false, so the upsell is never offered; correct it, or set disabled: true",
}

FAILS = "this fails in every session, so the condition is never true and the upsell is never offered; correct it"


@rule(UpsellConfig, severity=Severity.WARNING, prefilter=may_have_noteworthy_condition)
def check(upsell: UpsellConfig, context: Context) -> Findings:
    """Flag a condition that is proved to have one value in every session."""
    condition = valid_condition(upsell, context)
    if condition is None or upsell.celUpsell is None:
        return
    if condition.constant is not None:
        yield upsell.celUpsell.finding("conditionExpression", ADVICE[condition.constant])
    elif condition.failing is not None:
        yield upsell.celUpsell.finding("conditionExpression", FAILS, chars=condition.failing)
