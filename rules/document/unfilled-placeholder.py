"""Template placeholder that nobody filled in.

A placeholder that nothing replaces is taken literally: the sync looks for a table called `{BQ_TABLE}`, and a customer
hears "dollar, curly brace, item". In a schedule, a label or a language tag, it is an error of their own rules.

Basis: best practice; the specifications define no placeholders.

Good, as MessageConfig:

    languageCode: en
    messageText: Todo bien? <break time="1s"/> We <3 fries, 2 < 3.

Good, as CelUpsell:

    conditionExpression: "{'a': 1}['a'] == 1"
    suggestedMenuItems: [Fries]

Bad:

    kind: FeatureView
    name: projects/${PROJECT}/locations/us/featureOnlineStores/<your-store>/featureViews/riders  # <- ${PROJECT} is a
    # line 2 <- <your-store> is a placeholder; fill it in
    warehouseSource:
      uri: bq://{BQ_TABLE}  # <- {BQ_TABLE} is a placeholder; fill it in
      entityIdColumns: [TODO]  # <- TODO is a placeholder; fill it in

Bad, as RagSource:

    uri: bq://$PROJECT.__DATASET__.%TABLE%  # <- $PROJECT, __DATASET__ and %TABLE% are placeholders; fill them in

Good, as RagSource:

    uri: bq://acme.menu__v2.items$20260101

Bad, as CelUpsell:

    conditionExpression: "order.subtotal > ${LIMIT}"  # <- ${LIMIT} is a placeholder; fill it in
    suggestedMenuItems: [Fries]

Bad, as MessageConfig:

    languageCode: en
    messageText: |  # <- {{ item }} and TODO are placeholders; fill them in
      Would you like some {{ item }} with that?
      TODO: ask marketing
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Chars, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.texts import (
    IDENTIFIERS,
    IN_IDENTIFIER,
    IN_RESOURCE,
    MESSAGES,
    NOTED,
    PLACEHOLDER,
    may_have_placeholder,
)

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell
    from trialrun.model.node import Node

IN_MESSAGE = re.compile(
    rf"{PLACEHOLDER.pattern}|\{{[A-Za-z_][\w.-]*\}}"
    rf"|<(?:(?:your|insert|enter|add|my)\b[^<>]*|[A-Z][A-Z0-9_ -]+)>|{NOTED}"
)


@rule(*IDENTIFIERS, severity=Severity.WARNING, prefilter=may_have_placeholder)
def check_identifiers(node: Node) -> Findings:
    """Flag a uri or id with a placeholder, and each one in a resource name; no brace or angle belongs there."""
    for name in IDENTIFIERS[type(node).__name__]:
        if (value := getattr(node, name)) is not None:
            is_resource = name in ("name", "uri") and "/" in value
            yield from _flagged(node, name, IN_RESOURCE if is_resource else IN_IDENTIFIER)


@rule(*MESSAGES, severity=Severity.WARNING, prefilter=may_have_placeholder)
def check_messages(node: Node) -> Findings:
    """Flag a text that people read and that has a placeholder; a brace or an angle may be meant there."""
    for name in MESSAGES[type(node).__name__]:
        if getattr(node, name) is not None:
            yield from _flagged(node, name, IN_MESSAGE)


@rule("CelUpsell", severity=Severity.WARNING)
def check_condition(upsell: CelUpsell) -> Findings:
    """Flag each placeholder of a condition at its characters, in its texts as well."""
    text = upsell.conditionExpression
    if text is None or ("{" not in text and "$(" not in text):
        return
    from trialrun.values.cel.check import placeholders

    places = {(problem.start, problem.end) for problem in placeholders(text)}
    places |= {match.span() for match in PLACEHOLDER.finditer(text)}
    for start, end in sorted(places):
        yield upsell.finding("conditionExpression", _message([text[start:end]]), chars=(start, end))


def _flagged(node: Node, name: str, pattern: re.Pattern[str]) -> Findings:
    value = getattr(node, name)
    if name == "name" and "/" in value:
        for words, chars in _placeholders(value, pattern):
            yield node.finding(name, f"{words} is a placeholder; fill it in", chars=chars)
        return
    texts = [(name, value)] if isinstance(value, str) else [((name, index), text) for index, text in enumerate(value)]
    for place, text in texts:
        if placeholders := list(dict.fromkeys(words for words, _ in _placeholders(text, pattern))):
            yield node.finding(place, _message(placeholders))


def _message(placeholders: list[str]) -> str:
    if len(placeholders) == 1:
        return f"{placeholders[0]} is a placeholder; fill it in"
    return f"{', '.join(placeholders[:-1])} and {placeholders[-1]} are placeholders; fill them in"


def _placeholders(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, Chars]]:
    """The placeholders of a text; a sentence in capitals may well have the Spanish word for "all" in it."""
    for match in pattern.finditer(text):
        if match[0] == "TODO" and " " in text and text.isupper():
            continue
        yield match[0], match.span()
