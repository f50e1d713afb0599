"""`trialrun settings` shows every setting with its value, its origin and its default."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run
from trialrun.lint import registry
from trialrun.lint.settings.model import TABLES, WorkspaceSettings

SETTINGS = """\
[severity]
cron-dst = "error"
[options]
sync-herd-size = 9
[[overrides]]
paths = ["legacy/**"]
options.sync-herd-size = 2
ignore = ["cron-syntax"]
[[suppress]]
path = "a.json"
rule = "cron-dst"
reason = "old"
"""


def shown(run: Run, folder: Path, *words: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(run("settings", *words, "--output-format", "json", cwd=folder).out)
    return shown


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "trialrun.toml").write_text(SETTINGS)
    (tmp_path / "user.toml").write_text("[limits]\nthreads = 2\n")
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(tmp_path / "user.toml"))
    return tmp_path / "work"


def test_every_setting_is_shown_where_nothing_is_set(run: Run, tmp_path: Path) -> None:
    settings = shown(run, tmp_path, "--isolated")["settings"]
    names = {*WorkspaceSettings.fields_by_key()} - {"options", "runtime", "overrides", "suppress"}
    names |= {f"options.{name}" for name in TABLES["options"].fields_by_key()}
    names |= {f"runtime.{name}" for name in TABLES["runtime"].fields_by_key()}
    names |= {"allow-paths", *(f"limits.{name}" for name in TABLES["limits"].fields_by_key())}
    assert names <= {*settings}
    assert all(entry["from"] == "default" and entry["value"] == entry["default"] for entry in settings.values())


def test_a_setting_has_its_value_its_origin_and_its_default(run: Run, workspace: Path) -> None:
    settings = shown(run, workspace)["settings"]
    assert settings["options.sync-herd-size"] == {"value": 9, "from": "trialrun.toml", "default": 5}
    assert settings["severity.cron-dst"] == {
        "value": "error",
        "from": "trialrun.toml",
        "default": registry.load("cron-dst").severity.word,
    }
    assert settings["limits.threads"] == {"value": 2, "from": str(workspace.parent / "user.toml"), "default": 0}
    assert [table["rule"] for table in settings["suppress"]["value"]] == [["cron-dst"]]
    assert shown(run, workspace, "--isolated")["settings"]["limits.threads"]["value"] == 0


def test_overrides_hold_for_their_files(run: Run, workspace: Path) -> None:
    found = shown(run, workspace, "legacy/view.yaml")
    of_override = "trialrun.toml: overrides[0]"
    assert found["settings"]["options.sync-herd-size"] == {"value": 2, "from": of_override, "default": 5}
    assert found["rules"]["cron-syntax"] == {"value": "off", "from": of_override, "default": "on"}


def test_the_text_has_a_default_beside_what_somebody_chose(run: Run, workspace: Path) -> None:
    lines = [" ".join(line.split()) for line in run("settings", cwd=workspace).out.splitlines()]
    assert "options.sync-herd-size 9, default 5 (trialrun.toml)" in lines
    assert "options.min-sync-interval unset (default)" in lines
    assert 'runtime.memory-limit "2GB" (default)' in lines
