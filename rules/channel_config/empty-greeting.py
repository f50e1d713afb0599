"""Greeting without a language or without phrases.

A languageCode is optional, and a greeting without one is the fallback: it is used where no greeting has the language of
the customer or the default language. That is seldom meant. One without phrases is skipped, so customers of its language
are greeted in another one.

Basis: channel-config, Greetings: both fields are optional, and the greeting is used by its language.

Good, as Greetings:

    languageCode: en
    greetingPhrases: [Hello]

Bad, as OperationsConfig:

    greetings:
      - greetingPhrases: [Hello]  # <- a greeting without languageCode, which is optional, greets
      - languageCode: es  # <- a greeting without phrases is skipped
      - languageCode: de
        greetingPhrases: []  # <- a greeting without phrases is skipped
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import Greetings

WITHOUT_LANGUAGE = (
    "a greeting without languageCode, which is optional, greets only where no greeting has the customer's language or "
    "the default one; add its languageCode unless that is meant"
)
WITHOUT_PHRASES = "a greeting without phrases is skipped for one in another language; add greetingPhrases"
WITHOUT_BOTH = "a greeting without languageCode and phrases is skipped; add both"


@rule(Greetings, severity=Severity.WARNING, absence=True)
def check(greeting: Greetings) -> Findings:
    """Flag a greeting that lacks its language, its phrases, or both."""
    stands = greeting.has("greetingPhrases")
    no_phrases = greeting.is_unset("greetingPhrases")
    if not greeting.has("languageCode"):
        yield greeting.finding(None, WITHOUT_BOTH if no_phrases else WITHOUT_LANGUAGE)
    elif no_phrases:
        field = "greetingPhrases" if stands else None
        yield greeting.finding(field, WITHOUT_PHRASES)
