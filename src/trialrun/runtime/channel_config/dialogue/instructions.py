"""Instructions that a store's configs give the agent, in prompt order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.features import features
from trialrun.runtime.channel_config.dialogue.reply import join_names
from trialrun.runtime.channel_config.session.ranking import sort_by_priority
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.origin import Origin

MODES: Final = {
    "ORDER_TAKING": "Take the customer's order in a two-way conversation.",
    "LISTEN_ONLY": "Only listen: record the order and say nothing to the customer, whatever other instructions say.",
}
TONES: Final = {
    "CONCISE_AND_DIRECT": "Be concise and direct.",
    "PROFESSIONAL_AND_FORMAL": "Be professional and formal.",
    "FRIENDLY": "Be friendly.",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction that the agent receives before a session, and where it comes from."""

    text: str
    origin: Origin


def instructions(active_config: ActiveConfig) -> tuple[Instruction, ...]:
    """The instructions for the agent, from the general to the particular; the free-form text of the brand comes last.

    These are the interaction mode, the tone, the features in the order of a session, catering guidelines, custom
    instructions for what customers say, and the reasons of upsells, which come in the order of their priority.
    """
    parts = (
        _manner_instructions,
        _feature_instructions,
        _catering_instructions,
        _mapping_instructions,
        _upsell_instructions,
        _freeform_instructions,
    )
    return tuple(Instruction(text, origin) for part in parts for text, origin in part(active_config) if text.strip())


InstructionTexts = Iterator[tuple[str, "Origin"]]


def _manner_instructions(active_config: ActiveConfig) -> InstructionTexts:
    mode, tone = active_config.operations_field("interactionMode"), active_config.tone
    if mode and (origin := active_config.origin("operationsConfig", "interactionMode")):
        yield MODES.get(mode, ""), origin
    if tone and (origin := active_config.origin("tone")):
        yield TONES.get(tone, ""), origin


def _feature_instructions(active_config: ActiveConfig) -> InstructionTexts:
    config = active_config.operations_field("featuresConfig")
    for field, feature, is_on in features(config) if config else ():
        yield feature.on if is_on else feature.off, active_config.origin_of(config, field)


def _catering_instructions(active_config: ActiveConfig) -> InstructionTexts:
    strategy = active_config.upsell_strategy
    if strategy and strategy.cateringGuidelines:
        yield strategy.cateringGuidelines, active_config.origin_of(strategy, "cateringGuidelines")


def _mapping_instructions(active_config: ActiveConfig) -> InstructionTexts:
    strategy = active_config.operations_field("disambiguationStrategy")
    for mapping in (strategy.mappings or ()) if strategy else ():
        if mapping.customInstruction and mapping.customInstruction.strip():
            yield _mapping_instruction(mapping), active_config.origin_of(mapping, "customInstruction")


def _mapping_instruction(mapping: DisambiguationMapping) -> str:
    terms = [f'"{term}"' for term in mapping.customerTerms or ()]
    instruction = mapping.customInstruction or ""
    return _after(f"When a customer says {join_names(terms, 'or')}:", instruction) if terms else instruction


def _after(introduction: str, text: str) -> str:
    """A text as it is written behind an introduction; on lines of its own where it has several, or is indented."""
    is_block = "\n" in text.strip() or text[0].isspace()
    return f"{introduction}\n{text}" if is_block else f"{introduction} {text}"


def _upsell_instructions(active_config: ActiveConfig) -> InstructionTexts:
    strategy = active_config.upsell_strategy
    upsells = (strategy.upsells or ()) if strategy else ()
    for upsell in sort_by_priority(upsells):
        cel = upsell.celUpsell
        if cel and cel.triggerReason and cel.triggerReason.strip() and not upsell.disabled:
            items = join_names(cel.suggestedMenuItems or ("something",), "or")
            text = _after(f'When you offer {items} ("{upsell_name(upsell)}"):', cel.triggerReason)
            yield text, active_config.origin_of(cel, "triggerReason")


def _freeform_instructions(active_config: ActiveConfig) -> InstructionTexts:
    supplemental = active_config.supplemental_instructions
    if supplemental and supplemental.freeformInstructions:
        yield supplemental.freeformInstructions, active_config.origin_of(supplemental, "freeformInstructions")
