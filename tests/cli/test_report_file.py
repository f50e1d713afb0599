"""A report overwrites reports, never a file that is checked, and another file only with --force."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_of
from tests.program import Run, view
from trialrun.cli.files import is_text_report
from trialrun.report.interface import FORMATS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(view(cron="0 25 * * *"))
    (tmp_path / "sound.yaml").write_text(view("w"))
    return tmp_path


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_takes_the_place_of_a_report(run: Run, folder: Path, name: str) -> None:
    for checked, columns in (("a.yaml", "80"), ("sound.yaml", "30"), ("a.yaml", "30"), ("sound.yaml", "80")):
        ran = run("check", checked, "--output-format", f"{name}=report", COLUMNS=columns)
        assert ran.err == ""
        assert (folder / "report").stat().st_size
    for format_ in FORMATS:
        assert run("check", "a.yaml", "--output-format", f"{format_}=report").err == ""


@pytest.mark.parametrize("text", ["important\n", "{}", '{"version": 1, "entries": []}', "<?xml version='1.0'?><a/>"])
@pytest.mark.parametrize("name", ["json", "text", "junit"])
def test_another_file_is_overwritten_with_force_alone(run: Run, folder: Path, name: str, text: str) -> None:
    (folder / "notes").write_text(text)
    ran = run("check", "--output-format", f"{name}=notes")
    assert (ran.code, (folder / "notes").read_text()) == (2, text)
    assert "notes is not a trialrun report" in ran.err
    assert run("check", "--output-format", f"{name}=notes", "--force").code == 1
    assert (folder / "notes").read_text() != text


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_file_that_is_checked_is_never_overwritten(run: Run, folder: Path, force: tuple[str, ...]) -> None:
    before = (folder / "a.yaml").read_bytes()
    (folder / "link.json").symlink_to("a.yaml")
    for file in ("a.yaml", str(folder / "a.yaml"), "link.json"):
        ran = run("check", "--output-format", f"json={file}", *force)
        assert (ran.code, (folder / "a.yaml").read_bytes()) == (2, before)


def test_an_empty_file_a_device_and_the_file_of_a_watch_are_written(run: Run, folder: Path) -> None:
    (folder / "empty.json").touch()
    assert run("check", "--output-format", "json=empty.json").code == 1
    assert run("check", "--output-format", "json=/dev/null").code == 1


def test_a_baseline_takes_no_other_file(run: Run, folder: Path) -> None:
    before = (folder / "a.yaml").read_bytes()
    assert run("baseline", "write", "a.yaml").code == 2
    assert run("baseline", "write", "a.yaml", "--grow").code == 2
    assert (folder / "a.yaml").read_bytes() == before


def test_the_results_of_scenarios_take_no_other_file(run: Run, folder: Path) -> None:
    (folder / "scenario.yaml").write_text("kind: Scenario\nname: s\nsteps: []\n")
    for force in ((), ("--force",)):
        run("test", "--junit", "scenario.yaml", *force)
        assert (folder / "scenario.yaml").read_text().startswith("kind: Scenario")


@each_of(
    [
        ("a:1:2: error x y\n\n1 error in 1 file\n", True),
        ("2 errors, 1 warning in 2\nof 14 files (1 fixable\nwith --fix)", True),
        ("5 findings fixed in 2 files; 3 files checked, nothing found\n", True),
        ("no files checked\n", True),
        ("what we found: errors in files\n", False),
        ("", False),
        ("kind: Menu\n", False),
    ]
)
def test_text_reports_are_known_by_their_last_words(text: str, expected: bool) -> None:
    assert is_text_report(text) is expected
