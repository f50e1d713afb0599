"""What to say of texts that are blank, and of names with blanks in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Finding, Fix, Replace, Severity
from trialrun.lint.rule import Findings

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node

TEXTS = {
    "MessageConfig": ("messageText",),
    "WarehouseSource": ("uri",),
    "RagSource": ("uri",),
    "FeatureGroup": ("featureGroupId",),
}
LISTS: dict[str, tuple[str, ...]] = {
    "Greetings": ("greetingPhrases",),
    "DisambiguationMapping": ("customerTerms",),
    "ClosingMessage": ("skipTerms",),
    "WarehouseSource": ("entityIdColumns",),
    "FeatureGroup": ("featureIds",),
    "IndexConfig": ("filterColumns",),
    "Store": ("tags",),
    "StoreSelector": ("tags", "names"),
    "FeatureGroupTable": ("entityIdColumns",),
    "MenuItem": ("modifierGroups",),
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "WarehouseSource": ("entityIdColumns",),
    "IndexConfig": ("embeddingColumn", "filterColumns", "crowdingColumn"),
    "FeatureGroupTable": ("entityIdColumns", "timestampColumn"),
    "RegisteredFeature": ("column",),
    "Source": ("timestampColumn",),
    "Column": ("name",),
}
IDS: dict[str, tuple[str, ...]] = {
    "FeatureGroup": ("featureGroupId", "featureIds"),
    "FeatureGroupTable": ("featureGroupId",),
    "RegisteredFeature": ("id",),
    "OfferMessage": ("upsoldItemIds",),
    "TargetItem": ("itemId",),
    "TargetModifier": ("modifierId", "modifierGroupId"),
    "MenuItem": ("id",),
    "ModifierGroup": ("id",),
    "Modifier": ("id",),
}
BLANK = re.compile(r"\s")
SAID = frozenset({"messageText", "greetingPhrases"})


def may_have_blanks(value: str | list[str] | None) -> bool:
    """Whether a text, or one of a list, has a blank; most have none, and nothing more is asked of them."""
    return bool(value) and BLANK.search(value if isinstance(value, str) else "".join(value or ())) is not None


def with_blanks(node: Node, name: str, what: str, advice: str) -> Findings:
    """What to say of the texts of a field that have a blank inside or at an end."""
    value = getattr(node, name)
    texts = [(name, value)] if isinstance(value, str) else [((name, at), text) for at, text in enumerate(value or ())]
    for place, text in texts:
        message = blank_in(text, what, advice) if "{" not in text and "<" not in text else None
        if message:
            meant = text.strip()
            is_plain = meant != text and not _has_blank(meant)
            fix = Fix(f"write {meant}", (Replace(node.at(*_steps(place)), meant),)) if is_plain else None
            yield node.flag(place, message, severity=Severity.WARNING, fix=fix)


def _steps(place: str | tuple[str, int]) -> tuple[str | int, ...]:
    return (place,) if isinstance(place, str) else place


def blank_in(text: str, what: str, advice: str) -> str | None:
    """What to say of a text with a blank inside or at an end; None of one that is all blank, or has none."""
    meant = text.strip()
    if not meant or not _has_blank(text):
        return None
    if _has_blank(meant):
        return f'the {what} "{text}" has a blank inside; {advice}'
    return f'the {what} "{text}" has a blank at an end; write "{meant}"'


def _has_blank(text: str) -> bool:
    return BLANK.search(text) is not None


def flagged(node: Node, name: str, index: int, text: str) -> Finding:
    """What to say of an item that is empty or blank."""
    if name == "skipTerms" and not text:
        message = "an empty skip term matches every item, so the upsell is always skipped; remove it"
        return node.flag((name, index), message)
    what = "blank" if text else "empty"
    message = f"an item of {name} is {what}; {advice(name)} or remove it"
    return node.flag((name, index), message, severity=Severity.WARNING)


def advice(name: str) -> str:
    """What to write in place of a blank text."""
    return "write what is said" if name in SAID else "write what is meant"


def blanks_in_name(resource: FeatureView | ChannelConfig | FeatureOnlineStore) -> Findings:
    """What to say of each id of a resource name that has a blank inside or at an end."""
    start = 0
    for part in (resource.name or "").split("/"):
        message = blank_in(part, "id", "write it without") if "{" not in part and "<" not in part else None
        if message:
            yield resource.flag("name", message, severity=Severity.WARNING, chars=(start, start + len(part)))
        start += len(part) + 1
