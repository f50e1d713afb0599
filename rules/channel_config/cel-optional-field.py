"""Condition that reads an optional field without checking that it exists.

Keys of metadata, and fields that the SessionSchema marks with `?`, may be absent. Reading an absent one is an error,
and a condition with an error does not trigger: the upsell is silently lost in those sessions.

Basis: CEL, where reading an absent key or field is an error.

Good, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: "'coupon' in order.metadata && order.metadata['coupon'] == 'SHAKE'"
      suggestedMenuItems: [Shake]

Good, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: has(order.metadata.coupon) && order.metadata.coupon == 'SHAKE'
      suggestedMenuItems: [Shake]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.metadata.coupon == 'SHAKE'  # <- check first with has(order.metadata.coupon)
      suggestedMenuItems: [Shake]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import may_have_noteworthy_condition, valid_condition
from trialrun.model.channel_config import UpsellConfig


@rule(UpsellConfig, severity=Severity.NOTE, prefilter=may_have_noteworthy_condition)
def check(upsell: UpsellConfig, context: Context) -> Findings:
    """Flag each field that is read without being asked for."""
    condition = valid_condition(upsell, context)
    if condition is None or upsell.celUpsell is None:
        return
    for read in condition.optional_reads:
        yield upsell.celUpsell.finding("conditionExpression", read.message, chars=(read.start, read.end))
