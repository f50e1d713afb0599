"""Sessions saved as scenarios: `session --save-scenario`, `save scenario`, `explore --save-scenarios`."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copytree

import pytest

from tests.program import Run

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
