"""Condition that is too large to check.

The checker reads up to 32 levels of nesting and 100,000 characters. Beyond that it cannot tell whether a condition is
right or wrong, and the service may have a limit of its own.

Basis: the limits of cel-cpp, the engine that checks.

Good, as CelUpsell:

    conditionExpression: session.turn in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: ((((((((((((((((((((((((((((((((((true))))))))))))))))))))))))))))))))))  # <- nests deeper
    suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import condition_problems, may_have_condition_problem
from trialrun.model.channel_config import CelUpsell


@rule(CelUpsell, severity=Severity.WARNING, prefilter=may_have_condition_problem)
def check(upsell: CelUpsell, context: Context) -> Findings:
    """Flag the condition as a whole."""
    for problem in condition_problems(upsell, context, "unchecked"):
        yield upsell.finding("conditionExpression", problem.message)
