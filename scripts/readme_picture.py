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
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
WORKSPACE = ROOT / "fixtures" / "workspaces" / "burger-brand"
WIDTH = 80
LINT = ("trialrun check broken/combo-week.yaml --select channel_config",)
TRIAL = (
    "trialrun sync guest_profile menu_search --at 2026-11-20T12:00:00Z | head -9",
    "trialrun fetch guest_profile g-00007",
    "trialrun search menu_search --entity SW-412 --filter daypart=all-day --crowding 1 --full | head -5",
)
"""Commands that are shown, each with what it prints, one after the other in one copy of the example workspace."""
BEGIN = "<!-- picture: python scripts/readme_picture.py -->\n"
END = "<!-- end of picture -->\n"
TOOK = re.compile(r"took( +)\d+\.\d\d s, [\d,]+ entities")


def picture(commands: Sequence[str]) -> str:
    """Commands and their outputs as a code block; a sync always takes as long as it did once."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(WORKSPACE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".trialrun"))
        shown = "\n".join(f"$ {command}\n{_output(command, folder)}" for command in commands)
    return f"```\n{shown}```\n"


def _output(command: str, folder: str) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    own = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(WIDTH), "TRIALRUN_CACHE_DIR": os.path.join(folder, ".cache")}
    words, _, lines = command.partition(" | head -")
    done = subprocess.run(
        [sys.executable, "-m", "trialrun", *shlex.split(words)[1:]],
        cwd=folder,
        env=kept | own,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode > 1 or not done.stdout:
        raise RuntimeError(f"the picture shows an output, and {command} ended with {done.returncode}: {done.stderr}")
    shown = TOOK.sub(r"took\g<1>0.17 s, 7,059 entities", done.stdout).rstrip("\n").split("\n")
    return "\n".join(shown[: int(lines)] if lines else shown) + "\n"


def pictured(readme: str) -> str:
    """The README with the pictures of today between its markers."""
    first, *parts = readme.split(BEGIN)
    rests = [part.partition(END)[2] for part in parts]
    return first + "".join(
        f"{BEGIN}{picture(commands)}{END}{rest}" for commands, rest in zip((LINT, TRIAL), rests, strict=True)
    )


if __name__ == "__main__":
    README.write_text(pictured(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
