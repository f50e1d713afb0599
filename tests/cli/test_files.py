"""Over which files commands write: those that are theirs, and no others."""

import os
from pathlib import Path
from shutil import copytree

import pytest

from tests.cases import each_of
from tests.program import Run, view
from trialrun.cli.files import is_text_report
from trialrun.report.interface import FORMATS

BURGERS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand"
AT = ("--at", "2026-11-20T17:00:00Z")
SCRIPT = b"""\
set session.partySize 4
set session.metadata.club "gold: yes"
set session.metadata["a b.c"] 1
add 2 Classic Smash with No Onions
say shake; add "Fries"
accept
speak en-US
done
"""


@pytest.fixture
def burgers(tmp_path: Path) -> Path:
    """The example workspace without its scenarios."""
    copytree(BURGERS, tmp_path, dirs_exist_ok=True)
    for file in (*(tmp_path / "scenarios").iterdir(), *(tmp_path / "broken").iterdir()):
        file.unlink()
    return tmp_path


def test_a_saved_session_passes_and_checks_clean(run: Run, burgers: Path) -> None:
    saved = run(
        "session", "montreal-plateau", "--script", "-", "--seed", "3", "--save-scenario", "played.yaml", *AT,
        stdin=SCRIPT,
    )  # fmt: skip
    assert (saved.code, saved.err) == (0, "")
    assert run("test", "played.yaml").out.startswith("passed  Session at montreal-plateau\n")
    assert run("check", "played.yaml").out == "1 file checked, nothing found\n"


def test_a_saved_session_notices_a_change(run: Run, burgers: Path) -> None:
    run("session", "montreal-plateau", "--script", "-", "--save-scenario", "played.yaml", *AT, stdin=SCRIPT)
    config = burgers / "channels" / "everyday-upsells.yaml"
    config.write_text(config.read_text().replace("Fountain Drink", "Still Water"))
    assert run("test", "played.yaml").code == 1


def test_an_interactive_session_is_saved(run: Run, burgers: Path) -> None:
    typed = b"add Classic Smash\nsave scenario played.yaml\nsave scenario played.txt\nquit\n"
    ran = run("session", "austin-lamar", *AT, stdin=typed)
    assert "saved  played.yaml; trialrun test plays it" in " ".join(ran.out.split()).replace("saved ", "saved  ")
    assert "played.txt: a scenario is a YAML file; choose a name that ends with .yaml" in " ".join(ran.out.split())
    assert run("test", "played.yaml").code == 0


def test_another_file_is_not_overwritten(run: Run, burgers: Path) -> None:
    (burgers / "mine.yaml").write_text("kind: Scenario\n")
    ran = run("session", "austin-lamar", "--script", "-", "--save-scenario", "mine.yaml", *AT, stdin=b"done\n")
    assert (ran.code, ran.err) == (2, "error: mine.yaml exists and is not a recorded scenario; choose another name\n")
    assert (burgers / "mine.yaml").read_text() == "kind: Scenario\n"


def test_a_pipe_is_not_read_before_it_is_written(run: Run, burgers: Path) -> None:
    os.mkfifo(burgers / "pipe.yaml")
    reader = os.open(burgers / "pipe.yaml", os.O_RDONLY | os.O_NONBLOCK)
    ran = run("session", "austin-lamar", "--script", "-", "--save-scenario", "pipe.yaml", *AT, stdin=b"done\n")
    assert (ran.code, os.read(reader, 100).startswith(b"# A session")) == (0, True)
    os.close(reader)


def test_a_recorded_scenario_is_recorded_again(run: Run, burgers: Path) -> None:
    for script in (b"done\n", b"add Fries\ndone\n"):
        assert run("session", "austin-lamar", "--script", "-", "--save-scenario", "a.yaml", *AT, stdin=script).code == 0
    assert "add Fries" in (burgers / "a.yaml").read_text()


def test_saving_needs_a_script(run: Run, burgers: Path) -> None:
    ran = run("session", "austin-lamar", "--save-scenario", "a.yaml")
    assert ran.err == ("error: --save-scenario needs a script; in an interactive session, type save scenario FILE\n")


def test_what_a_search_found_is_saved(run: Run, burgers: Path) -> None:
    ran = run("explore", "montreal-plateau", "--sessions", "15", "--save-scenarios", "found", *AT)
    files = sorted((burgers / "found").iterdir())
    assert ran.err == f"note: {len(files)} scenarios written to found; trialrun test plays them\n"
    assert len(files) > 2
    played = run("test", "found")
    assert (played.code, played.out.count("passed  ")) == (0, len(files))
    assert run("check", "found").out == f"{len(files)} files checked, nothing found\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(view(cron="0 25 * * *"))
    (tmp_path / "sound.yaml").write_text(view("w"))
    return tmp_path


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_takes_the_place_of_a_report(run: Run, folder: Path, name: str) -> None:
    for checked, columns in (("a.yaml", "80"), ("sound.yaml", "30"), ("a.yaml", "30"), ("sound.yaml", "80")):
        assert run("check", checked, "--output-format", f"{name}=report", COLUMNS=columns).err == ""
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
