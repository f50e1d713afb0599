"""What no scenario exercises: of every aspect, the subjects there are and those that were never touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.schedule import OnCron, schedule_of
from trialrun.runtime.feature_view.search import index_of
from trialrun.runtime.scenario.coverage_recorder import Seen, Subject
from trialrun.runtime.scenario.environment import subject
from trialrun.runtime.scenario.session.coverage_targets import subjects as of_stores

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options

ASPECTS: Mapping[str, str] = {
    "views": "views are synced, fetched, searched or written",
    "features": "features of these views are expected",
    "filterColumns": "filter columns are used in a search",
    "crowdingColumns": "crowding columns are used in a search",
    "schedules": "cron schedules are asked for",
    "stores": "stores are asked",
    "upsells": "upsells are offered",
    "conditionsTrue": "conditions are true in a turn",
    "conditionsFalse": "conditions are false in a turn",
    "conditionParts": "parts of conditions matter in a turn",
    "mappings": "mappings are used",
    "messages": "messages are said",
}
"""Every aspect of coverage, with the words after `3 of 9`."""


@dataclass(frozen=True, slots=True)
class Covered:
    """An aspect: how many subjects it has, and those that no scenario exercises, in order."""

    aspect: str
    words: str
    total: int
    missing: tuple[Subject, ...]


def coverage(catalog: Catalog, brands: BrandCatalog, options: Options, seen: Seen) -> list[Covered]:
    """The coverage of a workspace by everything that was `seen`."""
    every = [*(one for subjects in SUBJECTS for one in subjects(catalog)), *of_stores(brands, options)]
    found = {one.id: one for one in reversed(every)}
    everything = sorted({**seen.also, **found}.values())
    return [_covered(aspect, words, everything, seen) for aspect, words in ASPECTS.items()]


def _covered(aspect: str, words: str, everything: list[Subject], seen: Seen) -> Covered:
    subjects = [one for one in everything if one.aspect == aspect]
    return Covered(aspect, words, len(subjects), tuple(one for one in subjects if not seen.has(one)))


def _views(catalog: Catalog) -> Iterator[Subject]:
    for view in catalog.views:
        if view.node.name:
            yield Subject("views", subject(view), view.path, view.line("name"))


def _index_columns(catalog: Catalog) -> Iterator[Subject]:
    for view in catalog.views:
        index = index_of(view.node)
        if index is None or not view.node.name:
            continue
        for column in index.filterColumns or ():
            line = view.locate(index.at("filterColumns", (index.filterColumns or []).index(column))).start.line
            yield Subject("filterColumns", subject(view, column), view.path, line)
        if index.crowdingColumn:
            line = view.locate(index.at("crowdingColumn")).start.line
            yield Subject("crowdingColumns", subject(view, index.crowdingColumn), view.path, line)


def _schedules(catalog: Catalog) -> Iterator[Subject]:
    for view in catalog.views:
        if view.node.name and isinstance(schedule_of(view.node), OnCron):
            yield Subject("schedules", subject(view), view.path, view.line("syncConfig", "cron"))


SUBJECTS: tuple[Callable[[Catalog], Iterator[Subject]], ...] = (_views, _index_columns, _schedules)
"""What finds the subjects that the documents themselves tell; features are found when a view is synced."""
