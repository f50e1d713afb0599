"""`trialrun sync`: what it serves, what it tells, and what it does not do."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.example_workspace import NOON, VECTORS, copied, timeless, told, without_extra
from tests.program import Run, own_environment


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path) -> Path:
    return copied(tmp_path)


def keep_views(workspace: Path, *files: str) -> None:
    """Leave only the views of some files, for commands that go through all views."""
    for file in (workspace / "feature-views").iterdir():
        if file.name not in files:
            file.unlink()


def test_what_is_told_of_a_sync(run: Run, snapshot: SnapshotAssertion) -> None:
    ran = run("sync", "guest_profile", "menu_prices", "store_load", *NOON, COLUMNS="80")
    assert (ran.code, ran.err) == (0, "")
    assert timeless(ran.out) == snapshot


def test_what_was_assumed_is_reported_once_in_words_of_the_page(run: Run) -> None:
    ran = run("sync", "guest_orders", "store_load", *NOON, COLUMNS="200")
    assumed = ran.out.partition("assumed  trialrun docs assumptions explains why\n")[2].splitlines()
    dense = "  sync-dense  which values a dense feature group serves: its latest row unchanged, nulls included"
    assert dense in assumed
    assert len(assumed) == len({line.split()[0] for line in assumed})
    assert not any("see there" in line for line in assumed)


def test_what_is_told_of_a_plan_as_narrow_as_a_phone(run: Run, snapshot: SnapshotAssertion) -> None:
    ran = run("sync", "--plan", "store_load", *NOON, COLUMNS="60")
    assert (ran.code, ran.err) == (0, "")
    assert timeless(ran.out) == snapshot


def test_a_plan_reads_no_rows_and_serves_nothing(run: Run, workspace: Path) -> None:
    plan = told(run, "sync", "--plan", "menu_search")
    assert plan["columns"][0] == {"name": "item_id", "type": "STRING", "as": "entity id"}
    assert "ROW_NUMBER()" in plan["statement"]
    assert not (workspace / ".trialrun").exists()


def test_a_plan_estimates_what_a_sync_takes(run: Run) -> None:
    before = told(run, "sync", "--plan", "guest_profile", *NOON)["estimate"]
    assert (before["rows"], before["entities"]) == ({"low": 1200, "high": 1200}, {"low": 1, "high": 1200})
    assert before["sources"][0] | {"column_bytes": 0, "uri": 0} == {
        "uri": 0,
        "format": "Parquet",
        "rows": {"low": 1200, "high": 1200},
        "rows_from": "footers of 2 files",
        "file_bytes": 8074,
        "column_bytes": 0,
    }
    assert before["bytes"]["high"] == pytest.approx(before["sources"][0]["column_bytes"]["high"], rel=0.05)
    assert (before["problems"], before["advice"]) == ([], [])
    told(run, "sync", "guest_profile", *NOON)
    after = told(run, "sync", "--plan", "guest_profile", *NOON)["estimate"]
    assert (after["entities"], after["entities_from"]) == ({"low": 960, "high": 1200}, "the entities served now")


@pytest.mark.exhaustive
def test_a_plan_says_when_the_embedded_engine_is_not_enough(run: Run, workspace: Path) -> None:
    (workspace / "views.yaml").write_text(
        "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/s/featureViews/wide\n"
        "warehouseSource: {uri: rows, entityIdColumns: [id]}\n---\n"
        "kind: Source\nuri: rows\nfiles: rows.parquet\n"
    )
    import duckdb

    with duckdb.connect() as connection:
        rows = "SELECT 'g' || i AS id, repeat('x', 1000) || i AS text FROM range(150000) t (i)"
        connection.execute(f"COPY ({rows}) TO '{workspace / 'rows.parquet'}'")
    (workspace / "trialrun.toml").write_text('[runtime]\nmemory-limit = "64MB"\n')
    ran = run("sync", "--plan", "wide", COLUMNS="200")
    assert ran.code == 0, ran.err
    assert "not enough   it perhaps needs more memory than memory-limit, 64MB, and spills to the disk" in ran.out
    assert 'would be     set memory-limit = "1GB" under [runtime]' in ran.out


def test_the_keys_of_the_object(run: Run) -> None:
    done = told(run, "sync", "menu_prices", *NOON)
    assert done["findings"][0].keys() == {"code", "message", "examples"}
    assert done | {"assumptions": 0, "findings": 0} == {
        "version": 1,
        "view": f"{VECTORS}/menu_prices",
        "rows_read": 204,
        "entities": 203,
        "new": 203,
        "changed": 0,
        "unchanged": 0,
        "vanished": 0,
        "findings": 0,
        "assumptions": 0,
        "skipped_checks": [],
    }


def test_a_second_sync_tells_what_changed(run: Run, workspace: Path) -> None:
    told(run, "sync", "store_forecast", *NOON)
    file = workspace / "feature-store" / "data" / "store_forecast" / "canada.csv"
    file.write_text(file.read_text().replace("breakfast,", "brunch,", 1))
    done = told(run, "sync", "store_forecast", *NOON)
    assert [done[key] for key in ("entities", "new", "changed", "unchanged", "vanished")] == [35, 1, 0, 34, 1]


def test_what_is_served_is_kept_at_the_root_of_the_workspace(run: Run, workspace: Path) -> None:
    assert run("sync", "guest_profile", cwd=workspace / "feature-views").code == 0
    assert (workspace / ".trialrun").is_dir()
    assert run("fetch", "guest_profile", "g-00001").code == 0


def test_a_view_whose_document_is_wrong_is_not_synced(run: Run, workspace: Path) -> None:
    view = workspace / "feature-views" / "guest-profile.yaml"
    view.write_text(view.read_text().replace("15 4 * * *", "15 24 * * *"))
    ran = run("sync", "guest_profile")
    assert (ran.code, ran.out) == (1, "")
    assert "error[cron-syntax]" in ran.err
    assert "--> feature-views/guest-profile.yaml:12:36" in ran.err
    assert not (workspace / ".trialrun").exists()


def test_data_that_is_not_there_is_told_at_the_config_and_the_other_views_are_synced(run: Run, workspace: Path) -> None:
    (workspace / "feature-store" / "data" / "menu_prices.json").unlink()
    ran = run("sync", "menu_prices", "guest_profile", "--output-format", "json")
    assert ran.code == 1
    assert "error[cannot-sync]" in ran.err
    assert "--> feature-views/store-plans.yaml:15:" in ran.err
    done = json.loads(ran.out)
    assert [sync["view"] for sync in done["syncs"]] == [f"{VECTORS}/guest_profile"]
    (refused,) = done["refused"]
    assert (refused["view"], refused["errors"][0]["line"]) == (f"{VECTORS}/menu_prices", 15)


def test_a_program_is_told_what_is_to_blame_in_one_object(run: Run, workspace: Path) -> None:
    view = workspace / "feature-views" / "store-plans.yaml"
    view.write_text(view.read_text().replace("serving.menu_prices", "serving.none"))
    ran = run("sync", "menu_prices", "--output-format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["version"], told["view"]) == (1, 1, f"{VECTORS}/menu_prices")
    assert [(diagnostic["path"], diagnostic["line"]) for diagnostic in told["errors"]] == [
        ("feature-views/store-plans.yaml", 15)
    ]


def test_a_sync_that_fails_leaves_what_was_served(run: Run, workspace: Path) -> None:
    told(run, "sync", "menu_prices")
    (workspace / "feature-store" / "data" / "menu_prices.json").write_text('{"item_id": "SW-101", "price": 1}\n')
    assert run("sync", "menu_prices").code == 1
    assert told(run, "fetch", "menu_prices", "austin-lamar,SW-101")["entities"][0]["values"] == {"price": 6.49}


@pytest.mark.parametrize(("view", "code"), [("guest_profile", 0), ("menu_prices", 1)])
def test_findings_in_the_data_fail_where_that_is_asked_for(run: Run, view: str, code: int) -> None:
    assert run("sync", view).code == 0
    assert run("sync", view, "--fail-on-findings").code == code


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give VIEW names, --all or --due"),
        (["--all", "guest_profile"], "one of the three"),
        (["guest_profil"], 'there is no view "guest_profil"; did you mean "guest_profile"?'),
        (["xyz"], 'there is no view "xyz"; there are allergens, guest_orders, guest_profile'),
        (["guest_profile", "--at", "noon"], "--at: "),
    ],
)
def test_a_wrong_command_is_told(run: Run, arguments: list[str], says: str) -> None:
    ran = run("sync", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_view_that_is_named_twice_is_synced_once_and_none_where_there_are_none(run: Run, workspace: Path) -> None:
    assert run("sync", "menu_prices", "featureViews/menu_prices").out.count("synced") == 1
    shutil.rmtree(workspace / "feature-views")
    ran = run("sync", "--all")
    assert (ran.code, ran.err) == (2, "error: the workspace declares no view\n")


def test_views_of_one_id_in_two_stores_are_told_apart(run: Run, workspace: Path) -> None:
    keep_views(workspace, "store-plans.yaml")
    kept = workspace / "feature-views" / "store-plans.yaml"
    kept.write_text(kept.read_text() + "---\n" + kept.read_text().replace("serving_vectors", "serving_kv"))
    ran = run("fetch", "menu_prices", "austin-lamar,SW-101")
    assert ran.err.startswith('error: 2 views are named "menu_prices": feature-views/store-plans.yaml:12')
    assert ran.err.endswith("; write the full resource name\n")
    heads = [line for line in run("sync", "--all").out.splitlines() if "  synced " in line]
    told_apart = [head.partition("  ")[0] for head in heads if "menu_prices" in head]
    assert told_apart == ["serving_vectors/featureViews/menu_prices", "serving_kv/featureViews/menu_prices"]
    assert run("fetch", told_apart[1], "austin-lamar,SW-101").code == 0


@pytest.mark.exhaustive
def test_all_views_of_the_workspace(run: Run) -> None:
    done = told(run, "sync", "--all", *NOON)
    assert len(done["syncs"]) == 9
    assert done["refused"] == []


def test_a_view_that_cannot_be_told_from_another_is_not_synced(run: Run, workspace: Path) -> None:
    views = workspace / "feature-views"
    keep_views(workspace, "allergens.yaml", "guest-profile.yaml")
    (views / "copy.yaml").write_text((views / "allergens.yaml").read_text())
    (views / "nameless.yaml").write_text("kind: FeatureView\nwarehouseSource: {uri: a, entityIdColumns: [b]}\n")
    ran = run("sync", "--all", "--plan", "--output-format", "json")
    refused = [load["view"] for load in json.loads(ran.out)["refused"]]
    assert (ran.code, refused) == (1, [f"{VECTORS}/allergens", f"{VECTORS}/allergens", None])
    assert "2 views are named" in ran.err
    assert "the view has no name" in ran.err


def test_a_file_that_may_have_views_and_cannot_be_read_is_told(run: Run, workspace: Path) -> None:
    keep_views(workspace, "allergens.yaml", "guest-profile.yaml")
    (workspace / "feature-views" / "broken.yaml").write_text("kind: FeatureView\nname: [\n")
    ran = run("sync", "--all", "--plan")
    assert ran.code == 1
    assert "--> feature-views/broken.yaml:" in ran.err
    assert "allergens  nothing is read" in ran.out
    assert "to see what cannot be read in feature-views/broken.yaml" in run("sync", "brokn").err


def test_a_view_is_due_when_its_schedule_passed_since_its_last_sync(run: Run, workspace: Path) -> None:
    keep_views(workspace, "live-basket.yaml", "guest-profile.yaml")
    monday = ("--at", "2026-11-23T12:00:00Z")
    told(run, "sync", "--all", *monday)
    assert told(run, "sync", "--due", *monday)["syncs"] == []
    assert run("sync", "--due", *monday).out == "no view is due; trialrun schedule shows the next runs\n"
    later = told(run, "sync", "--due", "--at", "2026-11-23T12:01:00Z")
    assert [sync["view"].rpartition("/")[2] for sync in later["syncs"]] == ["live_basket"]


def test_without_the_extra_it_says_what_to_install(workspace: Path) -> None:
    ran = without_extra(workspace, "sync", "guest_profile")
    said = "error: sync needs duckdb and numpy, which are not installed; run pip install 'trialrun[runtime]'\n"
    assert (ran.returncode, ran.stderr) == (2, said)


def test_the_colours_say_nothing_that_words_do_not(run: Run) -> None:
    plain, colored = (run("sync", "--plan", "menu_prices", "--color", color).out for color in ("never", "always"))
    assert ("\x1b[" in plain, "\x1b[1mmenu_prices\x1b[0m" in colored) == (False, True)


@pytest.mark.exhaustive
def test_what_is_served_is_fetched_without_the_extra(run: Run, workspace: Path) -> None:
    told(run, "sync", "guest_profile")
    ran = without_extra(workspace, "fetch", "guest_profile", "g-00001")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_terminal_sees_how_far_it_is_and_after_ctrl_c_the_old_values_are_served(run: Run, workspace: Path) -> None:
    prices = workspace / "feature-store" / "data" / "menu_prices.json"
    told(run, "sync", "menu_prices")
    prices.write_text("".join(f'{{"store_id": "s", "item_id": "{item}", "price": 1}}\n' for item in range(400_000)))
    screen, terminal = pty.openpty()
    words = [sys.executable, "-m", "trialrun", "sync", "menu_prices"]
    environment = own_environment(workspace) | {"TERM": "xterm"}
    with subprocess.Popen(words, cwd=workspace, env=environment, stdout=subprocess.DEVNULL, stderr=terminal) as running:
        os.close(terminal)
        seen = b""
        while b"entities" not in seen and b"] " not in seen:
            seen += os.read(screen, 1000)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
    assert seen.startswith("\rmenu_prices  reading the sources …\x1b[K".encode())
    assert told(run, "fetch", "menu_prices", "austin-lamar,SW-101")["missing"] == []
    prices.write_text('{"store_id": "s", "item_id": "1", "price": 1}\n')
    assert told(run, "sync", "menu_prices")["vanished"] == 203


@pytest.mark.exhaustive
def test_a_terminal_sees_that_an_index_is_built_and_keeps_nothing_of_it(workspace: Path) -> None:
    screen, terminal = pty.openpty()
    words = [sys.executable, "-m", "trialrun", "sync", "menu_search"]
    environment = own_environment(workspace) | {"TERM": "xterm", "COLUMNS": "30"}
    subprocess.run(words, cwd=workspace, env=environment, stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.close(terminal)
    seen = os.read(screen, 10_000).decode()
    os.close(screen)
    assert [line for line in seen.split("\r") if "entities" not in line] == [
        "",
        "menu_search  reading the sou…\x1b[K",
        "menu_search  building the in…\x1b[K",
        "\x1b[K",
        "\x1b[K",
    ]


FAR = """
kind: FeatureOnlineStore
name: projects/p/locations/l/featureOnlineStores/s
type: OPTIMIZED
---
kind: Source
uri: bq://p.d.far
files: far.csv
columns:
  - {name: id, type: STRING}
  - {name: valid_to, type: TIMESTAMP}
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/far
warehouseSource: {uri: bq://p.d.far, entityIdColumns: [id]}
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/later
warehouseSource: {uri: bq://p.d.far, entityIdColumns: [id]}
"""


def test_one_moment_after_the_year_9999_keeps_nothing_from_being_served(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("far")
    (folder / "far.yaml").write_text(FAR)
    (folder / "far.csv").write_text("id,valid_to\na,2026-01-01T00:00:00Z\nb,9999-12-31T23:59:59-05:00\n")
    synced = told(run, "sync", "--all", cwd=folder)["syncs"]
    assert [(sync["entities"], [finding["code"] for finding in sync["findings"]]) for sync in synced] == [
        (2, ["value-does-not-fit"])
    ] * 2
