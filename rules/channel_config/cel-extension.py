"""Condition that calls a function outside the standard library of CEL.

The specification promises CEL, and names no extension library. Engines have different ones, and some lack parts of the
standard library too (`trialrun docs other-programs`): where the service lacks a function, the condition does not
compile and the upsell is never offered. The setting `cel-extensions` lists the libraries that the service is known to
have: `strings`, `math`, `sets`, `lists`, `optional`, `bindings`, `two-var-comprehensions`.

Specification: channel-config, CelUpsell: "Dynamically evaluated rule in Common Expression Language (CEL)."; no
extension is named.

Good, as CelUpsell:

    conditionExpression: order.items.exists(i, i.displayName.matches('(?i)^cheese'))
    suggestedMenuItems: [Fries]

Good, as CelUpsell, with cel-extensions = strings:

    conditionExpression: order.orderType.lowerAscii() == 'delivery'
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.orderType.lowerAscii() == 'delivery'  # <- lowerAscii() is not in the standard library
    suggestedMenuItems: [Fries]

Bad, as CelUpsell, with cel-extensions = strings:

    conditionExpression: math.greatest(session.turn, 3) > 4  # <- in its extension "math"; avoid it, or add "math"
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.items.exists(at, item, at > 2 && item.quantity > 1)  # <- exists(at, item, …) is not
    suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import NO_EXTENSIONS, check_condition, may_have_condition_problem
from trialrun.model.channel_config import CelUpsell


@rule(CelUpsell, severity=Severity.WARNING, options=NO_EXTENSIONS, prefilter=may_have_condition_problem)
def check(upsell: CelUpsell, context: Context) -> Findings:
    """Flag each function, macro or operator of an extension library that is off."""
    condition = check_condition(upsell, context)
    for use in condition.extension_uses if condition else ():
        yield upsell.finding("conditionExpression", use.message, chars=(use.start, use.end))
