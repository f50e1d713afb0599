"""Two CEL upsells of one strategy with the same condition.

They trigger in the same turns, so one of them always blocks the other. Usually one is a copy whose condition was not
changed. Spaces, comments and parentheses make no difference. Conditions with errors and disabled upsells are not
reported; a field that the default session types lack is not an error here.

Basis: of several rules that trigger, "the highest priority rule's suggestions are favored" (channel-config, CelUpsell).

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
          conditionExpression: (order.subtotal > 5.0) && session.turn == 1  # <- the same condition as that of "Fries
          suggestedMenuItems: [Shake]

Bad, as UpsellStrategy:

    upsells:
      - priority: 1
        celUpsell: {conditionExpression: order.isGift, suggestedMenuItems: [Card]}
      - priority: 2
        celUpsell: {conditionExpression: (order.isGift), suggestedMenuItems: [Ribbon]}  # <- the same condition
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import check_condition
from trialrun.model.channel_config import CelUpsell, UpsellConfig, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each condition that an earlier upsell has."""
    first: dict[str, tuple[UpsellConfig, CelUpsell]] = {}
    for upsell in strategy.upsells or ():
        key = _key(upsell, context)
        if key is None or upsell.celUpsell is None:
            continue
        if key not in first:
            first[key] = (upsell, upsell.celUpsell)
            continue
        earlier, rule_of_earlier = first[key]
        yield upsell.celUpsell.finding(
            "conditionExpression",
            f"this is the same condition as that of {earlier.title}; change one, or merge the two upsells",
            related=(Related("the same condition", rule_of_earlier.location("conditionExpression")),),
        )


def _key(upsell: UpsellConfig, context: Context) -> str | None:
    """A key that equal conditions share; None if it is invalid, but a name that the default session lacks is not."""
    condition = check_condition(upsell.celUpsell, context) if upsell.celUpsell and not upsell.disabled else None
    if condition is None:
        return None
    if not condition.problems:
        return condition.key
    is_valid = not context.session.is_declared and all(problem.code == "undeclared" for problem in condition.problems)
    return condition.key if is_valid else None
