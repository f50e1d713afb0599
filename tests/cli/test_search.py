"""`trialrun search`: what is near, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.example_workspace import VECTORS, synced, told
from tests.program import Run

SHAKE = ("menu_search", "--entity", "SW-412")


@pytest.fixture(scope="module")
def workspace(synced_example: Path) -> Path:
    return synced_example


@pytest.fixture
def neighbors(run: Run, workspace: Path) -> Any:
    """The names of the items that a search finds."""

    def named(*arguments: str) -> list[str]:
        found = told(run, "search", *arguments, "--full", cwd=workspace)["neighbors"]
        return [file["values"]["item_name"] for file in found]

    return named


def test_what_is_told(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    assert (
        run("search", *SHAKE, "--count", "4", "--recall", cwd=workspace, COLUMNS="80").out.partition("assumed")[0]
        == snapshot
    )


def test_values_stand_beside_the_distance(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    words = ("--filter", "category!=drinks", "--crowding", "1", "--count", "3", "--full")
    assert run("search", *SHAKE, *words, cwd=workspace, COLUMNS="80").out.partition("assumed")[0] == snapshot


def test_values_stand_below_where_the_line_is_short(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    assert (
        run("search", *SHAKE, "--count", "2", "--full", cwd=workspace, COLUMNS="60").out.partition("assumed")[0]
        == snapshot
    )


def test_the_object(run: Run, workspace: Path) -> None:
    found = told(run, "search", *SHAKE, "--count", "2", cwd=workspace)
    assert [file.pop("distance") for file in found["neighbors"]] == pytest.approx([-1, -0.898783], abs=1e-5)
    view = f"{VECTORS}/menu_search"
    assert found == {"version": 1, "view": view, "neighbors": [{"id": ["SW-412"]}, {"id": ["SW-413"]}]}


def test_the_recall_and_the_values_are_there_where_they_are_asked_for(run: Run, workspace: Path) -> None:
    found = told(run, "search", *SHAKE, "--count", "1", "--recall", "--full", cwd=workspace)
    assert found["recall"] == 1
    assert found["neighbors"][0]["values"]["item_name"] == "Chocolate Shake"
    assert len(found["neighbors"][0]["values"]["embedding"]) == 768


def test_what_the_answer_rests_on_is_cited(run: Run, workspace: Path) -> None:
    cited = run("search", *SHAKE, "--crowding", "1", cwd=workspace, COLUMNS="200").out.splitlines()[-1]
    assert cited.startswith("assumed: ")
    assert {"search-itself", "search-crowding"} <= {*cited.removeprefix("assumed: ").split(", ")}


def test_nothing_that_is_found_is_told_without_a_table(run: Run, workspace: Path) -> None:
    ran = run("search", *SHAKE, "--filter", "category=none", cwd=workspace)
    assert (ran.code, ran.out.splitlines()[1]) == (0, "no results")


def test_shakes_are_near_a_shake(neighbors: Any) -> None:
    assert {name.rpartition(" ")[2] for name in neighbors(*SHAKE)} == {"Shake"}


def test_filters_leave_out_and_let_in(neighbors: Any) -> None:
    found = neighbors(*SHAKE, "--filter", "category=sweets,sides", "--filter", "daypart!=all-day", "--count", "50")
    assert {name.rpartition(" ")[2] for name in found} == {"Salad", "Poutine"}


def test_crowding_keeps_one_of_a_family(neighbors: Any) -> None:
    found = neighbors(*SHAKE, "--crowding", "1", "--count", "4")
    assert found[0] == "Chocolate Shake"
    assert len({name.rpartition(" ")[2] for name in found}) == 4


@pytest.mark.parametrize("of_a_file", [True, False])
def test_a_vector_is_searched_like_its_entity(run: Run, workspace: Path, tmp_path: Path, of_a_file: bool) -> None:
    shake = told(run, "fetch", "menu_search", "SW-412", cwd=workspace)["entities"][0]["values"]["embedding"]
    (tmp_path / "vector.json").write_text(json.dumps(shake))
    vector = f"@{tmp_path / 'vector.json'}" if of_a_file else json.dumps(shake)
    found = told(run, "search", "menu_search", "--vector", vector, cwd=workspace)
    assert found == told(run, "search", *SHAKE, cwd=workspace)


def test_a_view_without_an_index_is_told_at_its_name(run: Run, workspace: Path) -> None:
    ran = run("search", "guest_profile", "--entity", "g-00001", cwd=workspace)
    assert (ran.code, ran.out) == (1, "")
    assert "error[not-searchable]: the view has no indexConfig" in ran.err
    assert "--> feature-views/guest-profile.yaml:3:" in ran.err
    ran = run("search", "guest_profile", "--entity", "g-00001", "--output-format", "json", cwd=workspace)
    (error,) = json.loads(ran.out)["errors"]
    assert (ran.code, error["path"], error["line"]) == (1, "feature-views/guest-profile.yaml", 3)


@pytest.mark.parametrize(
    ("arguments", "says", "line"),
    [
        (["menu_search", "--vector", "[1, 2]"], "the vector has 2 elements but the index has dimension", 13),
        (["menu_search_exact", "--entity", "SW-412", "--crowding", "1"], "the index config has no", 36),
    ],
)
def test_what_does_not_go_with_the_index_config_is_told_there(
    run: Run, workspace: Path, arguments: list[str], says: str, line: int
) -> None:
    ran = run("search", *arguments, cwd=workspace)
    assert (ran.code, ran.out) == (1, "")
    assert says in ran.err
    assert f"--> feature-views/menu-search.yaml:{line}:" in ran.err


def test_another_index_config_asks_for_another_sync(run: Run, tmp_path: Path) -> None:
    folder = synced(tmp_path, "menu_search_exact")
    view = folder / "feature-views" / "menu-search.yaml"
    view.write_text(view.read_text().replace("DOT_PRODUCT_DISTANCE", "COSINE_DISTANCE"))
    ran = run("search", "menu_search_exact", "--entity", "SW-412")
    assert ran.code == 1
    assert "sync the view again" in ran.err
    assert "--> feature-views/menu-search.yaml:" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["menu_search"], "give exactly one of --entity and --vector"),
        ([*SHAKE, "--vector", "[1]"], "give exactly one of --entity and --vector"),
        (["menu_search", "--entity", "SW-0"], 'entity "SW-0" is not in the index'),
        (["menu_search", "--vector", "[NaN]"], "must be an array of numbers"),
        (["menu_search", "--vector", f"[1{'0' * 400}]"], "must be an array of numbers"),
        (["menu_search", "--vector", "1, 2"], "--vector: invalid JSON: "),
        (["menu_search", "--vector", "@none.json"], "--vector: none.json cannot be read: no such file or directory"),
        ([*SHAKE, "--filter", "categry=a"], '"categry" is not a filter column of the view; did you mean "category"?'),
        ([*SHAKE, "--filter", "item_name=a"], "the filter columns are category, daypart"),
        ([*SHAKE, "--count", "0"], "0 is not in the range x>=1"),
    ],
)
def test_a_wrong_question_is_told(run: Run, workspace: Path, arguments: list[str], says: str) -> None:
    ran = run("search", *arguments, cwd=workspace)
    assert ran.code == 2, ran.err
    assert (ran.out, says in ran.err) == ("", True), ran.err


def test_at_another_time_the_index_is_that_of_the_sync_of_then(run: Run, workspace: Path) -> None:
    words = ("search", *SHAKE, "--count", "3")
    then = run(*words, "--at", "2026-11-18", cwd=workspace)
    assert then.out.startswith("menu_search  near SW-412, of 335 entities; the scheduled sync of 2026-11-17T10:40:00Z")
    assert told(run, *words, "--at", "2026-11-18", cwd=workspace) == told(run, *words, cwd=workspace)
