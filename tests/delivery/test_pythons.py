"""The wheel gives the same verdicts, to the byte, on every Python that it is for and that this machine has."""

import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery.other_tools import ROOT, command, users_environment

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSIONS = [name for _, _, name in (each.rpartition(" :: ") for each in PROJECT["classifiers"]) if name[:2] == "3."]
"""Those that the package names, which are only those that the tests were run on."""
CHECK = ("check", "fixtures", "--at", "2026-11-20T12:00:00Z", "--no-cache", "--output-format", "json")


def interpreter(version: str) -> str | None:
    """A Python of a version that runs: on the path, or of pyenv; None where this machine has none."""
    for candidate in candidates(version):
        done = command(candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", cwd=Path.home())
        if done.stdout.strip() == version:
            return candidate
    return None


def candidates(version: str) -> Iterator[str]:
    found = shutil.which(f"python{version}")
    if found:
        yield found
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(folder / "bin" / "python") for folder in sorted(versions.glob(f"{version}.*")))


@pytest.fixture(scope="session")
def wheel(clone: Path, offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this working tree."""
    folder = tmp_path_factory.mktemp("wheel")
    done = command(sys.executable, "-m", "pip", "wheel", "--no-deps", clone, cwd=folder, env=offline)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="session")
def expected(installed: Path, offline: dict[str, str], clone: Path) -> str:
    """What the wheel prints on the Python that runs the tests."""
    done = command(installed / "trialrun", *CHECK, cwd=clone, env=offline)
    assert (done.returncode, done.stderr) == (1, "")
    return done.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_the_verdicts_are_the_same(version: str, wheel: Path, expected: str, clone: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    assert command(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path).returncode == 0
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = command(programs / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    if done.returncode != 0 and "No matching distribution" in done.stderr:
        pytest.skip(f"pip has no wheels for Python {version}: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    checked = command(programs / "trialrun", *CHECK, cwd=clone, env=users_environment())
    assert (checked.returncode, checked.stderr) == (1, "")
    assert checked.stdout == expected
