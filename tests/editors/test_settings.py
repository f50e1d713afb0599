"""The settings for editors are whole, are on the page, and start the server; what the page shows is so."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.editors.json_rpc import Wire
from tests.program import Run
from trialrun.documentation import EDITORS as PRINTED
from trialrun.lsp.server.client import OPTIONS

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EDITORS = ROOT / "editors"
VSCODE, NEOVIM = (block.strip() for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_links_to_the_settings_of_every_editor() -> None:
    linked = {link.split("/")[0] for link in re.findall(r"\]\(\.\./editors/([^)]+)\)", PAGE)}
    assert linked == {path.name for path in EDITORS.iterdir()}


@each_of(sorted(set(re.findall(r"\]\((\.\.[^)]+)\)", PAGE))))
def test_what_the_page_links_to_is_there(link: str) -> None:
    assert (ROOT / "docs" / link).exists()


@pytest.mark.parametrize("command", [VSCODE, NEOVIM], ids=["vscode", "neovim"])
def test_the_readme_has_the_commands_of_the_page(command: str) -> None:
    assert f"`{command}`" in " ".join(README.split())


def test_the_command_of_the_extension_installs_what_is_packaged() -> None:
    go, *commands = VSCODE.split(" && ")
    folder = ROOT / go.removeprefix("cd ")
    scripts = json.loads((folder / "package.json").read_text(encoding="utf-8"))["scripts"]
    assert commands == ["npm ci --ignore-scripts", "npm run package", "code --install-extension trialrun.vsix"]
    assert scripts["package"].endswith("--out trialrun.vsix")


def test_the_command_of_neovim_puts_the_settings_in_place(tmp_path: Path) -> None:
    program = tmp_path / "trialrun"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n')
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    own = {**os.environ, "HOME": str(tmp_path), "PATH": path, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run(["sh", "-c", NEOVIM], cwd=tmp_path, env=own, check=True)
    put = tmp_path / ".config" / "nvim" / "plugin" / "trialrun.lua"
    assert put.read_bytes() == (EDITORS / "neovim" / "trialrun.lua").read_bytes()


@pytest.mark.parametrize("editor", sorted(PRINTED))
def test_the_settings_of_an_editor_are_printed(run: Run, editor: str) -> None:
    ran = run("lsp", "--settings", editor)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (EDITORS / PRINTED[editor]).read_text(encoding="utf-8")


def test_every_editor_of_the_page_has_settings_to_print(run: Run) -> None:
    assert {path.name for path in EDITORS.iterdir()} == set(PRINTED)
    assert ", ".join(f"`{editor}`" for editor in PRINTED) in " ".join(PAGE.split())
    assert ", ".join(PRINTED) in " ".join(run("lsp", "--help").out.split())


def test_an_editor_without_settings_is_named_with_those_that_have_some(run: Run) -> None:
    ran = run("lsp", "--settings", "vim")
    assert (ran.code, ran.out) == (2, "")
    assert all(editor in ran.err for editor in PRINTED)


def test_the_page_shows_the_settings_of_visual_studio_code() -> None:
    shown = (EDITORS / PRINTED["vscode"]).read_text(encoding="utf-8")
    assert f"```json\n{shown}```\n" in PAGE


def test_the_page_has_every_setting_that_an_editor_can_have() -> None:
    table = re.findall(r"^\| (`.*`) \| .*? \| .*? \|$", PAGE.partition("## Hints")[0], re.MULTILINE)
    assert {name for cell in table for name in re.findall(r"`(?:trialrun\.)?(\w+)`", cell)} == set(OPTIONS)


def test_formatting_is_left_alone(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "trialrun", "lsp"]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        wire = Wire(process, {})
        offered = wire.ask("initialize", processId=None, rootUri=tmp_path.as_uri(), capabilities={})["capabilities"]
        wire.ask("shutdown")
        wire.tell("exit")
    assert "hoverProvider" in offered
    assert [name for name in offered if "ormatting" in name] == []


def test_helix_starts_the_server() -> None:
    settings = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text(encoding="utf-8"))
    assert settings["language-server"]["trialrun"] == {"command": "trialrun", "args": ["lsp"]}
    assert [language["name"] for language in settings["language"]] == ["yaml", "json", "toml"]


def test_jetbrains_starts_the_server() -> None:
    template = json.loads((EDITORS / "jetbrains" / "trialrun" / "template.json").read_text(encoding="utf-8"))
    assert template["programArgs"] == {"default": "trialrun lsp"}


@pytest.mark.parametrize("path", ["neovim/trialrun.lua", "emacs/trialrun.el"])
def test_the_others_start_the_server_and_make_all_safe_fixes(path: str) -> None:
    text = (EDITORS / path).read_text(encoding="utf-8")
    assert re.search(r'"trialrun",? "lsp"|program, "lsp"', text)
    assert '"source.fixAll.trialrun"' in text
