"""What differs at stores: effective fields, instructions and tools of the agent, and the order of upsells.

Stores with the same configs on both sides are looked at once, and those whose configs are the same on both sides not at
all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from trialrun.changes.canonical import FORMS
from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.resolve import value_at
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.runtime.channel_config.dialogue.instructions import instructions, tools
from trialrun.runtime.channel_config.effective import Origin
from trialrun.runtime.channel_config.equivalence import Difference, differences
from trialrun.runtime.channel_config.layers import Layer, ResolvedType, layers
from trialrun.runtime.options import Options

KEYED_FORMS: Mapping[str, str] = {
    "conditionExpression": "cel-condition",
    "defaultLanguageCode": "language-tag",
    "languageCode": "language-tag",
}
"""Fields whose texts may differ and mean the same, with their formats."""
AGENT_FIELDS: Sequence[tuple[str, ...]] = (
    ("tone",),
    ("supplementalInstructions",),
    ("operationsConfig", "interactionMode"),
    ("operationsConfig", "featuresConfig"),
    ("operationsConfig", "disambiguationStrategy"),
    ("operationsConfig", "upsellStrategy", "cateringGuidelines"),
    ("operationsConfig", "upsellStrategy", "upsells"),
)
"""Fields that instructions and tools of the agent come from."""
FieldNames = tuple[str, ...]


@dataclass(frozen=True)
class FieldDifference:
    """A field whose effective value differs; upsells and greetings are by name, origins are path and line."""

    type: ResolvedType
    path: tuple[str, ...]
    before: Any
    after: Any
    origin_before: str
    origin_after: str


@dataclass(frozen=True)
class AgentText:
    """An instruction or a tool of the agent, and the names of the fields that it comes from."""

    text: str
    fields: FieldNames


AgentDifferences = Mapping[str, tuple[Sequence[AgentText], Sequence[AgentText]]]
"""The `instructions` and the `tools` that the agent loses, and those that it gains."""


@dataclass
class Shared:
    """What the groups of stores of one plan share: the texts of places, and differences that many have."""

    places: dict[tuple[int, Path], str] = field(default_factory=dict)
    fields: dict[str, FieldDifference] = field(default_factory=dict)
    agents: dict[Hashable, AgentDifferences] = field(default_factory=dict)


@dataclass
class StoreDifferences:
    """Stores at which the same configs apply before, and the same ones after, and what differs there."""

    names: list[str]
    layers_before: Sequence[Layer]
    layers_after: Sequence[Layer]
    before: ActiveConfig
    after: ActiveConfig
    shared: Shared

    @cached_property
    def nodes(self) -> frozenset[int]:
        """The identities of the configs that apply on either side."""
        return frozenset(id(layer.config.node) for layer in (*self.layers_before, *self.layers_after))

    @cached_property
    def fields(self) -> Sequence[FieldDifference]:
        """The fields that differ; equal ones of several groups are one object."""
        found = (self._field(difference) for difference in differences(self.before, self.after))
        return [self.shared.fields.setdefault(repr(one), one) for one in found if not _means_the_same(one)]

    def _field(self, difference: Difference) -> FieldDifference:
        first, second = difference.first_pointer, difference.second_pointer
        kind = difference.type
        return FieldDifference(
            kind,
            difference.path,
            None if first is None else value_at(self.before, kind, first),
            None if second is None else value_at(self.after, kind, second),
            "" if first is None else self._place(self.before.types[kind].origin(first)),
            "" if second is None else self._place(self.after.types[kind].origin(second)),
        )

    def _place(self, origin: Origin) -> str:
        """The path and the line of an origin."""
        key = id(origin.config), origin.place.path
        if key not in self.shared.places:
            self.shared.places[key] = f"{origin.path}:{origin.line}"
        return self.shared.places[key]

    @cached_property
    def agent(self) -> AgentDifferences:
        """What differs for the agent. It follows from the fields that differ, and from the types that have them."""
        if not any(_concerns_agent(one.path) for one in self.fields):
            return {}
        heads = sorted({one.path[: 2 if one.path[0] == "operationsConfig" else 1] for one in self.fields})
        found = [config.source_of(*head) for head in heads for config in (self.before, self.after)]
        sources = tuple(source.type if source else None for source in found)
        key = (frozenset(map(id, self.fields)), sources)
        if key not in self.shared.agents:
            self.shared.agents[key] = _agent_differences(self.before, self.after)
        return self.shared.agents[key]

    @cached_property
    def upsells(self) -> tuple[Sequence[str], Sequence[str]]:
        """The enabled upsells on both sides, in the order in which they are attempted."""
        return _upsells(self.before), _upsells(self.after)


def _concerns_agent(path: Sequence[str]) -> bool:
    """Whether an instruction or a tool may come from a field."""
    return any(tuple(path[: len(fields)]) == fields[: len(path)] for fields in AGENT_FIELDS)


def _agent_differences(before: ActiveConfig, after: ActiveConfig) -> AgentDifferences:
    told = [[AgentText(one.text, _names(one.origin)) for one in instructions(config)] for config in (before, after)]
    able = [[AgentText(one.name, _names(one.origin)) for one in tools(config)] for config in (before, after)]
    return {"instructions": _lost_and_gained(*told), "tools": _lost_and_gained(*able)}


def _means_the_same(one: FieldDifference) -> bool:
    form = FORMS.get(KEYED_FORMS.get(one.path[-1], ""))
    if form is None or not (isinstance(one.before, str) and isinstance(one.after, str)):
        return False
    return form(one.before) == form(one.after)


def _names(origin: Origin) -> FieldNames:
    return tuple(step for step in origin.place.path if isinstance(step, str))


def _lost_and_gained(
    before: Sequence[AgentText], after: Sequence[AgentText]
) -> tuple[Sequence[AgentText], Sequence[AgentText]]:
    texts_before, texts_after = {one.text for one in before}, {one.text for one in after}
    return (
        [one for one in before if one.text not in texts_after],
        [one for one in after if one.text not in texts_before],
    )


def _upsells(config: ActiveConfig) -> Sequence[str]:
    """The names of the enabled upsells by their priority, from plain values: building models takes long."""
    source = config.source_of("operationsConfig", "upsellStrategy")
    upsells = source.value["operationsConfig"]["upsellStrategy"].get("upsells", ()) if source else ()
    enabled = [upsell for upsell in upsells if not upsell.get("disabled")]
    ranked = sorted(enabled, key=lambda upsell: upsell.get("priority") or 0)
    return [upsell.get("displayName") or f"priority {upsell.get('priority')}" for upsell in ranked]


def compare_stores(
    before: BrandCatalog, after: BrandCatalog, options: Options
) -> tuple[Sequence[StoreDifferences], Collection[int]]:
    """What differs at the stores of both sides whose configs are not the same, in the order of the stores.

    With the identities of all configs that apply at any store of either side.
    """
    earlier = {store.name: store for store in before.stores}
    groups: dict[Hashable, StoreDifferences] = {}
    shared = Shared()
    earlier_layers = _layers_lookup(before, after)
    used: set[int] = set()
    for store in after.stores:
        counterpart, now = earlier.pop(store.name, None), layers(store, after)
        then = earlier_layers(counterpart, now) if counterpart else ()
        used.update(id(layer.config.node) for applied in ({id(now): now, id(then): then}).values() for layer in applied)
        keys = _layer_key(then), _layer_key(now)
        if counterpart is None or keys[0] == keys[1]:
            continue
        if keys in groups:
            groups[keys].names.append(store.name)
        else:
            later = resolve_active_config(store, after, options)
            _share_plain_configs(after, before, now)
            earlier_config = resolve_active_config(counterpart, before, options)
            groups[keys] = StoreDifferences([store.name], then, now, earlier_config, later, shared)
    used.update(id(layer.config.node) for store in earlier.values() for layer in layers(store, before))
    return list(groups.values()), used


def _share_plain_configs(catalog: BrandCatalog, other: BrandCatalog, applied: Sequence[Layer]) -> None:
    """Keep the plain values of configs for another catalog: those of configs that both have need no second dump."""
    for layer in applied:
        key = ("plain", id(layer.config))
        if key in catalog.cache:
            other.cache[key] = catalog.cache[key]


def _layers_lookup(
    before: BrandCatalog, after: BrandCatalog
) -> Callable[[DeclaredStore, Sequence[Layer]], Sequence[Layer]]:
    """A function from a store of the earlier side, and its later configs, to its earlier configs.

    Where brands and names of configs are the same, the configs are those of the same places: a store whose configs did
    not change needs no second look.
    """
    same_brands = [id(brand) for brand in before.brands] == [id(brand) for brand in after.brands]
    same_names = [config.node.name for config in before.configs] == [config.node.name for config in after.configs]
    unchanged = {id(config.node) for config in before.configs} & {id(config.node) for config in after.configs}

    def earlier_layers(store: DeclaredStore, now: Sequence[Layer]) -> Sequence[Layer]:
        if same_brands and same_names and all(id(layer.config.node) in unchanged for layer in now):
            return now
        return layers(store, before)

    return earlier_layers


def _layer_key(applied: Sequence[Layer]) -> Hashable:
    return tuple((layer.level, id(layer.config.node)) for layer in applied)
