"""What customers of each language hear."""

from __future__ import annotations

from tests.runtime.channel_config.brands import at_store
from trialrun.runtime.channel_config.dialogue.languages import LanguageTable, language_table

BRAND = """
    kind: Brand
    name: projects/p/locations/l/brands/acme
    defaults: [house]
    stores: [{name: main-street}]
"""
HOUSE = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/house
    type: UPSELL_STRATEGY
    operationsConfig:
      defaultLanguageCode: DEFAULT
      greetings:
        - {languageCode: en, greetingPhrases: [Hi, " ", Hello]}
        - {languageCode: es-US, greetingPhrases: [Hola]}
      upsellStrategy:
        upsells:
          - displayName: Fries
            priority: 1
            greetingOffer:
              messages:
                - displayName: Warm
                  upsoldItems: [Fries]
                  messageConfigs: [{languageCode: en-US, messageText: Fries?}, {languageCode: pl, messageText: Frytki?}]
          - displayName: Tart
            priority: 2
            disabled: true
            greetingOffer:
              messages: [{upsoldItems: [Pie], messageConfigs: [{languageCode: fr, messageText: Tarte?}]}]
          - displayName: Pie
            priority: 3
            closingOffer:
              closingMessages:
                - offerMessage: {upsoldItems: [Pie], messageFrequency: 0.5,
                                 messageConfigs: [{languageCode: es-US, messageText: "¿Pay?"}]}
                - offerMessage: {upsoldItems: [Cake], messageConfigs: [{languageCode: de, messageText: Torte?}]}
"""


def table(default: str = "en-US", further: tuple[str, ...] = (), text: str = HOUSE) -> LanguageTable:
    return language_table(at_store("main-street", BRAND, text.replace("DEFAULT", default)), further)


def cells(found: LanguageTable) -> dict[str, list[tuple[str, str, str | None]]]:
    return {row.tag: [(text.title, text.source, text.tag) for text in row.texts] for row in found.rows}


def test_every_text_is_own_fallback_or_missing() -> None:
    assert cells(table()) == {
        "pl": [("greeting", "fallback", "en"), ('"Fries", Warm', "own", "pl"), ('"Pie"', "none", None)],
        "en-US": [("greeting", "own", "en"), ('"Fries", Warm', "own", "en-US"), ('"Pie"', "none", None)],
        "en": [("greeting", "own", "en"), ('"Fries", Warm', "fallback", "en-US"), ('"Pie"', "none", None)],
        "es-US": [("greeting", "own", "es-US"), ('"Fries", Warm', "fallback", "en-US"), ('"Pie"', "own", "es-US")],
    }


def test_languages_with_gaps_come_first() -> None:
    counts = [(row.count("none"), row.count("fallback")) for row in table(further=("ja",)).rows]
    assert counts == sorted(counts, reverse=True)


def test_a_default_language_without_texts_has_gaps() -> None:
    found = table(default="JA")
    assert (found.default, found.rows[0].tag, found.rows[0].count("none")) == ("ja", "ja", 3)


def test_without_a_default_language_nothing_is_a_fallback() -> None:
    assert not any(row.count("fallback") for row in table(default="").rows)


def test_a_text_has_all_its_phrases_and_its_place() -> None:
    greeting = next(row for row in table().rows if row.tag == "en-US").texts[0]
    assert greeting.texts == ("Hi", "Hello")
    assert greeting.origin is not None
    assert (greeting.origin.path, greeting.origin.line) == ("2.yaml", 7)


def test_a_gap_says_why() -> None:
    pie = next(row for row in table().rows if row.tag == "pl").texts[2]
    assert pie.why == "there is no text in pl (Polish) or en-US (English, United States); the texts are in es-US"


def test_an_agent_that_only_listens_says_nothing() -> None:
    silent = table(text=HOUSE.replace("greetings:", "interactionMode: LISTEN_ONLY\n      greetings:"))
    assert (silent.rows, silent.why_silent) == ((), "the agent only listens: interactionMode is LISTEN_ONLY")


def test_without_configs_there_are_no_languages() -> None:
    assert language_table(at_store("main-street", BRAND)).rows == ()
