"""A trial run: a view is planned, synced, read, searched, and read as it was, and it is known what is due."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, guests
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.feature_view.schedule import Scheduler
from trialrun.runtime.feature_view.search import SearchRequest
from trialrun.runtime.feature_view.store.interface import NeverSynced
from trialrun.runtime.feature_view.store.store_folder import StoreFolder
from trialrun.runtime.feature_view.trial_run import InMemoryStorage, StoreLocations, TrialRun, ViewStores
from trialrun.runtime.options import DEFAULT_OPTIONS

INDEX = {"embeddingColumn": "taste", "distanceMeasureType": "SQUARED_L2_DISTANCE", "bruteForceConfig": {}}
ROWS = [{"id": "ann", "taste": [0.0, 0.0]}, {"id": "bob", "taste": [1.0, 0.0]}]


@pytest.fixture(params=["memory", "folder"])
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> TrialRun:
    catalog = guests(tmp_path, *ROWS, view={"indexConfig": INDEX, "syncConfig": {"cron": "0 6 * * *"}})
    locations: StoreLocations = InMemoryStorage() if request.param == "memory" else StoreFolder(tmp_path)
    return TrialRun(catalog, ViewStores(locations), FixedClock(NOW), DEFAULT_OPTIONS)


def test_a_plan_reads_no_rows(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    plan = trial.plan(view)
    assert [key.name for key in plan.layout.keys] == ["id"]
    assert trial.size(view, plan).tables
    assert trial.snapshot(view) is None


def test_a_view_is_synced_then_fetched_and_searched(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    assert trial.sync(view).counts.entities == 2
    served, missing = trial.fetch(view, [("ann",), ("eve",)])
    assert served is not None and served.id == ("ann",)
    assert missing is None
    assert [hit.id for hit in trial.search(view, SearchRequest(entity=("bob",))).neighbors] == [("bob",), ("ann",)]


def test_a_view_is_due_until_it_is_synced(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    assert [due.view for due in trial.due()] == [view]
    trial.sync(view)
    assert trial.due() == []


def test_a_sync_that_is_made_again_is_read_from_the_memory(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    found, past = trial.at(view, NOW, with_index=True)
    assert found.is_replayed
    assert trial.snapshot(view) is None
    assert past.fetch(view, [("ann",)]) != [None]
    assert past.search(view, SearchRequest(vector=[0.0, 0.0], count=1)).neighbors[0].id == ("ann",)


def test_a_sync_that_is_still_served_is_read_where_it_is(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    trial.sync(view)
    assert trial.at(view, NOW)[1] is trial


def test_a_view_that_is_refused_before_serving_serves_nothing(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)

    def refuse() -> None:
        raise TimeoutError("too late")

    with pytest.raises(TimeoutError, match="too late"):
        trial.sync(view, before_serving=refuse)
    assert trial.snapshot(view) is None
    with pytest.raises(NeverSynced):
        trial.fetch(view, [("ann",)])


def test_some_views_are_scheduled_by_themselves(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    scheduler = Scheduler([view], trial.sync, trial.clock, last_sync=lambda _: NOW)
    runs = [*scheduler.run_until(NOW + timedelta(days=2))]
    assert len(runs) == 2
