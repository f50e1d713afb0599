"""Language code that is probably a country code.

Some country codes are also languages: `kr` is Kanuri, not Korean, `se` is Northern Sami, not Swedish. Such a tag is
valid, but no customer speaks it.

Basis: the IANA Language Subtag Registry.

Good, as OperationsConfig:

    defaultLanguageCode: uk-UA
    greetings:
      - {languageCode: uk-UA, greetingPhrases: [Вітаємо]}
      - {languageCode: es-419, greetingPhrases: ["¡Hola!"]}
      - {languageCode: "no", greetingPhrases: [Hei]}

Bad, as OperationsConfig:

    defaultLanguageCode: kr  # <- "kr" is Kanuri; write ko for Korean
    greetings:
      - {languageCode: kr, greetingPhrases: [안녕하세요]}  # <- "kr" is Kanuri
      - {languageCode: es-LA, greetingPhrases: ["¡Hola!"]}  # <- write "es-419" if that was intended
      - {languageCode: und, greetingPhrases: [Hello]}  # <- an undetermined language; write a language
      - {languageCode: en-x-friendly, greetingPhrases: [Hiya]}  # <- is for private use

Bad, as SessionStep:

    store: broadway
    language: kr  # <- "kr" is Kanuri; write ko for Korean
    turns: [{customer: add Fries}]
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import may_have_tag_problem, tags_with_problems
from trialrun.model.node import Node


@rule("language-tag", severity=Severity.WARNING, prefilter=may_have_tag_problem)
def check(node: Node) -> Findings:
    """Flag the subtags that are probably not intended."""
    for steps, problem in tags_with_problems(node, "suspicious"):
        yield node.finding(steps, problem.message, chars=(problem.start, problem.end))
