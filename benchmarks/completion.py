"""How long a person waits for completions: `python -m benchmarks.completion`.

A ChannelConfig of 300 lines in the example workspace is edited, and after each edit something is asked at its end:
a field, a value, a condition, a menu item, a language, a rule to ignore. The time is that of the answer in the worker,
from the new text on; taking the text in is not counted. With `--files N` so many files of the corpus lie beside it,
from which names are gathered as well. Wall time, in ms; one process.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.corpus import corpus
from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.features.completion import completion
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

EXAMPLE = Path(__file__).parent.parent / "fixtures" / "workspaces" / "burger-brand"
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LINES = 300
MUST = 25.0
HEAD = "| question | answers | median | 95th percentile | longest | must |"
CONFIG = """kind: ChannelConfig
name: projects/smashwell-prod/locations/us-central1/brands/smashwell/channelConfigs/edited
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: en-US
  upsellStrategy:
    upsells:
"""
UPSELL = """      - displayName: Offer {number}
        priority: {number}
        celUpsell:
          conditionExpression: >-
            order.items.exists(i, i.displayName == 'Classic Smash')
            && order.subtotal < {number}.5
          suggestedMenuItems: [Cold Brew, Hash Browns]
          triggerReason: It goes well with {number} others.
"""
LAST = "      - priority: 900\n"
CONDITION = "celUpsell:\n          conditionExpression: order.items.exists(i, i.displayName != '{edit}' && i."
LANGUAGE = "greetingOffer:\n          messages:\n          - messageConfigs:\n            - languageCode: {edit}"
QUESTIONS = {
    "field": "        {edit}",
    "value": "        disabled: {edit}",
    "condition": f"        {CONDITION}",
    "menu item": "        celUpsell:\n          suggestedMenuItems: [Cold Brew, {edit}",
    "language": f"        {LANGUAGE}",
    "rule": "        # trialrun: ignore[{edit}",
    "time zone": "---\nkind: FeatureView\nsyncConfig:\n  cron: CRON_TZ={edit}",
}


def config() -> str:
    """A ChannelConfig of 300 lines, in whose last upsell something is being written."""
    text, number = CONFIG, 1
    while text.count("\n") + UPSELL.count("\n") < LINES:
        text += UPSELL.format(number=number)
        number += 1
    return text + LAST


def opened(folder: Path, files: int) -> OpenWorkspace:
    """The example workspace with some files of the corpus beside it, all of it linted."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    for corpu in corpus(files, seed=1):
        target = folder / "corpus" / corpu.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(corpu.content)
    os.chdir(folder)
    return OpenWorkspace(CheckRequest(root=str(folder), now=NOW, profiles=Profiles(Settings()), cache=False))


def times(live: OpenWorkspace, question: str, edits: int) -> Iterator[tuple[float, int]]:
    """The time of each answer and how much it has, after edits that make another text each time."""
    before, file = config(), str(Path("edited.yaml").resolve())
    for number in range(edits):
        text = before + question.format(edit="abcdefghijklmnopqrstuvwxyz"[number % 26])
        live.set_overlay(file, text.encode())
        start = time.perf_counter()
        found = completion(live, "edited.yaml", len(text))
        yield 1000 * (time.perf_counter() - start), len(found.items)


def row(live: OpenWorkspace, title: str, question: str, edits: int) -> str:
    """What one sort of question cost; the first answer, which imports what it needs, is told as the longest."""
    measured = list(times(live, question, edits))
    ordered = sorted(each for each, _ in measured)
    figures = (ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1], MUST)
    return f"| {title} | {max(count for _, count in measured)} | {' | '.join(f'{each:.1f}' for each in figures)} |"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.completion", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edits", type=int, default=200, help="how many edits for each question (default 200)")
    parser.add_argument("--files", type=int, default=0, help="how many files of the corpus lie beside (default 0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        live = opened(Path(folder), options.files)
        print(HEAD, "|---" * 6 + "|", sep="\n")
        for title, question in QUESTIONS.items():
            print(row(live, title, question, options.edits), flush=True)
        os.chdir(EXAMPLE)


if __name__ == "__main__":
    main()
