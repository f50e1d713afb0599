"""Upsell of an item that is not sold where and when it would be offered.

Sessions pass over it, so the upsell has no effect, or offers less than it says. Reported where it is certain: the item
is sold out, or none of the stores at which the config applies sells it, or the condition asks for a daypart
(`session.daypartId`) in which it is not sold. An item that several menus have, by name or id, is available where one of
them sells it. Of a condition that another config of a store may override, and of a config of several brands where one
of them sells the item or has no menu with it, nothing is reported. What depends on the time or on single stores is
found by `trialrun explore`. Disabled upsells are left out.

Basis: best practice; the assumption menu-availability: what a store does not sell is not offered.

Good:

    - kind: Menu
      items:
        - {name: Pancakes, availability: {dayparts: [breakfast]}}
        - {name: Soup, availability: {exceptStores: [austin]}}
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/upsells
      type: UPSELL_STRATEGY
      operationsConfig: {upsellStrategy: {upsells: [{priority: 1, celUpsell: {suggestedMenuItems: [Pancakes, Soup],
        conditionExpression: "session.daypartId in ['breakfast', 'lunch'] && order.subtotal > 5.0"}}]}}

Bad:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores: [{name: austin, bindings: [{rule: texan, channelConfig: texan}]}, {name: boston}]
    ---
    kind: Menu
    brand: acme
    items:
      - {name: Pancakes, availability: {dayparts: [breakfast, brunch]}}
      - {name: Clam Chowder, id: C1, availability: {stores: [boston]}}
      - {name: Shake, availability: {soldOut: true}}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell:
              conditionExpression: session.daypartId == 'lunch' && order.subtotal > 5.0
              suggestedMenuItems: [Pancakes]  # <- it is sold at breakfast and brunch, and the condition asks for lunch
          - priority: 2
            greetingOffer:
              messages:
                - upsoldItems: [Shake, Clam Chowder]  # <- "Shake" is never available here: it is sold out
                  messageConfigs: [{languageCode: en, messageText: A shake?}]
    ---
    kind: ChannelConfig
    name: texan
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 3
            closingOffer:
              closingMessages:
                - offerMessage:
                    upsoldItemIds: [C1]  # <- "Clam Chowder" is never available here: the one store of this config
                    messageConfigs: [{languageCode: en, messageText: Chowder?}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Gathered, gather, rule
from trialrun.lint.rule_support import menu_availability
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.node import Node


@gather(*menu_availability.SUBJECTS, facts=menu_availability.FACTS, keys=menu_availability.KEYS, by_id=True)
def offers(node: Node, context: Context) -> Gathered[Any]:
    """The items of a menu with what restricts them, what an upsell offers, and where configs apply."""
    return menu_availability.gather_facts(node, context)


@rule(Facts, severity=Severity.WARNING)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each item of an offer that is certainly never sold where and when the offer is made."""
    return menu_availability.unavailable_items(facts, config_sets)


def config_sets(defaults: list[Any], bindings: list[Any], stores: list[Any]) -> list[Any]:
    """What applies at the stores of a brand."""
    from trialrun.runtime.channel_config.config_sets import config_sets

    return config_sets(defaults, bindings, stores)
