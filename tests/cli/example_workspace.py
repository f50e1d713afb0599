"""The example workspace as tests of trial runs have it: a copy, at noon of a Friday."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.program import Run, own_environment, run_here

EXAMPLE = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "burger-brand"
NOON = ("--at", "2026-11-20T12:00:00Z")
VECTORS = "projects/smashwell-prod/locations/us-central1/featureOnlineStores/serving_vectors/featureViews"
MAIN = "from trialrun.cli.main import main\nsys.exit(main(sys.argv[1:]))"


def without_libraries(
    folder: Path, libraries: Sequence[str], *arguments: str, code: str = MAIN
) -> subprocess.CompletedProcess[str]:
    """The program, or other code, where some libraries cannot be imported."""
    words = [sys.executable, "-c", f"import sys; sys.modules.update(dict.fromkeys({libraries}))\n{code}", *arguments]
    return subprocess.run(
        words, cwd=folder, env=own_environment(folder), capture_output=True, text=True, check=False, timeout=60
    )


def without_extra(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program where the libraries of the extra cannot be imported."""
    return without_libraries(folder, ["duckdb", "numpy", "faiss"], *arguments)


def copied(folder: Path) -> Path:
    """A copy of the sound part of the example workspace in a folder, with the cache of a check of it."""
    _copy_example(folder)
    shutil.copytree(_cache_of_a_check(), own_environment(folder)["TRIALRUN_CACHE_DIR"], dirs_exist_ok=True)
    return folder


def _copy_example(folder: Path) -> None:
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("broken", ".trialrun"))


@cache
def _cache_of_a_check() -> str:
    """What a check of the example workspace keeps: hundreds of runs on copies need not lint the same files again."""
    folder = Path(mkdtemp(dir=os.environ["TRIALRUN_STATE_DIR"]), "example")
    _copy_example(folder)
    environment = own_environment(folder)
    assert run_here(("check",), folder, environment).code == 0
    return environment["TRIALRUN_CACHE_DIR"]


def set_runtime(folder: Path, key: str, value: str) -> None:
    """Set a key under [runtime] in the settings of a copy."""
    file = folder / "trialrun.toml"
    file.write_text(file.read_text().replace("[runtime]\n", f'[runtime]\n{key} = "{value}"\n'))


def user_settings(folder: Path, text: str) -> str:
    """The path of the user's own settings with a text, beside a copy."""
    file = folder.parent / f"{folder.name}-settings.toml"
    file.write_text(text)
    return str(file)


def synced(folder: Path, *views: str) -> Path:
    """A copy of the example workspace in a folder, with some views synced at noon."""
    ran = run_here(("sync", *views, *NOON), copied(folder), own_environment(folder))
    assert ran.code == 0, ran.err
    return folder


def told(run: Run, *arguments: str, cwd: Path | None = None) -> Any:
    """The object that a command prints."""
    ran = run(*arguments, "--output-format", "json", cwd=cwd)
    assert (ran.code, ran.err) == (0, ""), ran.err
    return json.loads(ran.out)


def timeless(text: str) -> str:
    """The text of a report without what hangs on the machine and what others say: statements and assumptions."""
    text = re.sub(r"took( +)\d+\.\d\d s, [\d,]+ entities", r"took\1N s, N entities", text)
    text = re.sub(r"(?m)^  (engine|store)( +).*\n(?: {15}.*\n)*", r"  \1\2…\n", text)
    text = re.sub(r"(?<=  statement\n)(    .*\n)+", "    SELECT …\n", text)
    return re.sub(
        r"(?<=^assumed  trialrun docs assumptions explains why\n)(  "
        r".*\n)+",
        "  …\n",
        text,
        flags=re.MULTILINE,
    )
