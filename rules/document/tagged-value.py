"""Value with a YAML tag.

YAML reads unquoted text that begins with `!` as a tag: some readers refuse it, others drop the first word and keep the
rest. A condition such as `!order.closed` then disappears, or means its opposite.

Basis: YAML 1.2, section 6.9.1; the specifications show no tags.

Good, as CelUpsell:

    conditionExpression: "!order.closed"
    suggestedMenuItems: [Fries]

Good, as CelUpsell:

    conditionExpression: !!str true
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: !order.closed  # <- begins with a YAML tag where plain text is expected; write "!order.closed"
    suggestedMenuItems: [Fries]

Fixed, as CelUpsell:

    conditionExpression: "!order.closed"
    suggestedMenuItems: [Fries]

Bad, as CelUpsell:

    conditionExpression: "true"
    suggestedMenuItems: !list [Fries]  # <- !list is a YAML tag on a mapping or a list; remove the tag
"""

from trialrun.diagnostic import Severity
from trialrun.lint.parse_errors import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the tag with the value that it precedes."""
    yield to_finding(trouble)
