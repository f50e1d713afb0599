"""Symbolic and hard links: other names of one file, which is read once."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

MISTAKE = view(cron="0 66 * * *")
FIXABLE = view().replace("syncConfig", "sync_config")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trialrun.toml").touch()
    (tmp_path / "views").mkdir()
    (tmp_path / "views/v.yaml").write_text(MISTAKE)
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs/v.yaml").symlink_to("../views/v.yaml")
    (tmp_path / "alias").symlink_to("views")
    return tmp_path


@pytest.mark.parametrize(
    ("paths", "where"),
    [
        ("", "views/v.yaml"),
        ("alias views", "views/v.yaml"),
        ("alias", "alias/v.yaml"),
        ("envs", "envs/v.yaml"),
        ("envs/v.yaml", "envs/v.yaml"),
        ("envs/v.yaml views", "envs/v.yaml"),
        ("envs/v.yaml views/v.yaml alias/v.yaml", "views/v.yaml"),
        ("--discovered -- envs/v.yaml views/v.yaml", "views/v.yaml"),
    ],
)
def test_a_file_is_read_once(run: Run, folder: Path, paths: str, where: str) -> None:
    ran = json.loads(run("check", "--output-format", "json", *paths.split()).out)
    assert [(each["rule"], each["path"]) for each in ran["diagnostics"]] == [("cron-syntax", where)]
    assert (ran["summary"]["files"], ran["summary"]["documents"]) == (1, 1)


def test_a_hard_link_is_another_name(run: Run, folder: Path) -> None:
    os.link(folder / "views/v.yaml", folder / "views/a.yaml")
    ran = json.loads(run("check", "--output-format", "json").out)
    assert [(each["rule"], each["path"]) for each in ran["diagnostics"]] == [("cron-syntax", "views/a.yaml")]
    assert run("check", "--show-files").out.splitlines() == [
        "envs/v.yaml   another name of views/a.yaml",
        "views/a.yaml  FeatureView",
        "views/v.yaml  another name of views/a.yaml",
    ]


@pytest.mark.parametrize("options", [["--fix"], ["--add-ignores", "known"]])
def test_a_file_that_is_written_keeps_its_names(run: Run, folder: Path, options: list[str]) -> None:
    (folder / "views/v.yaml").write_text(FIXABLE)
    os.link(folder / "views/v.yaml", folder / "views/a.yaml")
    ran = run("check", *options)
    assert (ran.code, "hard link" in ran.err) == (0, False)
    assert (folder / "views/a.yaml").samefile(folder / "views/v.yaml")
    assert (folder / "envs/v.yaml").is_symlink()
    assert (folder / "views/v.yaml").read_text() != FIXABLE


def test_a_plan_counts_a_view_once(run: Run, folder: Path) -> None:
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "a"], ["add", "."], ["commit", "-qm", "b"]):
        subprocess.run([*git, *command], check=True)
    (folder / "views/v.yaml").write_text(view())
    assert "resources: 1 added" in run("plan", "HEAD~1").out
    assert "resources: 1 changed" in run("plan", "HEAD").out


def test_a_link_that_leads_out_is_refused(run: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.yaml"
    outside.write_text(view("x"))
    (folder / "x.yaml").symlink_to(outside)
    ran = json.loads(run("check", "--output-format", "json").out)
    assert ("unreadable-file", "x.yaml") in [(each["rule"], each["path"]) for each in ran["diagnostics"]]


def test_an_editor_shows_the_path_that_is_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    now = datetime(2026, 11, 20, tzinfo=UTC)
    live = OpenWorkspace(CheckRequest(str(folder), now, Profiles(Settings()), cache=False))

    def shown() -> list[tuple[str, list[str]]]:
        live.run_all_tasks()
        return [(path, [each.rule for each in found]) for path, found in sorted(live.all_diagnostics().items())]

    assert shown() == [("views/v.yaml", ["cron-syntax"])]
    for opened in ("envs/v.yaml", "alias/v.yaml"):
        live.set_overlay(str(folder / opened), view(cron="0 77 * * *").encode())
        assert shown() == [(opened, ["cron-syntax"])]
        live.remove_overlay(str(folder / opened))
        assert shown() == [("views/v.yaml", ["cron-syntax"])]
    live.set_overlay(str(folder / "envs/v.yaml"), MISTAKE.encode())
    live.set_overlay(str(folder / "views/v.yaml"), MISTAKE.encode())
    assert shown() == [("views/v.yaml", ["cron-syntax"])]
