"""Sessions at a store: those of random customers, written down move by move, and those played again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.generators import Vocabulary
from trialrun.runtime.channel_config.explore.profile import Habits
from trialrun.runtime.channel_config.explore.recording import QUIET, Moves, Visit, is_silent
from trialrun.runtime.channel_config.explore.rng import Chance
from trialrun.runtime.channel_config.explore.simulated_customer import Customer
from trialrun.runtime.channel_config.session.actions import CannotMove, Move
from trialrun.runtime.channel_config.session.turn import Turn

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.session import Session

Opened = Callable[[Visit], "Session"]
"""The session of a visit, of which nothing was played yet."""
PLAIN = 0.5
"""How often a session begins at the time that is given, where conditions read the time."""
HOURS = range(24 * 7)
LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Played:
    """A session that was played: what the customer did, and what the agent did in every turn from the welcome on."""

    visit: Visit
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who comes, and when: the customers' words and habits, the time, and how many turns a session has at most."""

    vocabulary: Vocabulary
    habits: Habits
    begin: datetime
    turns: int
    seed: int

    def session(self, number: int, opened: Opened) -> Played:
        """The session of a number, from 0: the same for the same seed, whatever was played before."""
        chance = Chance(self.seed, number)
        customer = Customer(chance, self.vocabulary, self.habits)
        visit = Visit(self.seed + number, self._begin(chance), customer.language(), ())
        session = opened(visit)
        turns = [session.welcome()]
        made: list[Moves] = []
        for left in range(self.turns, 0, -1):
            moves, turn = _moved(session, customer.moves(turns[-1], left))
            if turn is None:
                break
            made.append((*moves, QUIET) if not made and is_silent(moves) else moves)  # as a script has it
            turns.append(turn)
        return Played(replace(visit, turns=tuple(made)), tuple(turns))

    def _begin(self, chance: Chance) -> datetime:
        if not self.vocabulary.times or chance.happens(PLAIN):
            return self.begin
        later = timedelta(hours=chance.among(HOURS))
        return self.begin + later if later <= LAST - self.begin else self.begin


def _moved(session: Session, moves: Moves) -> tuple[Moves, Turn | None]:
    """The turn of some moves without those that the session does not allow; None where none is left."""
    while moves:
        try:
            return moves, session.turn(moves)
        except CannotMove as refusal:
            moves = _without(moves, refusal.move)
    return (), None


def _without(moves: Moves, refused: Move) -> Moves:
    at = next((index for index, one in enumerate(moves) if one is refused), len(moves) - 1)
    return moves[:at] + moves[at + 1 :]


def again(visit: Visit, opened: Opened) -> Played:
    """The session of a visit. Raises CannotMove."""
    session = opened(visit)
    turns = [session.welcome()]
    turns += [session.turn(moves) for moves in visit.turns]
    return Played(visit, tuple(turns))
