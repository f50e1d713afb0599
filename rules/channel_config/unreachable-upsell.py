"""Upsell that can never be offered.

A CEL upsell whose condition is always true is offered in the first turn of every session. When such upsells use up
maxUpsellOffers, a CEL upsell after them is never attempted. As in a session, upsells with a higher celUpsell.priority
come first, and among equal ones those with the lower priority. Only certain cases are reported: the preceding upsells
have no skip conditions and make real offers (not suggestionOnly). Greeting and closing offers are made at other times;
`upsell-unreachable-at-store` reports where they leave no offers for an upsell, which also depends on the language of
customers.

Basis: channel-config, UpsellStrategy: "Maximum upsell offers per session."; UpsellConfig: "Lower value means attempted
first (1 first)."; the assumptions session-favor and session-once.

Good, as UpsellStrategy:

    maxUpsellOffers: 1
    upsells:
      - priority: 1
        skipOnMultiQuantityUpsoldFromItem: true
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}

Good, as UpsellStrategy:

    maxUpsellOffers: 2
    upsells:
      - priority: 1
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}
      - priority: 3
        celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Lemonade]}

Good, as UpsellStrategy:

    maxUpsellOffers: 1
    upsells:
      - priority: 1
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake], priority: 10}

Bad, as UpsellStrategy:

    maxUpsellOffers: 1
    upsells:
      - displayName: A shake  # <- "A shake" is never attempted: "Fries" is always offered first and uses up
        priority: 2
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}
      - displayName: Fries
        priority: 1
        celUpsell: {conditionExpression: order.items.size() >= 0, suggestedMenuItems: [Fries]}

Bad, as UpsellStrategy:

    maxUpsellOffers: 2
    upsells:
      - priority: 1
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
      - priority: 2
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Shake]}
      - priority: 3  # <- the upsell of priority 3 is never attempted
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Lemonade]}

Bad, as UpsellStrategy:

    maxUpsellOffers: 1
    upsells:
      - priority: 1  # <- the upsell of priority 1 is never attempted: "Fries" is always offered first
        celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}
      - displayName: Fries
        priority: 2
        celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries], priority: 10}
"""

from collections.abc import Sequence

from trialrun.diagnostic import Finding, Related, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import valid_condition
from trialrun.model.channel_config import UpsellConfig, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each CEL upsell behind as many certain offers as a session has."""
    most = strategy.maxUpsellOffers
    if not most or sum(_is_always(upsell, context) for upsell in strategy.upsells or ()) < most:
        return
    from trialrun.runtime.channel_config.session.ranking import with_certain_predecessors

    upsells = [upsell for upsell in strategy.upsells or () if _is_clear(upsell)]
    for upsell, front in with_certain_predecessors(upsells, lambda upsell: _is_always(upsell, context)):
        if len(front) >= most:
            yield _finding(upsell, front[:most])


def _is_clear(upsell: UpsellConfig) -> bool:
    """Whether a CEL upsell is an offer with both of its priorities known; a refused setting leaves that open."""
    rule_of = upsell.celUpsell
    if rule_of is None or upsell.members("upsell_type_config") != ["celUpsell"]:
        return False
    is_ranked = upsell.priority is not None and (rule_of.priority is not None or not rule_of.has("priority"))
    return is_ranked and (rule_of.suggestionOnly is not None or not rule_of.has("suggestionOnly"))


def _is_always(upsell: UpsellConfig, context: Context) -> bool:
    """Whether a condition is true in every session."""
    condition = valid_condition(upsell, context)
    return condition is not None and condition.constant is True


def _finding(upsell: UpsellConfig, front: Sequence[UpsellConfig]) -> Finding:
    names = " and ".join(upsell.title for upsell in front)
    are = "is always offered first and uses" if len(front) == 1 else "are always offered first and use"
    return upsell.finding(
        None,
        f"{upsell.title} is never attempted: {names} {are} up maxUpsellOffers, {len(front)}; "
        "add a condition to what is in front, or raise the limit",
        related=tuple(Related("always offered first", upsell.location()) for upsell in front),
    )
