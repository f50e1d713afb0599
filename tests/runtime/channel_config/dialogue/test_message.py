"""Which message of an offer type a session gets, and what is said of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, sqrt

import pytest

from tests.cases import number_of_cases
from tests.runtime.channel_config.brands import at_store, brands
from trialrun.model.channel_config import OfferMessage, UpsellStrategy
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.messages import (
    message_lotteries,
    message_utterance,
    why_no_text,
)
from trialrun.runtime.channel_config.dialogue.offered_items import upsold_items
from trialrun.runtime.channel_config.menu import brand_menu

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


def test_the_messages_of_each_offer_are_weighed_by_themselves() -> None:
    offers = message_lotteries(strategy(0.4, None, 0.9, disabled=(1,)), "greetingOffer", "offer")
    assert [
        [(offer_message.message.displayName, offer_message.share) for offer_message in offer.messages]
        for offer in offers
    ] == [
        [("0", Fraction(2, 5))],
        [("2", Fraction(9, 10))],
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


def test_a_closing_message_brings_its_skip_terms() -> None:
    message = {"upsoldItems": ["Pie"], "messageConfigs": TEXTS}
    closing = {"closingMessages": [{"offerMessage": message, "skipTerms": ["Pie", "Cake"]}]}
    (offer,) = message_lotteries(
        UpsellStrategy.model_validate({"upsells": [{"priority": 1, "closingOffer": closing}]}), "closingOffer"
    )
    found = offer.draw(1)
    assert found is not None
    assert found.skip_terms == ("Pie", "Cake")


BRAND = """
    kind: Brand
    name: projects/p/locations/l/brands/acme
    defaults: [upsells]
    stores: [{name: main-street}]
"""
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


@pytest.mark.parametrize(
    ("language", "default", "text"),
    [("fr-CA", None, "Des frites?"), ("es", "en-US", "Fries?"), (None, "fr", "Des frites?")],
)
def test_a_message_is_said_in_a_language(language: str | None, default: str | None, text: str) -> None:
    here = at_store("main-street", BRAND, UPSELLS)
    found = message_utterance(message(here), language, default, here.origin_of, kind="greeting-offer")
    assert found is not None
    assert found.text == text


def test_a_text_has_its_place() -> None:
    here = at_store("main-street", BRAND, UPSELLS)
    found = message_utterance(message(here), "fr", None, here.origin_of)
    assert found is not None
    assert (found.language, found.origin.path, found.origin.line) == ("fr", "2.yaml", 14)


def test_a_message_without_the_language_says_why() -> None:
    here = at_store("main-street", BRAND, UPSELLS)
    assert message_utterance(message(here), "es", "de", here.origin_of) is None
    assert why_no_text(message(here), "es", "de") == (
        "there is no text in es (Spanish) or de (German); the texts are in en-US, fr"
    )


def test_items_are_called_by_their_names() -> None:
    catalog = brands(BRAND, UPSELLS, MENU)
    menu = brand_menu(catalog.brands[0], catalog)
    assert upsold_items(message(at_store("main-street", BRAND, UPSELLS)), menu).names == ("Fries", "i9")
    pie = OfferMessage.model_validate({"upsoldItems": ["Pie"], "messageConfigs": TEXTS})
    assert upsold_items(pie, menu).names == ("Pie",)


def message(here: ActiveConfig) -> OfferMessage:
    assert here.upsell_strategy is not None
    return message_lotteries(here.upsell_strategy, "greetingOffer")[0].messages[0].message
