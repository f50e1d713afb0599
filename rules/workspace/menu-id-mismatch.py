"""Name and id that refer to different menu entries.

If they differ, the customer hears the name and gets what the id orders. Reported when both are on the menu (otherwise
see `unknown-menu-item`) and no entry has both. A modifier's name is looked up in its group, if one is given, since
several groups may have a "Large".

Specification: channel-config, TargetItem, itemId: "Unique item ID in the menu catalog."; TargetModifier, modifierId:
"Unique modifier ID in the catalog."; modifierGroupId: "Unique modifier group ID in the catalog."

Good:

    - kind: Menu
      items: [{name: Fries, id: F1}]
      modifierGroups:
        - {name: Side Size, id: G1, modifiers: [{name: Large, id: M1}]}
        - {name: Drink Size, id: G2, modifiers: [{name: Large, id: M2}]}
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/voice
      type: AGENT_CUSTOMIZATION
      operationsConfig: {disambiguationStrategy: {mappings: [{type: SINGLE_TARGET, customerTerms: [chips], targets: [
        {itemName: Fries, itemId: F1, modifiers: [{modifierName: Large, modifierId: M2}]}]}]}}

Bad:

    kind: Menu
    items: [{name: Fries, id: F1}, {name: Soda, id: S1}]
    modifierGroups:
      - {name: Side Size, id: G1, modifiers: [{name: Large, id: M1}]}
      - {name: Drink Size, id: G2, modifiers: [{name: Large, id: M2}, {name: Small, id: M3}]}
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/voice
    type: AGENT_CUSTOMIZATION
    operationsConfig:
      disambiguationStrategy:
        mappings:
          - type: SINGLE_TARGET
            customerTerms: [the usual]
            targets:
              - itemName: Fries
                itemId: S1  # <- the id "S1" belongs to the item "Soda", not to "Fries"; write "F1"
                modifiers:
                  - modifierName: Large
                    modifierGroupName: Side Size
                    modifierId: M2  # <- the id "M2" belongs to the modifier "Large" of "Drink Size"; write "M1"
                  - modifierName: Small
                    modifierGroupName: Drink Size
                    modifierGroupId: G1  # <- the id "G1" belongs to the modifier group "Side Size", not to "Drink Size"
                    modifierId: M3
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support.menus import DeclaredMenu, MenuEntry, MenuIndex, entry_title, menu_facts
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.lint.rule_support.menus import MenuCatalog
    from trialrun.model.channel_config import TargetItem, TargetModifier
    from trialrun.model.menu import Menu


class NameAndId(NamedTuple):
    """The name and the id of one entry of a menu, and for a modifier those of its group, empty where unset."""

    entry_name: str
    entry_id: str
    kind: str
    group_name: str = ""
    group_id: str = ""


@gather("Menu", facts=(DeclaredMenu, MenuEntry), keys=("brand", "titles", "semantic_name", "id"))
def menus(menu: Menu) -> Gathered[DeclaredMenu | MenuEntry]:
    """The entries of a menu."""
    return menu_facts(menu)


@gather("TargetItem", facts=(NameAndId,))
def items(item: TargetItem) -> Gathered[NameAndId]:
    """The name and the id of an item."""
    if item.itemName and item.itemId:
        yield item.location("itemId"), NameAndId(item.itemName, item.itemId, "item")


@gather("TargetModifier", facts=(NameAndId,))
def modifiers(modifier: TargetModifier) -> Gathered[NameAndId]:
    """The names and ids of a modifier and of its group."""
    group, group_id = modifier.modifierGroupName or "", modifier.modifierGroupId or ""
    if group and group_id:
        yield modifier.location("modifierGroupId"), NameAndId(group, group_id, "modifier group")
    if modifier.modifierName and modifier.modifierId:
        value = NameAndId(modifier.modifierName, modifier.modifierId, "modifier", group, group_id)
        yield modifier.location("modifierId"), value


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each id whose entries are all others than those of the name beside it."""
    menus = MenuIndex([*facts.of(DeclaredMenu), *facts.of(MenuEntry)])
    for fact in facts.of(NameAndId):
        if catalog := menus.catalog_for(fact):
            yield from mismatch(fact, catalog)


def mismatch(fact: Fact[NameAndId], catalog: MenuCatalog) -> WorkspaceFindings:
    """What to say of a name and an id, if they mean different entries."""
    name, id_, sort, group, group_id = fact.value
    by_name, by_id = catalog.find_named(sort, name), catalog.find(sort, "id", id_)
    in_group = catalog.modifiers_in(by_name, catalog.groups(group, group_id))
    by_name = in_group or by_name
    if not by_name or not by_id or any(entry in by_name for entry in by_id):
        return
    name_entry, id_entry = by_name[0], by_id[0]
    what = (
        of_group(id_entry, catalog)
        if entry_title(id_entry) == entry_title(name_entry)
        else f", not to {entry_title(name_entry)}"
    )
    what_to_do = f'write "{name_entry.value.id}"' if name_entry.value.id else "correct one of them"
    related = (("the entry of this name", name_entry), ("the entry with this id", id_entry))
    yield WorkspaceFinding(
        fact, f'the id "{id_}" belongs to the {sort} {entry_title(id_entry)}{what}; {what_to_do}', related=related
    )


def of_group(modifier: Fact[MenuEntry], catalog: MenuCatalog) -> str:
    """The group of an entry, for a message about two of one name."""
    group = catalog.group_of(modifier)
    return f" of {entry_title(group)}" if group else ""
