"""Scenario coverage: the targets of each aspect, and those that no scenario exercises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.schedule import CronSchedule, schedule_of
from trialrun.runtime.feature_view.search import index_config
from trialrun.runtime.scenario.environment import CoverageRecorder, CoverageTarget, view_target_name
from trialrun.runtime.scenario.session.coverage import store_targets as of_stores

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options

ASPECTS: Mapping[str, str] = {
    "views": "views are synced, fetched, searched or written",
    "features": "features of these views are expected",
    "filterColumns": "filter columns are used in a search",
    "crowdingColumns": "crowding columns are used in a search",
    "schedules": "cron schedules are checked",
    "stores": "stores are resolved",
    "upsells": "upsells are offered",
    "conditionsTrue": "conditions are true in a turn",
    "conditionsFalse": "conditions are false in a turn",
    "conditionParts": "parts of conditions matter in a turn",
    "limits": "limits of upsells keep one from being offered",
    "skips": "skips after an upsell, or with several of an item, keep an upsell from being offered",
    "skipTerms": "skip terms keep a closing offer from being made",
    "orders": "upsells win or lose by their priority",
    "flags": "features are expected of the agent",
    "mappings": "mappings are used",
    "messages": "messages are used",
}
"""Every aspect of coverage, with the words after `3 of 9`."""


@dataclass(frozen=True, slots=True)
class AspectCoverage:
    """An aspect: how many subjects it has, and those that no scenario exercises, in order."""

    aspect: str
    words: str
    total: int
    missing: tuple[CoverageTarget, ...]


def measure_coverage(
    catalog: Catalog, brands: BrandCatalog, options: Options, recorder: CoverageRecorder
) -> list[AspectCoverage]:
    """The coverage of a workspace by everything that `recorder` has."""
    targets = [
        *(target for find_targets in TARGET_FINDERS for target in find_targets(catalog)),
        *of_stores(brands, options),
    ]
    by_id = {target.id: target for target in reversed(targets)}
    all_targets = sorted({**recorder.discovered, **by_id}.values())
    return [_aspect_coverage(aspect, words, all_targets, recorder) for aspect, words in ASPECTS.items()]


def _aspect_coverage(
    aspect: str, words: str, all_targets: list[CoverageTarget], recorder: CoverageRecorder
) -> AspectCoverage:
    targets = [target for target in all_targets if target.aspect == aspect]
    return AspectCoverage(
        aspect, words, len(targets), tuple(target for target in targets if not recorder.covers(target))
    )


def _views(catalog: Catalog) -> Iterator[CoverageTarget]:
    for view in catalog.views:
        if view.node.name:
            yield CoverageTarget("views", view_target_name(view), view.path, view.line("name"))


def _index_columns(catalog: Catalog) -> Iterator[CoverageTarget]:
    for view in catalog.views:
        index = index_config(view.node)
        if index is None or not view.node.name:
            continue
        for column in index.filterColumns or ():
            line = view.locate(index.location("filterColumns", (index.filterColumns or []).index(column))).start.line
            yield CoverageTarget("filterColumns", view_target_name(view, column), view.path, line)
        if index.crowdingColumn:
            line = view.locate(index.location("crowdingColumn")).start.line
            yield CoverageTarget("crowdingColumns", view_target_name(view, index.crowdingColumn), view.path, line)


def _schedules(catalog: Catalog) -> Iterator[CoverageTarget]:
    for view in catalog.views:
        if view.node.name and isinstance(schedule_of(view.node), CronSchedule):
            yield CoverageTarget("schedules", view_target_name(view), view.path, view.line("syncConfig", "cron"))


TARGET_FINDERS: tuple[Callable[[Catalog], Iterator[CoverageTarget]], ...] = (_views, _index_columns, _schedules)
"""What finds the subjects that the documents themselves tell; features are found when a view is synced."""
