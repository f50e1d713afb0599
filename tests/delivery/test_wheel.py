"""The wheel is whole: installed alone, away from this repository, it does what the clone does."""

import json
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.delivery.other_tools import ROOT, command
from tests.program import Run
from trialrun.documentation import EDITORS
from trialrun.lint import registry

BRAND = ROOT / "fixtures" / "workspaces" / "burger-brand"


def test_the_wheel_finds_what_the_clone_finds(
    installed: Path, offline: dict[str, str], tmp_path: Path, run: Run
) -> None:
    words = ("check", "--at", "2026-11-20", "--no-cache", "--output-format", "json", str(BRAND))
    done = command(installed / "trialrun", *words, cwd=tmp_path, env=offline)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == run(*words).out


def test_the_wheel_has_every_rule_and_its_page(installed: Path, offline: dict[str, str], tmp_path: Path) -> None:
    done = command(installed / "trialrun", "rules", "--output-format", "json", cwd=tmp_path, env=offline)
    assert [load["id"] for load in json.loads(done.stdout)["rules"]] == list(registry.ids())
    page = command(installed / "trialrun", "explain", "cron-dst", cwd=tmp_path, env=offline)
    assert "America/New_York" in page.stdout


def test_the_wheel_has_the_settings_of_every_editor(installed: Path, offline: dict[str, str], tmp_path: Path) -> None:
    for editor, file in EDITORS.items():
        printed = command(installed / "trialrun", "lsp", "--settings", editor, cwd=tmp_path, env=offline)
        assert printed.stdout == (ROOT / "editors" / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["rules", "src/trialrun"])
def test_the_wheel_has_the_files_that_the_clone_has(installed: Path, clone: Path, folder: str) -> None:
    (package,) = installed.parent.rglob("site-packages/trialrun")
    there = package / "_rules" if folder == "rules" else package
    files = {path.relative_to(clone / folder) for path in (clone / folder).rglob("*") if path.is_file()}
    assert {str(file) for file in files if not (there / file).is_file()} == set()


def test_a_wheel_can_be_built_from_the_source_archive(clone: Path, offline: dict[str, str], tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip")
    got = command(*pip, "install", "--target", tmp_path / "hatch", "hatchling", cwd=tmp_path, env=offline)
    assert got.returncode == 0, got.stderr
    packed = command(
        *(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path),
        cwd=clone,
        env=offline | {"PYTHONPATH": str(tmp_path / "hatch")},
    )
    assert packed.returncode == 0, packed.stderr
    (archive,) = tmp_path.glob("trialrun-*.tar.gz")
    built = command(*pip, "wheel", "--no-deps", archive, cwd=tmp_path, env=offline)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("trialrun-*.whl")
    assert {"trialrun/_rules/document/syntax-error.py", "trialrun/cli/program.py"} < set(ZipFile(wheel).namelist())
