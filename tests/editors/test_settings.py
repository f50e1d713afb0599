"""The settings for editors are whole, are on the page, and start the server."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
EDITORS = ROOT / "editors"


def test_the_page_links_to_the_settings_of_every_editor() -> None:
    linked = {link.split("/")[0] for link in re.findall(r"\]\(\.\./editors/([^)]+)\)", PAGE)}
    assert linked == {path.name for path in EDITORS.iterdir()}


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((\.\.[^)]+)\)", PAGE))))
def test_what_the_page_links_to_is_there(link: str) -> None:
    assert (ROOT / "docs" / link).exists()


def test_helix_starts_the_server() -> None:
    settings = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text(encoding="utf-8"))
    assert settings["language-server"]["trialrun"] == {"command": "trialrun", "args": ["lsp"]}
    assert [language["name"] for language in settings["language"]] == ["yaml", "json"]


def test_jetbrains_starts_the_server() -> None:
    template = json.loads((EDITORS / "jetbrains" / "trialrun" / "template.json").read_text(encoding="utf-8"))
    assert template["programArgs"] == {"default": "trialrun lsp"}


@pytest.mark.parametrize("path", ["neovim/trialrun.lua", "emacs/trialrun.el"])
def test_the_others_start_the_server_and_make_all_safe_fixes(path: str) -> None:
    text = (EDITORS / path).read_text(encoding="utf-8")
    assert re.search(r'"trialrun",? "lsp"', text)
    assert '"source.fixAll.trialrun"' in text
