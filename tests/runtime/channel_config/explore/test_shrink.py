"""The shortest session that still shows something."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtime.channel_config.explore.explore_fixture import search
from tests.runtime.channel_config.session.session_fixture import BEGIN, add
from trialrun.runtime.channel_config.explore import shrink as shrink_module
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import Recording
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.actions import Action, Decline, Say, SetState, Speak

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


def test_what_is_not_needed_goes() -> None:
    assert short(lambda visit: Decline() in actions(visit)) == ("decline",)


def test_nothing_is_left_where_the_welcome_shows_it() -> None:
    assert short(lambda visit: True) == ()


def test_turns_become_one() -> None:
    assert short(lambda visit: {Decline(), Speak("fr")} <= {*actions(visit)} and Say("hm") in actions(visit)) == (
        "say hm; decline; speak fr",
    )


def test_a_turn_that_only_has_to_be_there_is_a_quiet_one() -> None:
    assert short(lambda visit: len(visit.turns) > 1 and Decline() in visit.turns[1]) == ("say hm", "decline")


def test_two_orders_of_one_thing_become_one() -> None:
    def shows(visit: Recording) -> bool:
        return sum(action.line_item.quantity for action in actions(visit) if hasattr(action, "line_item")) > 4

    assert short(shows) == ("add 5 Burger",)


def test_values_become_the_simplest() -> None:
    def shows(visit: Recording) -> bool:
        return any(isinstance(action, SetState) and action.value for action in actions(visit))

    assert short(shows) == ("set session.channelType KIOSK",)


@pytest.mark.parametrize(("number", "least"), [(1000, 37), (88.25, 37.0), (-500, -37), (5, 5), (2.5, 2.5)])
def test_numbers_become_the_smallest(number: float, least: float) -> None:
    path = ("session", "partySize")
    long = Recording(0, BEGIN, None, ((SetState(path, number),),))

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
