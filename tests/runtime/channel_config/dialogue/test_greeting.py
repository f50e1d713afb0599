"""How the agent greets."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from tests.runtime.channel_config.brands import at_store
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.messages import choose_greeting, why_no_greeting

BRAND = """
    kind: Brand
    name: projects/p/locations/l/brands/acme
    defaults: [house]
    stores: [{name: main-street, defaults: [street]}]
"""
HOUSE = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/house
    type: AGENT_CUSTOMIZATION
    operationsConfig:
      defaultLanguageCode: en-US
      greetings:
        - {languageCode: en-US, greetingPhrases: [Hi, Hello, Hey]}
        - {languageCode: he, greetingPhrases: [שלום]}
        - {languageCode: fr, greetingPhrases: [" "]}
"""
STREET = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/street
    type: AGENT_CUSTOMIZATION
    operationsConfig:
      greetings:
        - {languageCode: es, greetingPhrases: [Hola]}
"""


def store(*configs: str) -> ActiveConfig:
    return at_store("main-street", BRAND, *configs)


@pytest.mark.parametrize(
    ("language", "said"),
    [("es-MX", ("Hola", "es")), ("iw-IL", ("שלום", "he")), ("fr", ("Hello", "en-US")), (None, ("Hello", "en-US"))],
)
def test_a_customer_is_greeted_in_a_language(language: str | None, said: tuple[str, str]) -> None:
    found = choose_greeting(store(HOUSE, STREET), language, seed=4)
    assert found is not None
    assert (found.text, found.language) == said


def test_a_greeting_has_its_place() -> None:
    found = choose_greeting(store(HOUSE, STREET), "es", seed=1)
    assert found is not None
    assert (found.origin.path, found.origin.line, found.origin.level) == ("3.yaml", 6, "store-default")


def test_each_phrase_is_as_likely() -> None:
    here = store(HOUSE)
    said = Counter(found.text for seed in range(6_000) if (found := choose_greeting(here, "en-US", seed)))
    assert sorted(said) == ["Hello", "Hey", "Hi"]
    assert all(abs(count - 2_000) <= 3 * sqrt(6_000 * 2 / 9) for count in said.values())


def test_a_greeting_without_a_language_is_said_where_no_other_is() -> None:
    anyone = STREET.replace("languageCode: es, ", "")
    assert choose_greeting(store(anyone), "ja", seed=1).text == "Hola"
    assert choose_greeting(store(HOUSE, anyone), "ja", seed=4).text == "Hello"


SILENCES = {
    "languages": (
        STREET,
        "no greeting matches: there is no text in ja (Japanese), and no defaultLanguageCode; the texts are in es",
    ),
    "none": ("", "there are no greetings"),
    "listening": (
        HOUSE.replace("greetings:", "interactionMode: LISTEN_ONLY\n      greetings:"),
        "the agent only listens: interactionMode is LISTEN_ONLY",
    ),
}


@pytest.mark.parametrize("silence", SILENCES)
def test_a_silence_has_a_reason(silence: str) -> None:
    config, reason = SILENCES[silence]
    here = store(*[config] if config else [])
    assert choose_greeting(here, "ja", seed=1) is None
    assert why_no_greeting(here, "ja") == reason
