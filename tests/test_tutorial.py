"""The tutorial is played as it is written: its commands, the changes between them, and what they print."""

import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.program import own_environment, run_here

PAGE = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?:As\n`([^`]+)`:\n\n)?^```(console|diff|yaml)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
NEEDS_RUNTIME = "## A dry run"
PLAIN = re.compile(r"trialrun [\w .:=-]+")
"""A command in which nothing is for the shell."""


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with what it shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def looks_like(shown: str) -> re.Pattern[str]:
    """An output in which a line of three dots stands for any lines."""
    lines = [r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines()]
    return re.compile("".join(lines))


def apply_diff(folder: Path, diff: str) -> None:
    """Change lines of files: each line that is taken away is followed by the one that replaces it."""
    for part in diff.split("--- a/")[1:]:
        path, _, rest = part.partition("\n")
        lines = rest.splitlines()
        assert [line[0] for line in lines] == ["-", "+"]
        text = (folder / path).read_text()
        assert text.count(f"\n{lines[0][1:]}") == 1
        (folder / path).write_text(text.replace(f"\n{lines[0][1:]}", f"\n{lines[1][1:]}"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    launcher = tmp_path / "bin" / "trialrun"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    found = own_environment(tmp_path)
    return found | {"PATH": f"{launcher.parent}{os.pathsep}{found['PATH']}"}


@pytest.mark.exhaustive
def test_it_can_be_played(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    blocks = BLOCKS if find_spec("duckdb") else [block for block in BLOCKS if block[2] in PAGE.split(NEEDS_RUNTIME)[0]]
    for file, kind, block in blocks:
        if kind == "diff":
            apply_diff(folder, block)
        elif kind == "yaml":
            (folder / file).write_text(block)
        else:
            folder = play(folder, block, environment)


def play(folder: Path, block: str, environment: dict[str, str]) -> Path:
    """Run the commands of a block in a folder; the folder afterwards."""
    for command, shown in commands(block):
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        code, out = carried_out(folder, command, environment)
        assert looks_like(shown).fullmatch(out), f"$ {command}\n{out}"
        assert code == ("error" in shown or "failed" in shown)
    return folder


def carried_out(folder: Path, command: str, environment: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command and what it prints: of the program here, of anything else in a shell."""
    if PLAIN.fullmatch(command):
        ran = run_here(tuple(command.split()[1:]), folder, environment)
        return ran.code, ran.out + ran.err
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_it_has_all_that_it_promises() -> None:
    played = [command for _, kind, block in BLOCKS if kind == "console" for command, _ in commands(block)]
    words = {command.split("trialrun ")[-1].split()[0] for command in played}
    assert {"init", "check", "session", "test", "schedule", "sync", "fetch", "search"} <= words
    assert all(file for file, kind, _ in BLOCKS if kind == "yaml")
    assert max(map(len, PAGE.splitlines())) <= 120
