"""Language that appears twice in a list of greetings or messages.

Only one of two entries in a language is ever used. Which one is undefined, and the other is forgotten when somebody
changes the text. Spelling makes no difference: `EN-us` is `en-US`, and `iw` is `he`.

Basis: RFC 5646, section 4.5: tags are equal when their canonical forms are.

Good, as OfferMessage:

    upsoldItems: [Fries]
    messageConfigs:
      - {languageCode: en, messageText: Fries with that?}
      - {languageCode: en-GB, messageText: Chips with that?}

Bad, as OfferMessage:

    upsoldItems: [Fries]
    messageConfigs:
      - {languageCode: en-US, messageText: Fries with that?}
      - {languageCode: EN-us, messageText: Some fries?}  # <- duplicate language "EN-us", the same as "en-US"

Bad, as OperationsConfig:

    defaultLanguageCode: he
    greetings:
      - {languageCode: he, greetingPhrases: [שלום]}
      - {languageCode: iw, greetingPhrases: [ברוכים הבאים]}  # <- duplicate language "iw", the same as "he"
"""

from collections.abc import Sequence

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import Greetings, MessageConfig, OfferMessage, OperationsConfig
from trialrun.values.language_tag import canonicalize


@rule(OfferMessage, severity=Severity.ERROR)
def check(message: OfferMessage) -> Findings:
    """Flag each text of a message in a language that an earlier one has."""
    yield from _repeated(message.messageConfigs or ())


@rule(OperationsConfig, severity=Severity.ERROR)
def check_greetings(operations: OperationsConfig) -> Findings:
    """Flag each greeting in a language that an earlier one has."""
    yield from _repeated(operations.greetings or ())


def _repeated(entries: Sequence[Greetings | MessageConfig]) -> Findings:
    first: dict[str, Greetings | MessageConfig] = {}
    for entry in entries:
        language = canonicalize(entry.languageCode) if entry.languageCode is not None else None
        if language is None:
            continue
        earlier = first.setdefault(language, entry)
        if earlier is entry:
            continue
        same = entry.languageCode == earlier.languageCode
        is_same_as = "" if same else f', the same as "{earlier.languageCode}"'
        yield entry.finding(
            "languageCode",
            f'duplicate language "{entry.languageCode}"{is_same_as}; keep one of the two',
            related=(Related("the same language", earlier.location("languageCode")),),
        )
