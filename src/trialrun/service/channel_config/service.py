"""The six operations on ChannelConfigs, and reading the brands, stores and menus that they hang from."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from trialrun.lint.rule import SessionTypes
from trialrun.lint.selection import Selection, default_selection
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.menu import Menu
from trialrun.runtime.channel_config.layers import ConfigUse
from trialrun.runtime.clock import Clock, SystemClock
from trialrun.service.channel_config import messages
from trialrun.service.channel_config.brands import BRAND, DEFAULT_LOCATION, MENU, STORE, declared_menus
from trialrun.service.channel_config.inventory import (
    CONFIG,
    ConfigEntry,
    Inventory,
    differences,
    merge_catalog,
    read_inventory,
)
from trialrun.service.error import Status, service_error
from trialrun.service.journal import Journal, MemoryJournal, refuse_unkept
from trialrun.service.lint_request import Document, LintWarning, RequestLinter
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.origin import Merge
from trialrun.service.resource_json import Json, canonicalize_content, declared_documents, to_document
from trialrun.service.resource_names import name_in_request, parent_name
from trialrun.service.rpc import LOCATION, Api, rpc
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog

Response = TypeVar("Response")
API, FIELD = Api.CHANNEL_CONFIG, "channelConfig"
BRAND_PATH = f"{LOCATION}/brands/*"
CONFIG_PATH = f"{BRAND_PATH}/channelConfigs/*"
KINDS = ("Brand", "ChannelConfig")


class ChannelConfigService:
    """Carries out operations on the configs of a workspace and on those that requests create.

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
        self._inventory = read_inventory(self._journal)
        self._menus: Mapping[str, Menu] = {}
        self._lock = Lock()
        self.first_merge = self.replace_documents(catalog, selection or default_selection(), is_complete=is_complete)

    def replace_documents(self, catalog: BrandCatalog, selection: Selection, *, is_complete: bool = True) -> Merge:
        """Serve the documents of another catalog under other rules, all at once; what became of configs and brands.

        Raises JournalError where that cannot be kept; then the documents are as before.
        """
        request_linter = RequestLinter(
            selection,
            declared_documents("Menu", catalog.menus),
            now=self._clock.now,
            kinds=KINDS,
            session=lambda: _session_types(catalog),
        )
        with self._lock:
            after, merged = merge_catalog(
                self._inventory, catalog, self._location, self._clock.now(), is_complete=is_complete
            )
            self._commit(after)
            self._linter = request_linter
            self._menus = declared_menus(catalog, self._location)
        return merged

    @rpc(API, "POST", f"{{parent={BRAND_PATH}}}/channelConfigs", resource=FIELD)
    async def create(self, request: messages.CreateChannelConfigRequest) -> messages.CreateChannelConfigResponse:
        """Create a config under a brand; it is a DRAFT unless something names it already."""

        def create(before: Inventory) -> tuple[Inventory, messages.CreateChannelConfigResponse]:
            before.require_brand(request.parent, field="parent")
            id_ = _unused_id(before, request.parent) if request.channelConfigId is None else request.channelConfigId
            name = CONFIG.new_name(request.parent, id_, before.configs, field="channelConfigId")
            content = without_service_fields(request.channelConfig, ChannelConfig)
            after, remarks = self._with_content(before, name, content)
            seen = after.to_response(after.configs[name])
            warnings = _applicable_warnings(seen, remarks)
            return after, messages.CreateChannelConfigResponse(channelConfig=seen, warnings=warnings)

        return await self._change(create)

    @rpc(API, "GET", f"{{name={CONFIG_PATH}}}")
    async def get(self, request: messages.GetChannelConfigRequest) -> ChannelConfig:
        """Get a config, with its state and its rules as they are now."""
        inventory = self._inventory
        return inventory.to_response(inventory.config(request.name))

    @rpc(API, "GET", f"{{parent={BRAND_PATH}}}/channelConfigs")
    async def list(self, request: messages.ListChannelConfigsRequest) -> messages.ListChannelConfigsResponse:
        """List the configs under a brand, page by page; all are of one moment."""
        inventory = self._inventory

        def list_configs() -> messages.ListChannelConfigsResponse:
            inventory.require_brand(request.parent, field="parent")
            seen = map(inventory.to_response, inventory.configs_under(request.parent))
            chosen, token = CONFIG.page(seen, request)
            return messages.ListChannelConfigsResponse(channelConfigs=chosen, nextPageToken=token)

        return await to_thread(list_configs)

    @rpc(API, "PATCH", f"{{channelConfig.name={CONFIG_PATH}}}", name="UpdateChannelConfig", resource=FIELD)
    async def patch(self, request: messages.PatchChannelConfigRequest) -> messages.PatchChannelConfigResponse:
        """Update the fields of a config that a mask names, or that the request sets; what was promoted was the old."""

        def patch(inventory: Inventory) -> tuple[Inventory, messages.PatchChannelConfigResponse]:
            given = request.channelConfig
            before = inventory.config(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
            mask = parse_mask(request.updateMask, given, ChannelConfig)
            content = apply_mask(before.content, given, mask, ChannelConfig)
            changed, remarks = self._with_content(inventory, before.name, content)
            after = changed.configs[before.name]
            seen = changed.to_response(after)
            demoted = [_demotion_warning(seen)] if before.is_promoted and not after.is_promoted else []
            warnings = [*ignored_field_warnings(mask), *demoted, *_applicable_warnings(seen, remarks)]
            return changed, messages.PatchChannelConfigResponse(channelConfig=seen, warnings=warnings)

        return await self._change(patch)

    @rpc(API, "DELETE", f"{{name={CONFIG_PATH}}}")
    async def delete(self, request: messages.DeleteChannelConfigRequest) -> messages.DeleteChannelConfigResponse:
        """Delete a config that no brand and no store names."""

        def delete(inventory: Inventory) -> tuple[Inventory, messages.DeleteChannelConfigResponse]:
            name = inventory.config(request.name).name
            _require_unused(name, inventory.uses.uses_of(name))
            return inventory.without_config(name), messages.DeleteChannelConfigResponse()

        return await self._change(delete)

    @rpc(API, "POST", f"{{name={CONFIG_PATH}}}:promote")
    async def promote(self, request: messages.PromoteChannelConfigRequest) -> messages.PromoteChannelConfigResponse:
        """Promote a config unchanged, and copy it where another brand is its destination."""

        def promote(inventory: Inventory) -> tuple[Inventory, messages.PromoteChannelConfigResponse]:
            config = inventory.config(request.name)
            remarks = self._lint(inventory, config.document, field=FIELD, status=Status.FAILED_PRECONDITION)
            destination = request.destinationBrand or parent_name(config.name)
            copy: ConfigEntry | None = None
            of_copy: Sequence[LintWarning] = ()
            if destination != parent_name(config.name):
                inventory.require_brand(destination, field="destinationBrand")
                inventory, copy, of_copy = self._with_copy(inventory, config, destination)
            if not config.is_promoted:  # else it is not updated
                inventory = inventory.with_config(replace(config, is_promoted=True, updated=self._clock.now()))
            seen = inventory.to_response(inventory.configs[config.name])
            return inventory, messages.PromoteChannelConfigResponse(
                channelConfig=seen,
                channelConfigCopy=inventory.to_response(copy) if copy else None,
                warnings=[*_applicable_warnings(seen, remarks), *of_copy],
            )

        return await self._change(promote)

    @rpc(API, "GET", f"{{name={BRAND_PATH}}}")
    async def get_brand(self, request: messages.GetBrandRequest) -> Brand:
        """Get a brand, with its stores."""
        return self._inventory.brand(request.name).brand

    @rpc(API, "GET", f"{{parent={LOCATION}}}/brands")
    async def list_brands(self, request: messages.ListBrandsRequest) -> messages.ListBrandsResponse:
        """List the brands of a project in a location, page by page."""
        BRAND.require_parent_name(request.parent)
        brands = [entry.brand for name, entry in self._inventory.brands.items() if parent_name(name) == request.parent]
        chosen, token = await to_thread(BRAND.page, brands, request)
        return messages.ListBrandsResponse(brands=chosen, nextPageToken=token)

    @rpc(API, "GET", f"{{name={BRAND_PATH}/stores/*}}")
    async def get_store(self, request: messages.GetStoreRequest) -> Store:
        """Get a store."""
        return self._inventory.store(request.name)

    @rpc(API, "GET", f"{{parent={BRAND_PATH}}}/stores")
    async def list_stores(self, request: messages.ListStoresRequest) -> messages.ListStoresResponse:
        """List the stores of a brand, page by page."""
        stores = self._inventory.brand(request.parent, field="parent").stores.values()
        chosen, token = await to_thread(STORE.page, stores, request)
        return messages.ListStoresResponse(stores=chosen, nextPageToken=token)

    @rpc(API, "GET", f"{{name={LOCATION}/menus/*}}")
    async def get_menu(self, request: messages.GetMenuRequest) -> Menu:
        """Get a menu, as its document has it."""
        return MENU.find(request.name, self._menus)

    @rpc(API, "GET", f"{{parent={LOCATION}}}/menus")
    async def list_menus(self, request: messages.ListMenusRequest) -> messages.ListMenusResponse:
        """List the menus of a project in a location, page by page."""
        MENU.require_parent_name(request.parent)
        under = [menu for name, menu in self._menus.items() if parent_name(name) == request.parent]
        chosen, token = MENU.page(under, request)
        return messages.ListMenusResponse(menus=chosen, nextPageToken=token)

    async def _change(self, change: Callable[[Inventory], tuple[Inventory, Response]]) -> Response:
        """Carry out a change in a thread, one at a time; others see it when the journal has it."""

        def carry_out() -> Response:
            with self._lock:
                after, response = change(self._inventory)
                with refuse_unkept():
                    self._commit(after)
                return response

        return await to_thread(carry_out)

    def _commit(self, after: Inventory) -> None:
        """Keep a change, then let everybody see it. Raises JournalError."""
        self._journal.write([*differences(self._inventory, after)])
        self._inventory = after

    def _lint(
        self, inventory: Inventory, document: Document, *, field: str, status: Status = Status.INVALID_ARGUMENT
    ) -> Sequence[LintWarning]:
        """What the linter remarks of a config beside all others. Raises ServiceError with its errors."""
        others = [entry.document for entry in inventory.entries.values() if entry.document.path != document.path]
        return self._linter.check(document, others, field=field, status=status)

    def _with_content(self, inventory: Inventory, name: str, content: Json) -> tuple[Inventory, Sequence[LintWarning]]:
        """The inventory with new content of a config that the linter takes, and what it remarks."""
        remarks = self._lint(inventory, to_document(CONFIG.name, name, content), field=FIELD)
        return inventory.with_content(name, canonicalize_content(content, ChannelConfig), self._clock.now()), remarks

    def _with_copy(
        self, inventory: Inventory, config: ConfigEntry, brand: str
    ) -> tuple[Inventory, ConfigEntry, Sequence[LintWarning]]:
        """The inventory with a copy that the linter takes beside the menus of its brand, and what it remarks there."""
        name = CONFIG.new_name(brand, last_id(config.name), inventory.configs, field="destinationBrand")
        document = to_document(CONFIG.name, name, config.content)
        remarks = self._lint(inventory, document, field=f"{FIELD}Copy", status=Status.FAILED_PRECONDITION)
        after = inventory.with_content(name, config.content, self._clock.now())
        return after, after.configs[name], remarks


def _session_types(catalog: BrandCatalog) -> SessionTypes:
    """The types that conditions read in a path of which the settings say nothing of its own."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    schema = catalog.schema_for("")
    return SessionTypes(schema, is_declared=schema is not DEFAULT_SCHEMA)


def _unused_id(inventory: Inventory, parent: str) -> str:
    ids = (f"channel-config-{number}" for number in count(1))
    return next(id_ for id_ in ids if f"{parent}/channelConfigs/{id_}" not in inventory.configs)


def _applicable_warnings(config: ChannelConfig, remarks: Sequence[LintWarning]) -> list[LintWarning]:
    """Remarks on a config without the one that it stays a DRAFT, where it is promoted."""
    return [remark for remark in remarks if config.state == "DRAFT" or remark.rule != "unused-channel-config"]


def _demotion_warning(config: ChannelConfig) -> LintWarning:
    message = f"the config is not what was promoted any more, so it is {config.state}; promote it again"
    return LintWarning(rule="no-longer-promoted", severity="note", field=f"{FIELD}.state", message=message)


def _require_unused(config: str, used: Sequence[ConfigUse]) -> None:
    """Refuse to delete a config that is named, whose brand would then name what is not there."""
    if not used:
        return
    use, more = used[0], len(used) - 1
    what = f'the rule "{last_id(use.rule)}" of' if use.rule else "the defaults of"
    where = f'the store "{last_id(use.store)}"' if use.store else f'the brand "{last_id(use.brand or "")}"'
    others = f" and {more} other place{'s' if more > 1 else ''}" if more else ""
    message = f'"{last_id(config)}" is used by {what} {where}{others}; remove it there first'
    raise service_error(Status.FAILED_PRECONDITION, "channel-config-in-use", message, name=config)


__all__ = ["ChannelConfigService"]
