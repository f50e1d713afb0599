"""Language code that is not a valid BCP 47 tag.

A session's language is looked up among the codes of a file. A code that is not a tag of the IANA registry is never
found, and its customers are served in another language. Common mistakes are country codes (`jp`), names (`english`) and
underscores (`en_US`).
The languages of a Scenario are checked too.

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

    languageCode: <LANGUAGE>  # <- <LANGUAGE> is a placeholder; fill it in
    greetingPhrases: [Hello]

Bad, as Greetings:

    languageCode: ""  # <- an empty languageCode is unset; write a code such as en or pt-BR, or remove it
    greetingPhrases: [Hello]

Bad, as SessionStep:

    store: broadway
    language: en_US  # <- underscore in a language tag; did you mean "en-US"?
    turns:
      - expect: {language: english}  # <- did you mean "en"?

Fixed, as SessionStep:

    store: broadway
    language: en-US
    turns:
      - expect: {language: en}
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import may_have_tag_problem, tags_with_problems, to_finding
from trialrun.model.channel_config import Greetings, OperationsConfig
from trialrun.model.node import Node, fields_of_format


@rule("language-tag", severity=Severity.ERROR, prefilter=may_have_tag_problem)
def check(node: Node) -> Findings:
    """Flag what is wrong in a tag, at its characters; readers take an empty one of an optional field for unset."""
    for name in fields_of_format(type(node), "language-tag") if isinstance(node, Greetings | OperationsConfig) else ():
        if getattr(node, name) == "":
            advice = "write a code such as en or pt-BR, or remove it"
            yield node.finding(name, f"an empty {name} is unset; {advice}", severity=Severity.NOTE)
            return
    for steps, problem in tags_with_problems(node, "invalid"):
        yield to_finding(node, steps, problem, safe=False)
