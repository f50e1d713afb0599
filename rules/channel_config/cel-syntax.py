"""Condition that is not valid CEL (Common Expression Language).

A condition that does not parse never triggers, so the upsell is never offered. Most mistakes come from other languages:
`and` for `&&`, `=` for `==`, `.length` for `.size()`.

Specification: channel-config, CelUpsell: "CEL expression evaluated against the current session state (the order and
client session metadata); the rule triggers when it evaluates to true."

Good, as CelUpsell:

    conditionExpression: order.items.size() > 2 && order.subtotal == 10.0
    suggestedMenuItems: [Fries]

Good, as CelUpsell:

    conditionExpression: |
      // something to eat
      order.items.exists(i, i.displayName == "Burger")
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.subtotal = 10.0  # <- "=" is not an operator of CEL; write ==
    suggestedMenuItems: [Fries]

Fixed, as CelUpsell:

    conditionExpression: order.subtotal == 10.0
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: >-
      order.subtotal > 5.0
      and session.turn > 1  # <- "and" is not an operator of CEL; write &&
      && order.items.length > 2  # <- CEL has no .length without a call; write .size()
    suggestedMenuItems: [Fries]

Fixed, as CelUpsell:

    conditionExpression: >-
      order.subtotal > 5.0
      && session.turn > 1
      && order.items.size() > 2
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.subtotal > 5.0 && not session.turn ! = 1  # <- "! =" is not an operator of CEL
    suggestedMenuItems: [Fries]
    # line 1 <- "not" is not an operator of CEL; write !

Fixed, as CelUpsell:

    conditionExpression: order.subtotal > 5.0 && !(session.turn != 1)
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.items.size() >  # <- ">" has no value after it; write one
    suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import (
    NO_EXTENSIONS,
    condition_problems,
    may_have_condition_problem,
    to_finding,
)
from trialrun.model.channel_config import CelUpsell


@rule(CelUpsell, severity=Severity.ERROR, options=NO_EXTENSIONS, prefilter=may_have_condition_problem)
def check(upsell: CelUpsell, context: Context) -> Findings:
    """Flag what cannot be read, at its characters."""
    for problem in condition_problems(upsell, context, "syntax"):
        yield to_finding(upsell, problem)
