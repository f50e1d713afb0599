"""What the scripts in `.ci` do where nothing can be installed, and what the lock files say."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.delivery.other_tools import committed

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("tests/editors/npm", "editors/vscode")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone in which nothing is installed, beside a folder of the few programs that are on every machine."""
    scripts = (".ci/editors", ".ci/servers", ".ci/instructions", ".ci/package")
    for name in (*scripts, *(f"{folder}/package-lock.json" for folder in FOLDERS)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    for program in ("bash", "cmp", "cp", "dirname", "id"):
        found = shutil.which(program)
        assert found
        (tmp_path / "bin" / program).symlink_to(found)
    return tmp_path


def installed(clone: Path, path: Path, script: str = ".ci/editors") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(path)}
    words = [str(path / "bash"), script]
    return subprocess.run(words, cwd=clone, env=environment, capture_output=True, text=True, check=False)


def test_what_cannot_be_installed_is_reported_and_stops_nothing(clone: Path) -> None:
    done = installed(clone, clone / "bin")
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if line.startswith("editors: ")] == [
        "editors: Neovim could not be installed; its tests are skipped",
        "editors: npm could not install what tests/editors/npm names; its tests are skipped",
        "editors: npm could not install what editors/vscode names; its tests are skipped",
    ]


def test_servers_that_cannot_be_installed_are_named_and_stop_nothing(clone: Path) -> None:
    done = installed(clone, clone / "bin", ".ci/servers")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "servers: redis-server could not be installed; its tests are skipped",
        "servers: Java could not be installed; its tests are skipped",
    ]


def test_servers_that_are_installed_are_left_alone(clone: Path) -> None:
    for program in ("redis-server", "java"):
        (clone / "bin" / program).symlink_to("/bin/true")
    done = installed(clone, clone / "bin", ".ci/servers")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("is_installed", [True, False])
def test_what_counts_instructions_is_installed_or_named(clone: Path, is_installed: bool) -> None:
    if is_installed:
        (clone / "bin" / "valgrind").symlink_to("/bin/true")
    done = installed(clone, clone / "bin", ".ci/instructions")
    expected = "" if is_installed else "instructions: valgrind could not be installed; its tests are skipped\n"
    assert (done.returncode, done.stderr) == (0, expected)


def test_what_is_installed_is_left_alone(clone: Path) -> None:
    (clone / "bin" / "nvim").symlink_to("/bin/true")
    for folder in FOLDERS:
        (clone / folder / "node_modules").mkdir()
        shutil.copy(clone / folder / "package-lock.json", clone / folder / "node_modules" / "installed.json")
    done = installed(clone, clone / "bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_lock_pins_every_package_and_names_no_registry(folder: str) -> None:
    lock = json.loads((ROOT / folder / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert [name for name, package in packages.items() if "integrity" not in package] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_needed_is_named_by_its_version(folder: str) -> None:
    package = json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8"))
    named = package.get("dependencies", {}) | package.get("devDependencies", {})
    assert [name for name, version in named.items() if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


BARE_README = """\
python3 -m venv first; echo "$1 checked"; exit 1
python3 -m venv second; type -P git only-here; echo "home=$HOME secret=${SECRET-none} retries=$PIP_RETRIES"
"""


@pytest.mark.parametrize(("readme", "code"), [(BARE_README, 0), (BARE_README.replace("exit 1", "exit 0"), 1)])
def test_the_commands_of_the_readme_see_only_what_is_on_every_machine(tmp_path: Path, readme: str, code: int) -> None:
    clone = tmp_path / "clone"
    for name, text in {
        "README.md": readme,
        ".venv/bin/python": '#!/bin/sh\necho "python $1 $2"\n',
        ".ci/bare": (ROOT / ".ci" / "bare").read_text(encoding="utf-8"),
        "../bin/only-here": "#!/bin/sh\n",
        "../bin/python3": "#!/bin/sh\necho /bin/echo\n",
    }.items():
        file = clone / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    committed(clone)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"SECRET": "known", "PIP_RETRIES": "3"}
    done = subprocess.run([clone / ".ci" / "bare"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    if code == 0:
        assert "only-here\n" not in done.stdout.replace(BARE_README, "")
        assert "/home secret=none retries=3\n" in done.stdout
        assert done.stdout.endswith("python scripts/skips.py fast\n")
