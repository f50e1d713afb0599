"""Description of configs by the stores at which they apply, through which binding, and where they are effective."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from trialrun.diagnostic import Range
from trialrun.lsp.describe import MAX_LISTED, code, plain, shortened
from trialrun.model.channel_config import ChannelConfig
from trialrun.report.format_value import format_wall_clock
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.active_config import merge_layers
from trialrun.runtime.channel_config.layers import (
    TYPES,
    ConfigUse,
    Layer,
    ResolvedType,
    UnappliedConfig,
    config_names,
    config_state,
    config_uses,
    layers,
    unapplied,
    uses_by_config,
)
from trialrun.runtime.channel_config.overlay import ListMerge, setters
from trialrun.runtime.declaration import BrandCatalog, DeclaredResource, DeclaredStore, UndeclaredError
from trialrun.runtime.options import runtime_options
from trialrun.values import time_zone
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import brands

Key = tuple[str, int, str]
"""Identifies a document: the path of its file, its index there, and the pointer to the resource."""


@dataclass(frozen=True, eq=False)
class ConfigOrder:
    """The configs of one type in the order of precedence, shared by stores; `layers` are those of the first store."""

    type: ResolvedType
    layers: Sequence[Layer]
    catalog: BrandCatalog
    lists: ListMerge

    @cached_property
    def effective(self) -> frozenset[int]:
        """The indexes of the layers that are not completely overridden."""
        tree = merge_layers(self.type, self.layers, self.catalog, lists=self.lists).tree
        left = {id(layer) for layer in setters(tree)} if tree else set()
        return frozenset(index for index, layer in enumerate(self.layers) if id(layer) in left)


@dataclass(frozen=True, eq=False)
class AppliedConfig:
    """A config that applies at a store, as a layer of its order of precedence."""

    store: DeclaredStore
    layer: Layer
    lineup: ConfigOrder
    index: int

    @property
    def is_effective(self) -> bool:
        """Whether later layers do not completely override it; computed on demand, once for all stores of the order."""
        return self.index in self.lineup.effective


def applied_configs(workspace: OpenWorkspace) -> Mapping[Key, Sequence[AppliedConfig]]:
    """By config, where it applies, in the order of the stores; computed once per catalog."""
    catalog = brands(workspace)
    made: dict[Key, list[AppliedConfig]] | None = catalog.cache.get("where configs apply")
    if made is None:
        made = catalog.cache["where configs apply"] = {}
        for applied_config in _everywhere(workspace, catalog):
            made.setdefault(document_key(applied_config.layer.config), []).append(applied_config)
    return made


def applied_by_binding(workspace: OpenWorkspace) -> Mapping[tuple[str, Range], Sequence[AppliedConfig]]:
    """By binding or default (its file and range), where it applies its config."""
    catalog = brands(workspace)
    made: dict[tuple[str, Range], list[AppliedConfig]] | None = catalog.cache.get("where bindings apply")
    if made is None:
        made = catalog.cache["where bindings apply"] = {}
        of_layers: dict[int, list[AppliedConfig]] = {}
        for applied_config in _everywhere(workspace, catalog):
            of_layers.setdefault(id(applied_config.layer), []).append(applied_config)
        for found in of_layers.values():
            layer = found[0].layer
            made.setdefault((layer.brand.path, layer.brand.locate(layer.place)), []).extend(found)
    return made


def document_key(config: DeclaredResource) -> Key:  # type: ignore[type-arg]
    """The key that identifies a document of the workspace."""
    return config.path, config.document, config.pointer


def effective_count(applied: Sequence[AppliedConfig]) -> str:
    """The number of stores at which something is effective: `1 store`, `12 stores` or `no store`."""
    return applied_count(applied_config for applied_config in applied if applied_config.is_effective)


def applied_count(applied: Iterable[AppliedConfig]) -> str:
    """The number of stores at which something applies; a store may have a config in several layers."""
    stores = {(one.store.brand.path, one.store.brand.document, one.store.index) for one in applied}
    return pluralize(len(stores), "store") if stores else "no store"


def stores_paragraphs(applied: Sequence[AppliedConfig], catalog: BrandCatalog) -> Iterator[str]:
    """The stores at which a config applies, grouped by level and binding, and what overrides it."""
    if not catalog.brands:
        yield "No Brand of the workspace says where this applies."
        return
    overwritten = any(not applied_config.is_effective for applied_config in applied)
    effective = f", effective at {effective_count(applied)}" if overwritten else ""
    yield f"Applies at {applied_count(applied)} of {len(catalog.stores)}{effective}."
    groups: dict[str, list[str]] = {}
    for applied_config in applied:
        words = _by(applied_config.layer) + _overwritten(applied_config)
        groups.setdefault(words, []).append(applied_config.store.name)
    lines = [f"- {words}: {_ids(names)}" for words, names in list(groups.items())[:MAX_LISTED]]
    if len(groups) > MAX_LISTED:
        lines.append(f"- and {len(groups) - MAX_LISTED} more")
    if lines:
        yield "\n".join(lines)


def binding_paragraphs(applied: Sequence[AppliedConfig]) -> Iterator[str]:
    """The stores at which one default or binding applies its config."""
    stores = [applied_config.store.name for applied_config in applied]
    yield f"Applies at {applied_count(applied)}{f': {_ids(stores)}' if applied else '.'}"


def _overwritten(applied_config: AppliedConfig) -> str:
    """The later configs of the same stores that completely override a config."""
    if applied_config.is_effective:
        return ""
    lineup = applied_config.lineup
    later = [lineup.layers[index] for index in sorted(lineup.effective) if index > applied_config.index]
    names = list(dict.fromkeys(code(last_id(layer.config.node.name or "")) for layer in later))
    return f", all of it overwritten{f' by {shortened(names)}' if names else ''}"


def _ids(names: Sequence[str]) -> str:
    """The ids of stores; long lists are cut."""
    return shortened([code(last_id(name)) for name in names])


def _by(layer: Layer | UnappliedConfig) -> str:
    """The level of a default or binding, with its rule and location."""
    rule = f" {code(layer.rule)}" if layer.rule else ""
    return f"{layer.level.replace('-', ' ')}{rule} ({code(f'{layer.brand.path}:{layer.line}')})"


def config_paragraphs(config: DeclaredResource[ChannelConfig], catalog: BrandCatalog) -> Iterator[str]:
    """A config where it is referenced: its display name, type, state and location."""
    node = config.node
    facts = [plain(node.displayName or ""), node.type or "", state_words(config, catalog)]
    where = code(f"{config.path}:{config.line('name')}")
    yield f"{code(last_id(node.name or ''))}: {', '.join(filter(None, [*facts, where]))}"


def state_words(config: DeclaredResource[ChannelConfig], catalog: BrandCatalog) -> str:
    """The state of a config that follows from its uses; files do not say whether it was promoted."""
    known: Mapping[str, Sequence[ConfigUse]] | None = catalog.cache.get("uses of configs")
    if known is None:
        names = config_names(config.node.name for config in catalog.configs if config.node.name)
        known = uses_by_config((use for brand in catalog.brands for use in config_uses(brand.node)), names)
        catalog.cache["uses of configs"] = known
    return config_state(known.get(config.node.name or "", ())) if catalog.brands else ""


def store_paragraphs(name: str, catalog: BrandCatalog, now: datetime) -> Iterator[str]:
    """A store: its display name, location and local time, and its configs; empty if there is no such store.

    The configs are in the order of precedence; defaults and bindings without effect come after them.
    """
    try:
        store = catalog.store(name)
    except UndeclaredError:
        return
    node, zone = store.store, store.store.timeZone
    local = now.astimezone(time_zone.load_zone(zone)) if zone in time_zone.zone_names() else None
    facts = [plain(node.displayName or ""), f"now {format_wall_clock(local, year=now.year)}" if local else ""]
    details = ", ".join(filter(None, facts))
    where = code(f"{store.brand.path}:{store.line}")
    yield f"{code(last_id(store.name))}: {f'{details} ({where})' if details else where}"
    applying = layers(store, catalog)
    end = "; later ones win:" if applying else "."
    yield f"{pluralize(len(applying), 'config')} applied at {code(last_id(store.name))}{end}"
    lines = [f"- {code(last_id(layer.config.node.name or ''))}: {_by(layer)}" for layer in applying]
    lines += [f"- nothing by the {_by(one)}: {plain(one.reason)}" for one in unapplied(store, catalog)]
    if lines:
        yield "\n".join(lines)


def tag_paragraphs(tag: str, catalog: BrandCatalog) -> Iterator[str]:
    """The stores that have a tag."""
    stores = [store.name for store in catalog.stores if tag in (store.store.tags or ())]
    if stores:
        yield f"{code(tag)}: {pluralize(len(stores), 'store')}, {_ids(stores)}"


def _everywhere(workspace: OpenWorkspace, catalog: BrandCatalog) -> Iterator[AppliedConfig]:
    """Every layer of every store."""
    lists = runtime_options(workspace.request.profiles.settings.runtime).list_merge
    known: dict[tuple[int, ...], ConfigOrder] = {}
    for store in catalog.stores:
        applying = layers(store, catalog)
        for type in TYPES:
            ours = [layer for layer in applying if layer.config.node.type == type]
            configs = tuple(id(layer.config) for layer in ours)
            lineup = known.setdefault(configs, ConfigOrder(type, ours, catalog, lists))
            yield from (AppliedConfig(store, layer, lineup, index) for index, layer in enumerate(ours))
