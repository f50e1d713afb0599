"""Reading menus."""

from __future__ import annotations

from trialrun.model.menu import Menu
from trialrun.service.listing import ListRequest
from trialrun.service.message import Message


class GetMenuRequest(Message):
    """get_menu: one menu."""

    name: str


class ListMenusRequest(ListRequest):
    """list_menus: the menus of a project in a location."""


class ListMenusResponse(Message):
    """A page of menus; `nextPageToken` is empty at the end."""

    menus: list[Menu]
    nextPageToken: str = ""
