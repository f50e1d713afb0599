"""The first workspace: clean by every rule, and each of its files is of use."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.program import Run, own_environment
from trialrun.lint import registry
from trialrun.lint.selection import NEWEST
from trialrun.model.kinds import KINDS
from trialrun.templates.starter import CONTENTS, FOLDER, HOOKS, starter_file

KINDS_FOR_BEGINNERS = {"FeatureView", "FeatureOnlineStore", "Source", "ChannelConfig", "Brand", "Menu", "Scenario"}
needs_runtime = pytest.mark.skipif(not find_spec("duckdb"), reason="needs duckdb; run pip install '.[runtime]'")


@pytest.fixture
def shop(run: Run, tmp_path: Path) -> Path:
    assert run("init", "shop").code == 0
    return tmp_path / "shop"


def test_no_rule_reports_anything(run: Run, shop: Path) -> None:
    ran = run("check", "--select", "all", "--output-format", "json", cwd=shop)
    report = json.loads(ran.out)
    assert (ran.code, report["diagnostics"], report["not_checked"]) == (0, [], [])
    assert report["summary"]["documents"] == len(KINDS_FOR_BEGINNERS)


def test_every_rule_is_run(run: Run, shop: Path) -> None:
    assert f'"{NEWEST}"' in run("settings", "--output-format", "json", cwd=shop).out
    assert registry.load("missing-etag").on is False


def test_it_has_what_a_beginner_needs(run: Run, shop: Path) -> None:
    listed = json.loads(run("check", "--show-files", "--output-format", "json", cwd=shop).out)["files"]
    assert {kind for file in listed for kind in file["kinds"]} == KINDS_FOR_BEGINNERS <= set(KINDS)
    assert len((shop / "views" / "data" / "menu_taste.csv").read_text().splitlines()) == 51
    assert (shop / "brand" / "brand.yaml").read_text().count("/stores/") == 2


def test_every_file_is_packaged_and_written() -> None:
    packaged = {path.relative_to(FOLDER).as_posix() for path in Path(FOLDER).rglob("*") if path.is_file()}
    assert packaged == {*CONTENTS, "pre-commit-config.yaml", "pre-commit-hook.yaml"} - {HOOKS}


@each_of([path for path in CONTENTS if not path.endswith(".csv")])
def test_a_file_teaches_by_comments(path: str) -> None:
    lines = starter_file(path).decode().splitlines()
    assert lines[0].startswith("# ")
    assert max(map(len, lines)) <= 120


def test_the_scenario_notices_a_change(run: Run, shop: Path) -> None:
    config = shop / "channels" / "everyday.yaml"
    assert run("test", cwd=shop).code == 0
    config.write_text(config.read_text().replace("contains('burger')", "contains('Burger')"))
    assert run("check", cwd=shop).code == 0
    assert run("test", cwd=shop).code == 1


@needs_runtime
def test_its_view_is_served_and_searched(run: Run, shop: Path) -> None:
    synced = json.loads(run("sync", "--all", "--output-format", "json", cwd=shop).out)
    served = json.loads(run("fetch", "menu_taste", "D-101", "--output-format", "json", cwd=shop).out)
    similar = run("search", "menu_taste", "--entity", "D-401", "--filter", "category=drinks", cwd=shop)
    assert "50" in json.dumps(synced)
    assert served["entities"][0]["values"]["item_name"] == "Hamburger"
    assert similar.code == 0


def test_its_view_has_next_runs(run: Run, shop: Path) -> None:
    assert "menu_taste" in run("schedule", cwd=shop).out


@pytest.mark.exhaustive
def test_pre_commit_runs_its_hook(shop: Path, tmp_path: Path) -> None:
    environment = own_environment(tmp_path) | {
        "PRE_COMMIT_HOME": str(tmp_path / "hooks"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    launcher = tmp_path / "bin" / "trialrun"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    environment["PATH"] = f"{launcher.parent}{os.pathsep}{environment['PATH']}"
    if not find_spec("pre_commit") or not shutil.which("git"):
        pytest.skip("needs pre-commit; run pip install '.[test]'")

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=shop, env=environment, capture_output=True, text=True, check=False)

    ran("git", "init", "--quiet")
    ran("git", "add", ".")
    hook = (sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert ran(*hook).returncode == 0
    view = shop / "views" / "menu-taste.yaml"
    view.write_text(view.read_text().replace("30 4 * * *", "30 25 * * *"))
    broken = ran(*hook)
    assert broken.returncode == 1
    assert "cron-syntax" in broken.stdout
