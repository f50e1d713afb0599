"""Texts that are missing in the default language or in a greeting's language.

Customers are served in the language of their session, else in the default language. When the greetings lack the default
language, or an offer is not translated into a language in which the customer was greeted, the agent is silent or
answers in a language that the customer did not choose. A tag serves its regions: `en` serves a default of `en-US`, but
`en-US` does not serve `en`. Disabled upsells are not reported.

Basis: RFC 4647, section 3.4 (lookup), and channel-config, OperationsConfig: "Default language for serving customers."

Good, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - {languageCode: en, greetingPhrases: [Hello]}
      - {languageCode: es, greetingPhrases: ["¡Hola!"]}
    upsellStrategy:
      upsells:
        - priority: 1
          greetingOffer:
            messages:
              - upsoldItems: [Fries]
                messageConfigs:
                  - {languageCode: en, messageText: Fries today?}
                  - {languageCode: es, messageText: "¿Papas hoy?"}

Good, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - {languageCode: en, greetingPhrases: [Hello]}
    upsellStrategy:
      upsells:
        - priority: 1
          greetingOffer:
            messages:
              - upsoldItems: [Fries]
                messageConfigs: [{languageCode: en-US, messageText: Fries today?}]

Good, as OperationsConfig:

    defaultLanguageCode: en-US

Bad, as OperationsConfig:

    defaultLanguageCode: en  # <- no greeting is in the default language "en"
    greetings:
      - {languageCode: en-US, greetingPhrases: [Hello]}
      - {languageCode: es, greetingPhrases: ["¡Hola!"]}

Bad, as OperationsConfig:

    defaultLanguageCode: en-US
    greetings:
      - {languageCode: en-US, greetingPhrases: [Hello]}
      - {languageCode: es-US, greetingPhrases: ["¡Hola!"]}
      - {languageCode: pl, greetingPhrases: [Dzień dobry]}
    upsellStrategy:
      upsells:
        - priority: 1
          greetingOffer:
            messages:
              - upsoldItems: [Fries]
                messageConfigs:  # <- this offer has no text in es-US and pl
                  - {languageCode: en-US, messageText: Fries today?}
"""

from collections.abc import Iterator

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import spoken_offers, unserved_languages
from trialrun.model.channel_config import OperationsConfig
from trialrun.values.language_tag import canonicalize, lookup


@rule(OperationsConfig, severity=Severity.WARNING, absence=True)
def check_greetings(operations: OperationsConfig) -> Findings:
    """Flag a default language in which nothing greets."""
    default = canonicalize(operations.defaultLanguageCode or "")
    if not operations.greetings or operations.is_partial("greetings") or default is None:
        return
    if unserved_languages([default], [greeting.languageCode for greeting in operations.greetings]):
        yield operations.finding(
            "defaultLanguageCode",
            f'no greeting is in the default language "{operations.defaultLanguageCode}"; add one',
        )


@rule(OperationsConfig, severity=Severity.WARNING, absence=True)
def check_offers(operations: OperationsConfig) -> Findings:
    """Flag each message of an offer that leaves a language out."""
    if operations.upsellStrategy is None:
        return
    languages = list(dict.fromkeys(_languages(operations)))
    for offer in spoken_offers(operations.upsellStrategy) if languages else ():
        for message in offer.messages:
            if message is None or not message.messageConfigs or message.is_partial("messageConfigs"):
                continue
            missing = unserved_languages(
                languages, [message_config.languageCode for message_config in message.messageConfigs]
            )
            if missing:
                yield message.finding(
                    "messageConfigs",
                    f"this offer has no text in {_join_languages(missing)}, {_why(missing, operations)}; add it",
                )


def _languages(operations: OperationsConfig) -> Iterator[str]:
    """The default language and those of the greetings, as far as they are valid.

    Whoever is greeted in the default language's own language, `en` for `en-US`, is served by the default.
    """
    default = canonicalize(operations.defaultLanguageCode or "")
    if default is not None:
        yield default
    for greeting in operations.greetings or ():
        language = canonicalize(greeting.languageCode or "")
        if language is not None and (default is None or lookup(default, [language]) is None):
            yield language


def _why(missing: list[str], operations: OperationsConfig) -> str:
    default = canonicalize(operations.defaultLanguageCode or "")
    if missing == [default]:
        return "the default language"
    return (
        "the default language and others that are greeted" if default in missing else "in which customers are greeted"
    )


def _join_languages(languages: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(languages[:-1]), languages[-1]]))
