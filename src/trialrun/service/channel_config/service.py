"""The six operations on ChannelConfigs, and those on the brands and stores that they hang from."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from trialrun.lint.rule import SessionTypes
from trialrun.lint.selection import Selection, default_selection
from trialrun.runtime.clock import Clock, SystemClock
from trialrun.service.channel_config import brands, config_operations, declared_menus, listing, messages, stores
from trialrun.service.channel_config.inventory import Documents, differences, read_inventory
from trialrun.service.channel_config.merge_catalog import merge_catalog
from trialrun.service.channel_config.parents import DEFAULT_LOCATION
from trialrun.service.journal import Journal, MemoryJournal, refuse_unkept
from trialrun.service.lint_request import RequestLinter
from trialrun.service.message import Message
from trialrun.service.origin import Merge
from trialrun.service.resource_json import declared_documents

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import Brand, Store
    from trialrun.model.menu import Menu
    from trialrun.runtime.channel_config.catalog import BrandCatalog

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
KINDS = ("Brand", "ChannelConfig")


class ChannelConfigService:
    """Carries out operations on the configs, brands and stores of a workspace and on those that requests create.

    `catalog` are the documents of the workspace; nothing is written back to them. What clients did is in `journal`,
    which ends with the process without one. `selection` are the rules that requests are checked by; `location` is where
    brands are whose documents say an id alone and nothing else tells. Of a catalog that `is_complete` not, since files
    cannot be read, what the journal has beside stays. Every operation raises ServiceError where it is refused; then it
    has changed nothing. `first_merge` says what became of what the journal had.
    """

    def __init__(
        self,
        catalog: BrandCatalog,
        *,
        clock: Clock | None = None,
        selection: Selection | None = None,
        location: str = DEFAULT_LOCATION,
        journal: Journal | None = None,
        is_complete: bool = True,
    ) -> None:
        self._clock, self._location = clock or SystemClock(), location
        self._journal = journal or MemoryJournal()
        selection = selection or default_selection()
        inventory = read_inventory(self._journal)
        self._documents = Documents(inventory, self._request_linter(catalog, selection), self._clock)
        self._lock = Lock()
        self._menus: declared_menus.Menus = {}
        self.first_merge = self.replace_documents(catalog, selection, is_complete=is_complete)

    def replace_documents(self, catalog: BrandCatalog, selection: Selection, *, is_complete: bool = True) -> Merge:
        """Serve the documents of another catalog under other rules, all at once; what became of configs and brands.

        Raises JournalError where that cannot be kept; then the documents are as before.
        """
        request_linter = self._request_linter(catalog, selection)
        with self._lock:
            inventory, merged = merge_catalog(
                self._documents.inventory, catalog, self._location, self._clock.now(), is_complete=is_complete
            )
            self._commit(Documents(inventory, request_linter, self._clock))
            self._menus = declared_menus.read_menus(catalog, self._location)
        return merged

    def _request_linter(self, catalog: BrandCatalog, selection: Selection) -> RequestLinter:
        return RequestLinter(
            selection,
            declared_documents("Menu", catalog.menus),
            now=self._clock.now,
            kinds=KINDS,
            session=lambda: _session_types(catalog),
        )

    def _commit(self, documents: Documents) -> None:
        """Keep what a request changed, then let everybody see it. Raises JournalError."""
        self._journal.write([*differences(self._documents.inventory, documents.inventory)])
        self._documents = documents

    async def create(self, request: messages.CreateChannelConfigRequest) -> messages.CreateChannelConfigResponse:
        """Create a config under a brand."""
        return await self._change(config_operations.create, request)

    async def get(self, request: messages.GetChannelConfigRequest) -> ChannelConfig:
        """Get a config, with its state and its rules as they are now."""
        documents = self._documents
        return documents.to_response(documents.config(request.name))

    async def list(self, request: messages.ListChannelConfigsRequest) -> messages.ListChannelConfigsResponse:
        """List the configs under a brand, page by page."""
        return await to_thread(listing.list_configs, self._documents, request)

    async def patch(self, request: messages.PatchChannelConfigRequest) -> messages.PatchChannelConfigResponse:
        """Update the fields of a config that a mask names, or that the request sets."""
        return await self._change(config_operations.patch, request)

    async def delete(self, request: messages.DeleteChannelConfigRequest) -> messages.DeleteChannelConfigResponse:
        """Delete a config that nothing names."""
        return await self._change(config_operations.delete, request)

    async def promote(self, request: messages.PromoteChannelConfigRequest) -> messages.PromoteChannelConfigResponse:
        """Promote a config, and copy it where another brand is its destination."""
        return await self._change(config_operations.promote, request)

    async def create_brand(self, request: messages.CreateBrandRequest) -> messages.CreateBrandResponse:
        """Create a brand, with its stores if there are some already."""
        return await self._change(brands.create, request)

    async def get_brand(self, request: messages.GetBrandRequest) -> Brand:
        """Get a brand, with its stores."""
        return self._documents.brand(request.name).brand

    async def list_brands(self, request: messages.ListBrandsRequest) -> messages.ListBrandsResponse:
        """List the brands of a project in a location, page by page."""
        return await to_thread(listing.list_brands, self._documents, request)

    async def patch_brand(self, request: messages.PatchBrandRequest) -> messages.PatchBrandResponse:
        """Update the fields of a brand that a mask names, or that the request sets: its defaults, its bindings."""
        return await self._change(brands.patch, request)

    async def delete_brand(self, request: messages.DeleteBrandRequest) -> messages.DeleteBrandResponse:
        """Delete a brand that has nothing under it, or all that it has as well."""
        return await self._change(brands.delete, request)

    async def create_store(self, request: messages.CreateStoreRequest) -> messages.CreateStoreResponse:
        """Create a store of a brand."""
        return await self._change(stores.create, request)

    async def get_store(self, request: messages.GetStoreRequest) -> Store:
        """Get a store."""
        return self._documents.store(request.name)[1]

    async def list_stores(self, request: messages.ListStoresRequest) -> messages.ListStoresResponse:
        """List the stores of a brand, page by page."""
        return await to_thread(listing.list_stores, self._documents, request)

    async def patch_store(self, request: messages.PatchStoreRequest) -> messages.PatchStoreResponse:
        """Update the fields of a store that a mask names, or that the request sets: its defaults, its bindings."""
        return await self._change(stores.patch, request)

    async def delete_store(self, request: messages.DeleteStoreRequest) -> messages.DeleteStoreResponse:
        """Delete a store, with its defaults and bindings."""
        return await self._change(stores.delete, request)

    async def get_menu(self, request: messages.GetMenuRequest) -> Menu:
        """Get a menu, as its document has it."""
        return declared_menus.get_menu(self._menus, request)

    async def list_menus(self, request: messages.ListMenusRequest) -> messages.ListMenusResponse:
        """List the menus of a project in a location, page by page."""
        return declared_menus.list_menus(self._menus, request)

    async def _change(self, operation: Callable[[Documents, Request], Response], request: Request) -> Response:
        """Carry out a change in a thread, one at a time."""

        def change() -> Response:
            with self._lock:
                documents = self._documents.draft()
                response = operation(documents, request)
                with refuse_unkept():
                    self._commit(documents)
                return response

        return await to_thread(change)


def _session_types(catalog: BrandCatalog) -> SessionTypes:
    """The types that conditions read in a path of which the settings say nothing of its own."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    schema = catalog.schema_for("")
    return SessionTypes(schema, is_declared=schema is not DEFAULT_SCHEMA)


__all__ = ["ChannelConfigService"]
