"""What the agent says by itself, in which language, and what customers of each language hear."""

from collections import Counter
from fractions import Fraction
from math import ceil, sqrt

import pytest

from tests.cases import each_of, number_of_cases
from tests.runtime.channel_config.brands import acme, at_store, brands
from trialrun.model.channel_config import OfferMessage, UpsellStrategy
from trialrun.outputs.languages import LanguageGroup, language_table
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.messages import (
    MessageTexts,
    choose_greeting,
    greeting_choices,
    message_lotteries,
    negotiate_language,
    why_no_language,
)
from trialrun.runtime.channel_config.dialogue.offered_items import upsold_items
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.turn import Utterance


def greet(here: ActiveConfig, language: str | None, seed: int) -> Utterance | str:
    """The phrase that greets a customer; why there is none."""
    choices = greeting_choices(here, language)
    return choices if isinstance(choices, str) else choose_greeting(choices, seed)


@each_of(
    [
        ("en-US", ["es-US", "en-US"], None, "en-US"),
        ("en-US", ["es", "en"], None, "en"),
        ("zh-Hant-TW", ["zh", "zh-Hant"], None, "zh-Hant"),
        ("iw", ["en", "he"], None, "he"),
        ("EN-us", ["en-US"], None, "en-US"),
        ("en", ["en-US", "es-US"], "es-US", "es-US"),
        ("pl", ["en", "fr"], "fr-CA", "fr"),
        (None, ["en", "fr"], "fr", "fr"),
        ("pl", ["en"], "de", None),
        ("pl", ["en"], None, None),
        ("en", [], "en", None),
    ]
)
def test_a_language_is_looked_up_and_then_the_default(
    wanted: str | None, offered: list[str], default: str | None, tag: str | None
) -> None:
    assert negotiate_language(wanted, offered, default) == tag


WHY = {
    ("pl", "en es", "de-CH"): "there is no text in pl (Polish) or de-CH (German, Switzerland); the texts are in en, es",
    ("pl", "en", None): "there is no text in pl (Polish), and no defaultLanguageCode; the texts are in en",
    (None, "en", None): "there is no text in a known language, and no defaultLanguageCode; the texts are in en",
    ("qaa", "en", "qaa"): "there is no text in qaa; the texts are in en",
    ("pl", "", "en"): "there is no text in any language",
}


@pytest.mark.parametrize(("wanted", "offered", "default"), WHY)
def test_a_reason_names_the_languages(wanted: str | None, offered: str, default: str | None) -> None:
    assert why_no_language(wanted, offered.split(), default) == WHY[wanted, offered, default]


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
    return at_store("main-street", acme("house", of_store="street"), *configs)


@pytest.mark.parametrize(
    ("language", "said"),
    [("es-MX", ("Hola", "es")), ("iw-IL", ("שלום", "he")), ("fr", ("Hello", "en-US")), (None, ("Hello", "en-US"))],
)
def test_a_customer_is_greeted_in_a_language(language: str | None, said: tuple[str, str]) -> None:
    found = greet(store(HOUSE, STREET), language, seed=4)
    assert not isinstance(found, str)
    assert (found.text, found.language) == said


def test_a_greeting_has_its_place() -> None:
    found = greet(store(HOUSE, STREET), "es", seed=1)
    assert not isinstance(found, str)
    assert (found.origin.path, found.origin.line, found.origin.level) == ("3.yaml", 6, "store-default")


def test_each_phrase_is_as_likely() -> None:
    here = store(HOUSE)
    said = Counter(greet(here, "en-US", seed).text for seed in range(6_000))
    assert sorted(said) == ["Hello", "Hey", "Hi"]
    assert all(abs(count - 2_000) <= 3 * sqrt(6_000 * 2 / 9) for count in said.values())


def test_a_greeting_without_a_language_is_said_where_no_other_is() -> None:
    anyone = STREET.replace("languageCode: es, ", "")
    assert greet(store(anyone), "ja", seed=1).text == "Hola"
    assert greet(store(HOUSE, anyone), "ja", seed=4).text == "Hello"


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
    assert greet(store(*[config] if config else []), "ja", seed=1) == reason


SEEDS = range(number_of_cases(100_000, share=5))
TEXTS = [{"languageCode": "en", "messageText": "Fries?"}]


def strategy(*frequencies: float | None, disabled: tuple[int, ...] = ()) -> UpsellStrategy:
    """A strategy with a greeting offer and a closing offer for each frequency; messages are called by their index."""
    upsells = []
    for index, frequency in enumerate(frequencies):
        message = {"displayName": str(index), "upsoldItems": ["Fries"], "messageConfigs": TEXTS}
        message |= {} if frequency is None else {"messageFrequency": frequency}
        shared = {"disabled": index in disabled}
        greeting = {"priority": 2 * index + 1, "greetingOffer": {"messages": [message]}}
        closing = {"priority": 2 * index + 2, "closingOffer": {"closingMessages": [{"offerMessage": message}]}}
        upsells += [greeting | shared, closing | shared]
    return UpsellStrategy.model_validate({"upsells": upsells})


@pytest.mark.generated
@pytest.mark.parametrize(
    ("frequencies", "shares"),
    [
        ((0.2, 0.8), (0.2, 0.8)),
        ((None, None, None), (1 / 3, 1 / 3, 1 / 3)),
        ((0.0, None), (1 / 2, 1 / 2)),
        ((0.5, None, 0.0), (0.5, 0, 0)),
        ((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
        ((0.9, 0.6), (0.6, 0.4)),
        ((0.001, 0.999), (0.001, 0.999)),
        ((1.0,), (1.0,)),
    ],
)
def test_messages_are_used_as_often_as_their_frequencies_say(
    frequencies: tuple[float | None, ...], shares: tuple[float, ...]
) -> None:
    (of_type,) = message_lotteries(strategy(*frequencies), "greetingOffer", "type")
    used = Counter(one.message.displayName for seed in SEEDS if (one := of_type.draw(seed)))
    for index, share in enumerate(shares):
        error = sqrt(len(SEEDS) * share * (1 - share))
        assert abs(used[str(index)] - len(SEEDS) * share) <= 3 * error


@pytest.mark.generated
def test_the_closing_message_does_not_follow_from_the_greeting_message() -> None:
    (greetings,) = message_lotteries(strategy(0.5, 0.5), "greetingOffer", "type")
    (closings,) = message_lotteries(strategy(0.5, 0.5), "closingOffer", "type")
    both = sum(greetings.draw(seed).upsell.priority == 1 and closings.draw(seed).upsell.priority == 2 for seed in SEEDS)
    assert abs(both - len(SEEDS) / 4) <= 3 * sqrt(len(SEEDS) * 3 / 16)


def test_a_disabled_upsell_has_no_share() -> None:
    (of_type,) = message_lotteries(strategy(0.4, 0.4, 0.4, disabled=(1,)), "greetingOffer", "type")
    assert [(offer_message.message.displayName, offer_message.share) for offer_message in of_type.messages] == [
        ("0", Fraction(2, 5)),
        ("2", Fraction(2, 5)),
    ]


@pytest.mark.generated
def test_offers_are_drawn_apart_in_the_order_of_priorities() -> None:
    first, second = message_lotteries(strategy(0.5, 0.5), "greetingOffer", "offer")
    neither = sum(first.draw(seed) is None and second.draw(seed) is None for seed in SEEDS)
    assert abs(neither - len(SEEDS) / 4) <= 3 * sqrt(len(SEEDS) * 3 / 16)


def test_the_first_offer_is_drawn_as_if_it_were_the_only_one() -> None:
    alone, (first, _) = (
        message_lotteries(strategy(0.5), "greetingOffer", "offer")[0],
        message_lotteries(strategy(0.5, 0.5), "greetingOffer", "offer"),
    )
    assert all((alone.draw(seed) is None) == (first.draw(seed) is None) for seed in range(1000))


def test_shares_are_exact() -> None:
    (of_type,) = message_lotteries(strategy(*[0.1] * 10), "greetingOffer", "type")
    assert of_type.bounds == (*(ceil(Fraction(part * 2**64, 10)) for part in range(1, 10)), 2**64)


def test_a_strategy_without_offers_has_no_message() -> None:
    assert message_lotteries(UpsellStrategy(), "closingOffer", "offer") == ()
    (of_type,) = message_lotteries(UpsellStrategy(), "closingOffer", "type")
    assert of_type.draw(1) is None


UPSELLS = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            greetingOffer:
              messages:
                - upsoldItemIds: [i1, i9]
                  messageConfigs:
                    - {languageCode: en-US, messageText: Fries?}
                    - {languageCode: es, messageText: " "}
                    - {languageCode: fr, messageText: Des frites?}
"""
MENU = "{kind: Menu, items: [{name: Fries, id: i1}]}"


def offering() -> ActiveConfig:
    return at_store("main-street", acme("upsells"), UPSELLS)


@pytest.mark.parametrize(
    ("language", "default", "text"),
    [("fr-CA", None, "Des frites?"), ("es", "en-US", "Fries?"), (None, "fr", "Des frites?")],
)
def test_a_message_is_said_in_a_language(language: str | None, default: str | None, text: str) -> None:
    found = MessageTexts(message(offering())).text_for(language, default)
    assert not isinstance(found, str)
    assert found.messageText == text


def test_a_text_has_its_place() -> None:
    here = offering()
    found = MessageTexts(message(here)).text_for("fr", None)
    assert not isinstance(found, str)
    origin = here.origin_of(found, "messageText")
    assert (found.languageCode, origin.path, origin.line) == ("fr", "2.yaml", 14)


def test_items_are_called_by_their_names() -> None:
    catalog = brands(acme("upsells"), UPSELLS, MENU)
    menu = brand_menu(catalog.brands[0], catalog)
    assert upsold_items(message(offering()), menu).names == ("Fries", "i9")
    pie = OfferMessage.model_validate({"upsoldItems": ["Pie"], "messageConfigs": TEXTS})
    assert upsold_items(pie, menu).names == ("Pie",)


def message(here: ActiveConfig) -> OfferMessage:
    assert here.upsell_strategy is not None
    return message_lotteries(here.upsell_strategy, "greetingOffer")[0].messages[0].message


HOUSE_TABLE = """
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


def table(default: str = "en-US", further: tuple[str, ...] = (), text: str = HOUSE_TABLE) -> LanguageGroup:
    return language_table(at_store("main-street", acme("house"), text.replace("DEFAULT", default)), further)


def cells(found: LanguageGroup) -> dict[str, list[tuple[str, str, str | None]]]:
    return {
        row["tag"]: [(text["title"], text["source"], text["tag"]) for text in row["texts"]]
        for row in found["languages"]
    }


def test_every_text_is_own_fallback_or_missing() -> None:
    assert cells(table()) == {
        "pl": [("greeting", "fallback", "en"), ('"Fries", Warm', "own", "pl"), ('"Pie"', "none", None)],
        "en-US": [("greeting", "own", "en"), ('"Fries", Warm', "own", "en-US"), ('"Pie"', "none", None)],
        "en": [("greeting", "own", "en"), ('"Fries", Warm', "fallback", "en-US"), ('"Pie"', "none", None)],
        "es-US": [("greeting", "own", "es-US"), ('"Fries", Warm', "fallback", "en-US"), ('"Pie"', "own", "es-US")],
    }


def test_languages_with_gaps_come_first() -> None:
    counts = [(row["gaps"], row["fallbacks"]) for row in table(further=("ja",))["languages"]]
    assert counts == sorted(counts, reverse=True)


def test_a_default_language_without_texts_has_gaps() -> None:
    found = table(default="JA")
    assert (found["default"], found["languages"][0]["tag"], found["languages"][0]["gaps"]) == ("ja", "ja", 3)


def test_without_a_default_language_nothing_is_a_fallback() -> None:
    assert not any(row["fallbacks"] for row in table(default="")["languages"])


def test_a_text_has_all_its_phrases_and_its_place() -> None:
    greeting = next(row for row in table()["languages"] if row["tag"] == "en-US")["texts"][0]
    assert greeting["texts"] == ["Hi", "Hello"]
    assert (greeting["from"]["path"], greeting["from"]["line"]) == ("2.yaml", 7)


def test_a_gap_says_why() -> None:
    pie = next(row for row in table()["languages"] if row["tag"] == "pl")["texts"][2]
    assert pie["why"] == "there is no text in pl (Polish) or en-US (English, United States); the texts are in es-US"


def test_an_agent_that_only_listens_says_nothing() -> None:
    silent = table(text=HOUSE_TABLE.replace("greetings:", "interactionMode: LISTEN_ONLY\n      greetings:"))
    assert (silent["languages"], silent["silent"]) == ([], "the agent only listens: interactionMode is LISTEN_ONLY")


def test_without_configs_there_are_no_languages() -> None:
    assert language_table(at_store("main-street", acme("house")))["languages"] == []
