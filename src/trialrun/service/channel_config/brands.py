"""Brands, stores and menus as the documents of a workspace declare them, with all names in full.

The service keeps of a brand since when which of its rules binds what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import NAME_FORMAT
from trialrun.model.companion import Brand, Store
from trialrun.model.menu import Menu
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.layers import ConfigNames
from trialrun.service.filter import TextField, TextListField
from trialrun.service.journal import Record
from trialrun.service.lint_request import Document
from trialrun.service.listing import Collection, id_of
from trialrun.service.message import parse_timestamp
from trialrun.service.origin import Origin
from trialrun.service.resource_json import Json, settable_content, to_document
from trialrun.service.resource_names import parent_name
from trialrun.values.resource_name import last_id, matches_pattern
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog

DISPLAY_NAME = TextField(lambda resource: resource.displayName)
BY_DISPLAY_NAME: Mapping[str, Callable[[Any], Any]] = {"display_name": lambda resource: resource.displayName or ""}
BRAND_FORMAT = parent_name(NAME_FORMAT)
BRAND = Collection[Brand](
    "Brand",
    "brand",
    BRAND_FORMAT,
    fields={"brandId": TextField(id_of), "displayName": DISPLAY_NAME},
    orders={"brand_id": id_of, **BY_DISPLAY_NAME},
    tie="brand_id",
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
    orders={"store_id": id_of, **BY_DISPLAY_NAME},
    tie="store_id",
)
MENU = Collection[Menu](
    "Menu",
    "menu",
    f"{parent_name(BRAND_FORMAT)}/menus/{{menu}}",
    fields={"menuId": TextField(id_of), "displayName": DISPLAY_NAME, "brand": TextField(lambda menu: menu.brand)},
    orders={"menu_id": id_of},
    tie="menu_id",
)
RULE_FORMAT = f"{BRAND_FORMAT}/configApplicationRules/{{configApplicationRule}}"
DEFAULT_LOCATION = "projects/local/locations/local"
"""The project and location of brands where no name of the workspace tells one."""


@dataclass(frozen=True)
class BoundRule:
    """A config application rule of a brand: when it was first bound, when its bindings last changed, and these."""

    created: datetime
    updated: datetime
    bindings: list[Json]

    def to_json(self) -> Json:
        """The rule's name aside, what callers see of it."""
        return {"createTime": format_timestamp(self.created), "updateTime": format_timestamp(self.updated)}


@dataclass(frozen=True)
class BrandEntry:
    """A brand: what a caller sees of it, what its document says, the same as the linter takes it, and its rules."""

    brand: Brand
    content: Json
    document: Document
    rules: Mapping[str, BoundRule]
    origin: Origin

    @property
    def name(self) -> str:
        """The resource name."""
        return self.brand.name or ""

    def to_record(self) -> Record:
        """The brand as a journal keeps it."""
        rules = {name: {**rule.to_json(), "bindings": rule.bindings} for name, rule in self.rules.items()}
        return Record(BRAND.name, self.name, {"content": self.content, "rules": rules, **self.origin.to_json()})

    @cached_property
    def stores(self) -> Mapping[str, Store]:
        """The stores by their resource names; of two that share one the first."""
        stores: dict[str, Store] = {}
        for store in self.brand.stores or ():
            if store.name:
                stores.setdefault(store.name, store)
        return stores


def build_brand(name: str, content: Json, now: datetime, before: BrandEntry | None, origin: Origin) -> BrandEntry:
    """A brand with some content, in which all names are in full, in place of another or new."""
    rules: dict[str, BoundRule] = {}
    for rule, bindings in _bindings_by_rule(name, content).items():
        known = before.rules.get(rule) if before else None
        if known is None:
            rules[rule] = BoundRule(now, now, bindings)
        else:
            rules[rule] = BoundRule(known.created, known.updated if bindings == known.bindings else now, bindings)
    return _entry(name, content, rules, origin)


def restore_brand(name: str, value: Json) -> BrandEntry:
    """A brand as a journal has it."""
    rules = {
        rule: BoundRule(parse_timestamp(bound["createTime"]), parse_timestamp(bound["updateTime"]), bound["bindings"])
        for rule, bound in value["rules"].items()
    }
    return _entry(name, value["content"], rules, Origin.from_json(value))


def _entry(name: str, content: Json, rules: Mapping[str, BoundRule], origin: Origin) -> BrandEntry:
    brand = cast("Brand", validate({"name": name, **content}, Brand).node)
    return BrandEntry(brand, content, to_document(BRAND.name, name, content), rules, origin)


def with_full_names(name: str, content: Json, names: ConfigNames) -> Json:
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
        return result

    full = full_level(content)
    if "stores" in content:
        full["stores"] = [
            {**full_level(store), "name": _store_name(name, written)}
            if (written := store.get("name"))
            else full_level(store)
            for store in content["stores"]
        ]
    return full


def rule_name(rule: str, brand: str) -> str:
    """The resource name of a config application rule, which is distinguished within its brand."""
    return rule if matches_pattern(rule, pattern=RULE_FORMAT) else f"{brand}/configApplicationRules/{last_id(rule)}"


def _store_name(brand: str, written: str) -> str:
    if matches_pattern(written, pattern=STORE.format) and parent_name(written) == brand:
        return written
    return f"{brand}/stores/{last_id(written)}"


def _bindings_by_rule(name: str, content: Json) -> dict[str, list[Json]]:
    """The bindings of each rule of a brand, and of its stores, by the rule's resource name."""
    by_rule: dict[str, list[Json]] = {}
    for store, level in ((None, content), *((store.get("name"), store) for store in content.get("stores", ()))):
        for binding in level.get("bindings", ()):
            if rule := binding.get("rule"):
                by_rule.setdefault(rule_name(rule, name), []).append({**binding, "store": store})
    return by_rule


class BrandNames:
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


def declared_brands(catalog: BrandCatalog, location: str) -> Mapping[str, Json]:
    """The content of the brands of a workspace by resource name; of two with one name the first."""
    names = BrandNames(catalog, location)
    brands: dict[str, Json] = {}
    for declared in catalog.brands:
        name = names.full_name(declared.node.name or "")
        if name and name not in brands:
            brands[name] = settable_content(declared.node)
    return brands


def declared_menus(catalog: BrandCatalog, location: str) -> Mapping[str, Menu]:
    """The menus of a workspace by resource name; of two with one name the first, and none without a name.

    One whose document says an id alone is where its brand is.
    """
    names = BrandNames(catalog, location)
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
