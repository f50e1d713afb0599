"""Creating, reading, changing and deleting stores."""

from __future__ import annotations

from pydantic import Field

from trialrun.model.companion import Store
from trialrun.service.lint_request import LintWarning
from trialrun.service.listing import ListRequest
from trialrun.service.message import Message
from trialrun.service.resource_json import Resource


class CreateStoreRequest(Message):
    """create_store: a store of a brand, the last of its list."""

    parent: str
    storeId: str
    store: Resource


class CreateStoreResponse(Message):
    """The store as it was created, and what the linter remarks."""

    store: Store
    warnings: list[LintWarning] = Field(default_factory=list)


class GetStoreRequest(Message):
    """get_store: one store."""

    name: str


class ListStoresRequest(ListRequest):
    """list_stores: the stores of a brand."""


class ListStoresResponse(Message):
    """A page of stores; `nextPageToken` is empty at the end."""

    stores: list[Store]
    nextPageToken: str = ""


class PatchStoreRequest(Message):
    """patch_store: the fields of `updateMask`, or those that the store sets if there is none; lists whole."""

    store: Resource
    updateMask: str | None = None


class PatchStoreResponse(Message):
    """The store as it is now, and what the linter remarks."""

    store: Store
    warnings: list[LintWarning] = Field(default_factory=list)


class DeleteStoreRequest(Message):
    """delete_store: one store, with its defaults and bindings."""

    name: str


class DeleteStoreResponse(Message):
    """Nothing is left."""
