"""Item, modifier or group that is not on the menu.

It cannot be ordered: the offer is made, and the order fails. Names are compared exactly, including case and spaces. A
config of a brand is compared with the menus of that brand and with those without a brand, any other config with all
menus. Nothing is reported without such a menu, nor about items, groups or ids that the menus do not list at all. The
groups of a menu's own items are compared too, and a modifier with its group.

Three more places are warnings, since a wrong name there merely has no effect. A condition: texts that it compares with
names or ids of the order's items, modifier groups or modifiers, by ==, != or `in`, and texts that it looks for in them
by contains(), startsWith(), endsWith() or matches(), if no entry of the menu matches. A skip term that is in the name
of no item. A customer term that is the name of an item, but has other targets: nobody can order the item by its name.
Other customer terms are the customers' words and need not be on the menu.

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

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.condition_names import ComparedName
    from trialrun.lint.rule_support.menus import MenuCatalog
    from trialrun.model.channel_config import CelUpsell, ClosingMessage, DisambiguationMapping
    from trialrun.model.companion import Menu
    from trialrun.model.node import Node

USE, CONDITION, SKIP_TERM, CUSTOMER_TERM = "use", "condition", "skip term", "customer term"
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
COMPARISONS = {
    "contains": "contains",
    "startsWith": "begins with",
    "endsWith": "ends with",
    "matches": "matches",
}
OTHERWISE = "add it to the menu, or name another"


@gather("Menu", keys=(1, 2))
def menus(menu: Menu) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The entries of a menu."""
    from trialrun.lint.rule_support.menus import menu_facts

    return menu_facts(menu)


@gather(*USES)
def uses(node: Node) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What a part of a config, or an item of a menu, names: the names, their group, the sort, the way of naming."""
    from trialrun.lint.rule_support.references import referenced_names

    message = type(node).__name__
    group = [getattr(node, field) or "" for field in GROUP_OF_MODIFIERS.get(message, ())]
    for field, (sort, *ways) in USES[message].items():
        for place, names in referenced_names(node, field):
            yield place, [USE, None, None, names, group if field in NAMES_OF_MODIFIERS else [], sort, *ways]


@gather("CelUpsell")
def conditions(upsell: CelUpsell) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """A condition that reads names or ids of what is in the order."""
    from trialrun.lint.rule_support.condition_names import FIELDS

    text = upsell.conditionExpression or ""
    if any(field in text for _, field in FIELDS):
        yield upsell.location("conditionExpression"), [CONDITION, None, None, text]


@gather("ClosingMessage")
def skip_terms(message: ClosingMessage) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The skip terms of a closing message."""
    from trialrun.lint.rule_support.references import referenced_names

    for place, terms in referenced_names(message, "skipTerms"):
        yield place, [SKIP_TERM, None, None, terms]


@gather("DisambiguationMapping")
def customer_terms(mapping: DisambiguationMapping) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """The terms of a mapping that leads to items, with the names of these; none where one could not be read."""
    from trialrun.lint.rule_support.references import referenced_names

    targets = [target.itemName for target in mapping.targets or ()]
    if mapping.type not in ("SINGLE_TARGET", "DISAMBIGUATION") or None in targets or type(mapping.targets) is not list:
        return
    for place, terms in referenced_names(mapping, "customerTerms"):
        yield place, [CUSTOMER_TERM, None, None, terms, targets]


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each use of what the menus concerned do not have."""
    from trialrun.lint.rule_support.menus import MenuIndex

    judges = {USE: of_use, CONDITION: of_condition, SKIP_TERM: of_skip_terms, CUSTOMER_TERM: of_customer_terms}
    known = MenuIndex(fact for fact in facts if fact.value[0] not in judges)
    for fact in facts:
        judge = judges.get(fact.value[0])
        catalog = known.catalog_for(fact) if judge else None
        if judge and catalog:
            yield from judge(fact, catalog)


def of_use(fact: Fact, catalog: MenuCatalog) -> WorkspaceFindings:
    """Flag names of a field that the menus do not have."""
    from trialrun.lint.rule_support.references import split_names

    _, _, _, names, group, sort, *ways = fact.value
    for use, name in split_names(fact, names):
        entries = [entry for by in ways for entry in catalog.find(sort, by, name)]
        if entries:
            yield from misplaced(use, entries, group, catalog)
        elif catalog.is_exhaustive(sort, ways[0]):
            yield unknown(use, name, sort, ways, catalog)


def of_condition(fact: Fact, catalog: MenuCatalog) -> WorkspaceFindings:
    """Flag texts of a condition that are compared with names or ids and fit none of the menus."""
    from trialrun.lint.rule_support.condition_names import compared_names
    from trialrun.values.placeholder import has_placeholder

    for name in compared_names(fact.value[3]):
        if not catalog.is_exhaustive(name.kind, name.by) or has_placeholder(name.text):
            continue
        if not name.function and not catalog.find(name.kind, name.by, name.text):
            clash = unknown(fact, name.text, name.kind, [name.by], catalog)
            yield replace(clash, severity=Severity.WARNING, chars=name.chars)
        elif name.function and fits_none(name, catalog.texts(name.kind, name.by)):
            yield replace(unfitting(fact, name, catalog), chars=name.chars)


def fits_none(name: ComparedName, texts: list[str]) -> bool:
    """Whether none of the names or ids of a menu is one that a condition looks for; not of what is no pattern."""
    from trialrun.runtime.channel_config.session.condition_items import pattern_matches

    is_sound = name.function != "matches" or pattern_matches("matches", f"{name.text}|", "")
    return is_sound and not any(pattern_matches(name.function, name.text, text) for text in texts)


def unfitting(fact: Fact, name: ComparedName, catalog: MenuCatalog, so: str = "") -> WorkspaceFinding:
    """What to say of a text that is looked for in names or ids and is in none."""
    what = "an id" if name.by == "id" else "a name"
    near = nearest_part(name, catalog)
    otherwise = "correct the pattern" if name.function == "matches" else "look for another"
    advice = f'; did you mean "{near}"?' if near else f"; {otherwise}, or add it"
    message = f'no {name.kind} of the menu has {what} that {COMPARISONS[name.function]} "{name.text}"{so}{advice}'
    return WorkspaceFinding(fact, message, related=(("the menu", catalog.menus[0]),), severity=Severity.WARNING)


def nearest_part(name: ComparedName, catalog: MenuCatalog) -> str | None:
    """The name, or the word of one, that a text was plainly meant to be and that a name or id fits."""
    if name.function == "matches":
        return None
    near = catalog.names_and_words(name.kind, name.by).suggest(name.text)
    if near is None or fits_none(replace(name, text=near), catalog.texts(name.kind, name.by)):
        return None
    return near


def of_skip_terms(fact: Fact, catalog: MenuCatalog) -> WorkspaceFindings:
    """Flag skip terms that are in the name of no item."""
    from trialrun.lint.rule_support.condition_names import ComparedName
    from trialrun.lint.rule_support.references import split_names
    from trialrun.runtime.channel_config.session.reasons import has_skip_term
    from trialrun.values.placeholder import has_placeholder

    items = catalog.texts("item", "name") if catalog.is_exhaustive("item", "name") else None
    for use, term in split_names(fact, fact.value[3]) if items is not None else ():
        is_written = term.strip() and not has_placeholder(term)
        if is_written and not any(has_skip_term(name, term) for name in items or ()):
            name = ComparedName("item", "name", term, "contains", (0, 0))
            yield unfitting(use, name, catalog, so=", so the term skips nothing")


def of_customer_terms(fact: Fact, catalog: MenuCatalog) -> WorkspaceFindings:
    """Flag customer terms that are the name of an item which is none of the targets."""
    from trialrun.lint.rule_support.menus import normalize_name
    from trialrun.lint.rule_support.references import split_names

    *_, terms, targets = fact.value
    known = {normalize_name(name) for name in targets}
    for use, term in split_names(fact, terms):
        items = catalog.items_matching(term)
        if items and not any(normalize_name(item.value[1]) in known for item in items):
            message = f'"{term}" is an item of the menu, but a customer who says it gets "{targets[0]}"'
            advice = f'; add "{items[0].value[1]}" to the targets, or remove the term'
            related = (("the item", items[0]),)
            yield WorkspaceFinding(use, message + advice, related=related, severity=Severity.WARNING)


def unknown(use: Fact, name: str, sort: str, ways: list[str], catalog: MenuCatalog) -> WorkspaceFinding:
    """What to say of a name or an id that no menu has."""
    names = catalog.names(sort, ways[0])
    what = f'{sort} "{name}"' if "name" in ways else f'{sort} with the id "{name}"'
    what_to_do = names.did_you_mean(name, otherwise=OTHERWISE)
    if "id" not in ways and (other := [one for one in catalog.find(sort, "id", name) if one.value[1]]):
        what_to_do = f', which is an id; write "{other[0].value[1]}"'
    elif "name" not in ways and (other := [one for one in catalog.find(sort, "name", name) if one.value[2]]):
        what_to_do = f', which is a name; write "{other[0].value[2]}"'
    return WorkspaceFinding(use, f"the menu has no {what}{what_to_do}", related=(("the menu", catalog.menus[0]),))


def misplaced(use: Fact, modifiers: list[Fact], group: list[str], catalog: MenuCatalog) -> WorkspaceFindings:
    """What to say of modifiers that stand in other groups than the one named with them."""
    from trialrun.lint.rule_support.menus import entry_title

    groups = catalog.groups(*group)
    if groups and catalog.is_exhaustive("modifier", "name") and not catalog.modifiers_in(modifiers, groups):
        holder = catalog.group_of(modifiers[0])
        message = f"the modifier group {entry_title(groups[0])} has no modifier {entry_title(modifiers[0])}"
        other = f"; the group {entry_title(holder)} has it" if holder else "; name another"
        yield WorkspaceFinding(use, message + other, related=(("the group", groups[0]),))
