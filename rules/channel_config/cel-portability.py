r"""Condition that other engines of CEL refuse, or answer differently.

The specification promises CEL and names no engine. Where the engine of the service refuses a condition, or writes a
number as another text, the upsell is silently never offered, or offered at the wrong time:

- a double compared with an int (`order.subtotal > 20`) is refused by the reference engine as it comes, and by others;
  the setting `mixed-comparisons` says that the service allows it, as trial runs do
- `string()` of a double, a duration or a timestamp is another text to each engine
- `\d`, `\w`, `\s` and `\b` have the characters of all scripts in some engines
- `format` rounds the digits of `%f` and `%e` differently

What five engines answer, condition by condition, is under "Engines of conditions" in `trialrun docs other-programs`.

Basis: five engines, run on the same conditions.

Good, as CelUpsell:

    conditionExpression: order.subtotal > 20.0 && session.store.matches('^[0-9]+$')
    suggestedMenuItems: [Fries]

Good, as CelUpsell, with mixed-comparisons = allow:

    conditionExpression: order.subtotal > 20
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: order.subtotal > 20  # <- comparing double with int is refused by some engines; write 20.0
    suggestedMenuItems: [Fries]

Fixed, as CelUpsell:

    conditionExpression: order.subtotal > 20.0
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: string(order.subtotal) == '20'  # <- engines write a double as different texts; compare it with
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: session.store.matches(r'^\d+$')  # <- \d has characters of all scripts in some engines
    suggestedMenuItems: [Fries]
"""

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import NO_EXTENSIONS, check_condition, may_have_condition_problem
from trialrun.model.channel_config import CelUpsell

OPTIONS = {**NO_EXTENSIONS, "mixed-comparisons": "note"}


@rule(CelUpsell, severity=Severity.NOTE, options=OPTIONS, prefilter=may_have_condition_problem)
def check(upsell: CelUpsell, context: Context) -> Findings:
    """Flag each part at its characters; a literal of the other type is a safe fix."""
    from trialrun.values.cel.constant_folding import DIFFERS, EXACT_MIXED

    condition = check_condition(upsell, context)
    for problem in condition.portability if condition else ():
        chars = (problem.start, problem.end)
        if problem.code != DIFFERS and context.options["mixed-comparisons"] == "allow":
            continue
        place = upsell.location("conditionExpression")
        new = problem.replacement
        fix = Fix(f"write {new}", (Replace(place, new, chars),), safe=problem.code == EXACT_MIXED) if new else None
        yield upsell.finding("conditionExpression", problem.message, chars=chars, fix=fix)
