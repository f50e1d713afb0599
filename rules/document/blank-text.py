"""Text that is said, matched or looked up is not blank, and ids and columns have no blanks in them.

A blank message makes the agent say nothing, a blank term is said by nobody, and a blank column is in no table. An empty
skip term is worse: it is part of the name of every item, so the upsell is always skipped. A blank inside or at an end
of an id or a column is mostly copied along by mistake: the thing is looked up with it, and is not found.

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

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - " rider"  # <- the column " rider" has a blank at an end; write "rider"

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - "rider"

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - order id  # <- the column "order id" has a blank inside; write it as the table has it

Bad:

    kind: FeatureView
    name: projects/acme/locations/us/featureOnlineStores/one/featureViews/all riders  # <- "all riders" has a blank
    warehouseSource: {uri: bq://acme.serving.riders, entityIdColumns: [rider]}

Bad:

    kind: Brand
    name: acme
    stores:
      - name: harbour
        tags: [coast, " "]  # <- an item of tags is blank; write what is meant or remove it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.blanks import (
    COLUMNS,
    IDS,
    LISTS,
    TEXTS,
    advice,
    blanks_in_name,
    flagged,
    may_have_blanks,
    with_blanks,
)

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import FeatureOnlineStore
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node


@rule(*TEXTS, severity=Severity.ERROR)
def check_texts(node: Node) -> Findings:
    """Flag a required text of blanks; an empty one is missing."""
    for name in TEXTS[type(node).__name__]:
        text = getattr(node, name)
        if text is not None and not text.strip():
            yield node.flag(name, f"{name} is blank; {advice(name)}", severity=Severity.WARNING)


@rule(*LISTS, severity=Severity.ERROR)
def check_items(node: Node) -> Findings:
    """Flag each item of a list that is empty or blank."""
    for name in LISTS[type(node).__name__]:
        for index, text in enumerate(getattr(node, name) or ()):
            if not text.strip():
                yield flagged(node, name, index, text)


@rule(*COLUMNS, severity=Severity.ERROR)
def check_columns(node: Node) -> Findings:
    """Flag the name of a column with a blank inside or at an end."""
    for name in COLUMNS[type(node).__name__]:
        if may_have_blanks(getattr(node, name)):
            yield from with_blanks(node, name, "column", "write it as the table has it")


@rule(*IDS, severity=Severity.ERROR)
def check_ids(node: Node) -> Findings:
    """Flag an id with a blank inside or at an end."""
    for name in IDS[type(node).__name__]:
        value = getattr(node, name)
        if value and may_have_blanks(value):  # most ids are not set, and cost no call
            yield from with_blanks(node, name, "id", "write it without")


@rule("FeatureView", "ChannelConfig", "FeatureOnlineStore", severity=Severity.ERROR)
def check_names(resource: FeatureView | ChannelConfig | FeatureOnlineStore) -> Findings:
    """Flag each id of a resource name that has a blank inside or at an end."""
    if may_have_blanks(resource.name):
        yield from blanks_in_name(resource)
