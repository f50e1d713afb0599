"""What questions about names cost in a large workspace: `python -m benchmarks.renaming`.

The example workspace among files of the corpus, all of them linted. In turns, after a letter was put into an open text
or taken out again: the definition and the references of an item, another name for it, for an upsell, and for a field of
the session.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.corpus import corpus, write
from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.features.navigation import goto_definition, references
from trialrun.lsp.features.rename import rename
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

SEED = 1
EXAMPLE = Path(__file__).parents[1] / "fixtures" / "workspaces" / "burger-brand"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
EDITED = "smashwell/channels/everyday-upsells.yaml"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.renaming", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="files of the corpus (default 2000)")
    parser.add_argument("--times", type=int, default=15, help="how often each is asked (default 15)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name).resolve()
        write(folder, corpus(options.files, seed=SEED))
        shutil.copytree(EXAMPLE, folder / "smashwell")
        os.chdir(folder)
        _measure(CheckRequest(str(folder), NOW, Profiles(Settings()), jobs=1, cache=True), options.times)
        os.chdir("/")


def _measure(request: CheckRequest, times: int) -> None:
    begin = time.perf_counter()
    live = OpenWorkspace(request)
    live.run_all_tasks()
    print(f"opened and linted in {time.perf_counter() - begin:.1f} s")
    asked = _questions(live)
    found: dict[str, list[float]] = {}
    for turn in range(times):
        _edit(live, turn)
        for what, question in asked.items():
            begin = time.perf_counter()
            question()
            found.setdefault(what, []).append((time.perf_counter() - begin) * 1000)
    for what, took in found.items():
        print(f"{what}: first {took[0]:.0f} ms, then median {median(took[1:]):.0f} ms, longest {max(took[1:]):.0f} ms")


def _questions(live: OpenWorkspace) -> dict[str, Callable[[], object]]:
    menu, upsells = "smashwell/brand/menu.yaml", EDITED
    schema = "smashwell/brand/session-schema.yaml"
    return {
        "goto_definition": lambda: goto_definition(live, upsells, _at(live, upsells, "[Fries, Loaded") + 1),
        "references": lambda: references(live, menu, _at(live, menu, "name: Fries") + 7),
        "rename an item": lambda: rename(live, menu, _at(live, menu, "name: Fries") + 7, "Chips"),
        "rename an upsell": lambda: rename(live, upsells, _at(live, upsells, "displayName: Fries with") + 14, "Chips"),
        "rename a field of the session": lambda: rename(live, schema, _at(live, schema, "partySize:"), "guests"),
    }


def _at(live: OpenWorkspace, path: str, words: str) -> int:
    reading = live.workspace_file(path)
    assert reading is not None
    return reading.source.text.index(words)


def _edit(live: OpenWorkspace, turn: int) -> None:
    """Type in an open text, and let its findings be told."""
    text = (EXAMPLE / "channels" / "everyday-upsells.yaml").read_text(encoding="utf-8")
    live.set_overlay(os.path.abspath(EDITED), (text + "# a\n" * (turn % 2)).encode())
    live.run_all_tasks()


if __name__ == "__main__":
    main()
