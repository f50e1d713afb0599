"""How far a session is: all that its turns change, in one value, so that a turn is made as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.cel_state import Sent
from trialrun.runtime.channel_config.session.order import Lines

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.session.turn import Mapped, Offered


@dataclass(frozen=True, slots=True)
class Full:
    """When the order first had more items than maxItemsInCart, and how many."""

    turn: int
    items: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A session after a turn.

    `number` is the turn's, -1 before the welcome. `next_line` numbers the order lines. `offered` has the turn in which
    the upsell at a place of the plan was made. `open` is the offer that waits for an answer, `shown` are suggestions
    that can be taken, `questions` what the agent asked and nobody answered. `previous` is the real upsell of the last
    turn.
    """

    language: str | None
    sent: Sent = ()
    number: int = -1
    lines: Lines = ()
    next_line: int = 1
    offers: int = 0
    declines: int = 0
    offered: Mapping[int, int] = field(default_factory=dict)
    open: Offered | None = None
    shown: tuple[Offered, ...] = ()
    questions: tuple[Mapped, ...] = ()
    previous: UpsellConfig | None = None
    full: Full | None = None
    finished: bool = False
