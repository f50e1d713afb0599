"""The texts of messages that may hold a placeholder which nobody filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.node import Node

IDENTIFIERS = {
    "FeatureView": ("name",),
    "ChannelConfig": ("name", "displayName"),
    "WarehouseSource": ("uri", "entityIdColumns"),
    "RagSource": ("uri",),
    "FeatureGroup": ("featureGroupId", "featureIds"),
    "IndexConfig": ("embeddingColumn", "filterColumns", "crowdingColumn"),
    "OperationsConfig": ("displayName",),
    "UpsellConfig": ("displayName",),
    "OfferMessage": ("displayName", "upsoldItems", "upsoldItemIds"),
    "CelUpsell": ("suggestedMenuItems", "suggestedModifiers"),
    "SuggestedModifierGroup": ("name", "suggestedModifiers"),
    "TargetItem": ("itemName", "itemId"),
    "TargetModifier": ("modifierName", "modifierGroupName", "modifierId", "modifierGroupId"),
    "FeatureGroupTable": ("featureGroupId", "uri", "entityIdColumns"),
    "FeatureOnlineStore": ("name",),
    "Source": ("uri", "files", "database"),
}
"""By message: names, ids and uris, in which no brace or angle belongs."""
MESSAGES = {
    "MessageConfig": ("messageText",),
    "Greetings": ("greetingPhrases",),
    "CelUpsell": ("triggerReason",),
    "UpsellStrategy": ("cateringGuidelines",),
    "DisambiguationMapping": ("customInstruction",),
    "SupplementalInstructions": ("freeformInstructions",),
}
"""By message: texts that people read."""
_FIELDS = {name: IDENTIFIERS.get(name, ()) + MESSAGES.get(name, ()) for name in (*IDENTIFIERS, *MESSAGES)}


def may_have_placeholder(node: Node) -> bool:
    """Whether one of the texts of a message may hold a placeholder: a search that costs a tenth of the precise one."""
    values = node.__dict__
    for name in _FIELDS[node.__class__.__name__]:
        text = values[name]
        if text is None:
            continue
        if text.__class__ is list:
            text = "\n".join(text)
        if "{" in text or "<" in text or "TODO" in text or "TBD" in text or "ME" in text or "$(" in text:
            return True
    return False
