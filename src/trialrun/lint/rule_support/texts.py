"""Texts that are empty or contain only spaces, names with spaces in them, and placeholders that nothing filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Finding, Fix, Replace, Severity
from trialrun.model.node import valid_keys
from trialrun.values import Problem
from trialrun.values.label import ORDINARY

if TYPE_CHECKING:
    from trialrun.lint.rule import Findings
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node


PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([A-Za-z_]\w*\)")
"""Placeholders that their marks tell from ordinary text: `${LIMIT}`, `{{ limit }}`, `$(LIMIT)`."""
NOTED = r"(?<![A-Za-z0-9])(?:TODO|FIXME|TBD|CHANGE_?ME|REPLACE_?ME)(?![A-Za-z0-9])"
IN_IDENTIFIER = re.compile(rf"{PLACEHOLDER.pattern}|\{{[^{{}}]*\}}|<[^<>]+>|{NOTED}")
"""Placeholders of texts in which no brace or angle belongs: names, ids, schedules."""
IN_RESOURCE = re.compile(rf"{IN_IDENTIFIER.pattern}|\$[A-Za-z_]\w*|%[A-Z_]{{3,}}%|@@?[A-Z_]{{2,}}@@?|__[A-Z][A-Z_]*__")
"""Those of resource names and uris, in which variables of a shell and marks of build tools have no other meaning."""
TEXTS = {
    "MessageConfig": ("messageText",),
    "WarehouseSource": ("uri",),
    "RagSource": ("uri",),
    "FeatureGroup": ("featureGroupId",),
    "TargetItem": ("itemName",),
    "TargetModifier": ("modifierName",),
}
LISTS: dict[str, tuple[str, ...]] = {
    "Greetings": ("greetingPhrases",),
    "DisambiguationMapping": ("customerTerms",),
    "ClosingMessage": ("skipTerms",),
    "OfferMessage": ("upsoldItems", "upsoldItemIds"),
    "CelUpsell": ("suggestedMenuItems", "suggestedModifiers"),
    "SuggestedModifierGroup": ("suggestedModifiers",),
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
_FIELDS = {
    name: (TEXTS.get(name, ()), LISTS.get(name, ()), (*COLUMNS.get(name, ()), *IDS.get(name, ())))
    for name in (*TEXTS, *LISTS, *COLUMNS, *IDS)
}
"""By message: texts, lists of texts, and ids in which no space is expected."""
SPACE = re.compile(r"\s")
SPOKEN = frozenset({"messageText", "greetingPhrases"})


def has_placeholder(text: str) -> bool:
    """Whether something in a text is still to be filled in."""
    return ("{" in text or "$(" in text) and PLACEHOLDER.search(text) is not None


def placeholders(text: str, code: str) -> list[Problem]:
    """A problem for each placeholder of a text in which no brace or angle belongs."""
    found = IN_IDENTIFIER.finditer(text)
    return [Problem(code, *match.span(), f"{match[0]} is a placeholder; fill it in") for match in found]


def may_contain_spaces(value: str | list[str] | None) -> bool:
    """Whether a text, or one of a list, contains a space; most do not, and need no further checks."""
    return bool(value) and _contains_space(value if isinstance(value, str) else "".join(value or ()))


def has_unexpected_space(node: Node) -> bool:
    """Whether a text of a message contains only spaces, or an id contains a space."""
    values = node.__dict__
    texts, lists, ids = _FIELDS[node.__class__.__name__]
    for name in texts:
        text = values[name]
        if text is not None and not text.strip():
            return True
    for name in lists:
        if (items := values[name]) and not all(map(str.strip, items)):
            return True
    for name in ids:
        value = values[name]
        if value and _contains_space(value if value.__class__ is str else "".join(value)):
            return True
    return False


def names_with_spaces(node: Node, name: str, what: str, what_to_do: str) -> Findings:
    """What to say of the texts of a field that contain a space."""
    value = getattr(node, name)
    texts = [(name, value)] if isinstance(value, str) else [((name, at), text) for at, text in enumerate(value or ())]
    for field, text in texts:
        message = _space_message(text, what, what_to_do) if "{" not in text and "<" not in text else None
        if message:
            stripped = text.strip()
            is_clear = stripped != text and not _contains_space(stripped)
            fix = Fix(f"write {stripped}", (Replace(node.location(*_steps(field)), stripped),)) if is_clear else None
            yield node.finding(field, message, severity=Severity.WARNING, fix=fix)


def _steps(place: str | tuple[str, int]) -> tuple[str | int, ...]:
    return (place,) if isinstance(place, str) else place


def _space_message(text: str, what: str, what_to_do: str) -> str | None:
    """The message about a text that contains spaces; None if it contains only spaces, or none."""
    stripped = text.strip()
    if not stripped or not _contains_space(text):
        return None
    if _contains_space(stripped):
        return f'the {what} "{text}" contains a space; {what_to_do}'
    return f'the {what} "{text}" begins or ends with a space; write "{stripped}"'


def _contains_space(text: str) -> bool:
    if " " in text:
        return True
    return not text.isprintable() and SPACE.search(text) is not None  # a fifth of the time of the search alone


def blank_item(node: Node, name: str, index: int, text: str) -> Finding:
    """What to say of an item that is empty or contains only spaces."""
    if name == "skipTerms" and not text:
        message = "an empty skip term matches every item, so the upsell is always skipped; remove it"
        return node.finding((name, index), message)
    problem = "contains only spaces" if text else "is empty"
    message = f"an item of {name} {problem}; {advice(name)} or remove it"
    return node.finding((name, index), message, severity=Severity.WARNING)


def advice(name: str) -> str:
    """What to do about a text that contains only spaces."""
    return "write the text" if name in SPOKEN else "write a value"


def ids_with_spaces(resource: FeatureView | ChannelConfig | FeatureOnlineStore) -> Findings:
    """What to say of each id of a resource name that contains a space; the name has the form of one."""
    parts = (resource.name or "").split("/")
    if not may_contain_spaces(resource.name) or "" in parts:
        return
    start = 0
    for part in parts:
        message = _space_message(part, "id", "remove it") if "{" not in part and "<" not in part else None
        if message:
            yield resource.finding("name", message, severity=Severity.WARNING, chars=(start, start + len(part)))
        start += len(part) + 1


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
_FILLED_IN_FIELDS = {name: IDENTIFIERS.get(name, ()) + MESSAGES.get(name, ()) for name in (*IDENTIFIERS, *MESSAGES)}


def may_have_placeholder(node: Node) -> bool:
    """Whether one of the texts of a message may hold a placeholder: a search that costs a tenth of the precise one."""
    values = node.__dict__
    for name in _FILLED_IN_FIELDS[node.__class__.__name__]:
        text = values[name]
        if text is None:
            continue
        if text.__class__ is list:
            text = "\n".join(text)
        if "{" in text or "<" in text or "TODO" in text or "TBD" in text or "ME" in text or "$" in text:
            return True
        if name in ("name", "uri") and ("__" in text or "%" in text or "@" in text):
            return True
    return False


def has_unusual_label(view: FeatureView) -> bool:
    """Whether a view has a label with more than small letters of ASCII, digits, underscores and dashes."""
    labels = view.labels
    return labels is not None and not (
        all(map(ORDINARY["key"].fullmatch, valid_keys(labels)))
        and all(map(ORDINARY["value"].fullmatch, labels.values()))
    )
