"""Upsell that can never be offered.

A CEL upsell whose condition is always true is offered in the first turn of every session. When such upsells use up
maxUpsellOffers, a CEL upsell after them is never attempted. As in a session, upsells with a higher celUpsell.priority
come first, and among equal ones those with the lower priority. Only certain cases are reported: the preceding upsells
have no skip conditions, make real offers (not suggestionOnly), and offer an item that is sold always and everywhere:
sessions pass over an upsell of which nothing is sold at the time, so an item that a menu of the workspace restricts
proves nothing. Greeting and closing offers are made at other times; `upsell-unreachable-at-store` reports where they
leave no offers for an upsell, which also depends on the language of customers.

Basis: channel-config, UpsellStrategy: "Maximum upsell offers per session."; UpsellConfig: "Lower value means attempted
first (1 first)."; the assumptions session-favor, session-once and menu-availability.

Good:

    - kind: Menu
      items: [{name: Pancakes, availability: {hours: [{start: "06:00", end: "10:30"}]}}, {name: Shake}]
    - kind: ChannelConfig
      name: upsells
      type: UPSELL_STRATEGY
      operationsConfig:
        upsellStrategy:
          maxUpsellOffers: 1
          upsells:
            - {priority: 1, celUpsell: {conditionExpression: "true", suggestedMenuItems: [Pancakes]}}
            - {priority: 2, skipOnMultiQuantityUpsoldFromItem: true,
               celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}}
            - {priority: 3, celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}}

Bad:

    kind: ChannelConfig
    name: upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 1
        upsells:
          - priority: 1  # <- the upsell of priority 1 is never attempted: "Fries" is always offered first and uses up
            celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake]}
          - displayName: Fries
            priority: 2
            celUpsell: {conditionExpression: order.items.size() >= 0, suggestedMenuItems: [Fries], priority: 10}

Bad:

    kind: ChannelConfig
    name: upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 2
        upsells:
          - {priority: 1, celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}}
          - {priority: 2, celUpsell: {conditionExpression: "true", suggestedMenuItems: [Shake]}}
          - priority: 3  # <- the upsell of priority 3 is never attempted
            celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Lemonade]}
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Gathered, gather, rule
from trialrun.lint.rule_support.menu_availability import RestrictedItems, always_sold, restricted_items
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy


class PrecededUpsell(NamedTuple):
    """An upsell, and the index, title and items of those before it that are always true, enough for a limit."""

    position: int
    title: str
    max_offers: int
    predecessors: list[Any]


@gather("UpsellStrategy", "Menu", facts=(PrecededUpsell, RestrictedItems), context=(RestrictedItems,))
def offers(node: Any, context: Context) -> Gathered[PrecededUpsell | RestrictedItems]:
    """Each CEL upsell behind others that use up the offers of a session, and what menus do not always sell."""
    if type(node).__name__ == "Menu":
        yield from restricted_items(node)
        return
    strategy: UpsellStrategy = node
    max_offers, upsells = strategy.maxUpsellOffers, strategy.upsells or ()
    if not max_offers or sum(_is_always(upsell, context) for upsell in upsells) < max_offers:
        return
    from trialrun.runtime.channel_config.session.ranking import with_certain_predecessors

    index_of = {id(upsell): index for index, upsell in enumerate(upsells)}
    is_always = partial(_is_always, context=context)
    for upsell, front in with_certain_predecessors(filter(_is_clear, upsells), is_always):
        if len(front) >= max_offers:
            items = [list((each.celUpsell and each.celUpsell.suggestedMenuItems) or ()) for each in front]
            predecessors = [[index_of[id(each)], each.title, its] for each, its in zip(front, items, strict=True)]
            yield strategy.location(), PrecededUpsell(index_of[id(upsell)], upsell.title, max_offers, predecessors)


def _is_clear(upsell: UpsellConfig) -> bool:
    """Whether a CEL upsell is an offer with both of its priorities known; a refused setting leaves that open."""
    rule_of = upsell.celUpsell
    if rule_of is None or upsell.members("upsell_type_config") != ["celUpsell"]:
        return False
    is_ranked = upsell.priority is not None and (rule_of.priority is not None or not rule_of.has("priority"))
    return is_ranked and (rule_of.suggestionOnly is not None or not rule_of.has("suggestionOnly"))


def _is_always(upsell: UpsellConfig, context: Context) -> bool:
    """Whether a condition is true in every session, and it is known what the upsell offers then."""
    from trialrun.lint.rule_support.cel_conditions import valid_condition

    condition, cel = valid_condition(upsell, context), upsell.celUpsell
    return bool(condition and condition.constant and cel and not cel.is_partial("suggestedMenuItems"))


@rule(Facts, severity=Severity.WARNING)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each CEL upsell behind as many certain offers as a session has."""
    is_always_sold = always_sold(facts)
    for fact in facts.of(PrecededUpsell):
        most = fact.value.max_offers
        front = [(index, title) for index, title, items in fact.value.predecessors if is_always_sold(items)][:most]
        if len(front) < most:
            continue
        names = " and ".join(title for _, title in front)
        verb_phrase = "is always offered first and uses" if most == 1 else "are always offered first and use"
        yield WorkspaceFinding(
            fact.item("upsells", fact.value.position),
            f"{fact.value.title} is never attempted: {names} {verb_phrase} up maxUpsellOffers, {most}; "
            "add a condition to what is in front, or raise the limit",
            related=tuple(("always offered first", fact.item("upsells", index)) for index, _ in front),
        )
