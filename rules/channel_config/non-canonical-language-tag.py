"""Language code that is not in canonical form.

The registry replaces tags (`iw` became `he`), and case is not significant: two files that spell one language
differently seem to have two languages. Other tools compare letter by letter.

Basis: RFC 5646, section 4.5, and the IANA Language Subtag Registry.

Good, as Greetings:

    languageCode: he
    greetingPhrases: [שלום]

Bad, as OperationsConfig:

    defaultLanguageCode: EN-us  # <- "EN-us" is written in another case; write "en-US"
    greetings:
      - languageCode: iw  # <- "iw" is deprecated; write "he"
        greetingPhrases: [שלום]
      - languageCode: zh-cmn  # <- write "cmn"
        greetingPhrases: [您好]

Fixed, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - languageCode: he
        greetingPhrases: [שלום]
      - languageCode: cmn
        greetingPhrases: [您好]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import tag_problems, to_finding
from trialrun.model.channel_config import Greetings, MessageConfig, OperationsConfig


@rule(MessageConfig, Greetings, severity=Severity.WARNING)
def check(message: MessageConfig | Greetings) -> Findings:
    """Flag the subtags that are written otherwise in the canonical form."""
    for problem in tag_problems(message.languageCode, "non-canonical"):
        yield to_finding(message, "languageCode", problem, safe=True)


@rule(OperationsConfig, severity=Severity.WARNING)
def check_default(operations: OperationsConfig) -> Findings:
    """Flag the default language's tag where it is not canonical."""
    for problem in tag_problems(operations.defaultLanguageCode, "non-canonical"):
        yield to_finding(operations, "defaultLanguageCode", problem, safe=True)
