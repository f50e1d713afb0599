"""The configs and brands of a service at one moment: the documents of a workspace, and what clients made of configs.

A change makes another inventory, so that anyone who reads beside it sees all of it, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, cast

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import NAME_FORMAT, ChannelConfig
from trialrun.model.companion import Store
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.layers import ConfigNames, ConfigUses, config_state, config_uses
from trialrun.service.channel_config.brands import (
    BRAND,
    BY_DISPLAY_NAME,
    DISPLAY_NAME,
    STORE,
    BrandEntry,
    build_brand,
    declared_brands,
    restore_brand,
    rule_name,
    with_full_names,
)
from trialrun.service.error import ServiceError
from trialrun.service.filter import TextField, TimeField
from trialrun.service.journal import Journal, Record
from trialrun.service.lint_request import Document
from trialrun.service.listing import Collection, id_of, timestamp_key
from trialrun.service.message import parse_timestamp
from trialrun.service.origin import CREATED, Merge, Origin, document_digest, merge_documents
from trialrun.service.resource_json import Json, settable_content, to_document
from trialrun.service.resource_names import not_found, parent_name, require_name
from trialrun.values.resource_name import matches_pattern
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog

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
        "state": TextField(lambda config: config.state),
        "type": TextField(lambda config: config.type),
    },
    orders={
        "channel_config_id": id_of,
        "create_time": lambda config: timestamp_key(config.createTime),
        "update_time": lambda config: timestamp_key(config.updateTime),
        **BY_DISPLAY_NAME,
    },
    tie="channel_config_id",
)
DELETED_KIND = "deleted ChannelConfig or Brand"


@dataclass(frozen=True)
class ConfigEntry:
    """A config: what callers may set, the same as the linter takes it, its times, and whether it is promoted."""

    name: str
    content: Json
    document: Document
    created: datetime
    updated: datetime
    is_promoted: bool
    origin: Origin

    def to_record(self) -> Record:
        """The config as a journal keeps it."""
        value: Json = {
            "content": self.content,
            "createTime": format_timestamp(self.created),
            "updateTime": format_timestamp(self.updated),
            "isPromoted": self.is_promoted,
            **self.origin.to_json(),
        }
        return Record(CONFIG.name, self.name, value)


def build_config(name: str, content: Json, now: datetime, before: ConfigEntry | None, origin: Origin) -> ConfigEntry:
    """A config with some content, in place of another or new; one whose content changes is no longer promoted."""
    is_promoted = before is not None and before.is_promoted and before.content == content
    created = before.created if before else now
    return ConfigEntry(name, content, to_document(CONFIG.name, name, content), created, now, is_promoted, origin)


def _restore_config(name: str, value: Json) -> ConfigEntry:
    content = value["content"]
    created, updated = parse_timestamp(value["createTime"]), parse_timestamp(value["updateTime"])
    document, origin = to_document(CONFIG.name, name, content), Origin.from_json(value)
    return ConfigEntry(name, content, document, created, updated, value["isPromoted"], origin)


@dataclass(frozen=True)
class Inventory:
    """The configs and brands by name; `deleted` has those of files that a client deleted."""

    configs: Mapping[str, ConfigEntry]
    brands: Mapping[str, BrandEntry]
    deleted: Mapping[str, Origin]

    @cached_property
    def names(self) -> ConfigNames:
        """What the names of configs mean."""
        return ConfigNames(self.configs)

    @cached_property
    def uses(self) -> ConfigUses:
        """Which brands and stores name which configs."""
        return ConfigUses((use for entry in self.brands.values() for use in config_uses(entry.brand)), self.names)

    @property
    def entries(self) -> Mapping[str, ConfigEntry | BrandEntry]:
        """All configs and brands; no name of one is a name of the other."""
        return {**self.configs, **self.brands}

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Where configs and brands are from, the deleted ones too."""
        return {**self.deleted, **{name: entry.origin for name, entry in self.entries.items()}}

    def with_config(self, entry: ConfigEntry) -> Inventory:
        """The inventory with a config that is new or changed."""
        deleted = {name: origin for name, origin in self.deleted.items() if name != entry.name}
        return Inventory({**self.configs, entry.name: entry}, self.brands, deleted)

    def with_content(self, name: str, content: Json, now: datetime) -> Inventory:
        """The inventory after a client gave a config this content, in place of what it had or new."""
        origin = self.origins.get(name, CREATED).as_changed()
        return self.with_config(build_config(name, content, now, self.configs.get(name), origin))

    def without_config(self, name: str) -> Inventory:
        """The inventory after a client deleted a config; one from a file stays deleted until its document changes."""
        origin = self.configs[name].origin
        configs = {key: entry for key, entry in self.configs.items() if key != name}
        return Inventory(
            configs, self.brands, {**self.deleted, name: origin.as_changed()} if origin.document else self.deleted
        )

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
        used = self.uses.uses_of(config.name)
        outputs: Json = {
            "name": config.name,
            "createTime": format_timestamp(config.created),
            "updateTime": format_timestamp(config.updated),
            "state": config_state(used, is_promoted=config.is_promoted),
        }
        rules: dict[str, Json] = {}
        for use in used:
            brand = self.brands.get(use.brand or "")
            if brand is not None and use.rule:
                name = rule_name(use.rule, brand.name)
                rules.setdefault(name, {"name": name, **brand.rules[name].to_json()})
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
    """The inventory that a journal has. Raises JournalError."""
    return Inventory(
        {name: _restore_config(name, value) for name, value in journal.read(CONFIG.name)},
        {name: restore_brand(name, value) for name, value in journal.read(BRAND.name)},
        {name: Origin.from_json(value) for name, value in journal.read(DELETED_KIND)},
    )


def differences(before: Inventory, after: Inventory) -> Iterator[Record]:
    """The records that make one inventory of another."""
    for kind, known, now in (
        (CONFIG.name, before.configs, after.configs),
        (BRAND.name, before.brands, after.brands),
        (DELETED_KIND, before.deleted, after.deleted),
    ):
        yield from (Record(kind, name, None) for name in known if name not in now)
    known_entries = before.entries
    for name, entry in after.entries.items():
        old = known_entries.get(name)
        if old is not entry and (old is None or old.to_record() != entry.to_record()):
            yield entry.to_record()
    for name, origin in after.deleted.items():
        if before.deleted.get(name) != origin:
            yield Record(DELETED_KIND, name, origin.to_json())


def merge_catalog(
    before: Inventory, catalog: BrandCatalog, location: str, now: datetime, *, is_complete: bool
) -> tuple[Inventory, Merge]:
    """The inventory with the documents of a catalog, and what became of resources.

    Brands whose documents say an id alone are in `location` where nothing else tells.
    """
    declared, brand_contents = _declared_configs(catalog), declared_brands(catalog, location)
    documents = {name: document_digest(content) for name, content in {**declared, **brand_contents}.items()}
    merged = merge_documents(documents, before.origins, is_complete=is_complete)
    configs = {name: entry for name, entry in before.configs.items() if name not in merged.removed}
    brands = {name: entry for name, entry in before.brands.items() if name not in merged.removed}
    for name in merged.taken:
        if name in declared:
            known, origin = configs.get(name), Origin(documents[name])
            if known is not None and known.content == declared[name]:  # as its document says: it is not updated
                configs[name] = replace(known, origin=origin)
            else:
                configs[name] = build_config(name, declared[name], now, known, origin)
    names = ConfigNames(configs)
    for name, content in brand_contents.items():
        if name in merged.taken or (name in brands and not brands[name].origin.is_changed):
            full = with_full_names(name, content, names)
            brands[name] = build_brand(name, full, now, brands.get(name), Origin(documents[name]))
    settled = {*merged.taken, *merged.removed}
    after = Inventory(configs, brands, {name: one for name, one in before.deleted.items() if name not in settled})
    old, new = before.entries, after.entries
    same = {name for name in merged.taken if name in old and old[name].content == new[name].content}
    return after, merged.adopting(same)


def _declared_configs(catalog: BrandCatalog) -> Mapping[str, Json]:
    """The content of the configs of a workspace by name; of two with one name the first."""
    configs: dict[str, Json] = {}
    for config in catalog.configs:
        name = config.node.name or ""
        if name not in configs and matches_pattern(name, pattern=CONFIG.format):
            configs[name] = settable_content(config.node)
    return configs
