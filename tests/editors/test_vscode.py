"""The extension for Visual Studio Code, as its files declare it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from trialrun import __version__

EXTENSION = Path(__file__).parent.parent.parent / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SOURCE = "".join(path.read_text(encoding="utf-8") for path in sorted((EXTENSION / "src").glob("*.ts")))


def test_its_version_is_that_of_the_program() -> None:
    assert PACKAGE["version"] == __version__


def test_it_registers_the_commands_that_it_declares() -> None:
    declared = {command["command"] for command in PACKAGE["contributes"]["commands"]}
    assert set(re.findall(r'registerCommand\("([\w.]+)"', SOURCE)) == declared


def test_its_page_has_every_setting() -> None:
    page = (EXTENSION / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)) == set(
        PACKAGE["contributes"]["configuration"]["properties"]
    )


def test_everything_that_it_needs_is_in_its_bundle() -> None:
    assert "dependencies" not in PACKAGE
    assert (EXTENSION / ".vscodeignore").read_text(encoding="utf-8").split() == [
        "**",
        "!out/extension.js",
        "!package.json",
        "!README.md",
    ]
