"""What differs at stores on both sides, and which of it a change is behind.

Effective fields differ, instructions and tools of the agent, and the order of upsells. Stores with the same configs on
both sides are looked at once, and those whose configs are the same on both sides not at all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from trialrun.changes.canonical import means_the_same, text_form
from trialrun.changes.compare import Difference, ResourcePair
from trialrun.diagnostic import Path
from trialrun.outputs.plan import MAX_STORES, EffectiveChange, Lines, StoreReach, UpsellOrder
from trialrun.runtime.channel_config.active_config import ActiveConfig, EffectiveConfig, Origin, merge_layers
from trialrun.runtime.channel_config.dialogue.instructions import instructions, tools
from trialrun.runtime.channel_config.equivalence import Difference as FieldDifference
from trialrun.runtime.channel_config.equivalence import differences_of_type, menu_of, sold_at
from trialrun.runtime.channel_config.layers import TYPES, Layer, ResolvedType, layers
from trialrun.runtime.channel_config.overlay import MERGE_KEYS, Plain
from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
from trialrun.runtime.options import Options
from trialrun.values.resource_name import is_same_resource

MAX_FIELDS = 50
"""Number of effective fields that are listed for a change."""
UPSELLS = ("operationsConfig", "upsellStrategy", "upsells")
AGENT_FIELDS: Sequence[tuple[str, ...]] = (
    ("tone",),
    ("supplementalInstructions",),
    ("operationsConfig", "interactionMode"),
    ("operationsConfig", "featuresConfig"),
    ("operationsConfig", "disambiguationStrategy"),
    ("operationsConfig", "upsellStrategy", "cateringGuidelines"),
    UPSELLS,
)
"""Fields that instructions and tools of the agent come from."""
WHOLE_CONFIG = frozenset({"config-added", "config-removed", "config-renamed", "config-type-changed"})
"""Changes of configs that may alter every field."""
FieldNames = tuple[str, ...]
AgentText = tuple[str, FieldNames]
"""An instruction or a tool of the agent, and the names of the fields that it comes from."""
AgentDifferences = Mapping[str, tuple[Sequence[AgentText], Sequence[AgentText]]]
"""The `instructions` and the `tools` that the agent loses, and those that it gains."""


@dataclass
class Shared:
    """What the groups of stores of one plan share: the texts of places, and differences that many have.

    `parts` are the differences of messages and lists, by the identity of both, which each comes from one place of one
    file, and `upsells` the orders of upsells by the identity of the effective configuration.
    """

    places: dict[tuple[int, Path], str] = field(default_factory=dict)
    fields: dict[str, EffectiveChange] = field(default_factory=dict)
    parts: dict[Hashable, tuple[FieldDifference, EffectiveChange]] = field(default_factory=dict)
    agents: dict[Hashable, AgentDifferences] = field(default_factory=dict)
    upsells: dict[int, FieldNames] = field(default_factory=dict)


@dataclass
class TypeDifferences:
    """What is effective of a type where the same configs of it apply before, and the same ones after.

    Groups of stores share it that differ in the configs of the other type alone.
    """

    before: EffectiveConfig
    after: EffectiveConfig
    shared: Shared

    @cached_property
    def fields(self) -> Sequence[EffectiveChange]:
        """The fields that differ, without stores; equal ones of several places are one object."""
        if self.before is self.after:
            return ()
        return list(self._different_meanings(differences_of_type(self.after.type, self.before.value, self.after.value)))

    def _different_meanings(self, found: Iterable[FieldDifference]) -> Iterator[EffectiveChange]:
        for one in found:
            key = (one.type, one.path, id(one.before), id(one.after))
            is_part = not any(isinstance(value, str | int | float) for value in (one.before, one.after))
            if is_part and key in self.shared.parts:  # the same parts of two files, at other stores
                yield self.shared.parts[key][1]
                continue
            if not means_the_same(one):
                effective = self._effective_change(one)
                effective = self.shared.fields.setdefault(repr(effective), effective)
                self.shared.parts[key] = one, effective
                yield effective

    def _effective_change(self, one: FieldDifference) -> EffectiveChange:
        first, second = one.first_pointer, one.second_pointer
        places = (
            "" if first is None else self._place(self.before.origin(first)),
            "" if second is None else self._place(self.after.origin(second)),
        )
        return EffectiveChange(one.type, one.path, one.before, one.after, *places, stores=(), count=0)

    def _place(self, origin: Origin) -> str:
        """The path and the line of an origin."""
        key = id(origin.config), origin.place.path
        if key not in self.shared.places:
            self.shared.places[key] = f"{origin.path}:{origin.line}"
        return self.shared.places[key]


@dataclass
class StoreDifferences:
    """Stores at which the same configs apply before, and the same ones after, and what differs there.

    `is_same_around`: the menu, when it is sold, and the types of sessions are the same on both sides.
    """

    names: list[str]
    layers_before: Sequence[Layer]
    layers_after: Sequence[Layer]
    before: ActiveConfig
    after: ActiveConfig
    types: Sequence[TypeDifferences]
    shared: Shared
    is_same_around: bool

    @cached_property
    def fields(self) -> Sequence[EffectiveChange]:
        """The fields that differ, without stores; equal ones of several groups are one object."""
        return [one for differences in self.types for one in differences.fields]

    @cached_property
    def agent(self) -> AgentDifferences:
        """What differs for the agent. It follows from the fields that differ, and from the types that have them."""
        paths = [one.path for one in self.fields]
        if not any(path[: len(names)] == names[: len(path)] for path in paths for names in AGENT_FIELDS):
            return {}
        heads = sorted({path[: 2 if path[0] == "operationsConfig" else 1] for path in paths})
        found = [config.source_of(*head) for head in heads for config in (self.before, self.after)]
        key = frozenset(map(id, self.fields)), tuple(source.type if source else None for source in found)
        if key not in self.shared.agents:
            configs = self.before, self.after
            told = [[(one.text, _names(one.origin)) for one in instructions(config)] for config in configs]
            able = [[(one.name, _names(one.origin)) for one in tools(config)] for config in configs]
            self.shared.agents[key] = {"instructions": _lost_and_gained(*told), "tools": _lost_and_gained(*able)}
        return self.shared.agents[key]

    @cached_property
    def upsells(self) -> tuple[FieldNames, FieldNames]:
        """The enabled upsells on both sides, in the order in which they are attempted."""
        return self._upsells(self.before), self._upsells(self.after)

    def _upsells(self, config: ActiveConfig) -> FieldNames:
        source, known = config.source_of("operationsConfig", "upsellStrategy"), self.shared.upsells
        if source is None:
            return ()
        if id(source) not in known:
            known[id(source)] = _upsells(source.value["operationsConfig"]["upsellStrategy"])
        return known[id(source)]


def _applied(layers: Iterable[Layer]) -> Sequence[tuple[str, int]]:
    """The levels and the configs that apply, by identity."""
    return tuple((layer.level, id(layer.config.node)) for layer in layers)


def _names(origin: Origin) -> FieldNames:
    return tuple(step for step in origin.place.path if isinstance(step, str))


def _lost_and_gained(
    before: Sequence[AgentText], after: Sequence[AgentText]
) -> tuple[Sequence[AgentText], Sequence[AgentText]]:
    texts_before, texts_after = ({text for text, _ in side} for side in (before, after))
    lost = [one for one in before if one[0] not in texts_after]
    return lost, [one for one in after if one[0] not in texts_before]


def _upsells(strategy: Plain) -> FieldNames:
    """The names of the enabled upsells by their priority, from plain values: building models takes long."""
    enabled = [upsell for upsell in strategy.get("upsells", ()) if not upsell.get("disabled")]
    ranked = sorted(enabled, key=lambda upsell: upsell.get("priority") or 0)
    return tuple(upsell.get("displayName") or f"priority {upsell.get('priority')}" for upsell in ranked)


class Stores:
    """The stores of both sides, and what differs there, in the order of the stores.

    It `is_certain` unless a part of a file could not be read, which may be of a brand or a config.
    """

    def __init__(self, before: BrandCatalog, after: BrandCatalog, options: Options) -> None:
        self.before, self.after, self._options = before, after, options
        self.is_certain = not before.unreadable_paths and not after.unreadable_paths
        self.names = list(dict.fromkeys(store.name for catalog in (before, after) for store in catalog.stores))
        self._shared = Shared()
        self._types: dict[Hashable, TypeDifferences] = {}
        self._used: set[str | None] = set()
        self._has_same_types = [one.node for one in before.schemas] == [one.node for one in after.schemas]
        self._has_same_documents = self._has_same_types and list(map(id, before.menus)) == list(map(id, after.menus))
        self._same_menus: dict[tuple[int, int], bool] = {}
        self._indexes: dict[Hashable, FieldIndex] = {}
        self._reaches: dict[Hashable, StoreReach] = {}
        self.differences = self._compare()

    def _compare(self) -> Sequence[StoreDifferences]:
        before, after = self.before, self.after
        earlier = {store.name: store for store in before.stores}
        groups: dict[Hashable, StoreDifferences] = {}
        # where brands and the names of configs with a type are the same, what applied follows from what applies
        outlines = [
            (
                list(map(id, catalog.brands)),
                [(config.node.name, config.node.type is None) for config in catalog.configs],
            )
            for catalog in (before, after)
        ]
        is_alike = outlines[0] == outlines[1]
        unchanged = {id(config.node) for config in before.configs} & {id(config.node) for config in after.configs}
        for store in after.stores:
            counterpart, now = earlier.pop(store.name, None), layers(store, after)
            applied = _applied(now)
            self._used.update(layer.config.node.name for layer in now)
            if counterpart is None:
                continue
            is_same_around = self._is_same_around(counterpart, store)
            then = None if is_alike else _applied(layers(counterpart, before))
            is_same = all(node in unchanged for _, node in applied) if is_alike else then == applied
            if is_same_around and is_same:
                continue
            key = then, applied, is_same_around
            if key not in groups:
                groups[key] = self._differences_at(counterpart, store, now, is_same_around=is_same_around)
            groups[key].names.append(store.name)
        self._used.update(layer.config.node.name for store in earlier.values() for layer in layers(store, before))
        return list(groups.values())

    def _is_same_around(self, earlier: DeclaredStore, store: DeclaredStore) -> bool:
        """Whether sessions have the same types, and the store sells the same at the same times, on both sides."""
        if self._has_same_documents and earlier.brand is store.brand:
            return True
        brands = id(earlier.brand), id(store.brand)
        if brands not in self._same_menus:
            self._same_menus[brands] = menu_of(earlier.brand, self.before) == menu_of(store.brand, self.after)
        is_same_menu = self._same_menus[brands] and sold_at(earlier, self.before) == sold_at(store, self.after)
        return self._has_same_types and is_same_menu

    def _differences_at(
        self, earlier: DeclaredStore, store: DeclaredStore, now: Sequence[Layer], *, is_same_around: bool
    ) -> StoreDifferences:
        then, draw = layers(earlier, self.before), self._options.message_draw
        self._used.update(layer.config.node.name for layer in then)
        types = {type: self._differences_of(type, then, now) for type in TYPES}
        before = ActiveConfig(earlier, {type: one.before for type, one in types.items()}, message_draw=draw)
        after = ActiveConfig(store, {type: one.after for type, one in types.items()}, message_draw=draw)
        return StoreDifferences([], then, now, before, after, list(types.values()), self._shared, is_same_around)

    def _differences_of(self, type: ResolvedType, then: Sequence[Layer], now: Sequence[Layer]) -> TypeDifferences:
        before, after = (_applied(layer for layer in side if layer.config.node.type == type) for side in (then, now))
        key = type, before, after
        if key not in self._types:
            lists = self._options.list_merge
            later = merge_layers(type, now, self.after, lists=lists)
            for layer in later.layers:  # the plain values of configs that both sides have need no second dump
                plain = "plain", id(layer.config)
                self.before.cache[plain] = self.after.cache[plain]
            earlier = later if before == after else merge_layers(type, then, self.before, lists=lists)
            self._types[key] = TypeDifferences(earlier, later, self._shared)
        return self._types[key]

    @cached_property
    def _groups_of_config(self) -> Mapping[str | None, Sequence[StoreDifferences]]:
        """The stores that differ, by the name of each config that applies there; of two of one name, none does."""
        groups: dict[str | None, list[StoreDifferences]] = {}
        for group in self.differences:
            for name in {layer.config.node.name for layer in (*group.layers_before, *group.layers_after)}:
                groups.setdefault(name, []).append(group)
        return groups

    def is_used(self, pair: ResourcePair) -> bool:
        """Whether any store has a config on either side."""
        return any(side.node.name in self._used for side in pair.sides)

    def reach(self, pair: ResourcePair, difference: Difference) -> StoreReach | None:
        """The stores that a difference reaches; None where it has nothing to do with stores."""
        if pair.kind == "ChannelConfig":
            return self._reach_of_config(pair, difference)
        return self._reach_of_brand(pair, difference) if pair.kind == "Brand" else None

    def _reach_of_config(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        types = {side.node.type for side in pair.sides}
        place = difference.place.after if difference.after is not None else difference.place.before
        names = tuple(step for step in place if isinstance(step, str))
        steps = _comparable(_merged_path(difference, place))
        if difference.type.id in WHOLE_CONFIG:
            names, steps = (), []
        key = (*(id(side.node) for side in pair.sides), frozenset(types), names, tuple(steps))
        if key not in self._reaches:
            index = self._index(pair)
            of_types = (one for one in index.fields.values() if one.change.type in types)
            found = [one for one in of_types if _is_below(one.path, steps)]
            self._reaches[key] = _collect(index, found, len(self.names), names)
        return self._reaches[key]

    def _index(self, pair: ResourcePair) -> FieldIndex:
        """What differs at the stores that a config applies at, by field; made once for all changes of the config."""
        key = tuple(side.node.name for side in pair.sides)
        if key not in self._indexes:
            sides = [self._groups_of_config.get(name, ()) for name in key]
            groups = {id(group): group for of_side in sides for group in of_side}.values()
            self._indexes = {key: FieldIndex((group, group.names) for group in groups)}  # changes come config by config
        return self._indexes[key]

    def _reach_of_brand(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        total, brands = len(self.names), {id(side) for side in pair.sides}
        stores = (*self.before.stores, *self.after.stores)
        own = {store.name for store in stores if id(store.brand) in brands}
        if pair.before is None or pair.after is None or difference.type.id == "brand-renamed":
            return StoreReach(len(own), total, sorted(own), (), (), (), ())
        store, spelled = _store_of(pair, difference), (difference.before, difference.after)
        if difference.is_implicit and all(isinstance(name, str) for name in spelled):
            brand = pair.resource.node.name
            meant = [[each.configs_named(name, brand=brand) for name in spelled] for each in (self.before, self.after)]
            if all(first == second for first, second in meant):
                return StoreReach(0, total, (), (), (), (), ())
        index = FieldIndex(
            (group, names)
            for group in self.differences
            if (names := [name for name in group.names if name in own and store in (None, name)])
            and (store is not None or _mentions(group, difference))
        )
        reach = _collect(index, list(index.fields.values()), total)
        return reach if store is None or reach.names else StoreReach(1, total, [store], (), (), (), ())


@dataclass
class FieldAtStores:
    """A field that differs, with its comparable path, and the numbers of the groups in which it does."""

    change: EffectiveChange
    path: Sequence[Hashable]
    groups: list[int] = field(default_factory=list)


class FieldIndex:
    """Groups of stores, each with the stores of it that are asked for, by the fields that differ there.

    A change is compared with each field once, in however many groups it differs.
    """

    def __init__(self, groups: Iterable[tuple[StoreDifferences, Sequence[str]]]) -> None:
        self.groups = [(group, names) for group, names in groups if group.fields]
        self.fields: dict[int, FieldAtStores] = {}
        self._names: dict[tuple[int, ...], Sequence[str]] = {}
        for number, (group, _) in enumerate(self.groups):
            for one in group.fields:
                if id(one) not in self.fields:
                    self.fields[id(one)] = FieldAtStores(one, _comparable(one.path))
                self.fields[id(one)].groups.append(number)

    def at_stores(self, one: FieldAtStores) -> EffectiveChange:
        """A field that differs, with its stores; fields that differ at the same ones share the list."""
        key = tuple(one.groups)
        if key not in self._names:
            self._names[key] = [name for number in key for name in self.groups[number][1]]
        return replace(one.change, stores=self._names[key], count=len(self._names[key]))


def _mentions(group: StoreDifferences, difference: Difference) -> bool:
    """Whether the configs of a group differ by a default or a binding that a difference of a brand is about."""
    before, after = (
        [(layer.level, layer.rule, layer.config.node.name) for layer in applied]
        for applied in (group.layers_before, group.layers_after)
    )
    if before == after:
        return False
    if set(before) == set(after):
        return difference.type.id.endswith("-reordered")
    texts = {text for text in (*difference.place.keys, difference.before, difference.after) if isinstance(text, str)}
    return any(
        rule in texts or (name is not None and any(is_same_resource(name, text) for text in texts))
        for _, rule, name in set(before) ^ set(after)
    )


def _store_of(pair: ResourcePair, difference: Difference) -> str | None:
    """The store that a difference of a brand is in; None for one that is about the brand."""
    for side, steps in ((pair.after, difference.place.after), (pair.before, difference.place.before)):
        if side and steps[:1] == ("stores",) and len(steps) > 1:
            stores, index = side.node.stores or (), steps[1]
            return stores[index].name if isinstance(index, int) and index < len(stores) else None
    return None


def _merged_path(difference: Difference, place: Path) -> FieldNames:
    """The path of a difference as effective configs have it, where most lists are one value."""
    if difference.type.id in ("upsell-renamed", "upsell-reordered"):
        return UPSELLS
    path: list[str] = []
    for number, key in enumerate(difference.place.keys):
        is_item = number < len(place) and isinstance(place[number], int)
        if is_item and (not path or path[-1] not in MERGE_KEYS):
            break
        path.append(key)
    return tuple(path)


def _is_below(path: Sequence[Hashable], steps: Sequence[Hashable]) -> bool:
    """Whether a comparable path is at, below or above that of a change."""
    length = min(len(path), len(steps))
    return path[:length] == steps[:length]


def _comparable(path: Sequence[str]) -> list[Hashable]:
    """A path with languages in their canonical form."""
    return [
        text_form("language-tag", step) if number and path[number - 1] == "greetings" else step
        for number, step in enumerate(path)
    ]


def _collect(index: FieldIndex, fields: Sequence[FieldAtStores], total: int, of_change: FieldNames = ()) -> StoreReach:
    """The reach of a change from the fields of an index that differ because of it.

    `of_change` are the names of the fields that lead to it: texts of the agent that come from other ones are not its.
    """
    texts: dict[str, dict[tuple[FieldNames, FieldNames], list[str]]] = {"instructions": {}, "tools": {}}
    orders: dict[tuple[FieldNames, FieldNames], list[str]] = {}
    groups = [index.groups[number] for number in sorted({number for one in fields for number in one.groups})]
    for group, names in groups:
        for kind, sides in group.agent.items():
            lost, gained = (
                tuple(text for text, steps in side if steps[: len(of_change)] == of_change[: len(steps)])
                for side in sides
            )
            if lost or gained:
                texts[kind].setdefault((lost, gained), []).extend(names)
        if group.upsells[0] != group.upsells[1] and (not of_change or of_change[:3] == UPSELLS):
            orders.setdefault(group.upsells, []).extend(names)
    lines = {
        kind: [Lines(*sides, names[:MAX_STORES], len(names)) for sides, names in found.items()]
        for kind, found in texts.items()
    }
    names = list(dict.fromkeys(name for _, names in groups for name in names))
    return StoreReach(
        len(names),
        total,
        names,
        [index.at_stores(one) for one in fields[:MAX_FIELDS]],
        lines["instructions"],
        lines["tools"],
        [UpsellOrder(*sides, names[:MAX_STORES], len(names)) for sides, names in orders.items()],
    )
