"""Neovim with the settings of `editors/neovim`, where `nvim` is on the path."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.program import own_environment, view

HERE = Path(__file__).parent
SETTINGS = HERE.parent.parent / "editors" / "neovim" / "trialrun.lua"
NEOVIM = shutil.which("nvim")
pytestmark = [
    pytest.mark.skipif(NEOVIM is None, reason="nvim is not on the path: .ci/editors"),
    pytest.mark.skipif(find_spec("pygls") is None, reason="trialrun[lsp] is not installed"),
]


def edited(folder: Path, text: str) -> tuple[dict[str, Any], str]:
    """What Neovim tells of a file that it opened and wrote, and the file then."""
    launcher = folder / "bin" / "trialrun"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    (folder / "trialrun.toml").write_text("", encoding="utf-8")
    file, out = folder / "view.yaml", folder / "told.json"
    file.write_text(text, encoding="utf-8")
    environment = own_environment(folder) | {
        "HOME": str(folder),
        "PATH": f"{launcher.parent}{os.pathsep}{os.environ['PATH']}",
        "TRIED_FILE": str(file),
        "TRIED_OUT": str(out),
    }
    alone = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "filetype on"]
    words = [*alone, "-S", SETTINGS, "-S", HERE / "neovim.lua"]
    assert NEOVIM
    done = subprocess.run([NEOVIM, *words], cwd=folder, env=environment, capture_output=True, timeout=180, check=False)
    assert out.exists(), done.stderr.decode()
    return json.loads(out.read_bytes()), file.read_text(encoding="utf-8")


def test_findings_appear_and_a_safe_fix_is_made_on_save(tmp_path: Path) -> None:
    text = view(cron="5/15 * * * *") + "labels: {team: '🍔', answer: yes}\n"
    told, after = edited(tmp_path, text)
    assert [(one["line"], one["column"], one["last"]) for one in told["before"]] == [
        (4, 8, 12),
        (8, 15, 21),
        (8, 31, 34),
    ]
    assert [one["line"] for one in told["after"]] == [8]
    assert after == text.replace("5/15", "5-59/15").replace("yes", '"yes"')
