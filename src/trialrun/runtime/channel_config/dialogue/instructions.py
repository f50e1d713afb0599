"""The instructions that a store's configs give the agent, in the order of a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.features import features
from trialrun.runtime.channel_config.dialogue.reply import listed
from trialrun.runtime.channel_config.session.ranking import in_order
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.origin import Origin

MODES: Final = {
    "ORDER_TAKING": "Take the customer's order in a two-way conversation.",
    "LISTEN_ONLY": "Only listen: take the order down and say nothing to the customer, whatever else you are told.",
}
TONES: Final = {
    "CONCISE_AND_DIRECT": "Be concise and direct.",
    "PROFESSIONAL_AND_FORMAL": "Be professional and formal.",
    "FRIENDLY": "Be friendly.",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """Something that the agent is told before a session, and what tells it so."""

    text: str
    origin: Origin


def instructions(in_force: InForce) -> tuple[Instruction, ...]:
    """What the agent is told, from the general to the particular; the free-form text of the brand comes last.

    These are the interaction mode, the tone, the features in the order of a session, catering guidelines, custom
    instructions for what customers say, and the reasons of upsells, which come in the order of their priority.
    """
    parts = (_manner, _features, _catering, _customers, _upsells, _freeform)
    return tuple(Instruction(text.strip(), origin) for part in parts for text, origin in part(in_force) if text.strip())


Told = Iterator[tuple[str, "Origin"]]


def _manner(in_force: InForce) -> Told:
    mode, tone = in_force.operation("interactionMode"), in_force.tone
    if mode and (origin := in_force.origin("operationsConfig", "interactionMode")):
        yield MODES.get(mode, ""), origin
    if tone and (origin := in_force.origin("tone")):
        yield TONES.get(tone, ""), origin


def _features(in_force: InForce) -> Told:
    config = in_force.operation("featuresConfig")
    for field, feature, is_on in features(config) if config else ():
        yield feature.on if is_on else feature.off, in_force.origin_of(config, field)


def _catering(in_force: InForce) -> Told:
    strategy = in_force.upsell_strategy
    if strategy and strategy.cateringGuidelines:
        yield strategy.cateringGuidelines, in_force.origin_of(strategy, "cateringGuidelines")


def _customers(in_force: InForce) -> Told:
    strategy = in_force.operation("disambiguationStrategy")
    for mapping in (strategy.mappings or ()) if strategy else ():
        if mapping.customInstruction and mapping.customInstruction.strip():
            yield _when_said(mapping), in_force.origin_of(mapping, "customInstruction")


def _when_said(mapping: DisambiguationMapping) -> str:
    terms = [f'"{term}"' for term in mapping.customerTerms or ()]
    instruction = (mapping.customInstruction or "").strip()
    return f"When a customer says {listed(terms, 'or')}: {instruction}" if terms else instruction


def _upsells(in_force: InForce) -> Told:
    strategy = in_force.upsell_strategy
    upsells = (strategy.upsells or ()) if strategy else ()
    for upsell in in_order(upsells):
        cel = upsell.celUpsell
        if cel and cel.triggerReason and cel.triggerReason.strip() and not upsell.disabled:
            items = listed(cel.suggestedMenuItems or ("something",), "or")
            text = f'When you offer {items} ("{called(upsell)}"): {cel.triggerReason.strip()}'
            yield text, in_force.origin_of(cel, "triggerReason")


def _freeform(in_force: InForce) -> Told:
    supplemental = in_force.supplemental_instructions
    if supplemental and supplemental.freeformInstructions:
        yield supplemental.freeformInstructions, in_force.origin_of(supplemental, "freeformInstructions")
