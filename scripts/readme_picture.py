"""Write the pictures of the README: what the program really prints in the example workspace.

python scripts/readme_picture.py
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
WORKSPACE = ROOT / "fixtures" / "workspaces" / "burger-brand"
WIDTH = 80
WHOLE = 1000
LINT = {"trialrun check broken/combo-week.yaml --select channel_config": WHOLE}
TRIAL = {
    "trialrun sync guest_profile menu_search --at 2026-11-20T12:00:00Z": 7,
    "trialrun fetch guest_profile g-00007": WHOLE,
    "trialrun search menu_search --entity SW-412 --filter daypart=all-day --crowding 1 --full": 5,
    "trialrun test scenarios/guests.yaml": WHOLE,
}
PLAN = {"trialrun plan HEAD --sessions 200 --at 2026-11-20T12:00:00Z": WHOLE}
SESSION = {"trialrun test broken/breakfast-offer.yaml": WHOLE}
ALL = (LINT, TRIAL, SESSION, PLAN)
"""Commands that are shown, one after the other in one copy of the example workspace, and how much of each output is."""
EDIT = ("channels/drive-thru-speed.yaml", "order.subtotal < 9.0", "order.subtotal < 7.0")
"""What is changed in a file before a plan is shown."""
BEGIN = "<!-- picture: python scripts/readme_picture.py -->\n"
END = "<!-- end of picture -->\n"
TOOK = re.compile(r"(?m)^  took .*\n")
"""What no two runs have alike: it is left out."""


Run = Callable[[tuple[str, ...], Path, dict[str, str]], tuple[int, str, str]]
"""Runs the program with arguments, in a folder, with variables; the exit code, the output and the errors."""


def run_process(arguments: tuple[str, ...], folder: Path, variables: dict[str, str]) -> tuple[int, str, str]:
    """Run the program as a process."""
    words = [sys.executable, "-m", "trialrun", *arguments]
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


def picture(commands: Mapping[str, int], run: Run = run_process) -> str:
    """Commands and the beginnings of their outputs as a code block."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(WORKSPACE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".trialrun"))
        if commands is PLAN:
            _commit_and_edit(Path(folder))
        outputs = [f"$ {command}\n{_output(command, Path(folder), most, run)}" for command, most in commands.items()]
    return "```\n" + "\n".join(outputs) + "```\n"


def _commit_and_edit(folder: Path) -> None:
    """Make the folder a repository of one commit, and edit a file of it."""
    identity = ("-c", "user.name=reader", "-c", "user.email=reader@example.com")
    for arguments in (("init",), ("add", "--all"), (*identity, "commit", "--message", "before")):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    file, before, after = EDIT
    (folder / file).write_text((folder / file).read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def _output(command: str, folder: Path, most: int, run: Run) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    own = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(WIDTH), "TRIALRUN_CACHE_DIR": str(folder / ".cache")}
    code, out, errors = run(tuple(shlex.split(command)[1:]), folder, kept | own)
    if code > 1 or not out:
        raise RuntimeError(f"the picture shows an output, and {command} ended with {code}: {errors}")
    lines = TOOK.sub("", out).rstrip("\n").split("\n")
    return "\n".join([*lines[:most], *(["..."] if len(lines) > most else [])]) + "\n"


def pictured(readme: str) -> str:
    """The README with the pictures of today between its markers."""
    first, *parts = readme.split(BEGIN)
    rests = [part.partition(END)[2] for part in parts]
    return first + "".join(f"{BEGIN}{picture(commands)}{END}{rest}" for commands, rest in zip(ALL, rests, strict=True))


if __name__ == "__main__":
    README.write_text(pictured(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
