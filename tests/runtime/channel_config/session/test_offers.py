"""Which upsell is offered at a turn, greeting and closing offers, and every reason why another is passed over."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import judged
from tests.runtime.channel_config.brands import add, offered, play, reasons, strategy, voice, why
from trialrun.runtime.channel_config.menu import Item, OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Decline,
    Finish,
    Remove,
    SetQuantity,
    Speak,
)
from trialrun.runtime.options import Options

ALWAYS = 'celUpsell: {conditionExpression: "true", suggestedMenuItems: '
TWO = f"""
- {{displayName: fries, priority: 1, {ALWAYS}[Fries]}}}}
- {{displayName: cookie, priority: 2, {ALWAYS}[Cookie]}}}}
"""


def test_of_two_that_trigger_the_lowest_priority_is_offered() -> None:
    turn = play(TWO).turn([])
    assert offered(turn) == ["Fries"]
    assert reasons(turn) == {"cookie": ["less-favored"]}
    assert why(turn, "less-favored") == '"fries" is favored: priority 1 before 2'
    assert turn.offers[0].reason == "its condition is true, and it is favored over 1 other"


def test_the_highest_cel_priority_is_favored_whatever_the_priority() -> None:
    turn = play(TWO.replace("[Cookie]", "[Cookie], priority: 7")).turn([])
    assert offered(turn) == ["Cookie"]
    assert why(turn, "less-favored") == '"cookie" is favored: celUpsell.priority 7 over 0'


def test_of_one_priority_the_first_in_the_list_is_offered() -> None:
    turn = play(TWO.replace("priority: 2", "priority: 1")).turn([])
    assert offered(turn) == ["Fries"]
    assert why(turn, "less-favored") == '"fries" is favored: both have priority 1, and it comes first in the list'


def test_an_upsell_is_offered_once_a_session() -> None:
    session = play(TWO)
    assert [offered(session.turn([])) for _ in range(3)] == [["Fries"], ["Cookie"], []]
    turn = session.turn([])
    assert reasons(turn) == {"fries": ["offered-before"], "cookie": ["offered-before"]}
    assert why(turn, "offered-before") == "it was offered in turn 1"


def test_a_disabled_upsell_is_not_attempted_and_its_condition_not_asked() -> None:
    turn = play(TWO.replace("priority: 1,", "priority: 1, disabled: true,")).turn([])
    assert offered(turn) == ["Cookie"]
    assert reasons(turn) == {"fries": ["disabled"]}
    assert [condition.upsell.displayName for condition in turn.conditions] == ["cookie"]


def limited(limits: str) -> str:
    """The two upsells under a limit."""
    return strategy(f"{limits}\nupsells:{TWO.replace(chr(10), chr(10) + '  ')}")


def test_no_more_offers_are_made_than_maxUpsellOffers() -> None:
    session = play(limited("maxUpsellOffers: 1"))
    assert offered(session.turn([])) == ["Fries"]
    turn = session.turn([])
    assert reasons(turn)["cookie"] == ["max-offers"]
    assert why(turn, "max-offers") == "1 of 1 offer is made"


def test_greeting_offers_count_as_offers() -> None:
    hello = """
    maxUpsellOffers: 1
    upsells:
      - displayName: hello
        priority: 3
        greetingOffer: {messages: [{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: Hi}]}]}
      - {displayName: fries, priority: 1, celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}}
    """
    session = play(strategy(hello), voice("defaultLanguageCode: en"))
    assert offered(session.welcome()) == ["Cookie"]
    assert reasons(session.turn([])) == {"fries": ["max-offers"]}


def test_no_offer_is_made_after_maxUpsellDeclines() -> None:
    session = play(limited("maxUpsellDeclines: 1"))
    session.turn([])
    turn = session.turn([Decline()])
    assert reasons(turn)["cookie"] == ["max-declines"]
    assert why(turn, "max-declines") == "1 of 1 decline is counted"


def test_an_offer_that_is_passed_over_in_silence_is_no_decline() -> None:
    session = play(limited("maxUpsellDeclines: 1"))
    session.turn([])
    assert offered(session.turn([add("Burger")])) == ["Cookie"]


def test_beyond_maxItemsInCart_upsells_are_skipped_for_the_rest_of_the_session() -> None:
    session = play(limited("maxItemsInCart: 12"))
    turn = session.turn([add("Burger", 14)])
    assert reasons(turn) == {"fries": ["max-items"], "cookie": ["max-items"]}
    assert why(turn, "max-items") == "the order has 14 items, more than maxItemsInCart 12"
    turn = session.turn([SetQuantity("Burger", 1)])
    assert why(turn, "max-items") == "the order had 14 items in turn 1, more than maxItemsInCart 12"
    turn = session.turn([SetQuantity("Burger", 20)])
    assert why(turn, "max-items") == "the order had 14 items in turn 1, more than maxItemsInCart 12"


def test_a_cart_of_exactly_maxItemsInCart_is_not_beyond_it() -> None:
    assert offered(play(limited("maxItemsInCart: 12")).turn([add("Burger", 12)])) == ["Fries"]


@pytest.mark.parametrize(
    ("limit", "code", "text"),
    [
        ("maxUpsellOffers: 0", "max-offers", "maxUpsellOffers is 0"),
        ("maxUpsellDeclines: 0", "max-declines", "maxUpsellDeclines is 0"),
        ("maxItemsInCart: 0", "max-items", "the order has 1 item, more than maxItemsInCart 0"),
    ],
)
def test_0_is_a_limit(limit: str, code: str, text: str) -> None:
    turn = play(limited(limit)).turn([add("Burger")])
    assert turn.offers == ()
    assert why(turn, code) == text  # type: ignore[arg-type]


def test_skipOnPreviousTurnUpsell_waits_for_a_turn_without_an_offer() -> None:
    session = play(TWO.replace("priority: 2,", "priority: 2, skipOnPreviousTurnUpsell: true,"))
    session.turn([])
    turn = session.turn([])
    assert reasons(turn)["cookie"] == ["previous-turn"]
    assert why(turn, "previous-turn") == 'the previous turn offered "fries"'
    assert offered(session.turn([])) == ["Cookie"]


SUGGESTION = """
- displayName: cheese
  priority: 1
  celUpsell:
    conditionExpression: "order.items.exists(i, i.displayName == 'Burger')"
    suggestedMenuItems: [Burger]
    suggestedModifiers: [Cheese, Bacon]
    maxModifierPerGroup: 1
    suggestionOnly: true
"""


def test_a_suggestion_is_shown_beside_an_offer_and_counts_as_none() -> None:
    session = play(strategy("maxUpsellOffers: 1\nupsells:" + (SUGGESTION + TWO[1:]).replace("\n", "\n  ")))
    turn = session.turn([add("Burger")])
    assert [(offer.kind, offer.items, offer.modifiers) for offer in turn.offers] == [
        ("suggestion", ("Burger",), ("Cheese",)),
        ("upsell", ("Fries",), ()),
    ]
    assert session.state["session"]["upsellOffers"] == 1


def test_a_suggestion_is_shown_when_the_limits_are_reached_and_is_no_upsell_of_the_turn_before() -> None:
    skipping = TWO.replace("priority: 1,", "priority: 1, skipOnPreviousTurnUpsell: true,")
    session = play(strategy("maxUpsellDeclines: 5\nupsells:" + (SUGGESTION + skipping[1:]).replace("\n", "\n  ")))
    assert [offer.kind for offer in session.turn([add("Burger")]).offers] == ["suggestion", "upsell"]
    none = play(strategy("maxUpsellOffers: 0\nupsells:" + (SUGGESTION + TWO[1:]).replace("\n", "\n  ")))
    assert [offer.kind for offer in none.turn([add("Burger")]).offers] == ["suggestion"]


def test_an_offer_and_a_suggestion_wait_side_by_side_whichever_came_first() -> None:
    session = play(SUGGESTION + TWO.replace('"true"', '"session.turn in [1, 3]"')[1:])
    session.turn([])
    session.turn([add("Burger")])
    assert [offer.items for offer in session.open_offers] == [("Fries",), ("Burger",)]
    session.turn([])
    assert [offer.items for offer in session.open_offers] == [("Cookie",), ("Burger",)]


def test_declining_a_suggestion_is_no_decline() -> None:
    session = play(SUGGESTION)
    session.turn([add("Burger")])
    session.turn([Decline()])
    assert session.state["session"]["upsellDeclines"] == 0
    assert session.open_offers == ()


def test_an_agent_that_only_listens_offers_nothing_and_maps_what_it_hears() -> None:
    session = play(TWO, voice("interactionMode: LISTEN_ONLY\ngreetings: [{greetingPhrases: [Hi]}]"))
    assert session.welcome().utterances == ()
    assert reasons(session.turn([])) == {"fries": ["listen-only"], "cookie": ["listen-only"]}


def test_the_reason_of_a_trigger_is_said_to_the_agent() -> None:
    turn = play(TWO.replace("[Fries]", "[Fries], triggerReason: A side is missing.")).turn([])
    assert [(utterance.kind, utterance.text, utterance.origin.line) for utterance in turn.utterances] == [
        ("instruction", "A side is missing.", 7)
    ]


def test_when_the_order_is_complete_no_condition_is_asked() -> None:
    session = play(TWO)
    assert session.turn([add("Burger"), Finish()]).conditions == ()
    assert session.turn([]).skipped == ()


def test_an_offer_waits_for_an_answer_while_nothing_else_is_offered() -> None:
    session = play(TWO.replace('"true"', '"order.items.size() == 0"'))
    session.turn([])
    session.turn([add("Burger")])
    turn = session.turn([Accept(), Remove("Burger")])
    assert [item.item.name for item in turn.order] == ["Fries"]


ITEMS = ("Fries", "Cookie", "Vanilla Shake")
CONDITIONS = ("true", "order.subtotal > 1.0")


def told(text: str) -> list[int]:
    """The places of the upsells that the rule tells of."""
    found = judged("unreachable-upsell", [("upsells.yaml", strategy(text))])
    return [int(one.pointer.rpartition("/")[2]) for one in found]


def upsell(place: int, condition: str, favor: int) -> str:
    rule = f'{{conditionExpression: "{condition}", suggestedMenuItems: [{ITEMS[place]}], priority: {favor}}}'
    return f"  - {{priority: {place + 1}, celUpsell: {rule}}}"


@each_of(product(list(product(CONDITIONS, repeat=3)), [1, 2]))
def test_an_upsell_that_is_told_of_is_never_offered(conditions: tuple[str, ...], most: int) -> None:
    for favors in product((0, 1), repeat=3):
        lines = [upsell(place, *pair) for place, pair in enumerate(zip(conditions, favors, strict=True))]
        text = f"maxUpsellOffers: {most}\nupsells:\n" + "\n".join(lines)
        session = play(strategy(text))
        turns = [session.turn([add("Burger")]), *(session.turn([]) for _ in range(4))]
        offered = {item for turn in turns for offer in turn.offers for item in offer.items}
        assert offered.isdisjoint(ITEMS[place] for place in told(text))
        if set(conditions) == {"true"}:
            assert {ITEMS[place] for place in told(text)} == {*ITEMS} - offered


def test_of_equal_priorities_the_first_as_written_stands_in_front() -> None:
    equal = [
        upsell(0, condition="true", favor=1),
        upsell(1, condition="true", favor=1).replace("priority: 2", "priority: 1"),
    ]
    text = "maxUpsellOffers: 1\nupsells:\n" + "\n".join(equal)
    turn = play(strategy(text)).turn([add("Burger")])
    assert ([item for offer in turn.offers for item in offer.items], told(text)) == (["Fries"], [1])


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


SECOND = CLOSING.replace("sweet", "later").replace("priority: 1", "priority: 2").replace("Vanilla Shake", "Cookie")
AFTER_SHAKES = SECOND.replace('["  SHAKE ", Cookie]', "[Burger]")
SHAKE = [add("Chocolate Shake"), Finish()]


def closings(text: str, *actions: Action, sessions: int = 200, **options: Any) -> Counter[str]:
    """How many sessions are offered each item at the end."""
    turns = (play(text, SPEAKS, seed=seed, **options).turn(actions or [Finish()]) for seed in range(sessions))
    return Counter(" ".join(offered(turn)) for turn in turns)


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
