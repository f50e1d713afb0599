"""The six operations on ChannelConfigs, and reading the brands, stores and menus that they hang from."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING

from trialrun.lint.rule import SessionTypes
from trialrun.lint.selection import Selection, default_selection
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.menu import Menu
from trialrun.model.validate import validate
from trialrun.runtime.clock import Clock, SystemClock
from trialrun.service.channel_config import messages as m
from trialrun.service.channel_config.inventory import (
    BRAND,
    CONFIG,
    DEFAULT_LOCATION,
    DELETED_KIND,
    MENU,
    STORE,
    Inventory,
    declared_menus,
    merge_catalog,
    read_inventory,
)
from trialrun.service.error import Status, service_error
from trialrun.service.journal import Journal, refuse_unkept
from trialrun.service.lint_request import Document, LintWarning, RequestLinter
from trialrun.service.listing import GetRequest, ListRequest, name_in_request, parent_name
from trialrun.service.resource import (
    Json,
    Merge,
    declared_documents,
    differences,
    settable_content,
    to_document,
    update_fields,
    without_service_fields,
)
from trialrun.service.rpc import LOCATION, Api, in_thread, rpc
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.declaration import BrandCatalog

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
        self._journal = journal or Journal()
        self._inventory = read_inventory(self._journal)
        self._menus: Mapping[str, Menu] = {}
        self._lock = Lock()
        self.first_merge = self.replace_documents(catalog, selection or default_selection(), is_complete=is_complete)

    def replace_documents(self, catalog: BrandCatalog, selection: Selection, *, is_complete: bool = True) -> Merge:
        """Serve the documents of another catalog under other rules, all at once; what became of configs and brands.

        Raises StoreError where that cannot be kept; then the documents are as before.
        """
        request_linter = RequestLinter(
            selection,
            declared_documents("Menu", catalog.menus),
            now=self._clock.now,
            kinds=KINDS,
            session=lambda: _session_types(catalog),
        )
        with self._lock:
            before, now = self._inventory, self._clock.now()
            after, merged = merge_catalog(before, catalog, self._location, now, is_complete=is_complete)
            self._journal.write([*differences(before, after, DELETED_KIND)])
            self._inventory = after
            self._linter = request_linter
            self._menus = declared_menus(catalog, self._location)
        return merged

    @rpc(API, "POST", f"{{parent={BRAND_PATH}}}/channelConfigs", resource=FIELD)
    @in_thread
    def create(self, request: m.CreateChannelConfigRequest) -> m.CreateChannelConfigResponse:
        """Create a config under a brand; it is a DRAFT unless something names it already."""
        with self._lock:
            before = self._inventory
            before.require_brand(request.parent, field="parent")
            id_ = request.channelConfigId
            if id_ is None:
                ids = (f"channel-config-{number}" for number in count(1))
                id_ = next(id_ for id_ in ids if f"{request.parent}/channelConfigs/{id_}" not in before.configs)
            name = CONFIG.new_name(request.parent, id_, before.configs, field="channelConfigId")
            after, remarks = self._with_content(name, without_service_fields(request.channelConfig, ChannelConfig))
            seen = after.to_response(after.configs[name])
            self._commit(after)
        return m.CreateChannelConfigResponse(channelConfig=seen, warnings=_applicable(seen, remarks))

    @rpc(API, "GET", f"{{name={CONFIG_PATH}}}", name="GetChannelConfig", summary="one config.")
    async def get(self, request: GetRequest) -> ChannelConfig:
        """Get a config, with its state and its rules as they are now."""
        inventory = self._inventory
        return inventory.to_response(inventory.config(request.name))

    @rpc(
        API,
        "GET",
        f"{{parent={BRAND_PATH}}}/channelConfigs",
        name="ListChannelConfigs",
        summary="the configs under a brand.",
    )
    @in_thread
    def list(self, request: ListRequest) -> m.ListChannelConfigsResponse:
        """List the configs under a brand, page by page; all are of one moment."""
        inventory = self._inventory
        inventory.require_brand(request.parent, field="parent")
        seen = map(inventory.to_response, inventory.configs_under(request.parent))
        chosen, token = CONFIG.page(seen, request)
        return m.ListChannelConfigsResponse(channelConfigs=chosen, nextPageToken=token)

    @rpc(API, "PATCH", f"{{channelConfig.name={CONFIG_PATH}}}", name="UpdateChannelConfig", resource=FIELD)
    @in_thread
    def patch(self, request: m.PatchChannelConfigRequest) -> m.PatchChannelConfigResponse:
        """Update the fields of a config that a mask names, or that the request sets; what was promoted was the old."""
        with self._lock:
            given = request.channelConfig
            before = self._inventory.config(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
            content, warnings = update_fields(before.content, given, request.updateMask, ChannelConfig)
            after, remarks = self._with_content(before.name, content)
            seen = after.to_response(after.configs[before.name])
            self._commit(after)
        if before.is_promoted and not after.configs[before.name].is_promoted:
            message = f"the config is not what was promoted any more, so it is {seen.state}; promote it again"
            field = f"{FIELD}.state"
            warnings.append(LintWarning(rule="no-longer-promoted", severity="note", field=field, message=message))
        warnings += _applicable(seen, remarks)
        return m.PatchChannelConfigResponse(channelConfig=seen, warnings=warnings)

    @rpc(API, "DELETE", f"{{name={CONFIG_PATH}}}", name="DeleteChannelConfig", summary="one config that nothing names.")
    @in_thread
    def delete(self, request: GetRequest) -> m.DeleteChannelConfigResponse:
        """Delete a config that no brand and no store names, which would then name what is not there."""
        with self._lock:
            inventory = self._inventory
            name = inventory.config(request.name).name
            if used := inventory.uses.get(name):
                use, more = used[0], len(used) - 1
                what = f'the rule "{last_id(use.rule)}" of' if use.rule else "the defaults of"
                where = f'the store "{last_id(use.store)}"' if use.store else f'the brand "{last_id(use.brand or "")}"'
                others = f" and {more} other place{'s' if more > 1 else ''}" if more else ""
                message = f'"{last_id(name)}" is used by {what} {where}{others}; remove it there first'
                raise service_error(Status.FAILED_PRECONDITION, "channel-config-in-use", message, name=name)
            self._commit(inventory.without(name))
        return m.DeleteChannelConfigResponse()

    @rpc(API, "POST", f"{{name={CONFIG_PATH}}}:promote")
    @in_thread
    def promote(self, request: m.PromoteChannelConfigRequest) -> m.PromoteChannelConfigResponse:
        """Promote a config unchanged, and copy it where another brand is its destination."""
        with self._lock:
            inventory, copy = self._inventory, None
            of_copy: Sequence[LintWarning] = ()
            config = inventory.config(request.name)
            remarks = self._lint(config.document, field=FIELD, status=Status.FAILED_PRECONDITION)
            brand = request.destinationBrand or parent_name(config.name)
            if brand != parent_name(config.name):
                inventory.require_brand(brand, field="destinationBrand")
                copy = CONFIG.new_name(brand, last_id(config.name), inventory.configs, field="destinationBrand")
                document = to_document(CONFIG.name, copy, config.content)  # beside the menus of its brand
                of_copy = self._lint(document, field=f"{FIELD}Copy", status=Status.FAILED_PRECONDITION)
                inventory = inventory.with_content(copy, config.content, self._clock.now())
            if not config.is_promoted:  # else it is not updated
                now = format_timestamp(self._clock.now())
                inventory = inventory.with_entry(replace(config, is_promoted=True, updated=now))
            seen = inventory.to_response(inventory.configs[config.name])
            seen_copy = inventory.to_response(inventory.configs[copy]) if copy else None
            self._commit(inventory)
        warnings = [*_applicable(seen, remarks), *of_copy]
        return m.PromoteChannelConfigResponse(channelConfig=seen, channelConfigCopy=seen_copy, warnings=warnings)

    @rpc(API, "GET", f"{{name={BRAND_PATH}}}", name="GetBrand", summary="one brand.")
    async def get_brand(self, request: GetRequest) -> Brand:
        """Get a brand, with its stores."""
        return self._inventory.brand(request.name).brand

    @rpc(
        API, "GET", f"{{parent={LOCATION}}}/brands", name="ListBrands", summary="the brands of a project in a location."
    )
    async def list_brands(self, request: ListRequest) -> m.ListBrandsResponse:
        """List the brands of a project in a location, page by page."""
        BRAND.require_parent_name(request.parent)
        brands = [entry.brand for name, entry in self._inventory.brands.items() if parent_name(name) == request.parent]
        chosen, token = await to_thread(BRAND.page, brands, request)
        return m.ListBrandsResponse(brands=chosen, nextPageToken=token)

    @rpc(API, "GET", f"{{name={BRAND_PATH}/stores/*}}", name="GetStore", summary="one store.")
    async def get_store(self, request: GetRequest) -> Store:
        """Get a store."""
        return self._inventory.store(request.name)

    @rpc(API, "GET", f"{{parent={BRAND_PATH}}}/stores", name="ListStores", summary="the stores of a brand.")
    async def list_stores(self, request: ListRequest) -> m.ListStoresResponse:
        """List the stores of a brand, page by page."""
        stores = self._inventory.brand(request.parent, field="parent").stores.values()
        chosen, token = await to_thread(STORE.page, stores, request)
        return m.ListStoresResponse(stores=chosen, nextPageToken=token)

    @rpc(API, "GET", f"{{name={LOCATION}/menus/*}}", name="GetMenu", summary="one menu.")
    async def get_menu(self, request: GetRequest) -> Menu:
        """Get a menu, as its document has it."""
        return MENU.find(request.name, self._menus)

    @rpc(API, "GET", f"{{parent={LOCATION}}}/menus", name="ListMenus", summary="the menus of a project in a location.")
    async def list_menus(self, request: ListRequest) -> m.ListMenusResponse:
        """List the menus of a project in a location, page by page."""
        MENU.require_parent_name(request.parent)
        under = [menu for name, menu in self._menus.items() if parent_name(name) == request.parent]
        chosen, token = MENU.page(under, request)
        return m.ListMenusResponse(menus=chosen, nextPageToken=token)

    def _commit(self, after: Inventory) -> None:
        with refuse_unkept():
            self._journal.write([*differences(self._inventory, after, DELETED_KIND)])
        self._inventory = after

    def _lint(
        self, document: Document, *, field: str, status: Status = Status.INVALID_ARGUMENT
    ) -> Sequence[LintWarning]:
        """What the linter remarks of a config beside all others. Raises ServiceError with its errors."""
        entries = self._inventory.entries.values()
        others = [entry.document for entry in entries if entry.document.path != document.path]
        return self._linter.check(document, others, field=field, status=status)

    def _with_content(self, name: str, content: Json) -> tuple[Inventory, Sequence[LintWarning]]:
        remarks = self._lint(to_document(CONFIG.name, name, content), field=FIELD)
        canonical = settable_content(validate(content, ChannelConfig).node)
        return self._inventory.with_content(name, canonical, self._clock.now()), remarks


def _session_types(catalog: BrandCatalog) -> SessionTypes:
    from trialrun.values.cel import DEFAULT_SCHEMA

    schema = catalog.schema_for("")
    return SessionTypes(schema, is_declared=schema is not DEFAULT_SCHEMA)


def _applicable(config: ChannelConfig, remarks: Sequence[LintWarning]) -> list[LintWarning]:
    """Remarks on a config without the one that it stays a DRAFT, where it is promoted."""
    return [remark for remark in remarks if config.state == "DRAFT" or remark.rule != "unused-channel-config"]
