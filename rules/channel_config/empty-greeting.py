"""A greeting has a language and something to say.

Without a languageCode no session finds the greeting; without phrases the agent has nothing to say in the language and
makes something up, or greets in another one.

Rests on: channel-config, Greetings: both fields are optional, and the greeting is used by its language.

Good, as Greetings:

    languageCode: en
    greetingPhrases: [Hello]

Bad, as OperationsConfig:

    greetings:
      - greetingPhrases: [Hello]  # <- a greeting without languageCode is never found
      - languageCode: es  # <- a greeting without phrases says nothing
      - languageCode: de
        greetingPhrases: []  # <- a greeting without phrases says nothing
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import Greetings


@rule(Greetings, severity=Severity.WARNING, absence=True)
def check(greeting: Greetings) -> Findings:
    """Flag a greeting that lacks its language, its phrases, or both."""
    stands = greeting.has("greetingPhrases")
    no_phrases = greeting.lacks("greetingPhrases")
    if not greeting.has("languageCode"):
        what = "languageCode and phrases" if no_phrases else "languageCode"
        yield greeting.flag(None, f"a greeting without {what} is never found by a session; add what is missing")
    elif no_phrases:
        field = "greetingPhrases" if stands else None
        yield greeting.flag(field, "a greeting without phrases says nothing; add greetingPhrases")
