"""Upsells that are never offered: what is certain, what kept them back, and how near they came."""

from collections.abc import Callable

import pytest

from tests.runtime.channel_config.brands import BEGIN, add, explored, kinds, only, script, search, strategy, voice
from trialrun.outputs.explore import build_explored
from trialrun.runtime.channel_config.explore import shrink as shrink_module
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import Recording
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.actions import Action, Add, Decline, Say, SetState, Speak
from trialrun.runtime.options import Options

HELLO = """
  - displayName: Hello
    priority: 9
    greetingOffer:
      messages: [{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: A cookie?}]}]
"""
SIDE = """
  - displayName: Side
    priority: 1
    celUpsell: {conditionExpression: "order.subtotal > 3.0 && order.subtotal < 40.0", suggestedMenuItems: [Cookie]}
"""
ENGLISH = voice("defaultLanguageCode: en")


@pytest.mark.parametrize(
    ("limits", "more", "message"),
    [
        ("maxUpsellOffers: 0", SIDE, '"Side" is never offered: maxUpsellOffers is 0'),
        ("maxUpsellDeclines: 0", SIDE, '"Side" is never offered: maxUpsellDeclines is 0'),
        ("maxUpsellOffers: 2", SIDE.replace("3.0", "90.0"), '"Side" is never offered: its condition is never true'),
        (
            "maxUpsellOffers: 1",
            SIDE + HELLO,
            '"Side" is never offered: a greeting offer is made in every session and uses up maxUpsellOffers, 1',
        ),
    ],
)
def test_what_is_certain(limits: str, more: str, message: str) -> None:
    surprise = only(explored(strategy(f"{limits}\nupsells:\n{more}"), ENGLISH), "never-offered")
    assert (surprise.message, surprise.certain) == (message, True)


def test_limits_do_not_hold_what_is_only_suggested() -> None:
    rare = SIDE.replace("order.subtotal > 3.0 && order.subtotal < 40.0", "order.subtotal > 4000.0")
    shown = rare.replace("suggestedMenuItems", "suggestionOnly: true, suggestedMenuItems")
    surprise = only(explored(strategy(f"maxUpsellOffers: 0\nmaxUpsellDeclines: 0\nupsells:\n{shown}")), "never-offered")
    assert (surprise.message, surprise.certain) == ('"Side" was never offered', False)


def test_an_agent_that_listens_is_reported_once() -> None:
    two = SIDE + SIDE.replace("Side", "Other").replace("priority: 1", "priority: 2")
    found = explored(strategy(f"upsells:\n{two}"), voice("interactionMode: LISTEN_ONLY"))
    assert [surprise.upsells for surprise in found.surprises] == [("Side", "Other")]


def test_messages_that_are_never_drawn() -> None:
    other = HELLO.replace("Hello", "Other").replace("priority: 9", "priority: 8")
    drawn = other.replace("[{upsoldItems", "[{messageFrequency: 0.5, upsoldItems")
    found = explored(strategy(f"upsells:\n{HELLO}{drawn}"), ENGLISH, choices=Options(message_draw="type"))
    surprise = only(found, "never-offered")
    assert surprise.certain
    assert surprise.upsells == ("Hello",)


def test_an_offer_behind_one_that_every_session_has() -> None:
    other = HELLO.replace("Hello", "Other").replace("priority: 9", "priority: 8")
    text = strategy(f"upsells:\n{HELLO}{other}")
    assert "never-offered" not in kinds(explored(text, ENGLISH))
    surprise = only(explored(text, ENGLISH, choices=Options(message_draw="offer")), "never-offered")
    assert surprise.certain
    assert (
        surprise.message == '"Hello" is never offered: "Other" is attempted before it and is offered in every session'
    )


def test_a_closing_offer_behind_one_that_may_be_skipped_has_a_turn() -> None:
    texts = "{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: A cookie?}]}"
    sure = f"""
  - {{displayName: Bye, priority: 9, closingOffer: {{closingMessages: [{{offerMessage: {texts}}}]}}}}"""
    skipped = sure.replace("Bye", "Pie").replace("9", "8").replace(f"{texts}}}", f"{texts}, skipTerms: [Fries]}}")
    by_offer = Options(message_draw="offer")
    assert "never-offered" not in kinds(explored(strategy(f"upsells:{skipped}{sure}"), ENGLISH, choices=by_offer))
    behind = strategy(f"upsells:{skipped.replace('priority: 8', 'priority: 10')}{sure}")
    assert only(explored(behind, ENGLISH, choices=by_offer), "never-offered").upsells == ("Pie",)
    assert "never-offered" not in kinds(explored(behind, ENGLISH))


def test_disabled_upsells_are_meant_to_be_so() -> None:
    off = SIDE.replace("    priority: 1", "    priority: 1\n    disabled: true")
    assert explored(strategy(f"upsells:\n{off}")).surprises == ()


def test_the_part_of_a_condition_that_alone_kept_it_back_is_named() -> None:
    rare = SIDE.replace("order.subtotal > 3.0", "session.channelType.size() == 99")
    surprise = only(explored(strategy(f"upsells:\n{rare}")), "never-offered")
    assert not surprise.certain
    assert surprise.nearest.startswith("session.channelType.size() == 99 alone was not true in ")
    assert [kept.reason for kept in surprise.passed_over] == ["condition-false"]


def test_what_kept_it_back_when_its_condition_held_is_shown() -> None:
    first = SIDE.replace("Side", "First").replace("suggestedMenuItems", "priority: 5, suggestedMenuItems")
    second = SIDE.replace("priority: 1", "priority: 2").replace("[Cookie]", "[Fries]")
    surprise = only(explored(strategy(f"maxUpsellOffers: 1\nupsells:\n{first}{second}")), "never-offered")
    assert surprise.message == '"Side" was never offered'
    assert surprise.example
    assert surprise.example.shows == 'nearest: "First" is favored: celUpsell.priority 5 over 0'
    assert script(surprise) == ["add Burger"]


def test_the_session_that_came_nearest_is_made_short_with_the_others() -> None:
    first = SIDE.replace("Side", "First").replace("suggestedMenuItems", "priority: 5, suggestedMenuItems")
    second = SIDE.replace("priority: 1", "priority: 2").replace("[Cookie]", "[Fries]")
    found = search(strategy(f"maxUpsellOffers: 1\nupsells:\n{first}{second}"))
    list(found.play(60))
    left = only(build_explored(found, 60), "never-offered")
    assert (left.message, left.example) == ('"Side" was never offered', None)
    assert list(found.shorten())[-1] == len(found.seen) + 1
    assert only(build_explored(found, 60), "never-offered").example


def test_shares_are_of_sessions() -> None:
    found = explored(strategy(f"upsells:\n{HELLO}"), ENGLISH, sessions=200)
    (share,) = found.upsells
    assert (found.sessions, share.offered) == (200, 1)
    assert 0.2 <= share.accepted <= 0.4
    assert 0.3 <= share.declined <= 0.5
    assert "never-offered" not in kinds(found)


def test_conditions_that_are_always_true_use_up_the_offers() -> None:
    always = SIDE.replace("Side", "Always").replace("order.subtotal > 3.0 && order.subtotal < 40.0", "true")
    behind = SIDE.replace("priority: 1", "priority: 2").replace("[Cookie]", "[Fries]")
    surprise = only(explored(strategy(f"maxUpsellOffers: 1\nupsells:\n{always}{behind}")), "never-offered")
    assert (
        surprise.message == '"Side" is never offered: "Always" is always offered first and uses up maxUpsellOffers, 1'
    )


def test_a_closing_offer_may_come_before_they_are_used_up() -> None:
    always = SIDE.replace("order.subtotal > 3.0 && order.subtotal < 40.0", "true")
    end = HELLO.replace("greetingOffer", "closingOffer").replace("messages: [", "closingMessages: [{offerMessage: ")
    end = end.replace("}]}]", "}]}}]")
    found = explored(strategy(f"maxUpsellOffers: 1\nupsells:\n{always}{end}"), ENGLISH)
    assert not [surprise for surprise in found.surprises if surprise.kind == "never-offered" and surprise.certain]


def test_without_a_menu_items_are_those_that_are_spoken_of() -> None:
    brand = "kind: Brand\nname: b\ndefaults: [upsells]\nstores: [{name: s}]"
    rules = SIDE.replace("order.subtotal > 3.0", "order.items.exists(i, i.displayName == 'Wrap')")
    assert "never-offered" not in kinds(explored(strategy(f"upsells:\n{rules}"), brand=brand))


def test_a_store_without_upsells_and_a_brand_without_a_menu() -> None:
    brand = "kind: Brand\nname: b\nstores: [{name: s}]"
    found = explored(voice("defaultLanguageCode: en"), sessions=20, brand=brand)
    assert (found.upsells, found.surprises) == ((), ())


CONDITION = "order.subtotal > 30.0 && session.channelType in ['KIOSK', 'PHONE']"
FOUND = search(f'- {{priority: 1, celUpsell: {{conditionExpression: "{CONDITION}", suggestedMenuItems: [Fries]}}}}')
LONG = Recording(
    7,
    BEGIN.replace(hour=3),
    "es",
    (
        (SetState(("session", "channelType"), "PHONE"), add("Cookie", 3), Say("hm")),
        (add("Vanilla Shake", 2), add("Fries", 1, "Large")),
        (Decline(), Speak("fr")),
        (add("Fries", 2), add("Vanilla Shake")),
    ),
)


def actions(visit: Recording) -> list[Action]:
    return [action for turn in visit.turns for action in turn]


def short(shows: Callable[[Recording], bool], visit: Recording = LONG) -> tuple[str, ...]:
    found = shrink(visit, shows, begin=BEGIN, simpler=simplifier(FOUND.simulation.generators))
    return tuple(format_actions(turn, FOUND.menu) for turn in found.turns)


SHOWN: dict[str, tuple[Callable[[Recording], bool], tuple[str, ...]]] = {
    "what is not needed goes": (lambda visit: Decline() in actions(visit), ("decline",)),
    "nothing is left where the welcome shows it": (lambda visit: True, ()),
    "turns become one": (
        lambda visit: {Decline(), Speak("fr")} <= {*actions(visit)} and Say("hm") in actions(visit),
        ("say hm; decline; speak fr",),
    ),
    "a turn that only has to be there is a quiet one": (
        lambda visit: len(visit.turns) > 1 and Decline() in visit.turns[1],
        ("say hm", "decline"),
    ),
    "two orders of one thing become one": (
        lambda visit: sum(one.line_item.quantity for one in actions(visit) if isinstance(one, Add)) > 4,
        ("add 5 Burger",),
    ),
    "values become the simplest": (
        lambda visit: any(isinstance(one, SetState) and one.value for one in actions(visit)),
        ("set session.channelType KIOSK",),
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_session_that_shows_something_is_made_short(name: str) -> None:
    shows, lines = SHOWN[name]
    assert short(shows) == lines


@pytest.mark.parametrize(("number", "least"), [(1000, 37), (88.25, 37.0), (-500, -37), (5, 5), (2.5, 2.5)])
def test_numbers_become_the_smallest(number: float, least: float) -> None:
    long = Recording(0, BEGIN, None, ((SetState(("session", "partySize"), number),),))

    def shows(visit: Recording) -> bool:
        return any(isinstance(action, SetState) and abs(action.value) >= abs(least) for action in actions(visit))

    assert short(shows, long) == (f"set session.partySize {least}",)


def test_quantities_become_the_smallest() -> None:
    long = Recording(0, BEGIN, None, ((add("Cookie", 900),),))

    def shows(visit: Recording) -> bool:
        return sum(action.line_item.quantity for action in actions(visit) if hasattr(action, "line_item")) > 41

    assert short(shows, long) == ("add 42 Burger",)


def test_the_seed_the_language_and_the_time_become_plain() -> None:
    found = shrink(LONG, lambda visit: visit.seed > 2, begin=BEGIN, simpler=simplifier(FOUND.simulation.generators))
    assert (found.seed, found.language, found.begin) == (3, None, BEGIN)


def test_no_single_move_can_be_left_out() -> None:
    def shows(visit: Recording) -> bool:
        return len(actions(visit)) % 2 == 0 and Decline() in actions(visit)

    assert len(short(shows)[0].split("; ")) == 2


def test_the_effort_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrink_module, "MAX_TRIES", 10)
    long = Recording(0, BEGIN, None, tuple((add("Cookie", quantity),) for quantity in range(1, 20)))
    tries = []

    def shows(visit: Recording) -> bool:
        tries.append(visit)
        return visit == long

    short(shows, long)
    assert len(tries) <= 10 + 19 * 20 // 2
