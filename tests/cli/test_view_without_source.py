"""`sync`, `fetch` and `check` of a view without a source agree: it is served, and there is nothing to sync."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import Run
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.direct_write import extend_layout, write_with_new_features
from trialrun.runtime.feature_view.store.interface import DirectWrite
from trialrun.runtime.feature_view.trial_run import StoreFolder

STORE = "projects/p/locations/l/featureOnlineStores/kept"
NAME = f"{STORE}/featureViews/direct"
DOCUMENTS = f"""\
kind: FeatureOnlineStore
name: {STORE}
type: KEY_VALUE
---
kind: FeatureView
name: {NAME}
"""
NOON, EARLIER = datetime(2026, 3, 2, 12, tzinfo=UTC), datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "views.yaml").write_text(DOCUMENTS)
    return tmp_path


def write(workspace: Path, id: str, visits: int, at: datetime) -> None:
    """What a service with the same folder does."""
    store = StoreFolder(str(workspace)).store_of(NAME)
    snapshot, column = store.snapshot(NAME), Column("visits", "INT64")
    layout = extend_layout(snapshot.layout if snapshot else None, 1, [column])
    write_with_new_features(store, NAME, layout, [DirectWrite((id,), "visits", visits, at)], now=NOON)


def test_sync_says_that_there_is_nothing_to_sync(run: Run, workspace: Path) -> None:
    ran = run("sync", "direct", cwd=workspace)
    assert (ran.code, ran.out) == (1, "")
    assert "the view has no source, so there is nothing to sync; write" in ran.err


@pytest.mark.parametrize(("option", "further"), [("--all", ""), ("--due", "syncConfig: {cron: 0 3 * * *}\n")])
def test_a_sync_of_several_passes_over_it(run: Run, workspace: Path, option: str, further: str) -> None:
    (workspace / "views.yaml").write_text(DOCUMENTS + further)
    ran = run("sync", option, "--output-format", "json", cwd=workspace)
    assert (ran.code, json.loads(ran.out)) == (0, {"version": 1, "syncs": [], "refused": []})
    assert ("direct has no source, so there is nothing to sync" in ran.err) is (option == "--all")


def test_fetch_tells_what_was_written(run: Run, workspace: Path) -> None:
    ran = run("fetch", "direct", "ana", cwd=workspace)
    assert ran.code == 2
    assert "direct has no source, and nothing was written into it; write values directly" in ran.err
    write(workspace, "ana", 3, EARLIER)
    write(workspace, "ana", 4, NOON)
    write(workspace, "ben", 5, NOON)
    ran = run("fetch", "direct", "ana", "ben", cwd=workspace)
    assert (ran.code, ran.err) == (0, "")
    assert "written directly" in ran.out
    assert "sync" not in ran.out


def test_fetch_at_a_moment(run: Run, workspace: Path) -> None:
    write(workspace, "ana", 3, EARLIER)
    write(workspace, "ben", 5, NOON)
    ran = run("fetch", "direct", "ana", "ben", "--at", "2026-03-01T13:00:00Z", "--output-format", "json", cwd=workspace)
    told = json.loads(ran.out)
    assert [(diagnostic["id"], diagnostic["values"]) for diagnostic in told["entities"]] == [(["ana"], {"visits": 3})]
    assert told["missing"] == [["ben"]]
    ran = run("fetch", "direct", "ana", "--at", "2026-02-01T00:00:00Z", cwd=workspace)
    assert ran.code == 2
    assert "nothing was written into it by 2026-02-01T00:00:00Z" in ran.err


def test_check_finds_no_error(run: Run, workspace: Path) -> None:
    ran = run("check", "--output-format", "json", cwd=workspace)
    assert [(load["rule"], load["severity"]) for load in json.loads(ran.out)["diagnostics"]] == [("no-source", "note")]


def test_check_says_that_its_index_is_never_made(run: Run, workspace: Path) -> None:
    (workspace / "views.yaml").write_text(DOCUMENTS + "indexConfig: {embeddingColumn: v, embeddingDimension: 2}\n")
    ran = run("check", "--output-format", "json", cwd=workspace)
    assert [load["message"] for load in json.loads(ran.out)["diagnostics"] if load["rule"] == "no-source"] == [
        "the view has no source, so it only serves what is written to it directly, and its index is never built; "
        "set one"
    ]
