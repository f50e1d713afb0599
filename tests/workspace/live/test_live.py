"""An open workspace: files outside of it, files that are left out, another day, and memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import Request
from trialrun.workspace.live import Live, readings
from trialrun.workspace.live.reading import Reading
from trialrun.workspace.live.readings import Readings

VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 66 * * *}\n"
BOUND = "kind: Brand\nname: north\ndefaults: [summer]\n"
CONFIG = b"kind: ChannelConfig\nname: summer\n"


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    (tmp_path / "brand.yaml").write_text(BOUND)
    monkeypatch.chdir(tmp_path)
    return Live(Request(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False))


def rules(live: Live, path: str) -> set[str]:
    live.finish()
    return {one.rule for one in live.diagnostics(path)}


def test_a_file_that_comes_mends_a_finding_of_another(live: Live, tmp_path: Path) -> None:
    assert "unknown-channel-config" in rules(live, "brand.yaml")
    (tmp_path / "summer.yaml").write_bytes(CONFIG)
    live.touch(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")


def test_a_folder_that_goes_takes_its_files_along(live: Live, tmp_path: Path) -> None:
    (tmp_path / "channels").mkdir()
    (tmp_path / "channels/summer.yaml").write_bytes(CONFIG)
    live.touch(str(tmp_path / "channels"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    (tmp_path / "channels/summer.yaml").unlink()
    live.touch(str(tmp_path / "channels"))
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_a_file_outside_is_judged_by_itself(live: Live, tmp_path: Path) -> None:
    live.put(str(tmp_path.parent / "elsewhere.yaml"), CONFIG + b"---\n" + VIEW)
    assert "cron-syntax" in rules(live, "../elsewhere.yaml")
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_a_file_that_is_left_out_may_have_what_is_missing(live: Live, tmp_path: Path) -> None:
    live.leave_out(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")


def test_a_file_that_was_left_out_counts_again_once_it_changes(live: Live, tmp_path: Path) -> None:
    live.leave_out(str(tmp_path / "view.yaml"))
    assert rules(live, "view.yaml") == set()
    live.put(str(tmp_path / "view.yaml"), VIEW)
    assert "cron-syntax" in rules(live, "view.yaml")


def test_an_open_text_stays_under_another_request(live: Live, tmp_path: Path) -> None:
    live.put(str(tmp_path / "view.yaml"), VIEW)
    assert "cron-syntax" in rules(live.over(live.request), "view.yaml")


def test_a_suppression_ends_when_the_day_does(live: Live, tmp_path: Path) -> None:
    comment = b"# trialrun: ignore-file[cron-syntax] until=2026-11-20 it is mended tomorrow\n"
    live.put(str(tmp_path / "view.yaml"), comment + VIEW)
    assert "cron-syntax" not in rules(live, "view.yaml")
    live.at(datetime(2026, 11, 21, tzinfo=UTC))
    assert "cron-syntax" in rules(live, "view.yaml")


def test_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "MOST_BYTES", 10)
    kept = Readings()
    for name in ("first", "second", "third"):
        kept.keep(Reading(b"12345", name, lambda _: None))
    assert [kept.get(name) is not None for name in ("first", "second", "third")] == [False, True, True]


def test_trees_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "MOST_IN_TREES", 10)
    kept = Readings()
    made = [kept.keep(Reading(b"12345", name, lambda _: None)) for name in ("first", "second", "third", "last")]
    for one in made[:3]:
        kept.get(one.path)
        assert one.tree
    kept.get("last")
    assert [one.has_tree for one in made] == [False, True, True, False]


def test_texts_that_are_only_gone_through_leave_the_trees_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "MOST_IN_TREES", 10)
    kept = Readings()
    first = kept.keep(Reading(b"12345", "first", lambda _: None))
    assert first.tree
    for name in "abc":
        kept.keep(Reading(b"12345", name, lambda _: None))
    assert first.has_tree
