"""Why an upsell was never offered: for certain, or as far as was seen, and how near it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from trialrun.record import dataclass
from trialrun.runtime.channel_config.explore.surprise import Kept
from trialrun.runtime.channel_config.explore.tally import OfUpsell
from trialrun.values.cel.canonical import operands

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.in_force import InForce
    from trialrun.runtime.channel_config.session.turn import Condition
    from trialrun.values.cel import Check, Schema

FAR = ("condition-false", "condition-error", "frequency", "no-language")
"""Reasons that keep an upsell back before it competes with anything."""


def kept(counts: OfUpsell) -> tuple[Kept, ...]:
    """What kept an upsell back, the most often first."""
    listed = [Kept(code, counts.sessions_kept_back[code], turns) for code, turns in counts.kept_back.items()]
    return tuple(sorted(listed, key=lambda one: (-one.sessions, -one.turns, one.code)))


def nearest(reasons: Sequence[Kept]) -> Kept | None:
    """The reason that kept an upsell back when all else was fulfilled: not its condition, if there is another."""
    return next((one for one in reasons if one.code not in FAR), None)


def checked(upsell: UpsellConfig, in_force: InForce, types: Callable[[str], Schema]) -> Check | None:
    """What checking the condition of an upsell says of it; None where it has none."""
    from trialrun.values.cel import check

    cel = upsell.celUpsell
    if cel is None or not cel.conditionExpression:
        return None
    return check(cel.conditionExpression, schema=types(in_force.origin_of(cel, "conditionExpression").path))


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of a condition that must hold with the others: how often it did, and how often it alone did not."""

    text: str
    held: int
    alone: int


def operands_held(found: Check, text: str, conditions: Iterable[Condition]) -> tuple[int, tuple[Operand, ...]]:
    """Of how many evaluations of a condition, and how its operands came out in these."""
    if found.tree is None or (found.tree.kind, found.tree.name) != ("operator", "&&"):
        return 0, ()
    spans = [(node.start, node.end) for node in operands(found.tree)]
    held: Counter[tuple[int, int]] = Counter()
    alone: Counter[tuple[int, int]] = Counter()
    count = 0
    for condition in conditions:
        count += 1
        values = {(part.start, part.end): part.value for part in condition.parts}
        false = [span for span in spans if values.get(span) is not True]
        held.update(span for span in spans if values.get(span) is True)
        alone.update(false if len(false) == 1 else ())
    return count, tuple(Operand(" ".join(text[a:b].split()), held[a, b], alone[a, b]) for a, b in spans)


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
