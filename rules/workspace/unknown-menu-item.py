"""Item, modifier or group that is not on the menu.

It cannot be ordered: the offer is made, and the order fails. Names are compared exactly, including case and spaces,
with the menus of the config's brand and those without a brand, else with all menus. Nothing is reported about items,
groups or ids that the menus do not list at all. The groups of a menu's own items are compared too.

The suggestions of a CEL upsell mean semantic names, all other fields names (`displayName` or `name`). Each falls back
to the other, and a note says which one to write.

A modifier or group that the item beside it does not take is a warning; sessions leave it out. Three more places are
warnings, since a wrong name merely has no effect. A condition: texts that it compares with names or ids of the order's
items, modifier groups or modifiers, and texts that it looks for in them by contains(), startsWith(), endsWith() or
matches(), if no entry of the menu matches. A skip term that is in the name of no item. A customer term that is the name
of an item, but has other targets: nobody can order the item by its name.

Specification: channel-config, CelUpsell, suggestedMenuItems: "Semantic names of items to suggest on trigger.";
OfferMessage: "Names of items upsold."; TargetItem: "Item name in the menu catalog."; TargetModifier: "matching".

Good:

    - kind: Menu
      items: [{name: Fries, id: F1, modifierGroups: [Size]}]
      modifierGroups: [{name: Size, id: G1, modifiers: [{name: Large, id: M1}]}]
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/voice
      type: AGENT_CUSTOMIZATION
      operationsConfig: {disambiguationStrategy: {mappings: [{type: SINGLE_TARGET, customerTerms: [chips], targets: [
        {itemName: Fries, itemId: F1, modifiers: [{modifierName: Large, modifierGroupName: Size}]}]}]}}

Good:

    - kind: Menu
      items: [{name: Fries, id: F1}, {name: Apple Pie, id: P1}]
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/upsells
      type: UPSELL_STRATEGY
      operationsConfig: {upsellStrategy: {upsells: [
        {priority: 1, celUpsell: {suggestedMenuItems: [Fries], conditionExpression:
          "session.languageCode == 'es' && order.items.exists(i, i.itemId == 'P1' || i.displayName.endsWith('Pie'))"}},
        {priority: 2, closingOffer: {closingMessages: [{skipTerms: [pie], offerMessage:
          {upsoldItems: [Apple Pie], messageConfigs: [{languageCode: en, messageText: Pie?}]}}]}}]}}

Bad:

    kind: Menu
    items:
      - {name: Fries, id: F1, modifierGroups: [Size, Sause]}  # <- no modifier group "Sause"; did you mean "Sauce"?
      - {name: Apple Pie, id: P1}
    modifierGroups:
      - {name: Size, id: G1, modifiers: [{name: Large, id: M1}]}
      - {name: Sauce, id: G2, modifiers: [{name: Ranch, id: M2}]}
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell:
              conditionExpression: order.subtotal > 5.0
              suggestedMenuItems: [Fires, Ice Cream]  # <- the menu has no item "Fires"; did you mean "Fries"?
              # line 18 <- the menu has no item "Ice Cream"; add it to the menu, or name another
              suggestedModifiers: [large]  # <- the menu has no modifier "large"; did you mean "Large"?
              suggestedModifierGroups:
                - name: Sizes  # <- the menu has no modifier group "Sizes"; did you mean "Size"?
                - {name: Size, suggestedModifiers: [Ranch]}  # <- "Size" has no modifier "Ranch"; the group "Sauce" has
          - priority: 2
            closingOffer:
              closingMessages:
                - offerMessage:
                    upsoldItemIds: [P1, P2, Fries]  # <- the menu has no item with the id "P2"
                    # line 28 <- the menu has no item with the id "Fries", which is a name; write "F1"
                    messageConfigs: [{languageCode: en, messageText: Pie?}]
                - offerMessage:
                    upsoldItems: [F1]  # <- the menu has no item "F1", which is an id; write "Fries"
                    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad:

    - kind: Menu
      items: [{displayName: Fries, semanticName: french_fries}, {name: Apple Pie, modifierGroups: []}]
      modifierGroups: [{name: Size, modifiers: [{name: Large}]}]
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/upsells
      type: UPSELL_STRATEGY
      operationsConfig: {upsellStrategy: {upsells: [{priority: 1, celUpsell: {conditionExpression: "true",
        suggestedMenuItems: [Apple Pie, Fries]}},  # <- its semantic name is expected here; write "french_fries"
        {priority: 2, celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Apple Pie],
        suggestedModifiers: [Large]}}]}}  # <- "Apple Pie" does not take the modifier "Large", so it is left out

Bad:

    kind: Menu
    items: [{name: Fries, id: F1}, {name: Apple Pie, id: P1}, {name: Soda, id: S1}]
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell:
              conditionExpression: >-
                order.items.exists(i, i.displayName in ['Fries',
                'Aple Pie'])  # <- the menu has no item "Aple Pie"; did you mean "Apple Pie"?
                && !order.items.exists(i, i.displayName.contains('soda'))
                # line 15 <- no item of the menu has a name that contains "soda"; did you mean "Soda"?
              suggestedMenuItems: [Soda]
          - priority: 2
            closingOffer:
              closingMessages:
                - skipTerms: [pie, Cake]  # <- no item of the menu has a name that contains "Cake", so the term skips
                  offerMessage:
                    upsoldItems: [Apple Pie]
                    messageConfigs: [{languageCode: en, messageText: Pie?}]
      disambiguationStrategy:
        mappings:
          - type: SINGLE_TARGET
            customerTerms: [chips, fries]  # <- "fries" is an item of the menu, but a customer who says it gets "Soda"
            targets: [{itemName: Soda}]
"""

from typing import Any

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support import menu_uses
from trialrun.lint.workspace_rules import Facts, WorkspaceFindings


@gather(*menu_uses.SUBJECTS, facts=menu_uses.FACTS, keys=("brand", "titles", "semantic_name", "id"))
def uses(node: Any) -> Gathered[Any]:
    """The entries of a menu, or what another message names of it."""
    return menu_uses.gather_facts(node)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each use of what the menus concerned do not have."""
    return menu_uses.unknown_entries(facts, load_matching)


def load_matching() -> menu_uses.MenuMatching:
    """How sessions compare texts with names of the menu."""
    from trialrun.runtime.channel_config.session.condition_items import pattern_matches
    from trialrun.runtime.channel_config.session.offering import has_skip_term

    return menu_uses.MenuMatching(pattern_matches, has_skip_term)
