"""The level of a change: that of its id, lower where a change of a config alters nothing at any store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trialrun.changes.catalog import ChangeType
from trialrun.changes.change import Level, StoreReach, ViewReach
from trialrun.changes.resource_pairs import ResourcePair
from trialrun.changes.store_reach import Stores
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class JudgedLevel:
    """A level with its reason, and the level of the id where that is higher."""

    level: Level
    why: str
    lowered_from: Level | None = None


def judge_level(
    change_type: ChangeType,
    pair: ResourcePair,
    reach: StoreReach | None,
    views: Sequence[ViewReach],
    stores: Stores | None,
    levels: Mapping[str, Level],
) -> JudgedLevel:
    """The level of a change; `levels` are those of the settings, by id. `stores` is None where they are not known.

    Only changes of ChannelConfigs are lowered, and those of feature groups and online stores that no view uses: readers
    of views are not in the repository.
    """
    level = levels.get(change_type.id, change_type.level)
    if pair.kind in ("FeatureGroupTable", "FeatureOnlineStore") and not views and level is not Level.SAFE:
        return JudgedLevel(Level.SAFE, "No view of this repository uses it.", level)
    if pair.kind != "ChannelConfig" or stores is None or not stores.is_certain or reach is None or level is Level.SAFE:
        return JudgedLevel(level, change_type.why)
    if not stores.is_used(pair):
        return JudgedLevel(Level.SAFE, "No store has this config.", level)
    if not reach.fields:
        return JudgedLevel(Level(level - 1), "It alters no effective value at any store.", level)
    return JudgedLevel(level, change_type.why)
