"""Language code that is not in canonical form.

The registry replaces tags (`iw` became `he`), and case is not significant: two files that spell one language
differently seem to have two languages. Other tools compare letter by letter. The canonical form of `zh-cmn-Hans` is
`cmn-Hans`, which no shortening of `zh-CN` or `zh` leads to: who has customers of `zh` adds a text for `zh`.

Basis: RFC 5646, section 4.5, and the IANA Language Subtag Registry.

Good, as Greetings:

    languageCode: he
    greetingPhrases: [שלום]

Bad, as OperationsConfig:

    defaultLanguageCode: EN-us  # <- "EN-us" is written in another case; write "en-US"
    greetings:
      - languageCode: iw  # <- "iw" is deprecated; write "he"
        greetingPhrases: [שלום]
      - languageCode: zh-cmn  # <- write "cmn", and keep a text for "zh", whose customers no lookup leads to it
        greetingPhrases: [您好]

Fixed, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - languageCode: he
        greetingPhrases: [שלום]
      - languageCode: cmn
        greetingPhrases: [您好]

Bad, as SessionStep:

    store: broadway
    language: EN-us  # <- "EN-us" is written in another case; write "en-US"
    turns: [{customer: add Fries}]

Fixed, as SessionStep:

    store: broadway
    language: en-US
    turns: [{customer: add Fries}]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import may_have_tag_problem, tags_with_problems, to_finding
from trialrun.model.node import Node


@rule("language-tag", severity=Severity.WARNING, prefilter=may_have_tag_problem)
def check(node: Node) -> Findings:
    """Flag the subtags that are written otherwise in the canonical form."""
    for steps, problem in tags_with_problems(node, "non-canonical"):
        yield to_finding(node, steps, problem, safe=True)
