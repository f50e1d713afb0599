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

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.texts import (
    COLUMNS,
    IDS,
    LISTS,
    TEXTS,
    advice,
    blank_item,
    has_unexpected_space,
    ids_with_spaces,
    may_contain_spaces,
    names_with_spaces,
)

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node


@rule(*TEXTS, severity=Severity.ERROR, prefilter=has_unexpected_space)
def check_texts(node: Node) -> Findings:
    """Flag a required text that contains only spaces; an empty one is missing."""
    for name in TEXTS[type(node).__name__]:
        text = getattr(node, name)
        if text is not None and not text.strip():
            yield node.finding(name, f"{name} contains only spaces; {advice(name)}", severity=Severity.WARNING)


@rule(*LISTS, severity=Severity.ERROR, prefilter=has_unexpected_space)
def check_items(node: Node) -> Findings:
    """Flag each item of a list that is empty or contains only spaces."""
    for name in LISTS[type(node).__name__]:
        for index, text in enumerate(getattr(node, name) or ()):
            if not text.strip():
                yield blank_item(node, name, index, text)


@rule(*COLUMNS, severity=Severity.ERROR, prefilter=has_unexpected_space)
def check_columns(node: Node) -> Findings:
    """Flag the name of a column that contains a space."""
    for name in COLUMNS[type(node).__name__]:
        if may_contain_spaces(getattr(node, name)):
            yield from names_with_spaces(node, name, "column", "write the exact name in the table")


@rule(*IDS, severity=Severity.ERROR, prefilter=has_unexpected_space)
def check_ids(node: Node) -> Findings:
    """Flag an id that contains a space."""
    for name in IDS[type(node).__name__]:
        if may_contain_spaces(getattr(node, name)):
            yield from names_with_spaces(node, name, "id", "remove it")


@rule("FeatureView", "ChannelConfig", "FeatureOnlineStore", severity=Severity.ERROR)
def check_names(resource: FeatureView | ChannelConfig | FeatureOnlineStore) -> Findings:
    """Flag each id of a resource name that contains a space."""
    return ids_with_spaces(resource)
