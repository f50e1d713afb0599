"""The configs, brands, stores and menus of a service at one moment: the documents of a workspace, with all names in
full, and what clients made of configs.

The service keeps of a brand since when which of its rules binds what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import cast, get_args

from trialrun.model import channel_config as model
from trialrun.model.channel_config import NAME_FORMAT, ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.menu import Menu
from trialrun.model.node import Node
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.layers import ConfigUse, config_names, config_state, config_uses, uses_by_config
from trialrun.runtime.declaration import BrandCatalog
from trialrun.service.error import ServiceError
from trialrun.service.filter import TextField, TextListField, TimeField
from trialrun.service.journal import Journal
from trialrun.service.listing import Collection, id_of, not_found, parent_name, require_name
from trialrun.service.resource import Entry, Json, Merge, Origin, State, document_digest, settable_content
from trialrun.values.resource_name import ResourceIndex, last_id, matches_pattern
from trialrun.values.timestamp import format_timestamp

DISPLAY_NAME = TextField(lambda resource: resource.displayName)
BRAND_FORMAT = parent_name(NAME_FORMAT)
RULE_FORMAT = f"{BRAND_FORMAT}/configApplicationRules/{{configApplicationRule}}"
DELETED_KIND = "deleted ChannelConfig or Brand"
DEFAULT_LOCATION = "projects/local/locations/local"
"""The project and location of brands where no name of the workspace tells one."""
CONFIG = Collection[ChannelConfig](
    "ChannelConfig",
    "config",
    NAME_FORMAT,
    under="brand",
    fields={
        "createTime": TimeField(lambda config: config.createTime),
        "updateTime": TimeField(lambda config: config.updateTime),
        "channelConfigId": TextField(id_of),
        "displayName": DISPLAY_NAME,
        "state": TextField(lambda config: config.state, get_args(model.State)),
        "type": TextField(lambda config: config.type, get_args(model.ConfigType)),
    },
    orders=("channel_config_id", "create_time", "update_time", "display_name"),
)
BRAND = Collection[Brand](
    "Brand",
    "brand",
    BRAND_FORMAT,
    fields={"brandId": TextField(id_of), "displayName": DISPLAY_NAME},
    orders=("brand_id", "display_name"),
)
STORE = Collection[Store](
    "Store",
    "store",
    f"{BRAND_FORMAT}/stores/{{store}}",
    under="brand",
    fields={
        "storeId": TextField(id_of),
        "displayName": DISPLAY_NAME,
        "timeZone": TextField(lambda store: store.timeZone),
        "tags": TextListField(lambda store: store.tags),
    },
    orders=("store_id", "display_name"),
)
MENU = Collection[Menu](
    "Menu",
    "menu",
    f"{parent_name(BRAND_FORMAT)}/menus/{{menu}}",
    fields={"menuId": TextField(id_of), "displayName": DISPLAY_NAME, "brand": TextField(lambda menu: menu.brand)},
    orders=("menu_id",),
)


@dataclass(frozen=True)
class ConfigEntry(Entry):
    """A config: its times in RFC 3339, and whether it is promoted."""

    kind = CONFIG.name
    created: str
    updated: str
    is_promoted: bool

    def outputs(self) -> Json:
        return {"createTime": self.created, "updateTime": self.updated, "isPromoted": self.is_promoted}


@dataclass(frozen=True)
class BrandEntry(Entry):
    """A brand: what a caller sees of it, and its config application rules by their resource names.

    Of a rule it is known when it was first bound, when its bindings last changed, and these.
    """

    kind = BRAND.name
    brand: Brand
    rules: Mapping[str, Json]

    def outputs(self) -> Json:
        return {"rules": self.rules}

    @cached_property
    def stores(self) -> Mapping[str, Store]:
        """The stores by their resource names; of two that share one the first."""
        stores: dict[str, Store] = {}
        for store in self.brand.stores or ():
            if store.name:
                stores.setdefault(store.name, store)
        return stores


@dataclass(frozen=True)
class Inventory(State[ConfigEntry | BrandEntry]):
    """The configs and brands by name; no name of one is a name of the other."""

    @cached_property
    def configs(self) -> Mapping[str, ConfigEntry]:
        """The configs by name."""
        return {name: entry for name, entry in self.entries.items() if isinstance(entry, ConfigEntry)}

    @cached_property
    def brands(self) -> Mapping[str, BrandEntry]:
        """The brands by name."""
        return {name: entry for name, entry in self.entries.items() if isinstance(entry, BrandEntry)}

    @cached_property
    def uses(self) -> Mapping[str, Sequence[ConfigUse]]:
        """Which brands and stores name which configs."""
        uses = (use for entry in self.brands.values() for use in config_uses(entry.brand))
        return uses_by_config(uses, config_names(self.configs))

    def with_content(self, name: str, content: Json, now: datetime) -> Inventory:
        """The inventory after a client gave a config this content, in place of what it had or new."""
        origin = self.origin(name).as_changed()
        return self.with_entry(_build_config(name, content, now, self.configs.get(name), origin))

    def config(self, name: str, *, field: str = "name") -> ConfigEntry:
        """The config of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether it or its brand is missing."""
        return CONFIG.find(name, self.configs, field=field, require_parent=self._require_brand)

    def brand(self, name: str, *, field: str = "name") -> BrandEntry:
        """The brand of a name. Raises INVALID_ARGUMENT and NOT_FOUND."""
        return BRAND.find(name, self.brands, field=field)

    def store(self, name: str) -> Store:
        """The store of a name. Raises INVALID_ARGUMENT and NOT_FOUND."""
        require_name(name, pattern=STORE.format, field="name")
        brand = self.brands.get(parent_name(name))
        if brand is None:
            raise self._no_brand(parent_name(name))
        return STORE.find(name, brand.stores)

    def require_brand(self, name: str, *, field: str) -> None:
        """Refuse a name that is none of a brand, or of one that there is not."""
        require_name(name, pattern=BRAND.format, field=field)
        self._require_brand(name)

    def configs_under(self, parent: str) -> list[ConfigEntry]:
        """The configs under a brand."""
        return [config for config in self.configs.values() if parent_name(config.name) == parent]

    def to_response(self, config: ConfigEntry) -> ChannelConfig:
        """What a caller sees of a config: its content, and what the service says of it beside that."""
        used = self.uses.get(config.name, ())
        state = config_state(used, is_promoted=config.is_promoted)
        outputs: Json = {
            "name": config.name,
            "createTime": config.created,
            "updateTime": config.updated,
            "state": state,
        }
        rules: dict[str, Json] = {}
        for use in used:
            brand = self.brands.get(use.brand or "")
            if brand is not None and use.rule:
                name = _rule_name(use.rule, brand.name)
                rule = brand.rules[name]
                times = {"createTime": rule["createTime"], "updateTime": rule["updateTime"]}
                rules.setdefault(name, {"name": name, **times})
        if rules:
            outputs["configApplicationRules"] = list(rules.values())
        return cast("ChannelConfig", validate({**config.content, **outputs}, ChannelConfig).node)

    def _require_brand(self, name: str) -> None:
        """A brand is there by its document, or by a config under it: brands may be kept elsewhere."""
        if name not in self.brands and not self.configs_under(name):
            raise self._no_brand(name)

    def _no_brand(self, name: str) -> ServiceError:
        return not_found(BRAND.name, name, {**self.brands, **dict.fromkeys(map(parent_name, self.configs))})


def read_inventory(journal: Journal) -> Inventory:
    """The inventory that a journal has. Raises StoreError."""
    entries: dict[str, ConfigEntry | BrandEntry] = {}
    for name, value in journal.read(CONFIG.name):
        outputs = value["createTime"], value["updateTime"], value["isPromoted"]
        entries[name] = ConfigEntry(name, value["content"], Origin.from_json(value), *outputs)
    for name, value in journal.read(BRAND.name):
        entries[name] = _brand_entry(name, value["content"], value["rules"], Origin.from_json(value))
    return Inventory(entries, {name: Origin.from_json(value) for name, value in journal.read(DELETED_KIND)})


def merge_catalog(
    before: Inventory, catalog: BrandCatalog, location: str, now: datetime, *, is_complete: bool
) -> tuple[Inventory, Merge]:
    """The inventory with the documents of a catalog, and what became of resources.

    Brands whose documents say an id alone are in `location` where nothing else tells.
    """
    named = [(config.node.name or "", config.node) for config in catalog.configs]
    configs = _by_name((name, node) for name, node in named if matches_pattern(name, pattern=CONFIG.format))
    brand_names = _BrandNames(catalog, location)
    brands = _by_name((brand_names.full_name(brand.node.name or ""), brand.node) for brand in catalog.brands)
    documents = {name: document_digest(content) for name, content in {**configs, **brands}.items()}
    merge = before.merge(documents, is_complete=is_complete)
    entries = {name: entry for name, entry in before.entries.items() if name not in merge.removed}
    for name in merge.taken:
        if name in configs:
            known, origin = before.configs.get(name), Origin(documents[name])
            if known is not None and known.content == configs[name]:  # as its document says: it is not updated
                entries[name] = replace(known, origin=origin)
            else:
                entries[name] = _build_config(name, configs[name], now, known, origin)
    names = config_names(name for name, entry in entries.items() if isinstance(entry, ConfigEntry))
    for name, content in brands.items():
        brand = before.brands.get(name)
        if name in merge.taken or (brand is not None and not brand.origin.is_changed):
            full = _with_full_names(name, content, names)
            entries[name] = _build_brand(name, full, now, brand, Origin(documents[name]))
    return before.merged(entries, merge)


def declared_menus(catalog: BrandCatalog, location: str) -> Mapping[str, Menu]:
    """The menus of a workspace by resource name; of two with one name the first, and none without a name.

    One whose document says an id alone is where its brand is.
    """
    names = _BrandNames(catalog, location)
    menus: dict[str, Menu] = {}
    for declared in catalog.menus:
        menu = declared.node
        name = menu.name or ""
        if name and not matches_pattern(name, pattern=MENU.format):
            parent = parent_name(names.full_name(menu.brand)) if menu.brand else names.location
            name = f"{parent}/menus/{last_id(name)}"
        if name and name not in menus:
            menus[name] = cast("Menu", validate({**settable_content(menu), "name": name}, Menu).node)
    return menus


def _by_name(declared: Iterable[tuple[str, Node]]) -> dict[str, Json]:
    """The content of resources by name; of two with one name the first, and none without a name."""
    contents: dict[str, Json] = {}
    for name, node in declared:
        if name and name not in contents:
            contents[name] = settable_content(node)
    return contents


def _build_config(name: str, content: Json, now: datetime, before: ConfigEntry | None, origin: Origin) -> ConfigEntry:
    """A config with some content, in place of another or new; one whose content changes is no longer promoted."""
    is_promoted = before is not None and before.is_promoted and before.content == content
    time = format_timestamp(now)
    return ConfigEntry(name, content, origin, before.created if before else time, time, is_promoted)


def _build_brand(name: str, content: Json, now: datetime, before: BrandEntry | None, origin: Origin) -> BrandEntry:
    bindings: dict[str, list[Json]] = {}
    for store, level in ((None, content), *((store.get("name"), store) for store in content.get("stores", ()))):
        for binding in level.get("bindings", ()):
            if rule := binding.get("rule"):
                bindings.setdefault(_rule_name(rule, name), []).append({**binding, "store": store})
    rules: dict[str, Json] = {}
    for rule, bound in bindings.items():
        time, known = format_timestamp(now), before.rules.get(rule) if before else None
        created, updated = (known["createTime"], known["updateTime"]) if known else (time, time)
        is_same = known is not None and known["bindings"] == bound
        rules[rule] = {"createTime": created, "updateTime": updated if is_same else time, "bindings": bound}
    return _brand_entry(name, content, rules, origin)


def _brand_entry(name: str, content: Json, rules: Mapping[str, Json], origin: Origin) -> BrandEntry:
    brand = cast("Brand", validate({"name": name, **content}, Brand).node)
    return BrandEntry(name, content, origin, brand, rules)


def _with_full_names(name: str, content: Json, names: ResourceIndex[str]) -> Json:
    """The content of a brand with its stores and the configs that it names by their resource names.

    A name that means no config, or several, stays as it is written.
    """

    def full_name(written: str) -> str:
        resolved = names.resolve(written, name)
        return resolved[0] if len(resolved) == 1 else written

    def full_level(level: Json) -> Json:
        """A brand or a store with the configs of its defaults and bindings by their resource names."""
        result = dict(level)
        if "defaults" in level:
            result["defaults"] = [full_name(written) for written in level["defaults"]]
        if "bindings" in level:
            result["bindings"] = [
                {**binding, "channelConfig": full_name(config)} if (config := binding.get("channelConfig")) else binding
                for binding in level["bindings"]
            ]
        written = level.get("name")
        if written and not (matches_pattern(written, pattern=STORE.format) and parent_name(written) == name):
            result["name"] = f"{name}/stores/{last_id(written)}"
        return result

    full = full_level(content)
    if "stores" in content:
        full["stores"] = [full_level(store) for store in content["stores"]]
    return full


def _rule_name(rule: str, brand: str) -> str:
    return rule if matches_pattern(rule, pattern=RULE_FORMAT) else f"{brand}/configApplicationRules/{last_id(rule)}"


class _BrandNames:
    """Gives brands their resource names: as they are written, or by the configs that are under a brand of this id.

    Where those do not tell, by the one project and location of the workspace; without one, it is `otherwise`.
    """

    def __init__(self, catalog: BrandCatalog, otherwise: str) -> None:
        configs = (config.node.name or "" for config in catalog.configs)
        brands = (brand.node.name or "" for brand in catalog.brands)
        self._known = {parent_name(name) for name in configs if matches_pattern(name, pattern=NAME_FORMAT)}
        written = {name for name in brands if matches_pattern(name, pattern=BRAND_FORMAT)}
        locations = {parent_name(name) for name in self._known | written}
        self.location = locations.pop() if len(locations) == 1 else otherwise

    def full_name(self, written: str) -> str:
        """The resource name of a brand that a document names; empty for an empty one."""
        if matches_pattern(written, pattern=BRAND_FORMAT):
            return written
        id_ = last_id(written)
        candidates = [name for name in self._known if last_id(name) == id_]
        return candidates[0] if len(candidates) == 1 else f"{self.location}/brands/{id_}" if id_ else ""
