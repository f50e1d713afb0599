"""Text, id or column that is empty or contains stray spaces.

The agent says nothing for an empty message, no customer says an empty term, and no table has a column named " ". An
empty skip term is worse: it is part of the name of every item, so the upsell is always skipped. A space inside or at an
end of an id or a column is usually a copy-and-paste mistake: the lookup uses it and finds nothing.

Basis: best practice; channel-config, ClosingMessage: "the upsell is skipped when any term is present in the name of an
item already in the order".

Good, as ClosingMessage:

    offerMessage: {messageConfigs: [{languageCode: en, messageText: Dessert?}]}
    skipTerms: [Cake]

Bad, as ClosingMessage:

    offerMessage: {messageConfigs: [{languageCode: en, messageText: "  "}]}  # <- messageText contains only spaces
    skipTerms:
      - ""  # <- an empty skip term matches every item, so the upsell is always skipped; remove it
      - " "  # <- an item of skipTerms contains only spaces

Bad, as Greetings:

    languageCode: en
    greetingPhrases: [Hello, ""]  # <- an item of greetingPhrases is empty; write the text or remove it

Bad, as DisambiguationMapping:

    type: INVALID_ITEM
    customerTerms: ["\\t"]  # <- an item of customerTerms contains only spaces
    targets: [{itemName: Coke}]

Bad, as WarehouseSource:

    uri: " "  # <- uri contains only spaces
    entityIdColumns: [""]  # <- an item of entityIdColumns is empty

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - " rider"  # <- the column " rider" begins or ends with a space; write "rider"

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - "rider"

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - order id  # <- the column "order id" contains a space; write the exact name in the table

Bad:

    kind: FeatureView
    name: projects/acme/locations/us/featureOnlineStores/one/featureViews/all riders  # <- "all riders" contains a space
    warehouseSource: {uri: bq://acme.serving.riders, entityIdColumns: [rider]}

Bad:

    kind: Brand
    name: acme
    stores:
      - name: harbour
        tags: [coast, " "]  # <- an item of tags contains only spaces; write a value or remove it
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Finding, Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule

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
SPACE = re.compile(r"\s")
SPOKEN = frozenset({"messageText", "greetingPhrases"})


@rule(*TEXTS, severity=Severity.ERROR)
def check_texts(node: Node) -> Findings:
    """Flag a required text that contains only spaces; an empty one is missing."""
    for name in TEXTS[type(node).__name__]:
        text = getattr(node, name)
        if text is not None and not text.strip():
            yield node.finding(name, f"{name} contains only spaces; {_advice(name)}", severity=Severity.WARNING)


@rule(*LISTS, severity=Severity.ERROR)
def check_items(node: Node) -> Findings:
    """Flag each item of a list that is empty or contains only spaces."""
    values = node.__dict__
    for name in LISTS[type(node).__name__]:
        for index, text in enumerate(values[name] or ()):
            if not text.strip():
                yield _flagged(node, name, index, text)


@rule(*COLUMNS, severity=Severity.ERROR)
def check_columns(node: Node) -> Findings:
    """Flag the name of a column that contains a space."""
    values = node.__dict__
    for name in COLUMNS[type(node).__name__]:
        if values[name] and _may_contain_spaces(values[name]):
            yield from _with_spaces(node, name, "column", "write the exact name in the table")


@rule(*IDS, severity=Severity.ERROR)
def check_ids(node: Node) -> Findings:
    """Flag an id that contains a space."""
    values = node.__dict__  # a third of the time of getattr on a model
    for name in IDS[type(node).__name__]:
        value = values[name]
        if value and _may_contain_spaces(value):  # most ids are unset: skip the call
            yield from _with_spaces(node, name, "id", "remove it")


@rule("FeatureView", "ChannelConfig", "FeatureOnlineStore", severity=Severity.ERROR)
def check_names(resource: FeatureView | ChannelConfig | FeatureOnlineStore) -> Findings:
    """Flag each id of a resource name that contains a space."""
    if not _may_contain_spaces(resource.name):
        return
    start = 0
    for part in (resource.name or "").split("/"):
        message = _space_message(part, "id", "remove it") if "{" not in part and "<" not in part else None
        if message:
            yield resource.finding("name", message, severity=Severity.WARNING, chars=(start, start + len(part)))
        start += len(part) + 1


def _may_contain_spaces(value: str | list[str] | None) -> bool:
    """Whether a text, or one of a list, contains a space; most do not, and need no further checks."""
    return bool(value) and SPACE.search(value if isinstance(value, str) else "".join(value or ())) is not None


def _with_spaces(node: Node, name: str, what: str, advice: str) -> Findings:
    value = getattr(node, name)
    texts = [(name, value)] if isinstance(value, str) else [((name, at), text) for at, text in enumerate(value or ())]
    for field, text in texts:
        message = _space_message(text, what, advice) if "{" not in text and "<" not in text else None
        if message:
            stripped = text.strip()
            is_clear = stripped != text and not _contains_space(stripped)
            fix = Fix(f"write {stripped}", (Replace(node.location(*_steps(field)), stripped),)) if is_clear else None
            yield node.finding(field, message, severity=Severity.WARNING, fix=fix)


def _steps(place: str | tuple[str, int]) -> tuple[str | int, ...]:
    return (place,) if isinstance(place, str) else place


def _space_message(text: str, what: str, advice: str) -> str | None:
    """The message about a text that contains spaces; None if it contains only spaces, or none."""
    stripped = text.strip()
    if not stripped or not _contains_space(text):
        return None
    if _contains_space(stripped):
        return f'the {what} "{text}" contains a space; {advice}'
    return f'the {what} "{text}" begins or ends with a space; write "{stripped}"'


def _contains_space(text: str) -> bool:
    return SPACE.search(text) is not None


def _flagged(node: Node, name: str, index: int, text: str) -> Finding:
    if name == "skipTerms" and not text:
        message = "an empty skip term matches every item, so the upsell is always skipped; remove it"
        return node.finding((name, index), message)
    problem = "contains only spaces" if text else "is empty"
    message = f"an item of {name} {problem}; {_advice(name)} or remove it"
    return node.finding((name, index), message, severity=Severity.WARNING)


def _advice(name: str) -> str:
    return "write the text" if name in SPOKEN else "write a value"
