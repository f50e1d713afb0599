"""Why an upsell was never offered: for certain, or as far as was seen, and how near it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.anomaly import Kept
from trialrun.runtime.channel_config.explore.statistics import OfUpsell
from trialrun.values.cel.canonical import operands

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.turn import Condition
    from trialrun.values.cel import Node

FAR = ("condition-false", "condition-error", "frequency", "no-language")
"""Reasons that keep an upsell back before it competes with anything."""


def kept(counts: OfUpsell) -> tuple[Kept, ...]:
    """What kept an upsell back, the most often first."""
    listed = [Kept(code, counts.sessions_kept_back[code], turns) for code, turns in counts.kept_back.items()]
    return tuple(sorted(listed, key=lambda one: (-one.sessions, -one.turns, one.code)))


def nearest(reasons: Sequence[Kept]) -> Kept | None:
    """The reason that kept an upsell back when all else was fulfilled: not its condition, if there is another."""
    return next((one for one in reasons if one.code not in FAR), None)


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of a condition that must hold with the others: how often it did, and how often it alone did not."""

    text: str
    held: int
    alone: int


class Operands:
    """The parts that a condition joins by `&&`, and how often each held."""

    def __init__(self, tree: Node, text: str) -> None:
        joined = operands(tree) if (tree.kind, tree.name) == ("operator", "&&") else ()
        self._spans = {(node.start, node.end): " ".join(text[node.start : node.end].split()) for node in joined}
        self._held: Counter[tuple[int, int]] = Counter()
        self._alone: Counter[tuple[int, int]] = Counter()
        self.count = 0

    def add(self, condition: Condition) -> None:
        """Count how the parts came out in an evaluation of the condition."""
        if not self._spans:
            return
        self.count += 1
        true = {(part.start, part.end) for part in condition.parts if part.value is True}
        false = [span for span in self._spans if span not in true]
        self._held.update(span for span in self._spans if span in true)
        self._alone.update(false if len(false) == 1 else ())

    @property
    def parts(self) -> tuple[Operand, ...]:
        """The parts in the order of the text."""
        return tuple(Operand(text, self._held[span], self._alone[span]) for span, text in self._spans.items())


def near(count: int, parts: Sequence[Operand]) -> str:
    """In words, how near a condition came to hold; nothing where it is of one part."""
    if not count or not parts:
        return ""
    lonely = max(parts, key=lambda one: one.alone)
    if lonely.alone:
        return f"{lonely.text} alone was not true in {lonely.alone:,} of {count:,} turns"
    missing = [one.text for one in parts if not one.held]
    if missing:
        return f"{' and '.join(missing)} held in none of {count:,} turns"
    return f"each part held at times, in {count:,} turns never all at once"
