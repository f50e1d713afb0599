"""Write the pictures of the README and of pages: what the program really prints in the example workspace.

python scripts/pictures.py
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
WIDTH = 80
LINT = "trialrun check broken/combo-week.yaml --select cel-type"
TERRAFORM = "trialrun check views.tf --select cron-syntax"
SESSION = "trialrun test broken/breakfast-offer.yaml"
PLAN = "trialrun plan HEAD --sessions 200 --at 2026-11-20T12:00:00Z"
PICTURES = {LINT: "README.md", TERRAFORM: "README.md", SESSION: "docs/scenarios.md", PLAN: "docs/plan.md"}
"""The page that shows a command with its output, in a copy of the example workspace."""
EDIT = ("channels/drive-thru-speed.yaml", "order.subtotal < 9.0", "order.subtotal < 7.0")
"""What is changed in a file before a plan is shown."""
BEGIN = "<!-- picture: python scripts/pictures.py -->\n"
END = "<!-- end of picture -->\n"

Run = Callable[[tuple[str, ...], Path, dict[str, str]], tuple[int, str, str]]
"""Runs the program with arguments, in a folder, with variables; the exit code, the output and the errors."""


def run_process(arguments: tuple[str, ...], folder: Path, variables: dict[str, str]) -> tuple[int, str, str]:
    """Run the program as a process."""
    words = [sys.executable, "-m", "trialrun", *arguments]
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


def picture(command: str, run: Run = run_process) -> str:
    """A command and its output as a code block."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = ROOT / "fixtures/workspaces" / ("ramen-terraform" if command is TERRAFORM else "burger-brand")
        shutil.copytree(workspace, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".trialrun"))
        if command is PLAN:
            _commit_and_edit(Path(folder))
        return f"```\n$ {command}\n{_output(command, Path(folder), run)}```\n"


def _commit_and_edit(folder: Path) -> None:
    """Make the folder a repository of one commit, and edit a file of it."""
    identity = ("-c", "user.name=reader", "-c", "user.email=reader@example.com")
    for arguments in (("init",), ("add", "--all"), (*identity, "commit", "--message", "before")):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    file, before, after = EDIT
    (folder / file).write_text((folder / file).read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def _output(command: str, folder: Path, run: Run) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    own = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(WIDTH), "TRIALRUN_CACHE_DIR": str(folder / ".cache")}
    code, out, errors = run(tuple(shlex.split(command)[1:]), folder, kept | own)
    if code > 1 or not out:
        raise RuntimeError(f"the picture shows an output, and {command} ended with {code}: {errors}")
    return out.rstrip("\n") + "\n"


def pictured(page: str, command: str) -> str:
    """The text of a page with the picture of today, from its marker and command on to the next marker."""
    before, begin, rest = page.partition(f"{BEGIN}```\n$ {command}\n")
    return f"{before}{BEGIN}{picture(command)}{END}{rest.partition(END)[2]}" if begin else page


if __name__ == "__main__":
    for command, name in PICTURES.items():
        path = ROOT / name
        path.write_text(pictured(path.read_text(encoding="utf-8"), command), encoding="utf-8", newline="\n")
