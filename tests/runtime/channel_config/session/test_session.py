"""A session from the welcome to the end."""

from __future__ import annotations

from tests.runtime.channel_config.session.session_fixture import add, lines, offered, play, reasons, upsells, voice
from trialrun.runtime.channel_config.session.actions import Accept, Decline, Finish

UPSELLS = upsells(
    """
    - displayName: Hello
      priority: 9
      greetingOffer:
        messages: [{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: A cookie today?}]}]
    - displayName: Side
      priority: 1
      celUpsell: {conditionExpression: "order.items.exists(i, i.displayName == 'Burger')", suggestedMenuItems: [Fries]}
    - displayName: Sweet
      priority: 2
      closingOffer:
        closingMessages:
          - offerMessage: {upsoldItemIds: [I-3], messageConfigs: [{languageCode: en, messageText: A shake?}]}
    """
)
VOICE = voice(
    """
    defaultLanguageCode: en
    greetings: [{languageCode: en, greetingPhrases: [Welcome!]}]
    """
)


def test_a_session_greets_and_makes_its_greeting_offer_at_turn_0() -> None:
    turn = play(UPSELLS, VOICE).welcome()
    assert (turn.number, turn.language) == (0, "en")
    assert [(utterance.kind, utterance.text) for utterance in turn.utterances] == [
        ("greeting", "Welcome!"),
        ("greeting-offer", "A cookie today?"),
    ]
    assert offered(turn) == ["Cookie"]


def test_an_upsell_that_triggers_is_offered_and_accepting_it_orders_it() -> None:
    session = play(UPSELLS, VOICE)
    assert offered(session.turn([add("Burger")])) == ["Fries"]
    turn = session.turn([Accept()])
    assert lines(turn) == [("Burger", 1), ("Fries", 1)]
    assert reasons(turn) == {"Side": ["offered-before"]}


def test_the_closing_offer_follows_the_end_of_the_order_and_can_be_declined() -> None:
    session = play(UPSELLS, VOICE)
    turn = session.turn([add("Cookie"), Finish()])
    assert turn.finished
    assert offered(turn) == ["Vanilla Shake"]
    assert session.turn([Decline()]).offers == ()
    assert session.state["session"]["upsellDeclines"] == 1


def test_the_default_language_is_canonical_for_conditions() -> None:
    session = play(voice("defaultLanguageCode: en-us"))
    assert (session.language, session.state["session"]["languageCode"]) == ("en-US", "en-US")
    assert play(voice("defaultLanguageCode: nonsense!")).language == ""
