"""What views serve is on a page only where it is asked for; changes and pictures are, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cases import first_of
from tests.changes.git_workspace import EDITS, change_example, change_files
from tests.cli.example_workspace import NOON, copied, synced, told
from tests.page.conftest import ExamplePage, copied_stores, copied_view
from tests.page.test_report_command import FEW_SESSIONS, sections
from tests.program import Run, view
from trialrun.cli.check_options import default_request
from trialrun.page.sources import served_views
from trialrun.runtime.clock import FixedClock
from trialrun.values.resource_name import last_id
from trialrun.workspace.dry_run import dry_run

SECRET = "Smoky Smash"
"""A value of a row that no document has."""
NO_SESSIONS = ("--sessions", "0")
EDITS_OF_STORES = [edit for edit in EDITS if not edit[0].startswith("feature-views/")]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return copied(tmp_path / "shop")


def page(run: Run, folder: Path, *arguments: str) -> str:
    ran = run("report", *NOON, *NO_SESSIONS, *arguments, cwd=folder)
    assert ran.code == 0, ran.err
    return (folder / "trialrun-report.html").read_text(encoding="utf-8")


def views(text: str) -> dict[str, Any]:
    return {each["id"]: each for each in sections(text)["views"]["views"]}


def test_counts_are_on_every_page_and_values_on_none_without_the_option(example_page: ExamplePage) -> None:
    text = example_page(*FEW_SESSIONS)
    data = views(text)
    assert (data["menu_search"]["data"]["read"], data["menu_search"]["data"]["served"]) == (335, 335)
    assert [finding["code"] for finding in data["menu_prices"]["data"]["findings"]]
    assert SECRET not in text
    assert all("sample" not in each.get("data", {}) for each in data.values())
    assert all("examples" not in each for one in data.values() for each in one.get("data", {}).get("findings", ()))


def test_rows_are_there_where_they_are_asked_for(search_page: ExamplePage) -> None:
    text = search_page(*NO_SESSIONS, "--with-data")
    assert SECRET in text
    sample = views(text)["menu_search"]["data"]["sample"]
    assert sample["columns"] == ["item_id", "item_name", "category", "daypart", "family", "embedding"]
    assert {row[-1] for row in sample["rows"]} == {"[768 values]"}


@pytest.mark.exhaustive
def test_a_page_with_data_is_the_same_every_time_and_leaves_nothing_else(
    run: Run, workspace: Path, example_page: ExamplePage
) -> None:
    before = {*workspace.rglob("*")}
    assert page(run, workspace, "--with-data") == example_page(*NO_SESSIONS, "--with-data")
    assert {*workspace.rglob("*")} - before == {workspace / "trialrun-report.html"}


def test_a_view_that_cannot_be_synced_says_why(run: Run, tmp_path: Path) -> None:
    workspace = copied_view(tmp_path, "store-plans")
    (workspace / "feature-store" / "data" / "menu_prices.json").unlink()
    assert "menu_prices.json" in views(page(run, workspace))["menu_prices"]["data"]["problem"]


@pytest.mark.parametrize(("copy", "edits"), first_of([(copied_stores, EDITS_OF_STORES), (copied, EDITS)]))
def test_changes_are_those_of_plan(
    run: Run, tmp_path: Path, copy: Callable[[Path], Path], edits: Sequence[tuple[str, str, str]]
) -> None:
    change_files(copy(tmp_path), edits)
    data = sections(page(run, tmp_path, "--since", "HEAD"))
    plan = told(run, "plan", "HEAD", "--no-scenarios", "--fail-on", "never", *NOON, cwd=tmp_path)
    assert data["changes"]["changes"] == plan["changes"]
    assert data["overview"]["changes"]["summary"] == plan["summary"]
    assert "changes" in data["overview"]["pages"]


@pytest.mark.parametrize(
    ("at", "overdue"),
    [("2026-11-23T09:29:00Z", None), ("2026-11-23T09:30:00Z", "2026-11-23T09:30:00Z")],
)
def test_a_view_that_a_server_did_not_sync_at_its_run_is_overdue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, overdue: str | None
) -> None:
    monkeypatch.chdir(synced(tmp_path, "menu_prices"))
    request = default_request((), {"at": at, "isolated": False})
    served = {last_id(name): found for name, found in served_views(dry_run(request, FixedClock(request.now))).items()}
    assert served["menu_prices"].get("overdue") == overdue
    assert served["menu_prices"]["served"] == 203
    assert served["guest_profile"] == {"problem": "nothing is served from it", "overdue": "2026-11-22T10:15:00Z"}
    assert "live_basket" not in served


def test_an_unknown_revision_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    change_example(tmp_path)
    ran = run("report", "--since", "no-such-revision", cwd=tmp_path)
    assert (ran.code, "no-such-revision" in ran.err) == (2, True)


def test_a_picture_is_a_file_of_its_own(run: Run, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    ran = run("report", *NOON, "--only", "schedule", cwd=folder)
    assert (ran.code, ran.out.split(":")[0]) == (0, "schedule.svg")
    root = ElementTree.fromstring((folder / "schedule.svg").read_text(encoding="utf-8"))
    assert len([element for element in root.iter() if element.tag.endswith("rect")]) > 50


def test_a_picture_is_written_over_an_earlier_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    for _ in range(2):
        assert run("report", *NOON, "--only", "schedule", cwd=tmp_path).code == 0


def test_a_picture_of_nothing_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("kind: Menu\nbrand: b\n")
    ran = run("report", "--only", "schedule", cwd=tmp_path)
    assert (ran.code, "--only schedule:" in ran.err) == (2, True)
    assert not list(tmp_path.glob("*.svg"))
