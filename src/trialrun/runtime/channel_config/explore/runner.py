"""Runs sessions of simulated customers, and replays recorded sessions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.generators import Generators
from trialrun.runtime.channel_config.explore.profile import CustomerProfile
from trialrun.runtime.channel_config.explore.recording import NO_OP, Recording, TurnActions, only_sets_state
from trialrun.runtime.channel_config.explore.rng import Rng
from trialrun.runtime.channel_config.explore.simulated_customer import SimulatedCustomer
from trialrun.runtime.channel_config.session.actions import Action, ActionError
from trialrun.runtime.channel_config.session.turn import Turn

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.session import Session

OpenSession = Callable[[Recording], "Session"]
"""The session of a visit, of which nothing was played yet."""
DEFAULT_TIME_SHARE = 0.5
"""How often a session begins at the time that is given, where conditions read the time."""
HOUR_OFFSETS = range(24 * 7)
MAX_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session that was played: what the customer did, and what the agent did in every turn from the welcome on."""

    recording: Recording
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Simulation:
    """Who comes, and when: the customers' words and habits, the time, and how many turns a session has at most.

    `rng` is how chance is drawn.
    """

    generators: Generators
    profile: CustomerProfile
    begin: datetime
    turns: int
    seed: int
    rng: type[Rng] = Rng

    def play(self, number: int, open_session: OpenSession) -> PlayedSession:
        """The session of a number, from 0: the same for the same seed, whatever was played before."""
        rng = self.rng(self.seed, number)
        customer = SimulatedCustomer(rng, self.generators, self.profile)
        recording = Recording(self.seed + number, self._begin(rng), customer.language(), ())
        session = open_session(recording)
        turns = [session.welcome()]
        turn_actions: list[TurnActions] = []
        for turns_left in range(self.turns, 0, -1):
            actions, turn = _play_turn(session, customer.actions(turns[-1], turns_left))
            if turn is None:
                break
            turn_actions.append(
                (*actions, NO_OP) if not turn_actions and only_sets_state(actions) else actions
            )  # as a script has it
            turns.append(turn)
        return PlayedSession(replace(recording, turns=tuple(turn_actions)), tuple(turns))

    def play_beside(
        self, other: PlayedSession, number: int, open_session: OpenSession, is_same: Callable[[Turn, Turn], bool]
    ) -> PlayedSession:
        """The session of a number by a customer who does what another one of the number did, while all is the same.

        That is what `play` gives where draws depend on the turn alone, in less time.
        """
        session = open_session(other.recording)
        turns = [session.welcome()]
        turn_actions: list[TurnActions] = []
        for actions in other.recording.turns:
            if not is_same(other.turns[len(turn_actions)], turns[-1]):
                break
            turns.append(session.turn(actions))
            turn_actions.append(actions)
        if len(turns) == len(other.turns) and is_same(other.turns[-1], turns[-1]):
            return PlayedSession(other.recording, tuple(turns))
        customer = SimulatedCustomer(self.rng(self.seed, number), self.generators, self.profile)
        for turns_left in range(self.turns - len(turn_actions), 0, -1):
            played, turn = _play_turn(session, customer.actions(turns[-1], turns_left))
            if turn is None:
                break
            turn_actions.append((*played, NO_OP) if not turn_actions and only_sets_state(played) else played)
            turns.append(turn)
        return PlayedSession(replace(other.recording, turns=tuple(turn_actions)), tuple(turns))

    def _begin(self, rng: Rng) -> datetime:
        if not self.generators.varies_start_time or rng.happens(DEFAULT_TIME_SHARE):
            return self.begin
        later = timedelta(hours=rng.choose(HOUR_OFFSETS))
        return self.begin + later if later <= MAX_TIME - self.begin else self.begin


def _play_turn(session: Session, actions: TurnActions) -> tuple[TurnActions, Turn | None]:
    """The turn of some moves without those that the session does not allow; None if none is left."""
    while actions:
        try:
            return actions, session.turn(actions)
        except ActionError as error:
            actions = _without(actions, error.action)
    return (), None


def _without(actions: TurnActions, rejected: Action) -> TurnActions:
    position = next((index for index, action in enumerate(actions) if action is rejected), len(actions) - 1)
    return actions[:position] + actions[position + 1 :]


def replay(recording: Recording, open_session: OpenSession) -> PlayedSession:
    """The session of a visit. Raises ActionError."""
    session = open_session(recording)
    turns = [session.welcome()]
    turns += [session.turn(actions) for actions in recording.turns]
    return PlayedSession(recording, tuple(turns))
