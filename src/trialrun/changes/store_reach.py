"""Which of the differences at stores a change is behind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from trialrun.changes.canonical import language
from trialrun.changes.change import EffectiveField, StoreReach, TextDifference, UpsellOrder
from trialrun.changes.compare import Difference
from trialrun.changes.comparison import ResourcePair
from trialrun.changes.store_differences import AgentText, FieldDifference, FieldNames, StoreDifferences
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.overlay import MERGE_KEYS
from trialrun.values.resource_name import is_same_resource

MAX_FIELDS = 50
"""Number of effective fields that are listed for a change."""
UPSELLS = ("operationsConfig", "upsellStrategy", "upsells")
WHOLE_CONFIG = frozenset({"config-added", "config-removed", "config-renamed", "config-type-changed"})
"""Changes of configs that may alter every field."""


@dataclass
class Stores:
    """The stores of both sides, and what differs there.

    `used` are the identities of all configs that apply at any store. It is not certain where a part of a file could not
    be read, which may be of a brand or a config.
    """

    before: BrandCatalog
    after: BrandCatalog
    differences: Sequence[StoreDifferences]
    used: Collection[int]
    is_certain: bool = True

    @cached_property
    def names(self) -> Sequence[str]:
        """All stores of both sides."""
        return list(dict.fromkeys(store.name for catalog in (self.before, self.after) for store in catalog.stores))

    @cached_property
    def _groups_of_config(self) -> Mapping[int, Sequence[StoreDifferences]]:
        """The stores that differ, by the identity of each config that applies there, in their order."""
        groups: dict[int, list[StoreDifferences]] = {}
        for group in self.differences:
            for node in group.nodes:
                groups.setdefault(node, []).append(group)
        return groups

    def is_used(self, pair: ResourcePair) -> bool:
        """Whether any store has a config on either side."""
        return any(id(side.node) in self.used for side in (pair.before, pair.after) if side)

    def reach(self, pair: ResourcePair, difference: Difference) -> StoreReach | None:
        """The stores that a difference reaches; None where it has nothing to do with stores."""
        if pair.kind == "ChannelConfig":
            return self._reach_of_config(pair, difference)
        return self._reach_of_brand(pair, difference) if pair.kind == "Brand" else None

    def _reach_of_config(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        sides = [side.node for side in (pair.before, pair.after) if side]
        types = {node.type for node in sides}
        is_whole = difference.type.id in WHOLE_CONFIG
        place = difference.place.after if difference.after is not None else difference.place.before
        names = () if is_whole else tuple(step for step in place if isinstance(step, str))
        steps = () if is_whole else _merged_path(difference)
        groups = {id(group): group for node in sides for group in self._groups_of_config.get(id(node), ())}
        found = (
            (
                group,
                group.names,
                [field for field in group.fields if field.type in types and _is_below(field.path, steps)],
            )
            for group in groups.values()
        )
        return _collect(found, len(self.names), names)

    def _reach_of_brand(self, pair: ResourcePair, difference: Difference) -> StoreReach:
        total, brands = len(self.names), {id(side) for side in (pair.before, pair.after) if side}
        own = {
            store.name for catalog in (self.before, self.after) for store in catalog.stores if id(store.brand) in brands
        }
        if pair.before is None or pair.after is None or difference.type.id == "brand-renamed":
            return StoreReach(total, sorted(own))
        store = _store_of(pair, difference)
        reached = [
            (group, names, group.fields)
            for group in self.differences
            if (names := [name for name in group.names if name in own and store in (None, name)])
            and (store is not None or _mentions(group, difference))
        ]
        reach = _collect(reached, total)
        return reach if store is None or reach.names else StoreReach(total, [store])


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


def _merged_path(difference: Difference) -> tuple[str, ...]:
    """The path of a difference as effective configs have it, where most lists are one value."""
    if difference.type.id in ("upsell-renamed", "upsell-reordered"):
        return UPSELLS
    steps = difference.place.after if difference.after is not None else difference.place.before
    path: list[str] = []
    for number, key in enumerate(difference.place.keys):
        is_item = number < len(steps) and isinstance(steps[number], int)
        if is_item and (not path or path[-1] not in MERGE_KEYS):
            break
        path.append(key)
    return tuple(path)


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


def _collect(
    found: Iterable[tuple[StoreDifferences, Sequence[str], Sequence[FieldDifference]]],
    total: int,
    of_change: FieldNames = (),
) -> StoreReach:
    """The reach of a change from some stores of groups, and the fields that differ there because of it.

    `of_change` are the names of the fields that lead to it: texts of the agent that come from other ones are not its.
    """
    stores: dict[str, None] = {}
    fields: dict[int, tuple[FieldDifference, list[str]]] = {}
    texts: dict[str, dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]]] = {"instructions": {}, "tools": {}}
    orders: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for group, names, of_group in found:
        if not of_group:
            continue
        stores.update(dict.fromkeys(names))
        for field in of_group:
            fields.setdefault(id(field), (field, []))[1].extend(names)
        for kind, (lost, gained) in group.agent.items():
            sides = _texts_below(lost, of_change), _texts_below(gained, of_change)
            if any(sides):
                texts[kind].setdefault(sides, []).extend(names)
        before, after = map(tuple, group.upsells)
        if before != after and (not of_change or of_change[:3] == UPSELLS):
            orders.setdefault((before, after), []).extend(names)
    lines = {kind: [TextDifference(*sides, names) for sides, names in found.items()] for kind, found in texts.items()}
    return StoreReach(
        total,
        list(stores),
        [_effective_field(field, names) for field, names in list(fields.values())[:MAX_FIELDS]],
        lines["instructions"],
        lines["tools"],
        [UpsellOrder(*sides, names) for sides, names in orders.items()],
    )


def _texts_below(texts: Sequence[AgentText], fields: FieldNames) -> tuple[str, ...]:
    """The instructions or tools that come from a field, or from one above or below it."""
    lengths = [(text, min(len(text.fields), len(fields))) for text in texts]
    return tuple(text.text for text, length in lengths if text.fields[:length] == fields[:length])


def _effective_field(field: FieldDifference, stores: Sequence[str]) -> EffectiveField:
    above, path = "", ""
    for step in field.path:  # as messages and `resolve --field` write it
        path += f"[{step}]" if above in MERGE_KEYS else f".{step}"
        above = step
    path = path.removeprefix(".")
    return EffectiveField(field.type, path, field.before, field.after, field.origin_before, field.origin_after, stores)
