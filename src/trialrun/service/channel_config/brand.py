"""A brand of the service: its document with all names in full, and since when which rule binds what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from trialrun.lazy_dataclass import dataclass
from trialrun.model.companion import Brand, Store
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.states import ConfigNames
from trialrun.service.channel_config.kinds import BRAND, RULE_FORMAT, STORE
from trialrun.service.error import invalid_argument
from trialrun.service.journal import Record
from trialrun.service.lint_request import Document
from trialrun.service.message import parse_timestamp
from trialrun.service.origin import CREATED, Origin
from trialrun.service.resource_json import Json, to_document
from trialrun.service.resource_names import parent_name
from trialrun.values.resource_name import last_id, matches_pattern
from trialrun.values.timestamp import format_timestamp


@dataclass(frozen=True)
class BoundRule:
    """A config application rule of a brand: when it was first bound, when its bindings last changed, and these."""

    created: datetime
    updated: datetime
    bindings: list[Json]

    def to_json(self) -> Json:
        """The rule as a journal keeps it."""
        return {
            "createTime": format_timestamp(self.created),
            "updateTime": format_timestamp(self.updated),
            "bindings": self.bindings,
        }


@dataclass(frozen=True)
class BrandEntry:
    """A brand: what a caller sees of it, what callers may set, the same as the linter takes it, and its rules.

    `declared_stores` are the resource names of the stores that its document in a file has.
    """

    brand: Brand
    content: Json
    document: Document
    rules: Mapping[str, BoundRule]
    origin: Origin = CREATED
    declared_stores: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The resource name."""
        return self.brand.name or ""

    def to_record(self) -> Record:
        """The brand as a journal keeps it."""
        value: Json = {
            "content": self.content,
            "rules": {name: rule.to_json() for name, rule in self.rules.items()},
            "declaredStores": [*self.declared_stores],
            **self.origin.to_json(),
        }
        return Record(BRAND.name, self.name, value)

    def created_stores(self) -> list[Json]:
        """The stores that clients created."""
        stores: list[Json] = self.content.get("stores", [])
        return [store for store in stores if store.get("name") not in self.declared_stores]

    @cached_property
    def stores(self) -> Mapping[str, int]:
        """Where each store is in the list, by its resource name; of two that share one the first."""
        positions: dict[str, int] = {}
        for index, store in enumerate(self.brand.stores or ()):
            if store.name:
                positions.setdefault(store.name, index)
        return positions

    def store(self, name: str) -> Store:
        """The store of a resource name that is there."""
        stores = self.brand.stores or ()
        return stores[self.stores[name]]


def build_entry(
    name: str,
    content: Json,
    now: datetime,
    before: BrandEntry | None,
    *,
    origin: Origin = CREATED,
    declared_stores: Sequence[str] = (),
) -> BrandEntry:
    """A brand with some content, in which all names are in full, in place of another or new."""
    previous_rules = before.rules if before else {}
    rules = {
        rule: _updated_rule(bindings, now, previous_rules.get(rule))
        for rule, bindings in _bindings_by_rule(name, content).items()
    }
    return _entry(name, content, rules, origin, declared_stores)


def restore_entry(name: str, value: Json) -> BrandEntry:
    """A brand as a journal has it."""
    rules = {
        rule: BoundRule(parse_timestamp(bound["createTime"]), parse_timestamp(bound["updateTime"]), bound["bindings"])
        for rule, bound in value["rules"].items()
    }
    return _entry(name, value["content"], rules, Origin.from_json(value), value["declaredStores"])


def _entry(
    name: str, content: Json, rules: Mapping[str, BoundRule], origin: Origin, declared_stores: Sequence[str]
) -> BrandEntry:
    brand = cast("Brand", validate({"name": name, **content}, Brand).node)
    return BrandEntry(brand, content, to_document(BRAND.name, name, content), rules, origin, tuple(declared_stores))


def with_created_stores(content: Json, before: BrandEntry | None) -> Json:
    """The content of a brand's document with the stores that clients created beside."""
    stores: list[Json] = content.get("stores", [])
    names = {store.get("name") for store in stores}
    created = [store for store in before.created_stores() if store.get("name") not in names] if before else []
    return {**content, "stores": [*stores, *created]} if created else content


def with_full_names(name: str, content: Json, names: ConfigNames) -> Json:
    """The content of a brand with its stores and the configs that it names by their resource names.

    A name that means no config, or several, stays as it is written.
    """

    def full_name(written: str) -> str:
        resolved = names.resolve(written, name)
        return resolved[0] if len(resolved) == 1 else written

    stores = [
        {**_with_full_config_names(store, full_name), **_full_name_field(name, store.get("name"))}
        for store in content.get("stores", ())
    ]
    return {**_with_full_config_names(content, full_name), **({"stores": stores} if "stores" in content else {})}


def rule_name(rule: str, brand: str) -> str:
    """The resource name of a config application rule, which is distinguished within its brand."""
    return rule if matches_pattern(rule, pattern=RULE_FORMAT) else f"{brand}/configApplicationRules/{last_id(rule)}"


def require_own_stores(name: str, content: Json) -> None:
    """Refuse stores that are another brand's, and a name that two of them share. Raises INVALID_ARGUMENT."""
    taken: set[str] = set()
    for index, store in enumerate(content.get("stores", ())):
        field, written = f"brand.stores[{index}].name", store.get("name")
        if not written:  # the settings may allow it
            continue
        full = _store_name(name, written)
        if "/" in written and written != full:
            message = f'"{written}" is not the name of a store of this brand; write "{last_id(written)}", or {full}'
            raise invalid_argument(field, "invalid-resource-name", message)
        if full in taken:
            message = f'the name "{last_id(full)}" is already taken by another store of the list; give each its own'
            raise invalid_argument(field, "duplicate-resource-name", message)
        taken.add(full)


def _full_name_field(brand: str, written: str | None) -> Json:
    return {"name": _store_name(brand, written)} if written else {}


def _store_name(brand: str, written: str) -> str:
    if matches_pattern(written, pattern=STORE.format) and parent_name(written) == brand:
        return written
    return f"{brand}/stores/{last_id(written)}"


def _with_full_config_names(level: Json, full_name: Callable[[str], str]) -> Json:
    """A brand or a store with the configs of its defaults and bindings by their resource names."""
    result = dict(level)
    if "defaults" in level:
        result["defaults"] = [full_name(config_name) for config_name in level["defaults"]]
    if "bindings" in level:
        result["bindings"] = [_binding_with_full_name(config_name, full_name) for config_name in level["bindings"]]
    return result


def _binding_with_full_name(binding: Json, full_name: Callable[[str], str]) -> Json:
    config = binding.get("channelConfig")
    return {**binding, "channelConfig": full_name(config)} if config else binding


def _bindings_by_rule(name: str, content: Json) -> dict[str, list[Json]]:
    """The bindings of each rule of a brand, and of its stores, by the rule's resource name."""
    by_rule: dict[str, list[Json]] = {}
    for store, binding in _all_bindings(content):
        if rule := binding.get("rule"):
            by_rule.setdefault(rule_name(rule, name), []).append({**binding, "store": store})
    return by_rule


def _all_bindings(content: Json) -> Iterator[tuple[str | None, Json]]:
    levels: list[tuple[Any, Json]] = [(None, content)]
    levels += [(store.get("name"), store) for store in content.get("stores", ())]
    for store, level in levels:
        for binding in level.get("bindings", ()):
            yield store, binding


def _updated_rule(bindings: list[Json], now: datetime, before: BoundRule | None) -> BoundRule:
    if before is None:
        return BoundRule(now, now, bindings)
    return BoundRule(before.created, before.updated if bindings == before.bindings else now, bindings)
