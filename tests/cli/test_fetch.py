"""`trialrun fetch`: what is served, for people and for programs."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.example_workspace import VECTORS, synced, told
from tests.program import Run


@pytest.fixture(scope="module")
def workspace(synced_example: Path) -> Path:
    return synced_example


def test_one_entity_is_a_list_of_its_values(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    assert run("fetch", "menu_search", "SW-412", cwd=workspace, COLUMNS="60").out == snapshot


def test_several_are_a_table(run: Run, workspace: Path, snapshot: SnapshotAssertion) -> None:
    words = ("fetch", "guest_orders", "g-00007", "g-00008", "g-00009")
    assert run(*words, cwd=workspace, COLUMNS="80").out == snapshot


@pytest.mark.parametrize("columns", ["72", "60"])
def test_a_narrow_table_is_cut_or_a_list_for_each(
    run: Run, workspace: Path, snapshot: SnapshotAssertion, columns: str
) -> None:
    assert run("fetch", "guest_profile", "g-00007", "g-00009", cwd=workspace, COLUMNS=columns).out == snapshot


def test_the_object(run: Run, workspace: Path) -> None:
    assert told(run, "fetch", "guest_orders", "g-00007", cwd=workspace) == {
        "version": 1,
        "view": f"{VECTORS.replace('serving_vectors', 'serving_kv')}/guest_orders",
        "entities": [
            {
                "id": ["g-00007"],
                "values": {"orders_30d": 4, "spend_30d": 47.99, "favorite_item": "Smash Combo"},
                "timestamp": "2026-11-09T21:52:00Z",
            }
        ],
        "missing": [],
    }


@pytest.mark.parametrize("id", ["austin-lamar,SW-101", '["austin-lamar", "SW-101"]'])
def test_an_id_of_several_columns(run: Run, workspace: Path, id: str) -> None:
    assert told(run, "fetch", "menu_prices", id, cwd=workspace)["entities"] == [
        {"id": ["austin-lamar", "SW-101"], "values": {"price": 6.49}, "timestamp": None}
    ]


@pytest.mark.parametrize("name", ["menu_prices", f"{VECTORS}/menu_prices", "featureViews/menu_prices"])
def test_a_view_is_named_by_the_end_of_its_name(run: Run, workspace: Path, name: str) -> None:
    assert told(run, "fetch", name, "austin-lamar,SW-101", cwd=workspace)["view"] == f"{VECTORS}/menu_prices"


def test_an_entity_that_is_not_served_is_told(run: Run, workspace: Path) -> None:
    ran = run("fetch", "guest_profile", "g-0", "g-00001", "g-0", cwd=workspace)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "missing  g-0")
    ran = run("fetch", "guest_profile", "g-0", "g-00001", "g-0", "--output-format", "json", cwd=workspace)
    assert (ran.code, json.loads(ran.out)["missing"]) == (1, [["g-0"]])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["menu_prices", "austin-lamar"], "not 2: store_id (STRING), item_id (STRING); write STORE_ID,ITEM"),
        (["menu_price", "x"], 'there is no view "menu_price"; did you mean "menu_prices"?'),
        (["allergens", "x"], "allergens was never synced; sync it with trialrun sync allergens"),
        (["guest_profile"], "missing argument 'ID...'"),
        (["allergens", "7-SW-101", "--at", "2026-11-01"], "was not synced by 2026-11-01"),
    ],
)
def test_a_wrong_command_is_told(run: Run, workspace: Path, arguments: list[str], says: str) -> None:
    ran = run("fetch", *arguments, cwd=workspace)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_view_that_changed_since_its_sync_is_reported_and_served_values_are_shown(run: Run, tmp_path: Path) -> None:
    sources = synced(tmp_path, "menu_prices") / "feature-store" / "sources.yaml"
    before = run("fetch", "menu_prices", "austin-lamar,SW-101")
    assert before.err == ""
    sources.write_text(sources.read_text().replace("data/menu_prices.json", "data/other_prices.json"))
    ran = run("fetch", "menu_prices", "austin-lamar,SW-101")
    assert (ran.code, ran.out) == (0, before.out)
    assert ran.err == (
        "note: menu_prices or the documents of its rows changed since the last sync; run trialrun sync menu_prices "
        "to update the values\n"
    )


def test_a_store_that_is_none_is_told(run: Run, workspace: Path, tmp_path: Path) -> None:
    folder = synced(tmp_path, "menu_prices")
    (store,) = (folder / ".trialrun").glob("*.db")
    for file in (folder / ".trialrun").glob("*.db*"):
        file.unlink()
    store.write_text("no database, but long enough to have a header, which it has not" * 20)
    ran = run("fetch", "menu_prices", "austin-lamar,SW-101")
    assert ran.code == 2
    assert ran.err.startswith("error: ")


def test_at_another_time_the_scheduled_sync_of_then_is_made_again(
    run: Run, workspace: Path, snapshot: SnapshotAssertion
) -> None:
    words = ("fetch", "guest_orders", "g-00007", "--at", "2026-11-01")
    assert run(*words, cwd=workspace, COLUMNS="80").out.partition("assumed")[0] == snapshot
    then = told(run, *words, cwd=workspace)
    assert then["entities"][0]["timestamp"] == "2026-10-21T17:07:00Z"
    assert then.keys() == {"version", "view", "entities", "missing"}


def test_a_sync_of_then_that_cannot_be_made_again_is_told_at_the_config(run: Run, tmp_path: Path) -> None:
    for file in (synced(tmp_path, "guest_orders") / "feature-store" / "data" / "guest_orders").iterdir():
        file.unlink()
    ran = run("fetch", "guest_orders", "g-00007", "--at", "2026-11-01")
    assert (ran.code, ran.out) == (1, "")
    assert "--> feature-views/guest-orders.yaml:8:" in ran.err
