"""A file whose kind the settings name by a glob is checked wherever a search meets it, whatever its bytes look like."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import CONDITION, Run
from trialrun.lint.settings import Profiles, read_settings
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_workspace import OpenWorkspace

SETTINGS = 'kinds."m.yaml" = "Menu"\n'
SOUND = "brand: b\nitems: []\n"
WRONG = "brand: b\nitems: {}\n"


@pytest.fixture
def menu(tmp_path: Path) -> Path:
    (tmp_path / "trialrun.toml").write_text(SETTINGS)
    (tmp_path / "m.yaml").write_text(WRONG)
    (tmp_path / "other.yaml").write_text(WRONG)
    return tmp_path / "m.yaml"


def findings(run: Run, *arguments: str) -> list[tuple[str, str]]:
    report = json.loads(run("check", "--no-cache", "--output-format", "json", *arguments).out)
    return [(diagnostic["path"], diagnostic["rule"]) for diagnostic in report["diagnostics"]]


def commit(folder: Path) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "change")):
        subprocess.run(["git", "-C", str(folder), *words], check=True, env={**os.environ, "HOME": os.devnull})


@pytest.mark.parametrize("arguments", [(), (".",), ("m.yaml",), ("--discovered", "m.yaml", "other.yaml")])
def test_a_search_meets_it(run: Run, menu: Path, arguments: tuple[str, ...]) -> None:
    assert findings(run, *arguments) == [("m.yaml", "wrong-type")]


def test_it_counts_as_checked(run: Run, menu: Path) -> None:
    menu.write_text(SOUND)
    assert run("check").out == "1 file checked, nothing found (1 file skipped: unknown kind)\n"


def test_show_files_names_its_kind(run: Run, menu: Path) -> None:
    assert run("check", "--show-files").out.splitlines()[:2] == ["m.yaml      Menu", "other.yaml  no known kind"]


@pytest.mark.parametrize("name", ["m.yaml", "trialrun.toml"])
def test_since_a_change_of_it_or_of_the_settings(run: Run, menu: Path, name: str) -> None:
    menu.write_text(SOUND if name == "m.yaml" else WRONG)
    (menu.parent / "trialrun.toml").write_text(SETTINGS if name == "m.yaml" else "")
    commit(menu.parent)
    assert findings(run, "--since", "HEAD") == []
    menu.write_text(WRONG)
    (menu.parent / "trialrun.toml").write_text(SETTINGS)
    assert findings(run, "--since", "HEAD") == [("m.yaml", "wrong-type")]


@pytest.mark.parametrize("is_open", [True, False])
def test_the_editor_says_the_same(menu: Path, is_open: bool) -> None:
    folder = menu.parent
    profiles = Profiles(read_settings(folder / "trialrun.toml"))
    request = CheckRequest(str(folder), datetime(2026, 11, 20, tzinfo=UTC), profiles, cache=False)
    live = OpenWorkspace(request)
    if is_open:
        live.set_overlay(str(menu), WRONG.encode())
    live.run_all_tasks()
    shown = os.path.relpath(menu)
    assert live.all_diagnostics() == {shown: tuple(check(request).diagnostics)}
    assert [file.path for file in live.workspace_files()] == [shown]
    assert [diagnostic.rule for diagnostic in live.diagnostics(shown)] == ["wrong-type"]


SCHEMA = "name: s\ntypes: {Order: {sum: double}}\nvariables: {order: Order}\n"


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    (tmp_path / "trialrun.toml").write_text('kinds."types.yaml" = "SessionSchema"\n')
    (tmp_path / "c.yaml").write_text(CONDITION)
    (tmp_path / "types.yaml").write_text(SCHEMA)
    return tmp_path / "types.yaml"


@pytest.mark.parametrize("arguments", [(), ("c.yaml",)])
def test_session_types_by_a_glob_hold(run: Run, schema: Path, arguments: tuple[str, ...]) -> None:
    assert ("c.yaml", "cel-type") in findings(run, *arguments)
    schema.write_text(SCHEMA.replace("sum", "total"))
    assert findings(run, *arguments) == []


def test_session_types_by_a_glob_hold_in_the_editor(schema: Path) -> None:
    folder = schema.parent
    profiles = Profiles(read_settings(folder / "trialrun.toml"))
    live = OpenWorkspace(CheckRequest(str(folder), datetime(2026, 11, 20, tzinfo=UTC), profiles, cache=False))
    config = os.path.relpath(folder / "c.yaml")
    assert [diagnostic.rule for diagnostic in live.diagnostics(config)] == ["cel-type"]
    live.set_overlay(str(schema), SCHEMA.replace("sum", "total").encode())
    assert live.diagnostics(config) == []


def test_session_types_by_a_glob_since_a_change_of_them(run: Run, schema: Path) -> None:
    schema.write_text(SCHEMA.replace("sum", "total"))
    commit(schema.parent)
    schema.write_text(SCHEMA)
    assert ("c.yaml", "cel-type") in findings(run, "--since", "HEAD")
