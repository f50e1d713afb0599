"""A session that was played, as it can be played again."""

from __future__ import annotations

from datetime import datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.actions import Move, Say, SetState

Moves = tuple[Move, ...]
QUIET = Say("hm")
"""The simplest move of all: it changes nothing, and makes a turn."""


def is_silent(moves: Moves) -> bool:
    """Whether a customer does nothing in a turn but set values: at the beginning of a script that is no turn."""
    return all(isinstance(move, SetState) for move in moves)


@dataclass(frozen=True, slots=True)
class Visit:
    """What makes a session: its seed, when it begins and in which language, and the customer's moves turn by turn."""

    seed: int
    begin: datetime
    language: str | None
    turns: tuple[Moves, ...]

    @property
    def moves(self) -> int:
        """How many moves the customer makes."""
        return sum(map(len, self.turns))

    @property
    def size(self) -> tuple[int, int]:
        """The fewer turns, then the fewer moves, the shorter."""
        return len(self.turns), self.moves
