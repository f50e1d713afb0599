"""How others run programs on what we deliver: not in this working tree, and not in the suite's environment."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
OUR_OWN = (
    "PYTHONPATH",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "COLUMNS",
    "NO_COLOR",
    "FORCE_COLOR",
)
"""What the run of the suite has in its environment, and a user's program has not."""
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.hooksPath=/dev/null")


def command(*words: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, in the environment of a user unless another is given, and wait for what it says."""
    return subprocess.run(words, cwd=cwd, env=env or users_environment(), capture_output=True, text=True, check=False)


def committed(folder: Path) -> str:
    """Make a folder a repository of one commit with all its files, and give the commit's name."""
    for words in (["init", "-q"], ["add", "--all", "--force"], ["commit", "-q", "-m", "all"]):
        done = command("git", *AUTHOR, *words, cwd=folder)
        assert done.returncode == 0, done.stderr
    return command("git", "rev-parse", "HEAD", cwd=folder).stdout.strip()


def users_environment() -> dict[str, str]:
    """The environment of this run without what is the suite's own."""
    return {name: value for name, value in os.environ.items() if name not in OUR_OWN}
