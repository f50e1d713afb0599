"""Too many views of a store on the same schedule.

Views that were copied from one another often keep the schedule: all of them read their sources and write to the one
store in the same minutes, and it is idle in between. Schedules are equal when they run in the same minutes of the same
time zone, however they are written. The option `sync-herd-size` is the number of views of a store that may share a
schedule, by default 5; the others are reported.

Basis: best practice; the setting `sync-herd-size`.

Good, with sync-herd-size = 2:

    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/a
      syncConfig: {cron: 0 3 * * *}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/b
      syncConfig: {cron: 0 3 * * *}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/c
      syncConfig: {cron: CRON_TZ=America/Phoenix 0 3 * * *}

Bad, with sync-herd-size = 2:

    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/a
      syncConfig: {cron: 0 3 * * MON-FRI}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/b
      syncConfig: {cron: CRON_TZ=UTC 0 03 * * 1-5}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/c
      syncConfig: {cron: "0 3 * * 1,2,3,4,5"}  # <- 3 views of the store "s" sync in the same minutes; spread them
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/d
      syncConfig: {cron: 5 3 * * MON-FRI}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/other/featureViews/d
      syncConfig: {cron: 0 3 * * MON-FRI}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView

MOST_RELATED = 3
UTC = "UTC"
ALSO_UTC = ("Etc/UTC", "Etc/GMT", "GMT")


class ViewSchedule(NamedTuple):
    """The store of a view, and its time zone and schedule in a form that all spellings of it share."""

    store: str
    zone: str
    schedule: str


@gather("FeatureView", facts=(ViewSchedule,), keys=("store",))
def schedules(view: FeatureView) -> Gathered[ViewSchedule]:
    """The store of a view, and its time zone and schedule in a form that all spellings of it share."""
    store, _, _ = (view.name or "").rpartition("/featureViews/")
    if not store or view.syncConfig is None or view.syncConfig.cron is None:
        return
    from trialrun.lint.rule_support.schedules import schedule
    from trialrun.values.cron import never_fires

    cron = schedule(view.syncConfig)
    if cron is not None and not never_fires(cron):
        masks = " ".join(f"{mask:x}" for mask in cron.masks)
        yield view.syncConfig.location("cron"), ViewSchedule(store, cron.zone or UTC, f"{masks} {cron.either_day}")


@rule(Facts, severity=Severity.NOTE, options={"sync-herd-size": 5})
def check(facts: Facts) -> WorkspaceFindings:
    """Flag the views of a store beyond the number that may have one schedule."""
    most = max(1, facts.options["sync-herd-size"])
    views: dict[str, list[Fact[ViewSchedule]]] = {}
    for fact in facts.of(ViewSchedule):
        views.setdefault(fact.value.store, []).append(fact)
    for of_store in views.values():
        for herd in herds(of_store) if len(of_store) > most else ():
            yield from beyond(herd, most)


def herds(views: list[Fact[ViewSchedule]]) -> Iterator[list[Fact[ViewSchedule]]]:
    """The views of one store by their schedules."""
    from trialrun.values.time_zone import modern_name

    facts_by_minutes: dict[tuple[str, str], list[Fact[ViewSchedule]]] = {}
    for fact in views:
        zone = modern_name(fact.value.zone) or fact.value.zone
        facts_by_minutes.setdefault((UTC if zone in ALSO_UTC else zone, fact.value.schedule), []).append(fact)
    yield from facts_by_minutes.values()


def beyond(herd: list[Fact[ViewSchedule]], most: int) -> WorkspaceFindings:
    """What to say of the views that are too many."""
    from trialrun.values.resource_name import last_id

    related = tuple(("synced with it", fact) for fact in herd[: min(most, MOST_RELATED)])
    message = f'{len(herd)} views of the store "{last_id(herd[0].value.store)}" sync in the same minutes'
    for fact in herd[most:]:
        yield WorkspaceFinding(fact, f"{message}; spread them over other minutes", related=related)
