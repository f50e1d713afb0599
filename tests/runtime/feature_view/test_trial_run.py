"""A trial run: views are planned, synced, read and searched, what is due is known, and what was served at a moment."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, guests, restored
from trialrun.lint.settings import Profiles, Settings
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.index.interface import SearchRequest
from trialrun.runtime.feature_view.store.interface import DirectWrite, EntityId, NeverSynced
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_view
from trialrun.runtime.feature_view.trial_run import (
    PointInTime,
    StoreFolder,
    StoreLocations,
    TrialRun,
    ViewStores,
    newest_run,
)
from trialrun.runtime.options import DEFAULT_OPTIONS
from trialrun.workspace import CheckRequest
from trialrun.workspace.catalog import catalog

INDEX = {"embeddingColumn": "taste", "distanceMeasureType": "SQUARED_L2_DISTANCE", "bruteForceConfig": {}}
GUESTS = [{"id": "ann", "taste": [0.0, 0.0]}, {"id": "bob", "taste": [1.0, 0.0]}]


@pytest.fixture(params=["memory", "folder"])
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> TrialRun:
    catalog = guests(tmp_path, *GUESTS, view={"indexConfig": INDEX, "syncConfig": {"cron": "0 6 * * *"}})
    locations: StoreLocations = StoreLocations() if request.param == "memory" else StoreFolder(tmp_path)
    return TrialRun(catalog, ViewStores(locations), FixedClock(NOW), DEFAULT_OPTIONS)


def test_a_plan_reads_no_rows(trial: TrialRun) -> None:
    view = trial.catalog.view(NAME)
    plan = trial.plan(view)
    assert [key.name for key in plan.layout.keys] == ["id"]
    assert trial.size(view, plan).sources
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
    assert [view for view, _ in trial.due()] == [view]
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


VIEW = """\
kind: FeatureView
name: {name}
syncConfig: {sync}
warehouseSource: {{uri: bq://p.d.t, entityIdColumns: [id]}}
{further}
---
kind: Source
uri: bq://p.d.t
files: rows.csv
{moment}
"""
ROWS = """\
id,feature_timestamp,price
a,2026-11-20T00:30:00Z,1
a,2026-11-20T02:30:00Z,2
b,2026-11-20T03:30:00Z,3
a,2026-11-20T04:30:00Z,4
"""
DAILY = "{cron: 0 3 * * *}"
LIVE = "{continuous: true}"
ON_DEMAND = "{continuous: false}"
MOMENT = "timestampColumn: feature_timestamp"


class Workspace:
    """A view with its rows, and the store that it is served from."""

    def __init__(self, folder: Path, sync: str, *, moment: str = MOMENT, further: str = "", rows: str = ROWS) -> None:
        (folder / "view.yaml").write_text(VIEW.format(name=NAME, sync=sync, moment=moment, further=further))
        self.rows = folder / "rows.csv"
        self.rows.write_text(rows)
        request = CheckRequest(str(folder), at("12:00"), Profiles(Settings()), cache=False)
        self.catalog: Catalog = catalog(request)
        self.view: DeclaredResource[FeatureView] = self.catalog.view(NAME)
        self.store = SqliteStore(":memory:")

    def sync(self, moment: str) -> None:
        sync_view(self.view, self.catalog, self.store, clock=FixedClock(at(moment)))

    def write(self, id: str, price: int, moment: str, now: str) -> None:
        self.store.write(NAME, [DirectWrite((id,), "price", price, at(moment))], now=at(now))

    def past(self, moment: str, ids: Sequence[EntityId] | None = None) -> PointInTime:
        return restored(self.catalog, self.store, at(moment), ids)

    def prices(self, moment: str, ids: Sequence[EntityId] | None = None) -> dict[EntityId, object]:
        return dict(self.past(moment, ids).store.scan(NAME, ["price"]))  # type: ignore[arg-type]


def at(clock: str) -> datetime:
    day = "2026-11-" if len(clock) > 5 else "2026-11-20T"
    return datetime.fromisoformat(f"{day}{clock}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "prices"),
    [("20T02:59", {}), ("20T03:00", {("a",): 2}), ("21T02:59", {("a",): 2}), ("21T03:00", {("a",): 4, ("b",): 3})],
)
def test_the_newest_run_of_the_schedule_counts_and_the_rows_until_it(
    tmp_path: Path, moment: str, prices: dict[EntityId, object]
) -> None:
    assert Workspace(tmp_path, DAILY).prices(moment) == prices


def test_a_sync_on_record_counts_when_it_is_newer(tmp_path: Path) -> None:
    daily = Workspace(tmp_path, DAILY)
    daily.sync("03:45")
    daily.sync("05:00")
    assert daily.prices("04:45") == {("a",): 2, ("b",): 3}
    assert newest_run(daily.view, daily.store, at("04:45"))[1] == "recorded"
    assert newest_run(daily.view, daily.store, at("21T03:00"))[1] == "scheduled"


def test_a_continuous_view_serves_the_rows_of_the_moment_itself(tmp_path: Path) -> None:
    live = Workspace(tmp_path, LIVE)
    assert live.prices("03:29") == {("a",): 2}
    assert live.prices("03:30") == {("a",): 2, ("b",): 3}


def test_what_the_store_still_serves_is_not_made_again(tmp_path: Path) -> None:
    manual = Workspace(tmp_path, ON_DEMAND)
    manual.sync("03:45")
    manual.rows.unlink()
    past = manual.past("11:00")
    assert (past.store, past.is_replayed, past.at) == (manual.store, False, at("03:45"))


def test_only_the_entities_that_are_asked_for_are_read(tmp_path: Path) -> None:
    assert Workspace(tmp_path, DAILY).prices("21T03:00", ids=[("b",), ("c",)]) == {("b",): 3}


@pytest.mark.parametrize(
    ("sync", "told"),
    [
        ("{cron: 0 0 30 2 *}", f'"{NAME}" was not synced by 2026-11-20T01:00:00Z; sync it at an earlier time'),
        (ON_DEMAND, "it is synced on demand only, since its syncConfig sets neither cron nor continuous: sync it"),
    ],
)
def test_before_the_first_sync_nothing_was_served(tmp_path: Path, sync: str, told: str) -> None:
    workspace = Workspace(tmp_path, sync)
    workspace.sync("05:00")
    with pytest.raises(NeverSynced) as refused:
        workspace.past("01:00")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("sync", "told"),
    [
        (DAILY, "its first run by schedule is at 2026-11-21T03:00:00Z"),
        (LIVE, "it is synced continuously since it was created, at 2026-11-20T04:00:00Z"),
    ],
)
def test_a_view_has_no_runs_before_it_was_created(tmp_path: Path, sync: str, told: str) -> None:
    young = Workspace(tmp_path, sync, further='createTime: "2026-11-20T04:00:00Z"')
    with pytest.raises(NeverSynced) as refused:
        young.past("03:30")
    assert told in str(refused.value)
    assert young.prices("21T03:00") == {("a",): 4, ("b",): 3}


def test_direct_writes_hold_from_their_moment_on(tmp_path: Path) -> None:
    daily = Workspace(tmp_path, DAILY)
    daily.sync("03:45")
    daily.write("a", 9, "04:00", now="04:00")
    daily.write("c", 8, "04:20", now="04:20")
    assert daily.prices("03:59") == {("a",): 2, ("b",): 3}
    assert daily.prices("04:10") == {("a",): 9, ("b",): 3}
    assert daily.prices("04:30") == {("a",): 9, ("b",): 3, ("c",): 8}
    assert daily.prices("21T03:00") == {("a",): 4, ("b",): 3, ("c",): 8}
    assert daily.prices("04:10", ids=[("b",)]) == {("b",): 3}


def test_direct_writes_that_do_not_fit_the_view_any_more_are_left_out(tmp_path: Path) -> None:
    daily = Workspace(tmp_path, DAILY)
    daily.sync("03:45")
    daily.write("a", 9, "04:00", now="04:00")
    daily.store.write(NAME, [DirectWrite(("b",), "price", 7, at("04:10"))], now=at("04:10"))
    daily.rows.write_text(ROWS.replace("price", "cost"))
    past = daily.past("04:05")
    assert dict(past.store.scan(NAME, ["cost"])) == {("a",): 2, ("b",): 3}  # type: ignore[arg-type, comparison-overlap]


def test_what_cannot_be_taken_back_is_said(tmp_path: Path) -> None:
    past = Workspace(tmp_path, DAILY, moment="", rows="id,price\na,1\n").past("04:00")
    assert {"as-of-rows", "as-of-run", "as-of-no-moment"} <= {*past.assumptions}
    assert {id for (id,) in past.store.scan(NAME, [])} == {("a",)}


def test_assumptions_are_those_that_applied(tmp_path: Path) -> None:
    live = Workspace(tmp_path, LIVE)
    assert [assumption for assumption in live.past("04:00").assumptions if assumption.startswith("as-of")] == [
        "as-of-rows"
    ]


def test_rows_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    daily = Workspace(tmp_path, DAILY)
    daily.rows.unlink()
    with pytest.raises(CannotSync, match="no file matches"):
        daily.past("04:00")


def test_entities_that_are_not_in_the_table_any_more_are_missing(tmp_path: Path) -> None:
    further = "---\nkind: FeatureOnlineStore\nname: projects/p/locations/l/featureOnlineStores/s\ntype: KEY_VALUE"
    daily = Workspace(tmp_path, DAILY, further=further)
    daily.sync("03:45")
    daily.rows.write_text("".join(line for line in ROWS.splitlines(keepends=True) if not line.startswith("b")))
    assert daily.prices("04:00") == {("a",): 2, ("b",): 3}
    assert daily.prices("21T03:00") == {("a",): 4}
