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
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.conditions import sound
from trialrun.lint.rule import Context, Findings, rule
from trialrun.model.channel_config import UpsellConfig, UpsellStrategy

UNCERTAIN = ("skipOnMultiQuantityUpsoldFromItem", "skipOnPreviousTurnUpsell", "disabled")


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy, context: Context) -> Findings:
    """Flag each CEL upsell behind as many certain offers as a session has."""
    most = strategy.maxUpsellOffers
    if not most or len(strategy.upsells or ()) <= most:
        return
    certain = [upsell for upsell in strategy.upsells or () if _is_certain(upsell, context)]
    for upsell in strategy.upsells or () if len(certain) >= most else ():
        before = [each for each in certain if _comes_before(each, upsell)]
        if len(before) < most:
            continue
        names = " and ".join(each.title for each in before[:most])
        are = "is always offered first and uses" if most == 1 else "are always offered first and use"
        yield upsell.flag(
            None,
            f"{upsell.title} is never attempted: {names} {are} up "
            f"maxUpsellOffers, {most}; give it a condition, or raise the limit",
            related=tuple(Related("always offered first", each.at()) for each in before[:most]),
        )


def _is_certain(upsell: UpsellConfig, context: Context) -> bool:
    """Whether an upsell is a real offer that is made in the first turn of every session."""
    if not _is_cel_offer(upsell) or any(
        upsell.has(field) and getattr(upsell, field) is not False for field in UNCERTAIN
    ):
        return False
    condition = sound(upsell, context)
    return condition is not None and condition.constant is True


def _is_cel_offer(upsell: UpsellConfig) -> bool:
    rule_of = upsell.celUpsell
    if upsell.disabled or rule_of is None or upsell.members("upsell_type_config") != ["celUpsell"]:
        return False
    return not rule_of.has("suggestionOnly") or rule_of.suggestionOnly is False


def _comes_before(certain: UpsellConfig, upsell: UpsellConfig) -> bool:
    """Whether one is attempted before the other, and favored when both trigger."""
    if not _is_cel_offer(upsell) or certain.priority is None or upsell.priority is None:
        return False
    favor, other = _favor(certain), _favor(upsell)
    return certain.priority < upsell.priority and favor is not None and other is not None and favor >= other


def _favor(upsell: UpsellConfig) -> int | None:
    rule_of = upsell.celUpsell
    if rule_of is None or (rule_of.priority is None and rule_of.has("priority")):
        return None
    return rule_of.priority or 0
