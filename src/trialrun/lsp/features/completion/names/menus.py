"""Items, modifier groups and modifiers of the menus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.workspace.open_workspace.catalog_cache import brands

if TYPE_CHECKING:
    from trialrun.model.companion import Menu
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


def item_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the items."""
    return ((item.name, item.id or "") for menu in _menus(workspace, expected_type) for item in menu.items or ())


def item_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the items."""
    return ((item.id, item.name or "") for menu in _menus(workspace, expected_type) for item in menu.items or ())


def group_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the modifier groups."""
    return (
        (group.name, group.id or "") for menu in _menus(workspace, expected_type) for group in menu.modifierGroups or ()
    )


def group_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the modifier groups."""
    return (
        (group.id, group.name or "") for menu in _menus(workspace, expected_type) for group in menu.modifierGroups or ()
    )


def modifier_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The names of the modifiers."""
    for menu in _menus(workspace, expected_type):
        for group in menu.modifierGroups or ():
            yield from ((modifier.name, group.name or "") for modifier in group.modifiers or ())


def modifier_ids(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The ids of the modifiers."""
    for menu in _menus(workspace, expected_type):
        for group in menu.modifierGroups or ():
            yield from ((modifier.id, modifier.name or "") for modifier in group.modifiers or ())
