"""Which of the differences at stores a change is behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from trialrun.changes.canonical import language
from trialrun.changes.change import EffectiveField, StoreReach, TextDifference, UpsellOrder
from trialrun.changes.compare import Difference
from trialrun.changes.resource_pairs import Resource, ResourcePair
from trialrun.changes.store_differences import AgentText, ComparedStores, FieldDifference, StoreDifferences, store_names
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.overlay import MERGE_KEYS

MAX_FIELDS = 50
"""Number of effective fields that are listed for a change."""
UPSELLS = ("operationsConfig", "upsellStrategy", "upsells")
WHOLE_CONFIG = frozenset({"config-added", "config-removed", "config-renamed", "config-type-changed"})
"""Changes of configs that may alter every field."""


@dataclass
class Stores:
    """The stores of both sides, and what differs there.

    It is not certain where a part of a file could not be read, which may be of a brand or a config.
    """

    before: BrandCatalog
    after: BrandCatalog
    compared: ComparedStores
    is_certain: bool = True

    @cached_property
    def names(self) -> Sequence[str]:
        """All stores of both sides."""
        return list(store_names(self.before, self.after))

    @cached_property
    def _groups_of_config(self) -> Mapping[int, Sequence[StoreDifferences]]:
        """The stores that differ, by the identity of each config that applies there, in their order."""
        groups: dict[int, list[StoreDifferences]] = {}
        for group in self.compared.differences:
            for node in group.nodes:
                groups.setdefault(node, []).append(group)
        return groups

    def is_used(self, pair: ResourcePair) -> bool:
        """Whether any store has a config on either side."""
        return any(id(side.node) in self.compared.used for side in (pair.before, pair.after) if side)

    def reach(self, pair: ResourcePair, difference: Difference) -> StoreReach | None:
        """The stores that a difference reaches; None where it has nothing to do with stores."""
        if pair.kind == "ChannelConfig":
            return self._reach_of_config(pair, difference)
        return self._reach_of_brand(pair, difference) if pair.kind == "Brand" else None

    def _reach_of_config(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        is_whole = difference.type.id in WHOLE_CONFIG
        steps = () if is_whole else _merged_path(difference)
        types = {side.node.type for side in (pair.before, pair.after) if side}
        nodes = [id(side.node) for side in (pair.before, pair.after) if side]
        collected = _Reach(len(self.names), () if is_whole else _field_names(difference))
        groups = (group for node in nodes for group in self._groups_of_config.get(node, ()))
        for group in {id(group): group for group in groups}.values():
            fields = [field for field in group.fields if field.type in types and _is_below(field.path, steps)]
            collected.add(group, group.names, fields)
        return collected.result()

    def _reach_of_brand(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        brands = {id(side) for side in (pair.before, pair.after) if side}
        own = {
            store.name for catalog in (self.before, self.after) for store in catalog.stores if id(store.brand) in brands
        }
        if pair.before is None or pair.after is None or difference.type.id == "brand-renamed":
            return StoreReach(sorted(own), len(self.names))
        store = _store_of(pair, difference)
        collected = _Reach(len(self.names), ())
        for group in self.compared.differences:
            names = [name for name in group.names if name in own and store in (None, name)]
            if names and (store is not None or _mentions(group, difference)):
                collected.add(group, names, group.fields)
        reached = collected.result()
        return reached if store is None or reached.names else StoreReach([store], len(self.names))


def _mentions(group: StoreDifferences, difference: Difference) -> bool:
    """Whether the configs of a group differ by a default or a binding that a difference of a brand is about."""
    before = [(layer.level, layer.rule, layer.config.node.name) for layer in group.layers_before]
    after = [(layer.level, layer.rule, layer.config.node.name) for layer in group.layers_after]
    if before == after:
        return False
    if set(before) == set(after):
        return difference.type.id.endswith("-reordered")
    texts = set(difference.place.keys) | {
        text for text in (difference.before, difference.after) if isinstance(text, str)
    }
    return any(rule in texts or _names_config(name, texts) for _, rule, name in set(before) ^ set(after))


def _names_config(name: str | None, texts: Iterable[str]) -> bool:
    from trialrun.values.resource_name import is_same_resource

    return name is not None and any(is_same_resource(name, text) for text in texts)


def _store_of(pair: ResourcePair, difference: Difference) -> str | None:
    """The store that a difference of a brand is in; None for one that is about the brand."""
    for side, steps in ((pair.after, difference.place.after), (pair.before, difference.place.before)):
        if side and steps[:1] == ("stores",) and len(steps) > 1:
            return _name_of_store(side, steps[1])
    return None


def _name_of_store(brand: Resource, index: str | int) -> str | None:
    stores = brand.node.stores or ()
    return stores[index].name if isinstance(index, int) and index < len(stores) else None


def _merged_path(difference: Difference) -> tuple[str, ...]:
    """The path of a difference as effective configs have it, where most lists are one value."""
    keys = difference.place.keys
    model_steps = difference.place.after if difference.after is not None else difference.place.before
    if difference.type.id in ("upsell-renamed", "upsell-reordered"):
        return UPSELLS
    path: list[str] = []
    for key, step in zip(keys, (*_without_indexes(keys, model_steps),), strict=False):
        if isinstance(step, int) and (not path or path[-1] not in MERGE_KEYS):
            break
        path.append(key)
    return tuple(path)


def _without_indexes(keys: Sequence[str], steps: Sequence[str | int]) -> Iterator[str | int]:
    """For each key of a path whether it is a field, or an item of a list, by the steps in a model."""
    for number, key in enumerate(keys):
        yield steps[number] if number < len(steps) else key


def _field_names(difference: Difference) -> tuple[str, ...]:
    place = difference.place
    return tuple(
        step for step in (place.after if difference.after is not None else place.before) if isinstance(step, str)
    )


def _is_below(path: Sequence[str], steps: Sequence[str]) -> bool:
    """Whether a path of a difference is at, below or above the path of a change."""
    first, second = list(_comparable(path)), list(_comparable(steps))
    length = min(len(first), len(second))
    return first[:length] == second[:length]


def _comparable(path: Sequence[str]) -> Iterator[str]:
    above = ""
    for step in path:
        yield language(step) if above == "greetings" else step
        above = step


def _dotted(path: Sequence[str]) -> str:
    """The path as messages and `resolve --field` write it."""
    above, text = "", ""
    for step in path:
        text += f"[{step}]" if above in MERGE_KEYS else f".{step}"
        above = step
    return text.removeprefix(".")


class _Reach:
    """Collects what differs at stores for one change."""

    def __init__(self, total: int, fields: tuple[str, ...]) -> None:
        self._total = total
        self._names: list[str] = []
        self._fields: dict[int, tuple[FieldDifference, list[str]]] = {}
        self._of_change = fields
        self._texts: dict[str, dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]]] = {
            "instructions": {},
            "tools": {},
            "upsells": {},
        }

    def add(self, group: StoreDifferences, names: Sequence[str], fields: Sequence[FieldDifference]) -> None:
        """Add some stores of a group, and the fields that differ there."""
        if not fields:
            return
        self._names += names
        for field in fields:
            self._fields.setdefault(id(field), (field, []))[1].extend(names)
        agent = group.agent
        for kind, (lost, gained) in (
            ("instructions", (agent.lost_instructions, agent.gained_instructions)),
            ("tools", (agent.lost_tools, agent.gained_tools)),
        ):
            texts = (
                tuple(one.text for one in lost if self._concerns(one)),
                tuple(one.text for one in gained if self._concerns(one)),
            )
            self._add_texts(kind, texts, names)
        before, after = (tuple(side) for side in group.upsells)
        if before != after and (not self._of_change or self._of_change[:3] == UPSELLS):
            self._add_texts("upsells", (before, after), names)

    def _concerns(self, text: AgentText) -> bool:
        """Whether an instruction or a tool comes from the field of the change."""
        length = min(len(text.fields), len(self._of_change))
        return text.fields[:length] == self._of_change[:length]

    def _add_texts(self, kind: str, texts: tuple[tuple[str, ...], tuple[str, ...]], names: Sequence[str]) -> None:
        if any(texts):
            self._texts[kind].setdefault(texts, []).extend(names)

    def result(self) -> StoreReach:
        """The reach of the change."""
        fields = [
            EffectiveField(
                field.type,
                _dotted(field.path),
                field.before,
                field.after,
                field.origin_before,
                field.origin_after,
                stores,
            )
            for field, stores in list(self._fields.values())[:MAX_FIELDS]
        ]
        lines = {
            kind: [TextDifference(removed, added, stores) for (removed, added), stores in self._texts[kind].items()]
            for kind in ("instructions", "tools")
        }
        orders = [UpsellOrder(before, after, stores) for (before, after), stores in self._texts["upsells"].items()]
        return StoreReach(
            list(dict.fromkeys(self._names)), self._total, fields, lines["instructions"], lines["tools"], orders
        )
