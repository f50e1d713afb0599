"""Greeting offers and closing offers in a session."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.runtime.channel_config.session.session_fixture import add, offered, play, reasons, voice, why
from trialrun.runtime.channel_config.menu import Item, OrderLineItem
from trialrun.runtime.channel_config.session.actions import Action, Add, Decline, Finish, Speak
from trialrun.runtime.options import Options

SPEAKS = voice("defaultLanguageCode: en")
CLOSING = """
- displayName: sweet
  priority: 1
  closingOffer:
    closingMessages:
      - offerMessage:
          displayName: shake to go
          upsoldItems: [Vanilla Shake]
          messageConfigs:
            - {languageCode: en, messageText: A shake to go?}
            - {languageCode: es-US, messageText: "¿Un batido?"}
        skipTerms: ["  SHAKE ", Cookie]
"""


def test_a_closing_offer_is_said_in_the_language_of_the_customer() -> None:
    turn = play(CLOSING, SPEAKS).turn([Speak("es-us"), Finish()])
    assert [(utterance.text, utterance.language, utterance.kind) for utterance in turn.utterances] == [
        ("¿Un batido?", "es-US", "closing-offer")
    ]
    assert turn.language == "es-US"
    assert [(offer.message, offer.kind, offer.reason) for offer in turn.offers] == [
        ("shake to go", "closing-offer", "its message is the only one")
    ]


def test_a_skip_term_in_the_name_of_an_item_skips_the_closing_offer() -> None:
    turn = play(CLOSING, SPEAKS).turn([add("Chocolate Shake"), Finish()])
    assert reasons(turn) == {"sweet": ["skip-term"]}
    assert why(turn, "skip-term") == '"  SHAKE " is in "Chocolate Shake"'


def test_a_skip_term_may_be_in_any_name_that_an_item_has() -> None:
    for item in (Item("Malt", "", 4.0, other_name="Thick shake"), Item("Malt", "", 4.0, semantic_name="milk shake")):
        turn = play(CLOSING, SPEAKS).turn([Add(OrderLineItem(item)), Finish()])
        assert reasons(turn) == {"sweet": ["skip-term"]}


def test_composed_and_decomposed_characters_are_the_same_in_skip_terms() -> None:
    terms = CLOSING.replace("Cookie]", "cre\u0300me]")
    turn = play(terms, SPEAKS).turn([Add(OrderLineItem(Item("Cr\u00e8me brûlée", "", 5.0))), Finish()])
    assert reasons(turn) == {"sweet": ["skip-term"]}


def test_a_message_in_neither_language_is_not_said() -> None:
    turn = play(CLOSING, voice("defaultLanguageCode: fr")).turn([Finish()])
    assert reasons(turn) == {"sweet": ["no-language"]}
    assert "fr" in why(turn, "no-language")


def test_a_closing_offer_can_be_skipped_after_an_upsell() -> None:
    fries = """
- {displayName: fries, priority: 2, celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}}
"""
    session = play(CLOSING.replace("priority: 1", "priority: 1\n  skipOnPreviousTurnUpsell: true") + fries, SPEAKS)
    session.turn([])
    assert reasons(session.turn([Decline(), Finish()])) == {"sweet": ["previous-turn"]}


HELLOS = """
- displayName: hello
  priority: 1
  greetingOffer:
    messages:
      - displayName: often
        messageFrequency: 0.6
        upsoldItems: [Fries]
        messageConfigs: [{languageCode: en, messageText: Fries?}]
      - displayName: seldom
        messageFrequency: 0.2
        upsoldItems: [Cookie]
        messageConfigs: [{languageCode: en, messageText: A cookie?}]
- displayName: never
  priority: 2
  disabled: true
  greetingOffer:
    messages:
      - {messageFrequency: 0.2, upsoldItems: [Burger], messageConfigs: [{languageCode: en, messageText: A burger?}]}
"""


def test_the_seed_draws_the_message_of_a_session() -> None:
    turns = [play(HELLOS, SPEAKS, seed=seed).welcome() for seed in range(100)]
    drawn = Counter(turn.offers[0].message if turn.offers else None for turn in turns)
    assert drawn.keys() == {"often", "seldom", None}
    assert drawn["often"] > drawn["seldom"]
    assert {turn.offers[0].reason for turn in turns if turn.offers} == {
        "its message is drawn at random, with a share of 60 % of the sessions",
        "its message is drawn at random, with a share of 20 % of the sessions",
    }


def test_a_session_may_be_left_without_a_message() -> None:
    turns = (play(HELLOS, SPEAKS, seed=seed).welcome() for seed in range(100))
    silent = next(turn for turn in turns if not turn.offers)
    assert reasons(silent) == {"hello": ["frequency"], "never": ["disabled"]}
    assert why(silent, "frequency") == "the message frequencies give this session no message"


BOTH = HELLOS.replace("disabled: true", "disabled: false")
CERTAIN = BOTH.replace("messageFrequency: 0.2, upsoldItems: [B", "upsoldItems: [B")
BY_OFFER = Options(message_draw="offer")


def test_an_offer_whose_message_was_not_drawn_names_the_one_that_was() -> None:
    turns = (play(BOTH, SPEAKS, seed=seed).welcome() for seed in range(100))
    turn = next(turn for turn in turns if offered(turn) == ["Fries"])
    assert reasons(turn) == {"never": ["frequency"]}
    assert why(turn, "frequency") == 'the message of this session is "often" of "hello"'


def test_an_unset_frequency_beside_a_set_one_is_that_of_no_session() -> None:
    turns = [play(CERTAIN, SPEAKS, seed=seed).welcome() for seed in range(200)]
    assert {tuple(offered(turn)) for turn in turns} == {(), ("Fries",), ("Cookie",)}


SECOND = CLOSING.replace("sweet", "later").replace("priority: 1", "priority: 2").replace("Vanilla Shake", "Cookie")
AFTER_SHAKES = SECOND.replace('["  SHAKE ", Cookie]', "[Burger]")
SHAKE = [add("Chocolate Shake"), Finish()]


def closings(text: str, *actions: Action, sessions: int = 200, **options: Any) -> Counter[str]:
    """How many sessions are offered each item at the end."""
    turns = (play(text, SPEAKS, seed=seed, **options).turn(actions or [Finish()]) for seed in range(sessions))
    return Counter(" ".join(offered(turn)) for turn in turns)


def test_offers_without_frequencies_are_each_used_in_half_of_the_sessions() -> None:
    used = closings(CLOSING + SECOND)
    assert used.keys() == {"Vanilla Shake", "Cookie"}
    assert abs(used["Cookie"] - 100) < 30


def test_frequencies_are_fractions_of_sessions_over_all_messages_of_the_type() -> None:
    fifths = (CLOSING + SECOND).replace("displayName: shake to go", "messageFrequency: 0.2")
    used = closings(fifths)
    assert all(
        abs(used[item] - expected) < 30 for item, expected in {"Vanilla Shake": 40, "Cookie": 40, "": 120}.items()
    )


def test_another_offer_steps_in_for_one_that_is_drawn_and_skipped() -> None:
    assert closings(CLOSING + AFTER_SHAKES, *SHAKE).keys() == {"Cookie"}
    turns = (play(CLOSING + AFTER_SHAKES, SPEAKS, seed=seed).turn(SHAKE) for seed in range(20))
    turn = next(turn for turn in turns if reasons(turn) == {"sweet": ["skip-term"]})
    assert turn.offers[0].reason == 'it steps in for "sweet", which is passed over'


def test_of_those_that_may_step_in_the_first_by_priority_does() -> None:
    third = AFTER_SHAKES.replace("later", "last").replace("priority: 2", "priority: 3").replace("[Cookie]", "[Fries]")
    used = closings(third + CLOSING + AFTER_SHAKES, *SHAKE, sessions=300)
    assert used.keys() == {"Cookie", "Fries"}
    assert abs(used["Cookie"] - 200) < 40


def test_no_offer_steps_in_where_no_message_is_drawn_or_none_of_its_own_is_used() -> None:
    half = CLOSING.replace("displayName: shake to go", "messageFrequency: 0.5")
    assert closings(half + AFTER_SHAKES, *SHAKE).keys() == {""}


def test_drawn_by_offer_one_behind_another_that_is_made_is_not_made() -> None:
    turns = (play(BOTH, SPEAKS, seed=seed, choices=BY_OFFER).welcome() for seed in range(100))
    turn = next(turn for turn in turns if offered(turn) == ["Fries"])
    assert reasons(turn) == {"never": ["less-favored"]}
    assert why(turn, "less-favored") == '"hello" is favored: priority 1 before 2'


def test_drawn_by_offer_one_whose_draw_gives_none_makes_room_for_the_next() -> None:
    turns = [play(CERTAIN, SPEAKS, seed=seed, choices=BY_OFFER).welcome() for seed in range(200)]
    assert {tuple(offered(turn)) for turn in turns} == {("Fries",), ("Cookie",), ("Burger",)}
    turn = next(turn for turn in turns if offered(turn) == ["Burger"])
    assert reasons(turn) == {"hello": ["frequency"]}


def test_drawn_by_offer_they_are_attempted_by_priority_wherever_they_stand() -> None:
    later = CERTAIN.replace("priority: 1", "priority: 3")
    turns = (play(later, SPEAKS, seed=seed, choices=BY_OFFER).welcome() for seed in range(50))
    assert all(offered(turn) == ["Burger"] for turn in turns)


def test_drawn_by_offer_one_that_is_skipped_makes_room_for_the_next() -> None:
    turn = play(CLOSING + AFTER_SHAKES, SPEAKS, choices=BY_OFFER).turn(SHAKE)
    assert (offered(turn), reasons(turn)) == (["Cookie"], {"sweet": ["skip-term"]})


@pytest.mark.parametrize("choices", [BY_OFFER, Options()])
def test_an_offer_in_a_language_that_nobody_asked_for_makes_room_for_the_next(choices: Options) -> None:
    spanish = SECOND.replace("- {languageCode: en, messageText: A shake to go?}", "")
    english = CLOSING.replace("sweet", "last").replace("priority: 1", "priority: 3")
    assert closings(spanish + english, sessions=50, choices=choices).keys() == {"Vanilla Shake"}


def test_one_closing_offer_is_made_at_most() -> None:
    turn = play(CLOSING + SECOND, SPEAKS, choices=BY_OFFER).turn([Finish()])
    assert (offered(turn), reasons(turn)) == (["Vanilla Shake"], {"later": ["less-favored"]})
