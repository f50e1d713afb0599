"""Condition with an undeclared name or a type error.

A misspelled field or a text compared with a number makes the condition fail in every session, so the upsell is never
offered. The types come from the workspace's SessionSchema. Without one a common session is assumed, which is a guess:
names and fields that it lacks are then only a warning.

Specification: channel-config, CelUpsell: "CEL expression evaluated against the current session state (the order and
client session metadata); the rule triggers when it evaluates to true."

Good, as CelUpsell:

    conditionExpression: order.items.exists(i, i.displayName == 'Burger') && order.subtotal > 5
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.itms.size() > 2  # <- Order has no field "itms"; did you mean "items"?
    suggestedMenuItems: [Fries]

Fixed, as CelUpsell:

    conditionExpression: order.items.size() > 2
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.items.size() > "3"  # <- cannot compare int with string
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.items.size()  # <- the condition gives int, not bool
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.items.exists(i, i.displayName.matches('[a-'))  # <- regular expression
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: "session.startTime < timestamp('next Friday')"  # <- timestamp
    suggestedMenuItems: [Fries]

Bad:

    kind: SessionSchema
    variables:
      order: Order
    types:
      Order: {total: double, channel: "enum(KIOSK, PHONE)"}
    ---
    kind: ChannelConfig
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell:
              conditionExpression: order.totl > 5.0  # <- Order has no field "totl"; did you mean "total"?
              suggestedMenuItems: [Fries]
          - priority: 2
            celUpsell:
              conditionExpression: order.channel == 'KIOKS'  # <- "KIOKS" is never a value here
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
    """Flag names, fields, operands and results of the wrong type, at their characters."""
    text = upsell.conditionExpression or ""
    for problem in condition_problems(upsell, context, "type", "undeclared", "enum"):
        # the functions and constructors of CEL are no guess, whatever the session has
        called = text[problem.end :].lstrip()[:1] in ("(", "{")
        guess = problem.code == "undeclared" and not called and not context.session.is_declared
        yield to_finding(upsell, problem, Severity.WARNING if guess else None)
