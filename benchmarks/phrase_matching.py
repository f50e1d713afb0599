"""Hearing customer terms: `python -m benchmarks.phrase_matching`.

Sentences of 12 words are listened to with 10 terms and with 5,000, taking turns in one run; then one utterance of
10,000 words, beside one regular expression of all terms, the longest first, which knows no quantities, plurals and
places. `ready` is what is done once for a store. CPU of one thread.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.random_source import Dice
from trialrun.model.channel_config import DisambiguationMapping
from trialrun.runtime.channel_config.dialogue.understanding import Understanding, build_understanding
from trialrun.runtime.channel_config.menu import BrandMenu, Item
from trialrun.values.normalize import tokenize

HEAD = "| terms | ready, s | sentence, ms | with 10 terms, ms | ratio | 10,000 words, s | one expression, s | ratio |"
VOCABULARY = [f"{first}{last}" for first in "bcdfglmnprst" for last in ("ake", "ola", "urger", "izza", "inger", "and")]
MENU = BrandMenu(tuple(Item(f"{first} {last}", "", 1.0) for first in VOCABULARY for last in VOCABULARY[:14]))


def terms(count: int, dice: Dice) -> list[str]:
    """Different terms of two to five words."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[" ".join(dice.pick(VOCABULARY) for _ in range(dice.number(2, 5)))] = None
    return list(found)


def ears(known: list[str]) -> Understanding:
    """A hearing of ten terms a mapping."""
    mappings = [
        DisambiguationMapping.model_validate(
            {"type": "SINGLE_TARGET", "customerTerms": known[at : at + 10], "targets": [{"itemName": f"Item {at}"}]}
        )
        for at in range(0, len(known), 10)
    ]
    origin: Any = lambda *_: None  # noqa: E731
    return build_understanding(mappings, MENU, origin)


def utterance(length: int, dice: Dice) -> str:
    """A text of so many words, some of them numbers."""
    return " ".join("two" if dice.chance(0.1) else dice.pick(VOCABULARY) for _ in range(length))


def timed(work: Callable[[], object]) -> float:
    """Seconds of CPU."""
    tokenize.cache_clear()
    start = time.thread_time()
    work()
    return time.thread_time() - start


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=5)
    options.add_argument("--terms", type=int, default=5_000)
    given = options.parse_args()
    dice = Dice("hearing")
    known = terms(given.terms, dice)
    ready = [timed(lambda: ears(known)) for _ in range(given.times)]
    few, many = ears(known[:10]), ears(known)
    sentences = [utterance(12, dice) for _ in range(500)]
    long = utterance(10_000, dice)
    plain = re.compile(rf"\b(?:{'|'.join(sorted(known, key=len, reverse=True))})\b")
    rows: dict[str, list[float]] = {"few": [], "many": [], "long": [], "plain": []}
    for _ in range(given.times):
        rows["few"].append(timed(lambda: [few.understand(text) for text in sentences]) / len(sentences))
        rows["many"].append(timed(lambda: [many.understand(text) for text in sentences]) / len(sentences))
        rows["long"].append(timed(lambda: many.understand(long)))
        rows["plain"].append(timed(lambda: plain.findall(long)))
    found = {name: median(times) for name, times in rows.items()}
    print(HEAD)
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {len(known)} | {median(ready):.3f} | {found['many'] * 1000:.3f} | {found['few'] * 1000:.3f} "
        f"| {found['many'] / found['few']:.2f} | {found['long']:.3f} | {found['plain']:.3f} "
        f"| {found['long'] / found['plain']:.2f} |"
    )


if __name__ == "__main__":
    main()
