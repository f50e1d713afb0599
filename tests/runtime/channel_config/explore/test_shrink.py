"""The shortest session that still shows something."""

from __future__ import annotations

from collections.abc import Callable

from tests.runtime.channel_config.explore.explore_fixture import search
from tests.runtime.channel_config.session.session_fixture import BEGIN, add
from trialrun.runtime.channel_config.explore.recording import Visit
from trialrun.runtime.channel_config.explore.shrink import MOST_TRIES, shrink
from trialrun.runtime.channel_config.explore.smaller_moves import simpler_in
from trialrun.runtime.channel_config.script import written
from trialrun.runtime.channel_config.session.actions import Decline, Move, Say, SetState, Speak

CONDITION = "order.subtotal > 30.0 && session.channelType in ['KIOSK', 'PHONE']"
FOUND = search(f'- {{priority: 1, celUpsell: {{conditionExpression: "{CONDITION}", suggestedMenuItems: [Fries]}}}}')
LONG = Visit(
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


def moves(visit: Visit) -> list[Move]:
    return [move for turn in visit.turns for move in turn]


def short(shows: Callable[[Visit], bool], visit: Visit = LONG) -> tuple[str, ...]:
    found = shrink(visit, shows, begin=BEGIN, simpler=simpler_in(FOUND.cast.vocabulary))
    return tuple(written(turn, FOUND.menu) for turn in found.turns)


def test_what_is_not_needed_goes() -> None:
    assert short(lambda visit: Decline() in moves(visit)) == ("decline",)


def test_nothing_is_left_where_the_welcome_shows_it() -> None:
    assert short(lambda visit: True) == ()


def test_turns_become_one() -> None:
    assert short(lambda visit: {Decline(), Speak("fr")} <= {*moves(visit)} and Say("hm") in moves(visit)) == (
        "say hm; decline; speak fr",
    )


def test_a_turn_that_only_has_to_be_there_is_a_quiet_one() -> None:
    assert short(lambda visit: len(visit.turns) > 1 and Decline() in visit.turns[1]) == ("say hm", "decline")


def test_two_orders_of_one_thing_become_one() -> None:
    def shows(visit: Visit) -> bool:
        return sum(move.ordered.quantity for move in moves(visit) if hasattr(move, "ordered")) > 4

    assert short(shows) == ("add 5 Burger",)


def test_values_become_the_simplest() -> None:
    def shows(visit: Visit) -> bool:
        return any(isinstance(move, SetState) and move.value for move in moves(visit))

    assert short(shows) == ("set session.channelType KIOSK",)


def test_the_seed_the_language_and_the_time_become_plain() -> None:
    found = shrink(LONG, lambda visit: visit.seed > 2, begin=BEGIN, simpler=simpler_in(FOUND.cast.vocabulary))
    assert (found.seed, found.language, found.begin) == (3, None, BEGIN)


def test_no_single_move_can_be_left_out() -> None:
    def shows(visit: Visit) -> bool:
        return len(moves(visit)) % 2 == 0 and Decline() in moves(visit)

    assert len(short(shows)[0].split("; ")) == 2


def test_the_effort_is_bounded() -> None:
    long = Visit(0, BEGIN, None, tuple((add("Cookie", quantity),) for quantity in range(1, 60)))
    tries = []

    def shows(visit: Visit) -> bool:
        tries.append(visit)
        return visit == long

    short(shows, long)
    assert len(tries) <= MOST_TRIES + 59 * 60 // 2
