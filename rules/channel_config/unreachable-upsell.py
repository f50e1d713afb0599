"""Every upsell gets a turn.

A CEL upsell whose condition is always true is made in the first turn of every session. When such upsells use up
maxUpsellOffers, a CEL upsell behind them is never attempted. Only what is certain is reported: the upsells in front
have no skip conditions, make real offers (not suggestionOnly), come first by priority, and are favored at least as
much by celUpsell.priority. Greeting and closing offers are made at other moments and are left alone.

Rests on: channel-config, UpsellStrategy: "Maximum upsell offers per session."; UpsellConfig: "Lower value means
attempted first (1 first)."

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
"""

from itertools import groupby

from trialrun.diagnostic import Finding, Related, Severity
from trialrun.lint.conditions import sound
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.channel_config import UpsellConfig, UpsellStrategy

UNCERTAIN = ("skipOnMultiQuantityUpsoldFromItem", "skipOnPreviousTurnUpsell", "disabled")


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each CEL upsell behind as many certain offers as a session has."""
    most, upsells = strategy.maxUpsellOffers, strategy.upsells or []
    if not most or len(upsells) <= most:
        return
    front: list[UpsellConfig] = []  # of the certain offers passed so far, the most favored, as many as a session has
    for _, tied in groupby(sorted(filter(_is_cel_offer, upsells), key=_priority), key=_priority):
        group = list(tied)
        if len(front) == most:
            yield from (_told(upsell, front) for upsell in group if _favor(upsell) <= _favor(front[-1]))
        front += [upsell for upsell in group if _is_certain(upsell, context)]
        front = sorted(front, key=_favor, reverse=True)[:most]


def _is_cel_offer(upsell: UpsellConfig) -> bool:
    """Whether an upsell is an enabled, real CEL offer with both of its priorities known."""
    rule_of = upsell.celUpsell
    if upsell.disabled or rule_of is None or upsell.members("upsell_type_config") != ["celUpsell"]:
        return False
    ranked = upsell.priority is not None and (rule_of.priority is not None or not rule_of.has("priority"))
    return ranked and (not rule_of.has("suggestionOnly") or rule_of.suggestionOnly is False)


def _is_certain(upsell: UpsellConfig, context: Context) -> bool:
    """Whether a CEL offer is made in the first turn of every session; a refused setting leaves it open."""
    if any(upsell.has(field) and getattr(upsell, field) is not False for field in UNCERTAIN):
        return False
    condition = sound(upsell, context)
    return condition is not None and condition.constant is True


def _priority(upsell: UpsellConfig) -> int:
    return upsell.priority or 0


def _favor(upsell: UpsellConfig) -> int:
    return (upsell.celUpsell.priority if upsell.celUpsell else None) or 0


def _told(upsell: UpsellConfig, front: list[UpsellConfig]) -> Finding:
    names = " and ".join(each.title for each in front)
    are = "is always offered first and uses" if len(front) == 1 else "are always offered first and use"
    return upsell.flag(
        None,
        f"{upsell.title} is never attempted: {names} {are} up maxUpsellOffers, {len(front)}; "
        "give a condition to what is in front, or raise the limit",
        related=tuple(Related("always offered first", each.at()) for each in front),
    )
