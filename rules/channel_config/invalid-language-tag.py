"""Language code that is not a valid BCP 47 tag.

A session's language is looked up among the codes of a file. A code that is not a tag of the IANA registry is never
found, and its customers are served in another language. Common mistakes are country codes (`jp`), names (`english`) and
underscores (`en_US`).

Specification: channel-config, MessageConfig: "languageCode (string, required, BCP-47 code)"; Greetings: "languageCode
(string, optional, BCP-47 code)".

Good, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - {languageCode: en-US, greetingPhrases: [Hello]}
      - {languageCode: zh-Hant-TW, greetingPhrases: [您好]}
      - {languageCode: i-default, greetingPhrases: [Hello there]}

Bad, as OperationsConfig:

    defaultLanguageCode: en_US  # <- underscore in a language tag; did you mean "en-US"?
    greetings:
      - languageCode: en-UK  # <- "UK" is not a registered region; did you mean "GB"?
        greetingPhrases: [Hello]
      - languageCode: jp  # <- "jp" is not a registered language; did you mean "ja"?
        greetingPhrases: [こんにちは]
      - languageCode: english  # <- did you mean "en"?
        greetingPhrases: [Hi]

Fixed, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - languageCode: en-GB
        greetingPhrases: [Hello]
      - languageCode: ja
        greetingPhrases: [こんにちは]
      - languageCode: en
        greetingPhrases: [Hi]

Bad, as Greetings:

    languageCode: ""  # <- empty language tag
    greetingPhrases: [Hello]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import tag_problems, to_finding
from trialrun.model.channel_config import Greetings, MessageConfig, OperationsConfig


@rule(MessageConfig, Greetings, severity=Severity.ERROR)
def check(message: MessageConfig | Greetings) -> Findings:
    """Flag what is wrong in the tag, at its characters."""
    for problem in tag_problems(message.languageCode, "invalid"):
        yield to_finding(message, "languageCode", problem, safe=False)


@rule(OperationsConfig, severity=Severity.ERROR)
def check_default(operations: OperationsConfig) -> Findings:
    """Flag what is wrong in the default language's tag."""
    for problem in tag_problems(operations.defaultLanguageCode, "invalid"):
        yield to_finding(operations, "defaultLanguageCode", problem, safe=False)
