"""The configs and brands of a service: those of the workspace, and what requests made of them since."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Store
from trialrun.runtime.channel_config.states import ConfigNames, ConfigUse, ConfigUses, config_uses
from trialrun.service.channel_config import brand, config_record
from trialrun.service.channel_config.brand import BrandEntry
from trialrun.service.channel_config.config_record import ConfigEntry
from trialrun.service.channel_config.kinds import BRAND, CONFIG, STORE
from trialrun.service.error import ServiceError, Status
from trialrun.service.journal import Journal, Record
from trialrun.service.lint_request import Document, LintWarning, RequestLinter
from trialrun.service.origin import CREATED, Origin
from trialrun.service.resource_json import Json
from trialrun.service.resource_names import find_resource, not_found, parent_name, require_name

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.runtime.clock import Clock


@dataclass(frozen=True)
class Inventory:
    """The configs and brands at one moment, and what these name: anyone who reads beside a change sees all of it, or
    none.

    A change makes another inventory. `deleted` has configs and brands of files that a client deleted.
    """

    configs: Mapping[str, ConfigEntry]
    brands: Mapping[str, BrandEntry]
    deleted: Mapping[str, Origin]
    names: ConfigNames
    uses: ConfigUses

    @property
    def entries(self) -> Mapping[str, ConfigEntry | BrandEntry]:
        """All configs and brands; no name of one is a name of the other."""
        return {**self.configs, **self.brands}

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Where configs and brands are from, the deleted ones too."""
        return {**self.deleted, **{name: entry.origin for name, entry in self.entries.items()}}

    def with_entries(self, entries: Iterable[ConfigEntry | BrandEntry]) -> Inventory:
        """The inventory with configs and brands that are new or changed."""
        entries = [*entries]
        configs = {entry.name: entry for entry in entries if isinstance(entry, ConfigEntry)}
        brands = {entry.name: entry for entry in entries if isinstance(entry, BrandEntry)}
        deleted = {name: origin for name, origin in self.deleted.items() if name not in {**configs, **brands}}
        return build_inventory({**self.configs, **configs}, {**self.brands, **brands}, deleted)

    def without(self, names: Collection[str], *, is_by_client: bool) -> Inventory:
        """The inventory without configs and brands; those of files stay deleted where a client deletes them."""
        gone = {name: origin.as_changed() for name, origin in self.origins.items() if name in names and origin.document}
        return build_inventory(
            {name: entry for name, entry in self.configs.items() if name not in names},
            {name: entry for name, entry in self.brands.items() if name not in names},
            {name: origin for name, origin in self.deleted.items() if name not in names}
            | (gone if is_by_client else {}),
        )

    def to_response(self, entry: ConfigEntry) -> ChannelConfig:
        """What a caller sees of a config."""
        return config_record.to_response(entry, self.uses.uses_of(entry.name), self.brands)


def build_inventory(
    configs: Mapping[str, ConfigEntry], brands: Mapping[str, BrandEntry], deleted: Mapping[str, Origin]
) -> Inventory:
    """The inventory of some configs and brands."""
    names = ConfigNames(configs)
    uses = ConfigUses((use for brand_entry in brands.values() for use in config_uses(brand_entry.brand)), names)
    return Inventory(configs, brands, deleted, names, uses)


def read_inventory(journal: Journal) -> Inventory:
    """The inventory that a journal has. Raises StoreError."""
    return build_inventory(
        {name: config_record.restore_entry(name, value) for name, value in journal.read(CONFIG.name)},
        {name: brand.restore_entry(name, value) for name, value in journal.read(BRAND.name)},
        {name: Origin.from_json(value) for name, value in journal.read(DELETED_KIND)},
    )


DELETED_KIND = "deleted ChannelConfig or Brand"


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


class Documents:
    """Configs and brands by their names, for one request: what it changes, others see when the service commits it."""

    def __init__(self, inventory: Inventory, request_linter: RequestLinter, clock: Clock) -> None:
        self._clock = clock
        self._judge = request_linter
        self._inventory = inventory

    @property
    def inventory(self) -> Inventory:
        """What there is now."""
        return self._inventory

    def draft(self) -> Documents:
        """The same, to be changed by a request while others see what was before."""
        return Documents(self._inventory, self._judge, self._clock)

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
        origin = self._inventory.origins.get(name, CREATED).as_changed()
        entry = config_record.build_entry(name, content, self._clock.now(), self.configs.get(name), origin)
        self._inventory = self._inventory.with_entries([entry])
        return entry

    def promote(self, name: str) -> ConfigEntry:
        """Note that a config is promoted."""
        entry = self.configs[name].as_promoted(self._clock.now())
        self._inventory = self._inventory.with_entries([entry])
        return entry

    def put_brand(self, name: str, content: Json) -> BrandEntry:
        """Add a brand, or put its new content in place of the old."""
        content = brand.with_full_names(name, content, self._inventory.names)
        origin, before = self._inventory.origins.get(name, CREATED).as_changed(), self.brands.get(name)
        declared = before.declared_stores if before else ()
        entry = brand.build_entry(name, content, self._clock.now(), before, origin=origin, declared_stores=declared)
        self._inventory = self._inventory.with_entries([entry])
        return entry

    def remove_config(self, name: str) -> None:
        """Forget a config; one from a file stays deleted until its document changes."""
        self._inventory = self._inventory.without([name], is_by_client=True)

    def remove_brand(self, name: str) -> None:
        """Forget a brand with its configs and its stores."""
        names = {name, *(config.name for config in self.configs_under(name))}
        self._inventory = self._inventory.without(names, is_by_client=True)

    def _require_brand(self, name: str) -> None:
        """A brand is there by its document, or by a config under it: brands may be kept elsewhere."""
        if name not in self.brands and not self.configs_under(name):
            raise self._no_brand(name)

    def _no_brand(self, name: str) -> ServiceError:
        return not_found(BRAND.name, name, {**self.brands, **dict.fromkeys(map(parent_name, self.configs))})
