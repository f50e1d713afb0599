"""Condition whose result never changes.

A condition that is always true triggers the upsell in the first turn of every session and crowds out the others; one
that is always false, or fails in every session, never triggers it. To switch an upsell off, set `disabled: true`.
Disabled upsells are not reported.

It is not more than what follows from the types, from what a session counts (whole numbers have none between 3 and 4, no
line has a quantity below 1, there are never more declines than offers, the language is a canonical tag), and from the
menus, if they list all of their items: whether one has the name, id and price that a condition asks of one line, and
how many lines of such items an order can have. Equal lines are one, and only modifiers make lines differ.

Basis: a condition that cannot change decides nothing.

Good, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() > 0
      suggestedMenuItems: [Fries]

Good, as UpsellConfig:

    priority: 1
    disabled: true
    celUpsell: {conditionExpression: "false", suggestedMenuItems: [Fries]}

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() >= 0  # <- the condition is always true
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.size() > 3 && false  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.startTime.getHours() == 25  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.startTime.getMonth() == 12  # <- getMonth is 0 to 11, January is 0
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.turn == 0  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.languageCode == 'en-us'  # <- for "en-us" write "en-US"
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items.exists(i, i.quantity > 3 && i.quantity < 4)  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.upsellDeclines > session.upsellOffers  # <- the condition is always false
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: session.turn % 0 == 1  # <- this fails in every session
      suggestedMenuItems: [Fries]

Bad, as UpsellConfig:

    priority: 1
    celUpsell:
      conditionExpression: order.items[-1].quantity > 1  # <- this fails in every session
      suggestedMenuItems: [Fries]
"""

import re

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import may_have_noteworthy_condition, valid_condition
from trialrun.model.channel_config import UpsellConfig

ADVICE = {
    True: "the condition is always true, so it triggers in the first turn of every session; write when to offer it",
    False: "the condition is always false, so the upsell is never offered; correct it, or set disabled: true",
}

LANGUAGE = re.compile(r"session\.languageCode\s*[!=]=\s*(['\"])([\w-]+)\1")
PART_OF_TIME = r"\.(get[A-Z]\w+)\([^()]*\)\s*(?:[=!<>]=|[<>])\s*(\d{1,9})"
FIRST = {"getMonth": ", January is 0", "getDayOfWeek": ", Sunday is 0", "getDayOfMonth": ", getDate is 1 to 31"}
FAILS = "this fails in every session, so the condition is never true and the upsell is never offered; correct it"


@rule(UpsellConfig, severity=Severity.WARNING, prefilter=may_have_noteworthy_condition)
def check(upsell: UpsellConfig, context: Context) -> Findings:
    """Flag a condition that is proved to have one value in every session."""
    condition = valid_condition(upsell, context)
    if condition is None or upsell.celUpsell is None:
        return
    if condition.constant is not None:
        text = upsell.celUpsell.conditionExpression or ""
        advice = _wrong_language(text) or _wrong_part_of_time(text)
        yield upsell.celUpsell.finding("conditionExpression", ADVICE[condition.constant] + advice)
    elif condition.failing is not None:
        yield upsell.celUpsell.finding("conditionExpression", FAILS, chars=condition.failing)


def _wrong_language(text: str) -> str:
    """What to write for the first code in a condition that the language of a session never is."""
    from trialrun.values.language_tag import canonicalize

    codes = (match[2] for match in LANGUAGE.finditer(text))
    wrong = ((code, canonicalize(code)) for code in codes)
    return next((f'; for "{code}" write "{meant}"' for code, meant in wrong if meant and meant != code), "")


def _wrong_part_of_time(text: str) -> str:
    """What the first part of a time can be that a condition compares with a number above all of it."""
    from trialrun.values.cel.constant_folding import FUNCTION_RANGES

    for name, number in re.findall(PART_OF_TIME, text):
        lowest, highest = FUNCTION_RANGES.get(name, (0, int(number)))
        if int(number) > highest:
            return f"; {name} is {lowest} to {highest}{FIRST.get(name, '')}"
    return ""
