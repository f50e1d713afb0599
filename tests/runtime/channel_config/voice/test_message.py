"""Which message of an offer type a session gets, and what is said of it."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from trialrun.model.channel_config import UpsellStrategy
from trialrun.runtime.channel_config.voice.message import lots

SEEDS = range(100_000)
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
    of_type = lots(strategy(*frequencies), "greetingOffer")
    used = Counter(one.message.displayName for seed in SEEDS if (one := of_type.drawn(seed)))
    for index, share in enumerate(shares):
        error = sqrt(len(SEEDS) * share * (1 - share))
        assert abs(used[str(index)] - len(SEEDS) * share) <= 3 * error


def test_the_closing_message_does_not_follow_from_the_greeting_message() -> None:
    greetings = lots(strategy(0.5, 0.5), "greetingOffer")
    closings = lots(strategy(0.5, 0.5), "closingOffer")
    both = sum(
        greetings.drawn(seed).upsell.priority == 1 and closings.drawn(seed).upsell.priority == 2 for seed in SEEDS
    )
    assert abs(both - len(SEEDS) / 4) <= 3 * sqrt(len(SEEDS) * 3 / 16)
