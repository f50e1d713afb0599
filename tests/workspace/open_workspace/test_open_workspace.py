"""An open workspace: files outside of it, files that are left out, another day, and memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.workspace import Request
from trialrun.workspace.open_workspace import Live, parsed_files
from trialrun.workspace.open_workspace.parsed_file import Reading
from trialrun.workspace.open_workspace.parsed_files import Readings

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


SALES = """kind: Source
uri: bq://p.d.sales
files: sales.json
---
kind: FeatureView
name: sales
warehouseSource: {uri: bq://p.d.sales, entityIdColumns: [id]}
"""


@pytest.mark.parametrize("is_open", [False, True])
def test_a_table_whose_columns_change_changes_findings_open_or_not(live: Live, tmp_path: Path, is_open: bool) -> None:
    table = tmp_path / "sales.json"
    table.write_text('{"id": 1}\n')
    (tmp_path / "sales.yaml").write_text(SALES)
    live.touch(str(table), str(tmp_path / "sales.yaml"))
    assert "unknown-column" not in rules(live, "sales.yaml")
    table.write_text('{"other": 1}\n')
    if is_open:
        live.put(str(table), b'{"other": 1}\n')
    live.touch(str(table))
    assert "unknown-column" in rules(live, "sales.yaml")


def test_what_is_ignored_counts_when_the_list_of_it_is_open_and_saved(live: Live, tmp_path: Path) -> None:
    (tmp_path / "summer.yaml").write_bytes(CONFIG)
    live.touch(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    live.put(str(tmp_path / ".gitignore"), b"summer.yaml\n")
    (tmp_path / ".gitignore").write_text("summer.yaml\n")
    live.touch(str(tmp_path / ".gitignore"))
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
    monkeypatch.setattr(parsed_files, "MOST_BYTES", 10)
    kept = Readings()
    for name in ("first", "second", "third"):
        kept.keep(Reading(b"12345", name, lambda _: None))
    assert [kept.get(name) is not None for name in ("first", "second", "third")] == [False, True, True]


def test_trees_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed_files, "MOST_IN_TREES", 10)
    kept = Readings()
    made = [kept.keep(Reading(b"12345", name, lambda _: None)) for name in ("first", "second", "third", "last")]
    for one in made[:3]:
        kept.get(one.path)
        assert one.tree
    kept.get("last")
    assert [one.has_tree for one in made] == [False, True, True, False]


def test_texts_that_are_only_gone_through_leave_the_trees_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed_files, "MOST_IN_TREES", 10)
    kept = Readings()
    first = kept.keep(Reading(b"12345", "first", lambda _: None))
    assert first.tree
    for name in "abc":
        kept.keep(Reading(b"12345", name, lambda _: None))
    assert first.has_tree


def test_a_file_that_is_deleted_while_it_is_open_counts_until_it_is_closed(live: Live, tmp_path: Path) -> None:
    (tmp_path / "summer.yaml").write_bytes(CONFIG)
    live.put(str(tmp_path / "summer.yaml"), CONFIG)
    (tmp_path / "summer.yaml").unlink()
    live.touch(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    live.drop(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_links_that_lead_in_a_circle_are_no_files(live: Live, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "one.yaml").symlink_to("two.yaml")
    (tmp_path / "two.yaml").symlink_to("one.yaml")
    live.touch(str(tmp_path / "loop"), str(tmp_path / "one.yaml"))
    live.finish()
    assert live.paths == {"brand.yaml"}


def test_many_files_that_come_are_found_by_listing_once(live: Live, tmp_path: Path) -> None:
    names = [f"{number}.yaml" for number in range(50)]
    for name in names:
        (tmp_path / name).write_bytes(VIEW.replace(b"prices", name.encode()))
    live.touch(str(tmp_path / names[0]))
    assert live.paths == {"brand.yaml", *names}


def test_settings_that_are_open_and_not_saved_say_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = '[[suppress]]\npath = "view.yaml"\nrule = "cron-syntax"\nreason = "it is mended tomorrow"\n'
    (tmp_path / "trialrun.toml").write_text(table)
    (tmp_path / "view.yaml").write_bytes(VIEW)
    live = Live(
        Request(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(read_settings(str(tmp_path))), cache=False)
    )
    live.put(str(tmp_path / "trialrun.toml"), b"[[[")
    assert rules(live, "trialrun.toml") == set()
    assert "cron-syntax" not in rules(live, "view.yaml")


def test_a_long_session_keeps_nothing_of_files_that_were_closed(live: Live, tmp_path: Path) -> None:
    live.finish()
    before = {name: len(kept) for name, kept in vars(live).items() if isinstance(kept, dict | set)}
    for number in range(300):
        file = str(tmp_path / f"{number}.yaml")
        live.put(file, VIEW.replace(b"prices", b"v%d" % number))
        live.diagnostics(f"{number}.yaml")
        live.drop(file)
    live.finish()
    after = {name: len(kept) for name, kept in vars(live).items() if isinstance(kept, dict | set)}
    assert {name for name in after if after[name] > before[name] + 1} <= {"_changed_at"}
