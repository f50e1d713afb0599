"""The extension for Visual Studio Code: what its files declare, and that it builds where its packages are there."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from trialrun import __version__
from trialrun.lsp.server import client
from trialrun.lsp.server.client import EXPLAIN_COMMAND
from trialrun.lsp.uris import EXTENSIONS_BY_LANGUAGE

EXTENSION = Path(__file__).parent.parent.parent / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SETTINGS = PACKAGE["contributes"]["configuration"]["properties"]
SOURCE = "".join(path.read_text(encoding="utf-8") for path in sorted((EXTENSION / "src").glob("*.ts")))
NPM = shutil.which("npm")
built = pytest.mark.skipif(
    NPM is None or not (EXTENSION / "node_modules" / "installed.json").exists(),
    reason="needs the packages of editors/vscode; run .ci/editors",
)


def npm(*words: str | Path) -> subprocess.CompletedProcess[str]:
    assert NPM
    return subprocess.run([NPM, "run", *words], cwd=EXTENSION, capture_output=True, text=True, check=False)


@built
@pytest.mark.exhaustive
def test_its_types_are_right() -> None:
    done = npm("check")
    assert (done.returncode, done.stdout.count("error")) == (0, 0), done.stdout


@built
@pytest.mark.exhaustive
def test_its_own_tests_pass() -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout
    assert "\n# fail 0\n" in done.stdout


@built
@pytest.mark.exhaustive
def test_its_package_has_everything_in_one_file(tmp_path: Path) -> None:
    package = tmp_path / "trialrun.vsix"
    done = npm("package", "--", "--out", package)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(package) as opened:
        names = [name for name in opened.namelist() if name.startswith("extension/")]
        bundle = opened.read("extension/out/extension.js").decode()
    assert sorted(names) == [
        "extension/out/extension.js",
        "extension/package.json",
        "extension/readme.md",
        "extension/trialrun.schema.json",
    ]
    modules = set(re.findall(r'\brequire\("([^"]+)"\)', bundle))
    assert "vscode" in modules
    assert {name for name in modules if (EXTENSION / "node_modules" / name).exists()} == set()


def test_it_starts_for_the_languages_of_the_texts_that_the_server_takes() -> None:
    started = {event.removeprefix("onLanguage:") for event in PACKAGE["activationEvents"] if "onLanguage" in event}
    (served,) = re.findall(r"const LANGUAGES = (\[.*\]);", SOURCE)
    assert started == {*json.loads(served)} == {*EXTENSIONS_BY_LANGUAGE}


def test_its_version_is_that_of_the_program() -> None:
    assert PACKAGE["version"] == __version__


def test_it_registers_the_commands_that_it_declares_and_the_one_of_the_server() -> None:
    declared = {command["command"] for command in PACKAGE["contributes"]["commands"]}
    assert set(re.findall(r'registerCommand\("([\w.]+)"', SOURCE)) == declared | {EXPLAIN_COMMAND}


def test_its_page_has_every_setting() -> None:
    page = (EXTENSION / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`(trialrun\.[\w.]+)`", "".join(re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)))
    assert named == list(SETTINGS)


def test_it_has_the_settings_of_the_server_with_their_defaults() -> None:
    declared = {name.removeprefix("trialrun."): setting["default"] for name, setting in SETTINGS.items()}
    known = {name: field for name, (field, _) in client.OPTIONS.items() if name != "terminalCommand"}
    assert {name: declared[name] for name in known} == {
        "pause": client.DEFAULT_DEBOUNCE * 1000,
        "cache": True,
        "inlayHints": True,
        "codeLenses": True,
        "workspaceFindings": True,
    }
    assert set(declared) - set(known) == {"command", "trace.server"}


def test_everything_that_it_needs_is_in_its_bundle() -> None:
    assert "dependencies" not in PACKAGE
    assert (EXTENSION / ".vscodeignore").read_text(encoding="utf-8").split() == [
        "**",
        "!out/extension.js",
        "!package.json",
        "!README.md",
        "!trialrun.schema.json",
    ]
