"""Checks with a damaged cache beside checks without one.

Each run takes a sound store of verdicts, flips some random bits in it, and checks a small workspace. What it prints
must be, to the byte, what a check without a cache prints. The index knows all files; every second run checks files that
have changed since, of which only conditions are known.
"""

import os
import random
import shutil
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from benchmarks.corpus import corpus, write
from trialrun.lint.settings import Profiles, Settings
from trialrun.report.interface import Run, Summary, load_report
from trialrun.workspace import CheckRequest, check

FILES = 40
MOST_FLIPS = 40
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def wrong_outputs(folder: Path, *, runs: int, seed: int) -> int:
    """How many of some runs, each with other bits flipped, print something else than a run without a cache."""
    sound, cache = folder / "sound", folder / "cache"
    workspaces = folder / "workspace", folder / "changed"
    write(workspaces[0], corpus(FILES, seed=seed))
    write(workspaces[1], (replace(file, content=file.content + b"# changed\n") for file in corpus(FILES, seed=seed)))
    expectations = [_printed(workspace, cache=False) for workspace in workspaces]
    with _cache_in(sound):
        assert _printed(workspaces[0]) == expectations[0]
    wrong = 0
    for number in range(runs):
        workspace, expected = workspaces[number % 2], expectations[number % 2]
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(sound, cache)
        _flip_bits(cache, random.Random(f"{seed} {number}"))
        with _cache_in(cache):
            first, second = _printed(workspace), _printed(workspace)
        wrong += first != expected or second != expected
    return wrong


def _flip_bits(cache: Path, dice: random.Random) -> None:
    """Flip bits anywhere in the store; every fourth time where a table and not a verdict is described."""
    file = next(cache.glob("verdicts-*.sqlite"))
    data = bytearray(file.read_bytes())
    most = 4096 if dice.random() < 0.25 else len(data)
    for _ in range(dice.randint(1, MOST_FLIPS)):
        data[dice.randrange(most)] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def _printed(workspace: Path, *, cache: bool = True) -> str:
    with patch("trialrun.workspace.walk.CLOCK_RESOLUTION", 0):
        outcome = check(CheckRequest(str(workspace), NOW, Profiles(Settings()), jobs=1, cache=cache))
    summary = Summary(outcome.files, outcome.documents)
    return "".join(load_report("json")(Run(outcome.diagnostics, lambda path: None, summary, "")))


def _cache_in(folder: Path) -> AbstractContextManager[object]:
    return patch.dict(os.environ, {"TRIALRUN_CACHE_DIR": str(folder)})
