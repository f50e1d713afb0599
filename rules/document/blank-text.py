"""Text that is said, matched or looked up is not blank.

A blank message makes the agent say nothing, a blank term is said by nobody, and a blank column is in no table. An empty
skip term is worse: it is part of the name of every item, so the upsell is always skipped.

Rests on: craft; channel-config, ClosingMessage: "the upsell is skipped when any term is present in the name of an item
already in the order".

Good, as ClosingMessage:

    offerMessage: {messageConfigs: [{languageCode: en, messageText: Dessert?}]}
    skipTerms: [Cake]

Bad, as ClosingMessage:

    offerMessage: {messageConfigs: [{languageCode: en, messageText: "  "}]}  # <- messageText is blank
    skipTerms:
      - ""  # <- an empty skip term matches every item, so the upsell is always skipped; remove it
      - " "  # <- an item of skipTerms is blank

Bad, as Greetings:

    languageCode: en
    greetingPhrases: [Hello, ""]  # <- an item of greetingPhrases is empty; write what is said or remove it

Bad, as DisambiguationMapping:

    type: INVALID_ITEM
    customerTerms: ["\\t"]  # <- an item of customerTerms is blank
    targets: [{itemName: Coke}]

Bad, as WarehouseSource:

    uri: " "  # <- uri is blank
    entityIdColumns: [""]  # <- an item of entityIdColumns is empty

Bad:

    kind: Brand
    name: acme
    stores:
      - name: harbour
        tags: [coast, " "]  # <- an item of tags is blank; write what is meant or remove it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Finding, Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
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
SAID = frozenset({"messageText", "greetingPhrases"})


@rule(*TEXTS, severity=Severity.ERROR)
def check_texts(node: Node) -> Findings:
    """Flag a required text of blanks; an empty one is missing."""
    for name in TEXTS[type(node).__name__]:
        text = getattr(node, name)
        if text is not None and not text.strip():
            yield node.flag(name, f"{name} is blank; {_advice(name)}", severity=Severity.WARNING)


@rule(*LISTS, severity=Severity.ERROR)
def check_items(node: Node) -> Findings:
    """Flag each item of a list that is empty or blank."""
    for name in LISTS[type(node).__name__]:
        for index, text in enumerate(getattr(node, name) or ()):
            if not text.strip():
                yield _flagged(node, name, index, text)


def _flagged(node: Node, name: str, index: int, text: str) -> Finding:
    if name == "skipTerms" and not text:
        message = "an empty skip term matches every item, so the upsell is always skipped; remove it"
        return node.flag((name, index), message)
    what = "blank" if text else "empty"
    message = f"an item of {name} is {what}; {_advice(name)} or remove it"
    return node.flag((name, index), message, severity=Severity.WARNING)


def _advice(name: str) -> str:
    return "write what is said" if name in SAID else "write what is meant"
