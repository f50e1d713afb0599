"""The documents of a workspace as configs and brands of the service, beside what clients made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.states import ConfigNames
from trialrun.service.channel_config import brand, config_record
from trialrun.service.channel_config.brand import BrandEntry
from trialrun.service.channel_config.config_record import ConfigEntry
from trialrun.service.channel_config.inventory import Inventory, build_inventory
from trialrun.service.channel_config.kinds import CONFIG
from trialrun.service.channel_config.parents import ParentResolver
from trialrun.service.origin import Merge, Origin, document_digest, merge_documents
from trialrun.service.resource_json import Json, settable_content
from trialrun.values.resource_name import matches_pattern

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog


def merge_catalog(
    before: Inventory, catalog: BrandCatalog, location: str, now: datetime, *, is_complete: bool
) -> tuple[Inventory, Merge]:
    """The inventory with the documents of a catalog, and what became of resources.

    Brands whose documents say an id alone are in `location` where nothing else tells.
    """
    configs, brands = _configs(catalog), _brands(catalog, ParentResolver(catalog, location))
    documents = {name: document_digest(content) for name, content in {**configs, **brands}.items()}
    merged = merge_documents(documents, before.origins, is_complete=is_complete)
    kept = before.without(merged.removed, is_by_client=False)
    of_configs = {**kept.configs}
    for name in merged.taken:
        if name in configs:
            of_configs[name] = _declared_config(name, configs[name], now, kept.configs.get(name), documents[name])
    names = ConfigNames(of_configs)
    of_brands = {
        name: _declared_brand(name, content, names, now, before=kept.brands.get(name), digest=documents[name])
        for name, content in brands.items()
        if name in merged.taken or (name in kept.brands and not kept.brands[name].origin.is_changed)
    }
    deleted = {name: origin for name, origin in kept.deleted.items() if name not in merged.taken}
    after = build_inventory(of_configs, {**kept.brands, **of_brands}, deleted)
    old, new = kept.entries, after.entries
    same = {name for name in merged.taken if name in old and old[name].content == new[name].content}
    return after, merged.adopting(same)


def _declared_config(name: str, content: Json, now: datetime, before: ConfigEntry | None, digest: str) -> ConfigEntry:
    """A config as its document says; one that was so already is not updated."""
    if before is not None and before.content == content:
        return replace(before, origin=Origin(digest))
    return config_record.build_entry(name, content, now, before, Origin(digest))


def _declared_brand(
    name: str, content: Json, names: ConfigNames, now: datetime, *, before: BrandEntry | None, digest: str
) -> BrandEntry:
    """A brand as its document says, with the stores that clients created beside."""
    declared = brand.with_full_names(name, content, names)
    return brand.build_entry(
        name,
        brand.with_created_stores(declared, before),
        now,
        before,
        origin=Origin(digest),
        declared_stores=[store["name"] for store in declared.get("stores", ()) if store.get("name")],
    )


def _configs(catalog: BrandCatalog) -> Mapping[str, Json]:
    """The content of the configs of a workspace by name; of two with one name the first."""
    configs: dict[str, Json] = {}
    for config in catalog.configs:
        name = config.node.name or ""
        if name not in configs and matches_pattern(name, pattern=CONFIG.format):
            configs[name] = settable_content(config.node)
    return configs


def _brands(catalog: BrandCatalog, homes: ParentResolver) -> Mapping[str, Json]:
    """The content of the brands of a workspace by name; of two with one name the first."""
    brands: dict[str, Json] = {}
    for declared in catalog.brands:
        name = homes.resolve(declared.node)
        if name and name not in brands:
            brands[name] = settable_content(declared.node)
    return brands


__all__ = ["merge_catalog"]
