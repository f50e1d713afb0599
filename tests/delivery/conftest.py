"""What is delivered, as others get it: a clone of this working tree, and wheels to install it without a network."""

import os
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from tests.delivery.other_tools import ROOT, command, committed, users_environment


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests that build or install to exhaustive runs: fetching and building wheels takes most of their time."""
    for item in items:
        if {"offline", "archives"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("exhaustive")


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this working tree, committed or not, save those that git ignores."""
    listed = command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    if listed.returncode != 0:
        pytest.skip(f"this working tree is no repository of git: {listed.stderr.strip()}")
    folder = tmp_path_factory.mktemp("clone")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    committed(folder)
    return folder


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which pip takes everything from one folder: what trialrun needs, and what builds it.

    pip fills the folder by its own configuration; where that leads to neither an index nor wheels, tests are skipped.
    """
    wheels = tmp_path_factory.mktemp("wheels")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    done = command(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", wheels, *needed, cwd=wheels)
    if done.returncode != 0:
        pytest.skip(
            f"pip has neither an index nor wheels for what trialrun needs: {done.stderr.strip().splitlines()[-1]}"
        )
    own = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    caches = {"TRIALRUN_CACHE_DIR": str(wheels.parent / "verdicts"), "PRE_COMMIT_HOME": str(wheels.parent / "hooks")}
    return users_environment() | own | caches | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.fixture(scope="session")
def installed(clone: Path, offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with nothing but our wheel and what it needs."""
    folder = tmp_path_factory.mktemp("installed")
    wheel = command(sys.executable, "-m", "pip", "wheel", "--no-deps", clone, cwd=folder, env=offline)
    assert wheel.returncode == 0, wheel.stderr
    made = command(sys.executable, "-m", "venv", folder / "venv", cwd=folder, env=offline)
    assert made.returncode == 0, made.stderr
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    done = command(programs / "python", "-m", "pip", "install", *folder.glob("*.whl"), cwd=folder, env=offline)
    assert done.returncode == 0, done.stderr
    return programs
