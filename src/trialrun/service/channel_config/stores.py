"""Creating, changing and deleting the stores of a brand, which are items of its document and are checked as such."""

from __future__ import annotations

from typing import Any

from trialrun.model.companion import Brand, Store
from trialrun.service.channel_config import messages
from trialrun.service.channel_config.brand import BrandEntry
from trialrun.service.channel_config.inventory import Documents
from trialrun.service.channel_config.kinds import BRAND, STORE
from trialrun.service.lint_request import LintWarning
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.resource_json import Json, canonicalize_content, to_document
from trialrun.service.resource_names import name_in_request, require_free, require_id

FIELD = "store"


def create(documents: Documents, request: messages.CreateStoreRequest) -> messages.CreateStoreResponse:
    """Create a store, the last of its brand's list."""
    brand = documents.brand(request.parent, field="parent")
    name = f"{brand.name}/stores/{require_id(request.storeId, field='storeId')}"
    require_free(name, brand.stores, STORE)
    stores = _stores(brand)
    store = {"name": name, **without_service_fields(request.store, Store)}
    remarks = _put(documents, brand, [*stores, store], len(stores))
    return messages.CreateStoreResponse(store=documents.brands[brand.name].store(name), warnings=remarks)


def patch(documents: Documents, request: messages.PatchStoreRequest) -> messages.PatchStoreResponse:
    """Put a store's new content in place of the old."""
    given = request.store
    name = name_in_request(given, field=FIELD)
    brand, _ = documents.store(name, field=f"{FIELD}.name")
    mask = parse_mask(request.updateMask, given, Store)
    stores, at = _stores(brand), brand.stores[name]
    before = without_service_fields(stores[at], Store)
    stores[at] = {"name": name, **apply_mask(before, given, mask, Store)}
    remarks = _put(documents, brand, stores, at)
    after = documents.brands[brand.name].store(name)
    return messages.PatchStoreResponse(store=after, warnings=[*ignored_field_warnings(mask), *remarks])


def delete(documents: Documents, request: messages.DeleteStoreRequest) -> messages.DeleteStoreResponse:
    """Forget a store, with its defaults and its bindings."""
    brand, _ = documents.store(request.name)
    stores = _stores(brand)
    del stores[brand.stores[request.name]]
    documents.put_brand(brand.name, _with_stores(brand, stores))
    return messages.DeleteStoreResponse()


def _put(documents: Documents, brand: BrandEntry, stores: list[Json], at: int) -> list[LintWarning]:
    """Put stores into their brand where the linter takes the one at an index, whatever is wrong with the others."""
    content = _with_stores(brand, stores)
    judged = to_document(BRAND.name, brand.name, content)
    remarks = documents.lint(judged, field=FIELD, part=("stores", at))
    documents.put_brand(brand.name, canonicalize_content(content, Brand))
    return remarks


def _stores(brand: BrandEntry) -> list[Json]:
    stores: list[Any] = brand.content.get("stores", [])
    return [*stores]


def _with_stores(brand: BrandEntry, stores: list[Json]) -> Json:
    content = {key: value for key, value in brand.content.items() if key != "stores"}
    return {**content, "stores": stores} if stores else content
