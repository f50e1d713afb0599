"""Coverage targets that a turn exercises: upsells, conditions, operands, mappings and messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from trialrun.diagnostic import json_pointer
from trialrun.runtime.channel_config.session.reasons import skipping_name
from trialrun.runtime.scenario.session.operand_mutations import operand_deletions

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import Origin
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SkippedUpsell, Turn
    from trialrun.runtime.scenario.coverage_recorder import CoverageRecorder

LIMITS: Mapping[str, str] = {
    "max-offers": "maxUpsellOffers",
    "max-declines": "maxUpsellDeclines",
    "max-items": "maxItemsInCart",
}
SKIPS: Mapping[str, str] = {
    "previous-turn": "skipOnPreviousTurnUpsell",
    "multi-quantity": "skipOnMultiQuantityUpsoldFromItem",
}
"""The field behind each reason to skip an upsell: of the strategy, and of the upsell."""


def record_turn(turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    """Note what a turn exercises, where coverage is asked for."""
    if not recorder.is_asked:
        return
    for offer in turn.offers:
        recorder.record("upsells", origin_key(active_config.origin_of(offer.upsell)))
    for skipped in turn.skipped:
        _record_skip(skipped, turn, active_config, recorder)
    for condition in turn.conditions:
        _record_condition(condition, recorder)
    for term in turn.mapped_terms:
        recorder.record("mappings", origin_key(term.origin, above="customerTerms"))
    for utterance in turn.utterances:
        if utterance.kind == "greeting":
            recorder.record("messages", origin_key(utterance.origin, above="greetingPhrases"))
        elif utterance.kind in ("greeting-offer", "closing-offer"):
            recorder.record("messages", origin_key(utterance.origin))


def _record_skip(skipped: SkippedUpsell, turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    """Note what decided that an upsell is skipped."""
    code, strategy = skipped.reason.code, active_config.upsell_strategy
    if code in LIMITS and strategy is not None:
        recorder.record("limits", origin_key(active_config.origin_of(strategy, LIMITS[code])))
    elif code in SKIPS:
        recorder.record("skips", origin_key(active_config.origin_of(skipped.upsell, SKIPS[code])))
    elif code == "skip-term":
        recorder.record("skipTerms", *_term_keys(skipped, turn, active_config))
    elif code == "less-favored":
        rivals = [skipped.upsell, *(offer.upsell for offer in turn.offers if offer.kind != "suggestion")]
        recorder.record(
            "orders",
            *(
                origin_key(active_config.origin_of(upsell, "priority"))
                for upsell in rivals
                if upsell.priority is not None
            ),
        )


def _term_keys(skipped: SkippedUpsell, turn: Turn, active_config: ActiveConfig) -> Iterator[str]:
    """The keys of the terms of an upsell that are in the name of an ordered item."""
    closing = skipped.upsell.closingOffer
    for message in (closing.closingMessages if closing else None) or ():
        for index, term in enumerate(message.skipTerms or ()):
            if any(skipping_name(line_item.item, term) for line_item in turn.order):
                yield origin_key(active_config.origin_of(message, "skipTerms", index))


def record_flag(origin: Origin, recorder: CoverageRecorder) -> None:
    """Note that something is expected of a feature of the agent."""
    if "featuresConfig" in origin.place.path:
        recorder.record("flags", origin_key(origin))


def _record_condition(condition: EvaluatedCondition, recorder: CoverageRecorder) -> None:
    condition_key = origin_key(condition.origin)
    if condition.value is not None:
        recorder.record("conditionsTrue" if condition.value else "conditionsFalse", condition_key)
    cel = condition.upsell.celUpsell
    for deletion in operand_deletions((cel.conditionExpression if cel else None) or ""):
        operand = operand_key(condition_key, deletion.start)
        if (
            not recorder.is_recorded("conditionParts", operand)
            and condition.evaluate_instead(deletion.mutated) is not condition.value
        ):
            recorder.record("conditionParts", operand)


def origin_key(origin: Origin, *, above: str | None = None) -> str:
    """What distinguishes a part of a config from all others: where it is; `above` a field, the message that has it."""
    steps = origin.place.path
    path = steps if above is None else steps[: steps.index(above)]
    return f"{origin.path}#{origin.config.document}{origin.config.pointer}{json_pointer(path)}"


def operand_key(condition: str, start: int) -> str:
    """What tells a part of a condition from the others."""
    return f"{condition}@{start}"
