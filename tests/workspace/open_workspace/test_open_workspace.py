"""An open workspace: files outside of it, files that are left out, another day, and memory."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import trialrun.fix
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace, workspace_file
from trialrun.workspace.open_workspace.workspace_file import FileCache, WorkspaceFile

VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 66 * * *}\n"
BOUND = "kind: Brand\nname: north\ndefaults: [summer]\n"
CONFIG = b"kind: ChannelConfig\nname: summer\n"


MISSPELT = VIEW.replace(b"syncConfig", b"sync_config")


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    (tmp_path / "brand.yaml").write_text(BOUND)
    monkeypatch.chdir(tmp_path)
    return OpenWorkspace(
        CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )


def rules(live: OpenWorkspace, path: str) -> set[str]:
    live.run_all_tasks()
    return {diagnostic.rule for diagnostic in live.diagnostics(path)}


def test_a_folder_that_goes_takes_its_files_along(live: OpenWorkspace, tmp_path: Path) -> None:
    (tmp_path / "channels").mkdir()
    (tmp_path / "channels/summer.yaml").write_bytes(CONFIG)
    live.files_changed(str(tmp_path / "channels"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    (tmp_path / "channels/summer.yaml").unlink()
    live.files_changed(str(tmp_path / "channels"))
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_a_text_is_linted_without_the_proof_of_fixes(
    live: OpenWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.delattr(trialrun.fix, "resolve_fix")
        live.set_overlay(str(tmp_path / "view.yaml"), MISSPELT)
        assert "internal-error" not in rules(live, "view.yaml")
    found = live.diagnostics("view.yaml", with_fixes=True)
    assert ["syncConfig" in one.fix.title for one in found if one.fix] == [True]
    live.set_overlay(str(tmp_path / "view.yaml"), VIEW)
    assert not any(one.fix for one in live.diagnostics("view.yaml", with_fixes=True))


SALES = """kind: Source
uri: bq://p.d.sales
files: sales.json
---
kind: FeatureView
name: sales
warehouseSource: {uri: bq://p.d.sales, entityIdColumns: [id]}
"""


@pytest.mark.parametrize("is_open", [False, True])
def test_a_table_whose_columns_change_changes_findings_open_or_not(
    live: OpenWorkspace, tmp_path: Path, is_open: bool
) -> None:
    table = tmp_path / "sales.json"
    table.write_text('{"id": 1}\n')
    (tmp_path / "sales.yaml").write_text(SALES)
    live.files_changed(str(table), str(tmp_path / "sales.yaml"))
    assert "unknown-column" not in rules(live, "sales.yaml")
    table.write_text('{"other": 1}\n')
    if is_open:
        live.set_overlay(str(table), b'{"other": 1}\n')
    live.files_changed(str(table))
    assert "unknown-column" in rules(live, "sales.yaml")


def test_what_is_ignored_counts_when_the_list_of_it_is_open_and_saved(live: OpenWorkspace, tmp_path: Path) -> None:
    (tmp_path / "summer.yaml").write_bytes(CONFIG)
    live.files_changed(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    live.set_overlay(str(tmp_path / ".gitignore"), b"summer.yaml\n")
    (tmp_path / ".gitignore").write_text("summer.yaml\n")
    live.files_changed(str(tmp_path / ".gitignore"))
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_a_file_outside_is_judged_by_itself(live: OpenWorkspace, tmp_path: Path) -> None:
    live.set_overlay(str(tmp_path.parent / "elsewhere.yaml"), CONFIG + b"---\n" + VIEW)
    assert "cron-syntax" in rules(live, "../elsewhere.yaml")
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_a_file_that_is_left_out_may_have_what_is_missing(live: OpenWorkspace, tmp_path: Path) -> None:
    live.exclude_file(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")


def test_a_file_that_was_left_out_counts_again_once_it_changes(live: OpenWorkspace, tmp_path: Path) -> None:
    live.exclude_file(str(tmp_path / "view.yaml"))
    assert rules(live, "view.yaml") == set()
    live.set_overlay(str(tmp_path / "view.yaml"), VIEW)
    assert "cron-syntax" in rules(live, "view.yaml")


def test_an_open_text_stays_under_another_request(live: OpenWorkspace, tmp_path: Path) -> None:
    live.set_overlay(str(tmp_path / "view.yaml"), VIEW)
    assert "cron-syntax" in rules(live.with_request(live.request), "view.yaml")


def test_a_suppression_ends_when_the_day_does(live: OpenWorkspace, tmp_path: Path) -> None:
    comment = b"# trialrun: ignore-file[cron-syntax] until=2026-11-20 it is mended tomorrow\n"
    live.set_overlay(str(tmp_path / "view.yaml"), comment + VIEW)
    assert "cron-syntax" not in rules(live, "view.yaml")
    live.set_clock(datetime(2026, 11, 21, tzinfo=UTC))
    assert "cron-syntax" in rules(live, "view.yaml")


def test_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_file, "MAX_BYTES", 10)
    kept = FileCache()
    for name in ("first", "second", "third"):
        kept.add(WorkspaceFile(b"12345", name, lambda _: None))
    assert [kept.get(name) is not None for name in ("first", "second", "third")] == [False, True, True]


def test_trees_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_file, "MAX_PARSED_BYTES", 10)
    kept = FileCache()
    made = [kept.add(WorkspaceFile(b"12345", name, lambda _: None)) for name in ("first", "second", "third", "last")]
    for diagnostic in made[:3]:
        kept.get(diagnostic.path)
        assert diagnostic.parsed
    kept.get("last")
    assert [diagnostic.is_parsed for diagnostic in made] == [False, True, True, False]


def test_texts_that_are_only_gone_through_leave_the_trees_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_file, "MAX_PARSED_BYTES", 10)
    kept = FileCache()
    first = kept.add(WorkspaceFile(b"12345", "first", lambda _: None))
    assert first.parsed
    for name in "abc":
        kept.add(WorkspaceFile(b"12345", name, lambda _: None))
    assert first.is_parsed


def test_a_file_that_is_deleted_while_it_is_open_counts_until_it_is_closed(live: OpenWorkspace, tmp_path: Path) -> None:
    (tmp_path / "summer.yaml").write_bytes(CONFIG)
    live.set_overlay(str(tmp_path / "summer.yaml"), CONFIG)
    (tmp_path / "summer.yaml").unlink()
    live.files_changed(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" not in rules(live, "brand.yaml")
    live.remove_overlay(str(tmp_path / "summer.yaml"))
    assert "unknown-channel-config" in rules(live, "brand.yaml")


def test_links_that_lead_in_a_circle_are_no_files(live: OpenWorkspace, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "one.yaml").symlink_to("two.yaml")
    (tmp_path / "two.yaml").symlink_to("one.yaml")
    live.files_changed(str(tmp_path / "loop"), str(tmp_path / "one.yaml"))
    live.run_all_tasks()
    assert live.paths == {"brand.yaml"}


def test_many_files_that_come_are_found_by_listing_once(live: OpenWorkspace, tmp_path: Path) -> None:
    names = [f"{number}.yaml" for number in range(50)]
    for name in names:
        (tmp_path / name).write_bytes(VIEW.replace(b"prices", name.encode()))
    live.files_changed(str(tmp_path / names[0]))
    assert live.paths == {"brand.yaml", *names}


def test_settings_that_are_open_and_not_saved_say_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = '[[suppress]]\npath = "view.yaml"\nrule = "cron-syntax"\nreason = "it is mended tomorrow"\n'
    (tmp_path / "trialrun.toml").write_text(table)
    (tmp_path / "view.yaml").write_bytes(VIEW)
    live = OpenWorkspace(
        CheckRequest(
            str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(read_settings(str(tmp_path))), cache=False
        )
    )
    live.set_overlay(str(tmp_path / "trialrun.toml"), b"[[[")
    assert rules(live, "trialrun.toml") == set()
    assert "cron-syntax" not in rules(live, "view.yaml")


def test_a_long_session_keeps_nothing_of_files_that_were_closed(live: OpenWorkspace, tmp_path: Path) -> None:
    live.run_all_tasks()
    before = {name: len(kept) for name, kept in vars(live).items() if isinstance(kept, dict | set)}
    for number in range(60):
        file = str(tmp_path / f"{number}.yaml")
        live.set_overlay(file, VIEW.replace(b"prices", b"v%d" % number))
        live.diagnostics(f"{number}.yaml")
        live.remove_overlay(file)
    live.run_all_tasks()
    after = {name: len(kept) for name, kept in vars(live).items() if isinstance(kept, dict | set)}
    assert {name for name in after if after[name] > before[name] + 1} <= {"_changed_at"}


class Names:
    def __init__(self) -> None:
        self.names = ["first"]


def test_the_state_of_a_feature_is_kept_in_its_workspace(live: OpenWorkspace) -> None:
    live.feature_state(Names).names.append("second")
    assert live.feature_state(Names).names == ["first", "second"]
