"""Items, modifier groups and modifiers of the menus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.model.menu_names import entry_names, entry_title, semantic_names
from trialrun.workspace.open_workspace.catalog_cache import brands

if TYPE_CHECKING:
    from trialrun.model.menu import Menu, MenuItem, Modifier, ModifierGroup
    from trialrun.workspace.open_workspace import OpenWorkspace


def _menus(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Menu]:
    """The menus of the brand of a resource; all if its brand is unknown."""
    brand = _brand(expected_type)
    for menu in brands(workspace).menus:
        if not brand or not menu.node.brand or _id(menu.node.brand) == _id(brand):
            yield menu.node


def _brand(expected_type: ExpectedType) -> str:
    if expected_type.kind == "Menu":
        return expected_type.root.text("brand") or ""
    return (expected_type.root.text("name") or "").rpartition("/channelConfigs/")[0]


def _id(name: str) -> str:
    return name.rpartition("/")[2]


Entry = tuple["MenuItem | Modifier | ModifierGroup", str]
"""An entry of a menu, with the name of the group of a modifier."""


def _items(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Entry]:
    return ((item, "") for menu in _menus(workspace, expected_type) for item in menu.items or ())


def _groups(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Entry]:
    return ((group, "") for menu in _menus(workspace, expected_type) for group in menu.modifierGroups or ())


def _modifiers(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Entry]:
    for group, _ in _groups(workspace, expected_type):
        for modifier in getattr(group, "modifiers", None) or ():
            yield modifier, entry_title(group)


def _names(entries: Iterator[Entry]) -> NamesWithDetail:
    return ((name, group or entry.id or "") for entry, group in entries for name in entry_names(entry))


def _semantic_names(entries: Iterator[Entry]) -> NamesWithDetail:
    for entry, group in entries:
        title = entry_title(entry)
        yield from ((name, group or (title if title != name else entry.id or "")) for name in semantic_names(entry))


def _ids(entries: Iterator[Entry]) -> NamesWithDetail:
    return ((entry.id, entry_title(entry)) for entry, _ in entries)


def item_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the items."""
    return _names(_items(workspace, expected_type))


def item_semantic_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The semantic names of the items."""
    return _semantic_names(_items(workspace, expected_type))


def item_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the items."""
    return _ids(_items(workspace, expected_type))


def group_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the modifier groups."""
    return _names(_groups(workspace, expected_type))


def group_semantic_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The semantic names of the modifier groups."""
    return _semantic_names(_groups(workspace, expected_type))


def group_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the modifier groups."""
    return _ids(_groups(workspace, expected_type))


def modifier_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the modifiers."""
    return _names(_modifiers(workspace, expected_type))


def modifier_semantic_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The semantic names of the modifiers."""
    return _semantic_names(_modifiers(workspace, expected_type))


def modifier_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the modifiers."""
    return _ids(_modifiers(workspace, expected_type))


def dayparts(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the dayparts."""
    return (
        (daypart.name, menu.name or "") for menu in _menus(workspace, expected_type) for daypart in menu.dayparts or ()
    )
