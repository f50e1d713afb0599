"""How the agent greets: one phrase of the greetings in the customer's language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.dialogue.language_negotiation import served, why_none
from trialrun.runtime.channel_config.seeded_random import index
from trialrun.runtime.channel_config.session.turn import Said

if TYPE_CHECKING:
    from trialrun.model.channel_config import Greetings
    from trialrun.runtime.channel_config.active_config import InForce


def greeting(in_force: InForce, language: str | None, seed: int) -> Said | None:
    """The phrase that greets a customer, each of its language as likely as the others; None where there is none.

    `why_silent` says why there is none.
    """
    chosen = None if _listens(in_force) else _chosen(in_force, language)
    if chosen is None:
        return None
    spoken = _phrases(chosen)
    at = spoken[index(seed, "greeting", len(spoken))]
    origin = in_force.origin_of(chosen, "greetingPhrases", at)
    return Said((chosen.greetingPhrases or [])[at], "greeting", chosen.languageCode, origin)


def why_silent(in_force: InForce, language: str | None) -> str:
    """Why `greeting` finds nothing to say."""
    if _listens(in_force):
        return "the agent only listens: interactionMode is LISTEN_ONLY"
    greetings = _usable(in_force)
    if not greetings:
        return "there are no greetings"
    offered = [one.languageCode for one in greetings if one.languageCode]
    return f"no greeting fits: {why_none(language, offered, in_force.operation('defaultLanguageCode'))}"


def _chosen(in_force: InForce, language: str | None) -> Greetings | None:
    """The greeting in a customer's language, else in the default language, else one that names none."""
    greetings = _usable(in_force)
    offered = [one.languageCode for one in greetings if one.languageCode]
    tag = served(language, offered, in_force.operation("defaultLanguageCode"))
    return next((one for one in greetings if (one.languageCode or None) == tag), None)


def _usable(in_force: InForce) -> list[Greetings]:
    return [one for one in in_force.operation("greetings") or () if _phrases(one)]


def _phrases(greetings: Greetings) -> Sequence[int]:
    """The indexes of the phrases that say something."""
    return [at for at, phrase in enumerate(greetings.greetingPhrases or ()) if phrase.strip()]


def _listens(in_force: InForce) -> bool:
    return bool(in_force.operation("interactionMode") == "LISTEN_ONLY")
