"""What is said across files of an open workspace: judged piece by piece, and kept until something else is said."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace, results

VIEW = b"kind: FeatureView\nname: prices\n"
NAMES = ("a.yaml", "b.yaml", "c.yaml")
TWICE = "duplicate-resource-name"


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(results, "STEP_SECONDS", 0)
    for name in NAMES:
        (tmp_path / name).write_bytes(VIEW)
    return OpenWorkspace(
        CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )


def judged(live: OpenWorkspace) -> list[str]:
    """The files that are said to have the name of one before them."""
    return [name for name in NAMES if any(diagnostic.rule == TWICE for diagnostic in live.diagnostics(name))]


def begun(live: OpenWorkspace) -> None:
    """Do what is left up to the middle of the judging."""
    while live.next_rule != TWICE:
        live.run_next_task()
    live.run_next_task()


def test_judging_is_left_and_taken_up_again(live: OpenWorkspace) -> None:
    begun(live)
    assert (live.next_rule, judged(live)) == (TWICE, [])
    live.run_all_tasks()
    assert judged(live) == ["b.yaml", "c.yaml"]


def test_judging_begins_anew_when_what_is_judged_changes(live: OpenWorkspace, tmp_path: Path) -> None:
    begun(live)
    live.set_overlay(str(tmp_path / "c.yaml"), VIEW.replace(b"prices", b"costs"))
    live.run_all_tasks()
    assert judged(live) == ["b.yaml"]


def test_a_place_that_moves_while_it_is_judged_is_told_as_it_is_then(live: OpenWorkspace, tmp_path: Path) -> None:
    begun(live)
    live.run_next_task()
    live.run_next_task()
    live.set_overlay(str(tmp_path / "c.yaml"), b"# moved\n" + VIEW)
    live.run_all_tasks()
    assert [diagnostic.range.start.line for diagnostic in live.diagnostics("c.yaml") if diagnostic.rule == TWICE] == [3]


def test_what_was_said_stays_until_it_is_judged_again(live: OpenWorkspace, tmp_path: Path) -> None:
    live.run_all_tasks()
    live.set_overlay(str(tmp_path / "c.yaml"), VIEW.replace(b"prices", b"costs"))
    assert judged(live) == ["b.yaml", "c.yaml"]


def test_what_was_said_stays_under_other_settings_until_it_is_judged_by_them(live: OpenWorkspace) -> None:
    live.run_all_tasks()
    other = live.with_request(live.request)
    assert judged(other) == ["b.yaml", "c.yaml"]
    other.run_all_tasks()
    assert judged(other) == ["b.yaml", "c.yaml"]


def test_a_rule_that_other_settings_leave_out_says_nothing_any_more(live: OpenWorkspace) -> None:
    live.run_all_tasks()
    assert judged(live.with_request(replace(live.request, profiles=Profiles(Settings(), ignore=[TWICE])))) == []


def test_a_rule_that_is_left_out_says_nothing_and_others_do(live: OpenWorkspace, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_bytes(b"kind: Brand\nname: north\ndefaults: [summer]\n")
    live.files_changed(str(tmp_path / "brand.yaml"))
    live.run_all_tasks()
    live.disable_rule(TWICE)
    live.run_all_tasks()
    assert judged(live) == []
    assert [diagnostic.rule for diagnostic in live.diagnostics("brand.yaml")] == ["unknown-channel-config"]
