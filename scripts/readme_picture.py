"""Write the picture of the README: what the program really prints for a broken file of the example workspace.

python scripts/readme_picture.py
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
WORKSPACE = ROOT / "fixtures" / "workspaces" / "burger-brand"
COMMAND = "trialrun check broken/combo-week.yaml --select channel_config"
WIDTH = 80
BEGIN = "<!-- picture: python scripts/readme_picture.py -->\n"
END = "<!-- end of picture -->\n"


def picture() -> str:
    """The command and its output as a code block."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    with tempfile.TemporaryDirectory() as cache:
        own = {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(WIDTH), "TRIALRUN_CACHE_DIR": cache}
        arguments = shlex.split(COMMAND)[1:]
        done = subprocess.run(
            [sys.executable, "-m", "trialrun", *arguments],
            cwd=WORKSPACE,
            env=kept | own,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode != 1:
        raise RuntimeError(f"the picture shows findings, and this ended with {done.returncode}: {done.stderr}")
    return f"```\n$ {COMMAND}\n{done.stdout}```\n"


def pictured(readme: str) -> str:
    """The README with the picture of today between its markers."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{picture()}{END}{after}"


if __name__ == "__main__":
    README.write_text(pictured(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
