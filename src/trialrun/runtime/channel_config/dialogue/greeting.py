"""Greeting of a session: a phrase in the customer's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.dialogue.language_negotiation import negotiate_language, why_no_language
from trialrun.runtime.channel_config.seeded_random import choose_index
from trialrun.runtime.channel_config.session.turn import Utterance

if TYPE_CHECKING:
    from trialrun.model.channel_config import Greetings
    from trialrun.runtime.channel_config.active_config import ActiveConfig

LISTENS_ONLY = "the agent only listens: interactionMode is LISTEN_ONLY"


def choose_greeting(active_config: ActiveConfig, language: str | None, seed: int) -> Utterance | None:
    """The phrase that greets a customer, each of its language as likely as the others; None if there is none.

    `why_no_greeting` says why there is none.
    """
    greetings = greetings_for(active_config, language)
    if greetings is None:
        return None
    phrases = _phrases(greetings)
    index = phrases[choose_index(seed, "greeting", len(phrases))]
    origin = active_config.origin_of(greetings, "greetingPhrases", index)
    return Utterance((greetings.greetingPhrases or [])[index], "greeting", greetings.languageCode, origin)


def why_no_greeting(active_config: ActiveConfig, language: str | None) -> str:
    """Why `choose_greeting` finds nothing to say."""
    if listens_only(active_config):
        return LISTENS_ONLY
    greetings = _usable(active_config)
    if not greetings:
        return "there are no greetings"
    languages = [greeting.languageCode for greeting in greetings if greeting.languageCode]
    return (
        "no greeting matches: "
        f"{why_no_language(language, languages, active_config.operations_field('defaultLanguageCode'))}"
    )


def greetings_for(active_config: ActiveConfig, language: str | None) -> Greetings | None:
    """The greeting in a customer's language, else in the default language, else one that names none."""
    greetings = [] if listens_only(active_config) else _usable(active_config)
    languages = [greeting.languageCode for greeting in greetings if greeting.languageCode]
    tag = negotiate_language(language, languages, active_config.operations_field("defaultLanguageCode"))
    return next((greeting for greeting in greetings if (greeting.languageCode or None) == tag), None)


def _usable(active_config: ActiveConfig) -> list[Greetings]:
    return [greetings for greetings in active_config.operations_field("greetings") or () if _phrases(greetings)]


def _phrases(greetings: Greetings) -> Sequence[int]:
    """The indexes of the phrases that say something."""
    return [index for index, phrase in enumerate(greetings.greetingPhrases or ()) if phrase.strip()]


def listens_only(active_config: ActiveConfig) -> bool:
    """Whether the agent says nothing at the store."""
    return bool(active_config.operations_field("interactionMode") == "LISTEN_ONLY")
