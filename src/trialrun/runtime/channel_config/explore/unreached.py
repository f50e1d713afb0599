"""Why an upsell was never offered, and how close it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.anomaly import SkipCount
from trialrun.runtime.channel_config.explore.statistics import UpsellStatistics
from trialrun.values.cel.syntax_tree import operands

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition
    from trialrun.values.cel import Node

EARLY_REASONS = ("condition-false", "condition-error", "frequency", "no-language")
"""Reasons that keep an upsell back before it competes with anything."""


def skip_counts(counts: UpsellStatistics) -> tuple[SkipCount, ...]:
    """What kept an upsell back, the most often first."""
    counts_by_reason = [SkipCount(code, counts.sessions_skipped[code], turns) for code, turns in counts.skips.items()]
    return tuple(sorted(counts_by_reason, key=lambda skip: (-skip.sessions, -skip.turns, skip.code)))


def decisive_skip(reasons: Sequence[SkipCount]) -> SkipCount | None:
    """The reason that kept an upsell back when all else was fulfilled: not its condition, if there is another."""
    return next((skip for skip in reasons if skip.code not in EARLY_REASONS), None)


@dataclass(frozen=True, slots=True)
class OperandCount:
    """A part of a condition that must hold with the others: how often it did, and how often it alone did not."""

    text: str
    held: int
    alone: int


class OperandStatistics:
    """The parts that a condition joins by `&&`, and how often each held."""

    def __init__(self, tree: Node, text: str) -> None:
        joined = operands(tree) if (tree.kind, tree.name) == ("operator", "&&") else ()
        self._spans = {(node.start, node.end): " ".join(text[node.start : node.end].split()) for node in joined}
        self._held: Counter[tuple[int, int]] = Counter()
        self._alone: Counter[tuple[int, int]] = Counter()
        self.count = 0

    def add(self, condition: EvaluatedCondition) -> None:
        """Count how the parts came out in an evaluation of the condition."""
        if not self._spans:
            return
        self.count += 1
        true = {(part.start, part.end) for part in condition.parts if part.value is True}
        false = [span for span in self._spans if span not in true]
        self._held.update(span for span in self._spans if span in true)
        self._alone.update(false if len(false) == 1 else ())

    @property
    def parts(self) -> tuple[OperandCount, ...]:
        """The parts in the order of the text."""
        return tuple(OperandCount(text, self._held[span], self._alone[span]) for span, text in self._spans.items())


def near_miss_text(count: int, parts: Sequence[OperandCount]) -> str:
    """In words, how near a condition came to hold; empty if it is of one part."""
    if not count or not parts:
        return ""
    decisive = max(parts, key=lambda part: part.alone)
    if decisive.alone:
        return f"{decisive.text} alone was not true in {decisive.alone:,} of {count:,} turns"
    missing = [part.text for part in parts if not part.held]
    if missing:
        return f"{' and '.join(missing)} was true in none of {count:,} turns"
    return f"each part was true in some of {count:,} turns, but never all of them together"
