"""The shortest session that still shows something: fewer turns, fewer moves, then simpler ones.

As property-based testers do: pieces are left out as long as what is looked for is still shown. The result does not
depend on chance, and no single move of it can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from trialrun.runtime.channel_config.explore.recording import QUIET, Moves, Visit, is_silent
from trialrun.runtime.channel_config.explore.smaller_moves import Simpler
from trialrun.runtime.channel_config.session.actions import Add, Move, SetState, Speak

Shows = Callable[[Visit], bool]
MOST_TRIES = 600
"""How many sessions are played at most to make one shorter, before single moves are tried a last time."""
SEEDS = 10
"""The seeds, from 0, that are tried in place of another."""


def shrink(visit: Visit, shows: Shows, *, begin: datetime, simpler: Simpler) -> Visit:
    """A session that shows something made as short and simple as it can be; `begin` is the simplest time."""
    tries = _Tries(shows)
    found = visit
    while (better := _pass(found, tries, begin, simpler)) is not found:
        found = better
    tries.left = found.moves * (found.moves + 1) // 2  # enough for any number of moves to go, one in each round
    return _reduced(found, tries, _without_a_move)


class _Tries:
    def __init__(self, shows: Shows) -> None:
        self._shows = shows
        self._known: dict[tuple[object, ...], bool] = {}
        self.left = MOST_TRIES

    def __call__(self, visit: Visit) -> bool:
        key = (visit.seed, visit.begin, visit.language, repr(visit.turns))
        if key not in self._known:
            if self.left <= 0:
                return False
            self.left -= 1
            self._known[key] = self._shows(visit)
        return self._known[key]


def _pass(visit: Visit, tries: _Tries, begin: datetime, simpler: Simpler) -> Visit:
    """One round of everything; the same session where nothing could be made shorter or simpler."""
    found = visit
    for steps in (_without_turns, _without_a_move, _joined, _merged, _spoken, _quieter):
        found = _reduced(found, tries, steps)
    found = _reduced(found, tries, lambda one: _plainer(one, begin))
    return _simpler_moves(found, tries, simpler)


def _reduced(visit: Visit, tries: _Tries, steps: Callable[[Visit], Iterator[Visit]]) -> Visit:
    """The session after every step that still shows it, the first such first, again and again."""
    found = visit
    while (better := next((one for one in steps(found) if tries(one)), None)) is not None:
        found = better
    return found


def _with(visit: Visit, turns: tuple[Moves, ...]) -> Visit:
    return replace(visit, turns=tuple(moves for moves in turns if moves))


def _without_turns(visit: Visit) -> Iterator[Visit]:
    """Without many turns in a row, then fewer, the last ones first."""
    count = len(visit.turns)
    size = count
    while size:
        for start in range(count - size, -1, -1):
            yield _with(visit, visit.turns[:start] + visit.turns[start + size :])
        size //= 2


def _without_a_move(visit: Visit) -> Iterator[Visit]:
    for at, moves in enumerate(visit.turns):
        for index in range(len(moves)):
            yield _at(visit, at, moves[:index] + moves[index + 1 :])


def _at(visit: Visit, at: int, moves: Moves) -> Visit:
    return _with(visit, (*visit.turns[:at], moves, *visit.turns[at + 1 :]))


def _joined(visit: Visit) -> Iterator[Visit]:
    """With two turns made one."""
    for at in range(len(visit.turns) - 1):
        both = visit.turns[at] + visit.turns[at + 1]
        yield _with(visit, (*visit.turns[:at], both, *visit.turns[at + 2 :]))


def _merged(visit: Visit) -> Iterator[Visit]:
    """With two orders of one thing in a turn made one."""
    for at, moves in enumerate(visit.turns):
        for first, second in combinations(range(len(moves)), 2):
            both = _together(moves[first], moves[second])
            if both:
                yield _at(visit, at, (*moves[:first], both, *moves[first + 1 : second], *moves[second + 1 :]))


def _together(one: Move, other: Move) -> Add | None:
    if not (isinstance(one, Add) and isinstance(other, Add)):
        return None
    quantity = one.ordered.quantity + other.ordered.quantity
    same = replace(one.ordered, quantity=1) == replace(other.ordered, quantity=1)
    return Add(replace(one.ordered, quantity=quantity)) if same else None


def _spoken(visit: Visit) -> Iterator[Visit]:
    """With a session that begins in the language in which it would go on."""
    for at, moves in enumerate(visit.turns):
        for index, move in enumerate(moves):
            if isinstance(move, Speak):
                begun = replace(visit, language=move.language)
                yield _at(begun, at, moves[:index] + moves[index + 1 :])


def _quieter(visit: Visit) -> Iterator[Visit]:
    """With a turn in which nothing is done, or values are set alone: any turn will do there."""
    for at, moves in enumerate(visit.turns):
        if moves != (QUIET,):
            yield _at(visit, at, (QUIET,))
        quiet: Moves = (*(move for move in moves if isinstance(move, SetState)), QUIET)
        if moves != quiet and not is_silent(moves):
            yield _at(visit, at, quiet)


def _plainer(visit: Visit, begin: datetime) -> Iterator[Visit]:
    """In the store's language, at the plain time, of an early seed."""
    if visit.language is not None:
        yield replace(visit, language=None)
    if visit.begin != begin:
        yield replace(visit, begin=begin)
    lowest = range(min(SEEDS, visit.seed)) if visit.seed >= 0 else range(SEEDS)
    yield from (replace(visit, seed=seed) for seed in lowest)


def _simpler_moves(visit: Visit, tries: _Tries, simpler: Simpler) -> Visit:
    """With every move as simple as it can be, one after the other."""
    for at, index in [(at, index) for at, moves in enumerate(visit.turns) for index in range(len(moves))]:
        moves = visit.turns[at]
        others = (_at(visit, at, (*moves[:index], other, *moves[index + 1 :])) for other in simpler(moves[index]))
        visit = next(filter(tries, others), visit)
    return visit
