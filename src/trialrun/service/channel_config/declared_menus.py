"""Menus as the documents of a workspace declare them; requests do not change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from trialrun.model.menu import Menu
from trialrun.model.validate import validate
from trialrun.service.channel_config import messages
from trialrun.service.channel_config.kinds import MENU
from trialrun.service.channel_config.parents import ParentResolver
from trialrun.service.filter import TextField
from trialrun.service.filter.fields import Fields
from trialrun.service.listing import list_page
from trialrun.service.resource_json import settable_content
from trialrun.service.resource_names import find_resource, parent_name, require_name
from trialrun.values.resource_name import last_id, matches_pattern

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog

Menus = Mapping[str, Menu]


def read_menus(catalog: BrandCatalog, location: str) -> Menus:
    """The menus of a workspace by resource name; of two with one name the first, and none without a name.

    One whose document says an id alone is where its brand is.
    """
    parents = ParentResolver(catalog, location)
    menus: dict[str, Menu] = {}
    for declared in catalog.menus:
        name = _resource_name(declared.node, parents)
        if name and name not in menus:
            menus[name] = cast("Menu", validate({**settable_content(declared.node), "name": name}, Menu).node)
    return menus


def get_menu(menus: Menus, request: messages.GetMenuRequest) -> Menu:
    """A menu by its name. Raises INVALID_ARGUMENT and NOT_FOUND."""
    return find_resource(request.name, menus, MENU, field="name", require_parent=lambda _: None)


def list_menus(menus: Menus, request: messages.ListMenusRequest) -> messages.ListMenusResponse:
    """The page of the menus of a location that a request asks for."""
    require_name(request.parent, pattern=MENU.parent_format, field="parent")
    under = [menu for name, menu in menus.items() if parent_name(name) == request.parent]
    chosen, token = list_page(under, request, FIELDS, {"menu_id": _id}, tie="menu_id")
    return messages.ListMenusResponse(menus=chosen, nextPageToken=token)


def _resource_name(menu: Menu, parents: ParentResolver) -> str:
    written = menu.name or ""
    if not written or matches_pattern(written, pattern=MENU.format):
        return written
    parent = parent_name(parents.brand_name(menu.brand)) if menu.brand else parents.location
    return f"{parent}/menus/{last_id(written)}"


def _id(menu: Menu) -> str:
    return last_id(menu.name or "")


FIELDS: Fields = {
    "menuId": TextField(_id),
    "displayName": TextField(lambda menu: menu.displayName),
    "brand": TextField(lambda menu: menu.brand),
}
