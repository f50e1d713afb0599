"""Recording of a session, for replay."""

from __future__ import annotations

from datetime import datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.actions import Action, Say, SetState

TurnActions = tuple[Action, ...]
NO_OP = Say("hm")
"""The simplest move of all: it changes nothing, and makes a turn."""


def only_sets_state(actions: TurnActions) -> bool:
    """Whether a customer does nothing in a turn but set values: at the beginning of a script that is not a turn."""
    return all(isinstance(action, SetState) for action in actions)


@dataclass(frozen=True, slots=True)
class Recording:
    """What makes a session: its seed, when it begins and in which language, and the customer's moves turn by turn."""

    seed: int
    begin: datetime
    language: str | None
    turns: tuple[TurnActions, ...]

    @property
    def action_count(self) -> int:
        """How many moves the customer makes."""
        return sum(map(len, self.turns))

    @property
    def size(self) -> tuple[int, int]:
        """The fewer turns, then the fewer moves, the shorter."""
        return len(self.turns), self.action_count
