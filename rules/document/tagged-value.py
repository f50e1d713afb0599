"""Value with a YAML tag.

YAML reads unquoted text that begins with `!` as a tag: some readers refuse it, others drop the first word and keep the
rest. A condition such as `!order.closed` then disappears, or means its opposite.

Quotes make such a condition text, which is what it was meant to be. Elsewhere a tag may be one of another program, such
as `!include` or `!secret`: quotes keep its characters, but not what it stands for, so the fix is unsafe. No fix
removes a tag.

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

Bad, as MessageConfig:

    languageCode: !setting language  # <- !setting language begins with a YAML tag where plain text is expected
    messageText: !!x Welcome  # <- remove the tag, or write out what it stands for

Bad, as CelUpsell:

    conditionExpression: "true"
    suggestedMenuItems: !list [Fries]  # <- !list is a YAML tag on a mapping or a list; remove the tag
"""

from trialrun.diagnostic import Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.parser import ParseError, parse

CONDITIONS = ("conditionExpression", "condition_expression")


@rule(ParseError, severity=Severity.ERROR)
def check(trouble: ParseError) -> Findings:
    """Flag the tag with the value that it precedes."""
    yield to_finding(trouble._replace(safe=_is_condition(trouble)))


def _is_condition(trouble: ParseError) -> bool:
    """Whether the tag is the negation at the beginning of a condition; `!include f` is no expression."""
    if not trouble.replacement or not trouble.path or trouble.path[-1] not in CONDITIONS:
        return False
    from trialrun.values.cel.parse import parse as parse_condition

    (document,) = parse(trouble.replacement.encode(), "condition.yaml").documents
    return not parse_condition(document.value).problems
