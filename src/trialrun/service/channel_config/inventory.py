"""The configs and brands of a service: those of the workspace, and what requests made of them since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Store
from trialrun.runtime.channel_config.states import ConfigNames, ConfigUse, ConfigUses, config_uses
from trialrun.service.channel_config import brand, config_record
from trialrun.service.channel_config.brand import BrandEntry
from trialrun.service.channel_config.config_record import ConfigEntry
from trialrun.service.channel_config.kinds import BRAND, CONFIG, STORE
from trialrun.service.channel_config.parents import ParentResolver
from trialrun.service.error import ServiceError, Status
from trialrun.service.lint_request import Document, LintWarning, RequestLinter
from trialrun.service.resource_json import Json, settable_content
from trialrun.service.resource_names import find_resource, not_found, parent_name, require_name
from trialrun.values.resource_name import matches_pattern

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.clock import Clock


@dataclass(frozen=True)
class Inventory:
    """The configs and brands at one moment, and what these name: anyone who reads beside a change sees all of it, or
    none.

    A change makes another inventory.
    """

    configs: Mapping[str, ConfigEntry]
    brands: Mapping[str, BrandEntry]
    names: ConfigNames
    uses: ConfigUses

    def to_response(self, entry: ConfigEntry) -> ChannelConfig:
        """What a caller sees of a config."""
        return config_record.to_response(entry, self.uses.uses_of(entry.name), self.brands)


def build_inventory(configs: Mapping[str, ConfigEntry], brands: Mapping[str, BrandEntry]) -> Inventory:
    """The inventory of some configs and brands."""
    names = ConfigNames(configs)
    return Inventory(
        configs,
        brands,
        names,
        ConfigUses((use for brand_entry in brands.values() for use in config_uses(brand_entry.brand)), names),
    )


class Documents:
    """Configs and brands by their names, as the documents of a catalog declare them and as requests change them.

    Brands whose documents say an id alone are in `location` where nothing else tells.
    """

    def __init__(self, catalog: BrandCatalog, request_linter: RequestLinter, clock: Clock, location: str) -> None:
        self._clock = clock
        self._judge = request_linter
        now, homes = clock.now(), ParentResolver(catalog, location)
        configs = _configs(catalog, now)
        self._inventory = build_inventory(configs, _brands(catalog, ConfigNames(configs), homes, now))

    @property
    def configs(self) -> Mapping[str, ConfigEntry]:
        """All configs by name."""
        return self._inventory.configs

    @property
    def brands(self) -> Mapping[str, BrandEntry]:
        """All brands by name."""
        return self._inventory.brands

    def config(self, name: str, *, field: str = "name") -> ConfigEntry:
        """The config of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether it or its brand is missing."""
        return find_resource(name, self.configs, CONFIG, field=field, require_parent=self._require_brand)

    def brand(self, name: str, *, field: str = "name") -> BrandEntry:
        """The brand of a name. Raises INVALID_ARGUMENT and NOT_FOUND."""
        return find_resource(name, self.brands, BRAND, field=field, require_parent=lambda _: None)

    def store(self, name: str, *, field: str = "name") -> tuple[BrandEntry, Store]:
        """The store of a name, and its brand. Raises INVALID_ARGUMENT and NOT_FOUND."""
        require_name(name, pattern=STORE.format, field=field)
        of_brand = self.brands.get(parent_name(name))
        if of_brand is None:
            raise self._no_brand(parent_name(name))
        find_resource(name, of_brand.stores, STORE, field=field, require_parent=lambda _: None)
        return of_brand, of_brand.store(name)

    def configs_under(self, parent: str) -> list[ConfigEntry]:
        """The configs under a brand."""
        return [config for config in self.configs.values() if parent_name(config.name) == parent]

    def require_brand(self, name: str, *, field: str) -> None:
        """Refuse a name that is none of a brand, or of one that there is not."""
        require_name(name, pattern=BRAND.format, field=field)
        self._require_brand(name)

    def uses_of(self, name: str) -> Sequence[ConfigUse]:
        """What names a config."""
        return self._inventory.uses.uses_of(name)

    def to_response(self, entry: ConfigEntry) -> ChannelConfig:
        """What a caller sees of a config."""
        return self._inventory.to_response(entry)

    def responses_under(self, parent: str) -> Iterator[ChannelConfig]:
        """A consistent snapshot of the configs under a brand."""
        inventory = self._inventory
        yield from (
            inventory.to_response(config) for config in inventory.configs.values() if parent_name(config.name) == parent
        )

    def lint(
        self, document: Document, *, field: str, part: Path = (), status: Status = Status.INVALID_ARGUMENT
    ) -> list[LintWarning]:
        """What the linter remarks of a document beside all others. Raises ServiceError with its errors."""
        everything: list[ConfigEntry | BrandEntry] = [*self.configs.values(), *self.brands.values()]
        others = [entry.document for entry in everything if entry.document.path != document.path]
        return self._judge.check(document, others, field=field, part=part, status=status)

    def put_config(self, name: str, content: Json) -> ConfigEntry:
        """Add a config, or put its new content in place of the old."""
        entry = config_record.build_entry(name, content, self._clock.now(), self.configs.get(name))
        self._inventory = build_inventory({**self.configs, name: entry}, self.brands)
        return entry

    def promote(self, name: str) -> ConfigEntry:
        """Note that a config is promoted."""
        entry = self.configs[name].as_promoted(self._clock.now())
        self._inventory = build_inventory({**self.configs, name: entry}, self.brands)
        return entry

    def put_brand(self, name: str, content: Json) -> BrandEntry:
        """Add a brand, or put its new content in place of the old."""
        content = brand.with_full_names(name, content, self._inventory.names)
        entry = brand.build_entry(name, content, self._clock.now(), self.brands.get(name))
        self._inventory = build_inventory(self.configs, {**self.brands, name: entry})
        return entry

    def remove_config(self, name: str) -> None:
        """Forget a config."""
        self._inventory = build_inventory(
            {config_name: entry for config_name, entry in self.configs.items() if config_name != name}, self.brands
        )

    def remove_brand(self, name: str) -> None:
        """Forget a brand with its configs and its stores."""
        configs = {entry_name: entry for entry_name, entry in self.configs.items() if parent_name(entry_name) != name}
        self._inventory = build_inventory(
            configs, {entry_name: entry for entry_name, entry in self.brands.items() if entry_name != name}
        )

    def _require_brand(self, name: str) -> None:
        """A brand is there by its document, or by a config under it: brands may be kept elsewhere."""
        if name not in self.brands and not self.configs_under(name):
            raise self._no_brand(name)

    def _no_brand(self, name: str) -> ServiceError:
        return not_found(BRAND.name, name, {**self.brands, **dict.fromkeys(map(parent_name, self.configs))})


def _configs(catalog: BrandCatalog, now: datetime) -> dict[str, ConfigEntry]:
    """The configs of a workspace; of two with one name the first."""
    entries: dict[str, ConfigEntry] = {}
    for config in catalog.configs:
        name = config.node.name or ""
        if name not in entries and matches_pattern(name, pattern=CONFIG.format):
            entries[name] = config_record.build_entry(name, settable_content(config.node), now, None)
    return entries


def _brands(catalog: BrandCatalog, names: ConfigNames, homes: ParentResolver, now: datetime) -> dict[str, BrandEntry]:
    """The brands of a workspace; of two with one name the first."""
    entries: dict[str, BrandEntry] = {}
    for declared_resource in catalog.brands:
        name = homes.resolve(declared_resource.node)
        if name and name not in entries:
            content = brand.with_full_names(name, settable_content(declared_resource.node), names)
            entries[name] = brand.build_entry(name, content, now, None)
    return entries
