"""Session state: one immutable value that a turn replaces as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.cel_state import ClientState
from trialrun.runtime.channel_config.session.order import OrderLines

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer


@dataclass(frozen=True, slots=True)
class CartLimit:
    """When the order first had more items than maxItemsInCart, and how many."""

    turn: int
    items: int


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session after a turn.

    `time` is the local time at which the session began. `number` is the turn's, -1 before the welcome. `next_line`
    numbers the order lines. `offered_in_turn` has the turn in which the upsell at a place of the plan was made.
    `open_offer` is the offer that waits for an answer, `suggestions` are suggestions that can be taken, `questions`
    what the agent asked and nobody answered. `previous` is the real upsell of the last turn.
    """

    language: str | None
    time: datetime = field(default=datetime.min, compare=False)
    client_state: ClientState = ()
    number: int = -1
    lines: OrderLines = ()
    next_line_number: int = 1
    offers: int = 0
    declines: int = 0
    offered_in_turn: Mapping[int, int] = field(default_factory=dict)
    open_offer: Offer | None = None
    suggestions: tuple[Offer, ...] = ()
    questions: tuple[MappedTerm, ...] = ()
    previous: UpsellConfig | None = None
    cart_limit: CartLimit | None = None
    finished: bool = False
