"""A turn: the state of a session after it, and its results with reasons and origins.

The state is one immutable value that a turn replaces as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.actions import OrderLines
from trialrun.runtime.channel_config.session.cel_state import ClientState
from trialrun.runtime.channel_config.session.condition import EvaluationState, InvalidCondition
from trialrun.values.cel import Program, Subexpression

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import Origin

UtteranceKind = Literal["greeting", "greeting-offer", "closing-offer", "question", "invalid-item", "instruction"]
OfferKind = Literal["greeting-offer", "upsell", "closing-offer", "suggestion"]
MappedTermKind = Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"]
SkipReasonCode = Literal[
    "disabled",
    "listen-only",
    "max-offers",
    "max-declines",
    "max-items",
    "previous-turn",
    "multi-quantity",
    "offered-before",
    "condition-false",
    "condition-error",
    "less-favored",
    "skip-term",
    "frequency",
    "no-language",
    "unavailable",
]
"""Why an upsell is skipped; `docs/session.md` has a row for each."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text that the agent says, or an instruction, with its origin."""

    text: str
    kind: UtteranceKind
    language: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class SkipReason:
    """Why an upsell is skipped: a code for programs, and a text with the values involved."""

    code: SkipReasonCode
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """An offered upsell: its items by name, suggested modifiers, the text if the config has one, and the reason.

    `utterance` is None for a CEL upsell, whose text the conversational model generates. A `suggestion` is only shown.
    """

    upsell: UpsellConfig
    kind: OfferKind
    items: tuple[str, ...]
    modifiers: tuple[str, ...]
    message: str | None
    utterance: Utterance | None
    reason: str
    origin: Origin


class SkippedUpsell(NamedTuple):
    """An upsell that could be offered in this turn but is not: the deciding reason, and `further` ones.

    `explain` computes every reason for the state of that turn, the deciding one first.
    """

    upsell: UpsellConfig
    reason: SkipReason
    origin: Origin
    explain: Callable[[], Iterable[SkipReason]]

    @property
    def reasons(self) -> tuple[SkipReason, ...]:
        """Every reason, the deciding one first; they are computed on demand."""
        return tuple(self.explain())

    @property
    def further(self) -> tuple[SkipReason, ...]:
        """The reasons after the deciding one."""
        return self.reasons[1:]


class EvaluatedCondition(NamedTuple):
    """The condition of a CEL upsell in a turn: its value or error; its parts are computed on demand.

    `state` is the one that it was evaluated on, if it can be.
    """

    upsell: UpsellConfig
    value: bool | None
    error: str | None
    origin: Origin
    program: Program | InvalidCondition
    state: EvaluationState | None

    @property
    def parts(self) -> tuple[Subexpression, ...]:
        """Every part of the condition with its value, outer parts first."""
        return self.state.parts(self.program) if self.state and isinstance(self.program, Program) else ()

    def evaluate_instead(self, text: str) -> bool | None:
        """The value of another text on the same state; None if it fails."""
        return self.state.value(text) if self.state and isinstance(self.program, Program) else None


@dataclass(frozen=True, slots=True)
class MappedTerm:
    """A recognized customer term and its meaning: `targets` are order lines; a single target is added to the order."""

    term: str
    heard: str
    kind: MappedTermKind
    targets: tuple[OrderLineItem, ...]
    instruction: str | None
    origin: Origin


class Turn(NamedTuple):
    """A turn: 0 is the welcome, before any customer action; `order` is the order after it.

    `silence` is the reason why there is no greeting in the welcome; None if there is one, and in later turns.
    """

    number: int
    customer: str
    language: str
    utterances: Sequence[Utterance] = ()
    offers: Sequence[Offer] = ()
    skipped: Sequence[SkippedUpsell] = ()
    conditions: Sequence[EvaluatedCondition] = ()
    mapped_terms: Sequence[MappedTerm] = ()
    order: Sequence[OrderLineItem] = ()
    finished: bool = False
    silence: str | None = None


def upsell_name(upsell: UpsellConfig) -> str:
    """The name of an upsell in reports: its display name, else its priority."""
    return upsell.displayName or f"priority {upsell.priority}"


class SessionState(NamedTuple):
    """A session after a turn.

    `time` is the local time at which the session began. `number` is the turn's, -1 before the welcome.
    `next_line_number` numbers the order lines. `offered_in_turn` has the turn in which the upsell at a place of the
    plan was made. `open_offer` is the offer that waits for an answer, `suggestions` are suggestions that can be taken,
    `questions` what the agent asked and nobody answered. `previous` is the real upsell of the last turn,
    `cart_limit` the turn in which the order first had more items than maxItemsInCart, and how many.
    """

    language: str | None
    time: datetime = datetime.min
    client_state: ClientState = ()
    number: int = -1
    lines: OrderLines = ()
    next_line_number: int = 1
    offers: int = 0
    declines: int = 0
    offered_in_turn: Mapping[int, int] = {}
    open_offer: Offer | None = None
    suggestions: tuple[Offer, ...] = ()
    questions: tuple[MappedTerm, ...] = ()
    previous: UpsellConfig | None = None
    cart_limit: tuple[int, int] | None = None
    finished: bool = False
