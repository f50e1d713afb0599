"""How long a person waits for what is shown beside a place: `python -m benchmarks.hover`.

A ChannelConfig of 300 lines in the example workspace is asked about at places of each sort: a key, a part of a
condition, a menu item, a language, a config's name. First after an edit that has been linted and after which the worker
has read ahead, as it does when nothing is left to do; then at a further place of the same text, as when a mouse moves
on. Hints and lenses of the whole text are asked for after an edit as well. With `--files N` so many files of the corpus
lie beside it. Wall time of the answer in the worker, in ms; one process.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.completion import EXAMPLE, LAST, config, opened
from trialrun.lsp.analysis.scheduling import CachePrimer
from trialrun.lsp.features.code_lens import code_lens
from trialrun.lsp.features.hover import hover
from trialrun.lsp.features.inlay_hint import inlay_hint
from trialrun.workspace.open_workspace import OpenWorkspace

MUST = 10.0
EDITED = "edited.yaml"
HEAD = "| asked about | after an edit: median | 95th percentile | longest | moved on: median | 95th percentile | must |"
PLACES = {
    "a key": "suggestedMenuItems",
    "a value": "- displayName: Offer",
    "a part of a condition": "order.items.exists",
    "a menu item": "Cold Brew",
    "a language": "en-US",
    "the config's name": "channelConfigs/",
}


def edits(live: OpenWorkspace, count: int) -> Iterator[str]:
    """The text after each edit, taken in, linted and read ahead."""
    before, warming = config()[: -len(LAST)], CachePrimer(live)
    for number in range(count):
        text = f"{before}      - priority: {900 + number}\n"
        live.set_overlay(str(Path(EDITED).resolve()), text.encode())
        live.diagnostics(EDITED)
        while warming.is_waiting:
            warming.step()
        yield text


def timed(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    found = ask()
    took = 1000 * (time.perf_counter() - start)
    assert found, "nothing is told"
    return took


def places(text: str, words: str) -> list[int]:
    """Inside the first words of a sort in the text, and inside the last ones."""
    return [find(words) + len(words) - 3 for find in (text.index, text.rindex)]


def percentiles(measured: list[float], *, longest: bool = True) -> str:
    ordered = sorted(measured)
    figures = [ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], *([ordered[-1]] if longest else [])]
    return " | ".join(f"{figure:.1f}" for figure in figures)


def row(live: OpenWorkspace, title: str, words: str, count: int) -> str:
    """What one sort of place cost; the very first answer, which imports what it needs, is told as the longest."""
    first, second = [], []
    for text in edits(live, count):
        one, other = places(text, words)
        first.append(timed(lambda at=one: hover(live, EDITED, at)))  # type: ignore[misc]
        second.append(timed(lambda at=other: hover(live, EDITED, at)))  # type: ignore[misc]
    return f"| {title} | {percentiles(first)} | {percentiles(second, longest=False)} | {MUST:.1f} |"


def whole(live: OpenWorkspace, title: str, ask: Callable[[OpenWorkspace, str], object], count: int) -> str:
    """What all hints, or all lenses, of the text cost after an edit."""
    measured = [timed(lambda: ask(live, EDITED)) for _ in edits(live, count)]
    return f"| {title} | {percentiles(measured)} | | | |"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hover", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edits", type=int, default=100, help="how many edits for each sort (default 100)")
    parser.add_argument("--files", type=int, default=0, help="how many files of the corpus lie beside (default 0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        live = opened(Path(folder), options.files)
        print(HEAD, "|---" * 7 + "|", sep="\n")
        for title, words in PLACES.items():
            print(row(live, title, words, options.edits), flush=True)
        print(whole(live, "all hints", inlay_hint, options.edits), flush=True)
        print(whole(live, "all lenses", code_lens, options.edits), flush=True)
        os.chdir(EXAMPLE)


if __name__ == "__main__":
    main()
