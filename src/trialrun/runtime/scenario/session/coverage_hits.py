"""What a turn exercises of the configs in force: upsells, conditions and their parts, mappings, messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import json_pointer
from trialrun.runtime.scenario.session.operand_mutations import deletions

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.channel_config.session.turn import Condition, Turn
    from trialrun.runtime.scenario.coverage_recorder import Seen


def exercise(turn: Turn, in_force: InForce, seen: Seen) -> None:
    """Note what a turn exercises, where coverage is asked for."""
    if not seen.is_asked:
        return
    for offered in turn.offered:
        seen.touch("upsells", key(in_force.origin_of(offered.upsell)))
    for condition in turn.conditions:
        _condition(condition, seen)
    for mapped in turn.mapped:
        seen.touch("mappings", key(mapped.origin, above="customerTerms"))
    for said in turn.said:
        if said.kind == "greeting":
            seen.touch("messages", key(said.origin, above="greetingPhrases"))
        elif said.kind in ("greeting-offer", "closing-offer"):
            seen.touch("messages", key(said.origin))


def _condition(condition: Condition, seen: Seen) -> None:
    where = key(condition.origin)
    if condition.value is not None:
        seen.touch("conditionsTrue" if condition.value else "conditionsFalse", where)
    cel = condition.upsell.celUpsell
    for one in deletions((cel.conditionExpression if cel else None) or ""):
        part = part_key(where, one.start)
        if not seen.has_touched("conditionParts", part) and condition.instead(one.without) is not condition.value:
            seen.touch("conditionParts", part)


def key(origin: Origin, *, above: str | None = None) -> str:
    """What tells a part of a config from all others: where it stands; `above` a field, the message that has it."""
    steps = origin.place.steps
    whole = steps if above is None else steps[: steps.index(above)]
    return f"{origin.path}#{origin.config.document}{origin.config.pointer}{json_pointer(whole)}"


def part_key(condition: str, start: int) -> str:
    """What tells a part of a condition from the others."""
    return f"{condition}@{start}"
