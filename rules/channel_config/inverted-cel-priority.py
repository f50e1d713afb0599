"""CEL upsells whose two priorities run in opposite directions.

For an upsell's own priority, lower is better: 1 is attempted first. For the priority inside celUpsell, higher is
better. When both grow together in every pair of upsells, as if one direction were intended for both, the upsell that is
attempted first is favored last. Disabled upsells, and upsells without a celUpsell.priority, are not reported.

Specification: channel-config, UpsellConfig: "Lower value means attempted first (1 first)."; CelUpsell: "Higher number
means higher priority".

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries], priority: 20}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake], priority: 10}

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries], priority: 1}
      - priority: 2
        disabled: true
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake], priority: 2}

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries with burgers
        priority: 1
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries], priority: 1}
      - displayName: A shake
        priority: 2
        celUpsell:
          conditionExpression: order.subtotal > 9.0
          suggestedMenuItems: [Shake]
          priority: 2  # <- "Fries with burgers" is attempted before "A shake" and favored after it
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import CelUpsell, UpsellConfig, UpsellStrategy

Ranked = tuple[int, int, UpsellConfig, CelUpsell]


@rule(UpsellStrategy, severity=Severity.NOTE)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag the first of the inverted pairs, at its later upsell, when there is no pair in order."""
    ranked = [ranked_upsell for upsell in strategy.upsells or () if (ranked_upsell := _ranked(upsell))]
    if not _grow_together(ranked):
        return
    earlier, later = next((a, b) for place, b in enumerate(ranked) for a in ranked[:place] if _differ(a, b))
    first, second = sorted((earlier, later), key=lambda ranked_upsell: ranked_upsell[0])
    yield later[3].finding(
        "priority",
        f"{first[2].title} is attempted before {second[2].title} and favored after it; "
        "here a higher number comes first, unlike in the upsell's own priority",
        related=(Related("the other celUpsell.priority", earlier[3].location("priority")),),
    )


def _ranked(upsell: UpsellConfig) -> Ranked | None:
    rule_of = upsell.celUpsell
    if upsell.disabled or rule_of is None or upsell.priority is None or rule_of.priority is None:
        return None
    return upsell.priority, rule_of.priority, upsell, rule_of


def _grow_together(ranked: list[Ranked]) -> bool:
    """Whether some pair differs in both priorities, and every such pair has the same order in both."""
    pairs = sorted({(own, inner) for own, inner, _, _ in ranked})
    inners = [inner for _, inner in pairs]
    return inners == sorted(inners) and len(set(inners)) > 1 and len({own for own, _ in pairs}) > 1


def _differ(ranked: Ranked, other: Ranked) -> bool:
    return ranked[0] != other[0] and ranked[1] != other[1]
