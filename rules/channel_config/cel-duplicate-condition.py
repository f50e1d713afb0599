"""Two CEL upsells of one strategy never have the same condition.

They trigger in the same turns, so one of them always stands in the other's way. Usually one is a copy whose condition
was not changed. Blanks, comments and parentheses make no difference; disabled upsells are left alone.

Rests on: of several rules that trigger, "the highest priority rule's suggestions are favored" (channel-config,
CelUpsell).

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 15.0, suggestedMenuItems: [Family Pack]}
      - priority: 3
        disabled: true
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Lemonade]}

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries with burgers
        priority: 1
        celUpsell:
          conditionExpression: order.subtotal > 5.0 && session.turn == 1
          suggestedMenuItems: [Fries]
      - displayName: A shake
        priority: 2
        celUpsell:
          conditionExpression: (order.subtotal > 5.0) && session.turn == 1  # <- the same condition as "Fries
          suggestedMenuItems: [Shake]
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.conditions import sound
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.channel_config import CelUpsell, UpsellConfig, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each condition that an earlier upsell has."""
    first: dict[str, tuple[UpsellConfig, CelUpsell]] = {}
    for upsell in strategy.upsells or ():
        condition = sound(upsell, context)
        if condition is None or condition.key is None or upsell.celUpsell is None:
            continue
        if condition.key not in first:
            first[condition.key] = (upsell, upsell.celUpsell)
            continue
        earlier, rule_of_earlier = first[condition.key]
        yield upsell.celUpsell.flag(
            "conditionExpression",
            f"this is the same condition as {earlier.title} has; make them differ, or merge the two upsells",
            related=(Related("the same condition", rule_of_earlier.at("conditionExpression")),),
        )
