"""What a config sells is on the menu.

An item, a modifier or a modifier group that the menu does not have cannot be ordered: the offer is made, and the order
fails. Names are compared as they are written, with capitals and blanks. A config under a brand is compared with the
menus of that brand and with those of no brand, any other config with all menus together. Without such a menu nothing is
told, nor about items, groups or ids that the menus leave out altogether. The groups that a menu's own items take are
compared as well, and a modifier with its group.

Specification: channel-config, TargetItem, itemName: "Item name in the menu catalog."; TargetModifier, modifierName:
"Modifier name matching the catalog."

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

    - {kind: Menu, brand: others, items: [{name: Fries}]}
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/voice
      type: AGENT_CUSTOMIZATION
      operationsConfig: {disambiguationStrategy: {mappings: [
        {type: SINGLE_TARGET, customerTerms: [pop], targets: [{itemName: Soda}]}]}}

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
                - name: Size
                  suggestedModifiers: [Ranch]  # <- "Size" has no modifier "Ranch"; the group "Sauce" has it
          - priority: 2
            closingOffer:
              closingMessages:
                - offerMessage:
                    upsoldItemIds: [P1, P2, Fries]  # <- the menu has no item with the id "P2"
                    # line 29 <- the menu has no item with the id "Fries", which is a name; write "F1"
                    messageConfigs: [{languageCode: en, messageText: Pie?}]
                - offerMessage:
                    upsoldItems: [F1]  # <- the menu has no item "F1", which is an id; write "Fries"
                    messageConfigs: [{languageCode: en, messageText: Fries?}]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Severity
from trialrun.lint.across import Clash, Clashes, Facts
from trialrun.lint.report import Fact
from trialrun.lint.rule import gather, rule

if TYPE_CHECKING:
    from trialrun.lint.menus import Catalog
    from trialrun.model.companion import Menu
    from trialrun.model.node import Node

USE = "use"
USES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "OfferMessage": {"upsoldItems": ("item", "name"), "upsoldItemIds": ("item", "id")},
    "CelUpsell": {"suggestedMenuItems": ("item", "name"), "suggestedModifiers": ("modifier", "name")},
    "SuggestedModifierGroup": {"name": ("modifier group", "name"), "suggestedModifiers": ("modifier", "name")},
    "TargetItem": {"itemName": ("item", "name"), "itemId": ("item", "id")},
    "TargetModifier": {
        "modifierName": ("modifier", "name"),
        "modifierId": ("modifier", "id"),
        "modifierGroupName": ("modifier group", "name"),
        "modifierGroupId": ("modifier group", "id"),
    },
    "MenuItem": {"modifierGroups": ("modifier group", "name", "id")},
}
"""What a field names: the sort of entry, and whether by its name, its id or either."""
NAMES_OF_MODIFIERS = ("suggestedModifiers", "modifierName")
GROUP_OF_MODIFIERS = {"SuggestedModifierGroup": ("name",), "TargetModifier": ("modifierGroupName", "modifierGroupId")}
"""The fields beside names of modifiers that say in which group they stand."""


@gather("Menu", keys=(1, 2))
def menus(menu: Menu) -> Iterator[tuple[Place, list[Any]]]:
    """The entries of a menu."""
    from trialrun.lint.menus import entries

    return entries(menu)


@gather(*USES)
def uses(node: Node) -> Iterator[tuple[Place, list[Any]]]:
    """What a part of a config, or an item of a menu, names: the names, their group, the sort, the way of naming."""
    from trialrun.lint.names import written

    message = type(node).__name__
    group = [getattr(node, field) or "" for field in GROUP_OF_MODIFIERS.get(message, ())]
    for field, (sort, *ways) in USES[message].items():
        for place, names in written(node, field):
            yield place, [USE, None, None, names, group if field in NAMES_OF_MODIFIERS else [], sort, *ways]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> Clashes:
    """Flag each use of what the menus concerned do not have."""
    from trialrun.lint.menus import Menus
    from trialrun.lint.names import one_by_one

    known = Menus(fact for fact in facts if fact.value[0] != USE)
    for fact in facts:
        catalog = known.concerning(fact) if fact.value[0] == USE else None
        if catalog is None:
            continue
        _, _, _, names, group, sort, *ways = fact.value
        for use, name in one_by_one(fact, names):
            entries = [entry for by in ways for entry in catalog.find(sort, by, name)]
            if entries:
                yield from misplaced(use, entries, group, catalog)
            elif catalog.says_all(sort, ways[0]):
                yield unknown(use, name, sort, ways, catalog)


def unknown(use: Fact, name: str, sort: str, ways: list[str], catalog: Catalog) -> Clash:
    """What to say of a name or an id that no menu has."""
    names = catalog.names(sort, ways[0])
    what = f'{sort} "{name}"' if "name" in ways else f'{sort} with the id "{name}"'
    what_to_do = names.did_you_mean(name, otherwise="add it to the menu, or name another")
    if "id" not in ways and (other := [one for one in catalog.find(sort, "id", name) if one.value[1]]):
        what_to_do = f', which is an id; write "{other[0].value[1]}"'
    elif "name" not in ways and (other := [one for one in catalog.find(sort, "name", name) if one.value[2]]):
        what_to_do = f', which is a name; write "{other[0].value[2]}"'
    return Clash(use, f"the menu has no {what}{what_to_do}", related=(("the menu", catalog.menus[0]),))


def misplaced(use: Fact, modifiers: list[Fact], group: list[str], catalog: Catalog) -> Clashes:
    """What to say of modifiers that stand in other groups than the one named with them."""
    from trialrun.lint.menus import title

    groups = catalog.groups(*group)
    if groups and catalog.says_all("modifier", "name") and not catalog.within(modifiers, groups):
        holder = catalog.group_of(modifiers[0])
        message = f"the modifier group {title(groups[0])} has no modifier {title(modifiers[0])}"
        other = f"; the group {title(holder)} has it" if holder else "; name another"
        yield Clash(use, message + other, related=(("the group", groups[0]),))
