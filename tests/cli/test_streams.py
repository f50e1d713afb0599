"""What stands at the other end of the standard streams: nobody, a full disk, a reader that goes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import first_of, pairs_of, some_of
from tests.program import Run, own_environment, view

COMMANDS = (
    "check",
    "check --output-format concise",
    "check --output-format json",
    "check --statistics",
    "rules",
    "rules --output-format json",
    "schema",
    "explain cron-dst",
    "settings",
    "--help",
    "check --help",
    "--version",
)
STREAMS = ("| true", "| head -c 1", ">&-", "2>&-", "<&-", "<&- >&- 2>&-")
FULL = Path("/dev/full")


@pytest.fixture
def shell(tmp_path: Path) -> Run:
    """Run a shell's command line in a folder with one broken file; `trialrun` stands for the program."""
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))

    def ran(line: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", line.replace("trialrun", f"{sys.executable} -m trialrun", 1)],
            cwd=tmp_path,
            env=own_environment(tmp_path),
            capture_output=True,
            check=False,
            timeout=120,
        )

    return ran


def own_code(command: str) -> int:
    return 1 if command.startswith("check") and command != "check --help" else 0


@pytest.mark.parametrize(("streams", "command"), pairs_of(STREAMS, COMMANDS))
def test_nobody_at_the_other_end_changes_nothing_but_the_output(shell: Run, command: str, streams: str) -> None:
    ran = shell(f"trialrun {command} {streams}")
    assert (ran.returncode, ran.stderr) == (own_code(command), b"")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", some_of(COMMANDS[:-1]))
def test_a_full_disk_is_told(shell: Run, command: str) -> None:
    ran = shell(f"trialrun {command} > /dev/full")
    assert (ran.returncode, ran.stderr) == (2, b"error: the output cannot be written: no space left on device\n")


def test_standard_input_that_is_closed_cannot_be_checked(shell: Run) -> None:
    ran = shell("trialrun check - <&-")
    expected = b"error: standard input is closed; pipe a file into it\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, b"", expected)


def test_a_message_about_a_name_sends_no_commands_to_the_terminal(shell: Run) -> None:
    assert shell("trialrun check $'a\\e[31m.yaml'").stderr == b"error: there is no file or folder a\\x1b[31m.yaml\n"


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="pipes always block here")
def test_a_slow_reader_that_does_not_block_gets_all(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text("---\n".join(view("v", "0 25 * * *") for _ in range(400)))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    command = [sys.executable, "-m", "trialrun", "check"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, env=own_environment(tmp_path)
    ) as process:
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as stream:
            parts = b"".join(iter(lambda: stream.read(1000), b""))
        assert process.stderr is not None
        assert (process.wait(60), process.stderr.read()) == (1, b"")
    assert parts.count(b"error[cron-syntax]") == 400
    assert parts.endswith(b"in 1 file\n")


@pytest.mark.parametrize("arguments", first_of([["check"], ["check", "-"], ["settings"]]))
def test_a_working_directory_that_is_gone(shell: Run, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "gone").mkdir()
    ran = shell(f'cd gone; rmdir "$PWD"; trialrun {" ".join(arguments)}')
    assert ran.returncode == 2
    assert ran.stderr.endswith(b"error: the working directory is gone; change to one that exists\n")


@pytest.mark.parametrize("columns", ["0", "1", "60", "-5", "x", "9" * 6000])
def test_any_width(run: Run, tmp_path: Path, columns: str) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    ran = run("check", COLUMNS=columns)
    assert (ran.code, ran.err) == (1, "")
