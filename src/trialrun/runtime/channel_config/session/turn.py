"""A turn: the state of a session after it, and its results with reasons and origins.

The state is one immutable value that a turn replaces as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, PlainSerializer, computed_field
from pydantic.json_schema import SkipJsonSchema

from trialrun.model.channel_config import UpsellConfig
from trialrun.runtime.channel_config.active_config import FromOrigin
from trialrun.runtime.channel_config.menu import OrderedLine
from trialrun.runtime.channel_config.session.actions import OrderLines
from trialrun.runtime.channel_config.session.cel_state import ClientState
from trialrun.runtime.channel_config.session.condition import EvaluationState, InvalidCondition
from trialrun.serialization import Hidden, Opaque, omits
from trialrun.values.cel import Program, Subexpression

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


def upsell_name(upsell: UpsellConfig) -> str:
    """The name of an upsell in reports: its display name, else its priority."""
    return upsell.displayName or f"priority {upsell.priority}"


UpsellName = Annotated[UpsellConfig, Opaque, PlainSerializer(upsell_name, return_type=str)]
Word = PlainSerializer(str, return_type=str)
TextOrNull = PlainSerializer(str, return_type=str | None)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text of the agent, or an instruction."""

    text: str
    kind: Annotated[UtteranceKind, Word]
    language: str | None
    origin: FromOrigin


@dataclass(frozen=True, slots=True)
class SkipReason:
    """Why an upsell is skipped: a text with the values involved, and a code for programs."""

    text: Annotated[str, Field(serialization_alias="reason")]
    code: Annotated[SkipReasonCode, Word]


@dataclass(frozen=True, slots=True)
class Offer:
    """An upsell that is offered; a suggestion is only shown."""

    upsell: UpsellName
    kind: OfferKind
    utterance: Annotated[
        Utterance | None,
        PlainSerializer(lambda utterance: utterance and utterance.text, return_type=str | None),
        Field(serialization_alias="message", description="the text; null if the conversational model words it"),
    ]
    message: Annotated[str | None, Field(serialization_alias="message_name")]
    items: tuple[str, ...]
    modifiers: tuple[str, ...]
    reason: str
    origin: FromOrigin


@dataclass(slots=True)
class SkippedUpsell:
    """An upsell that is not offered, and why."""

    upsell: UpsellName
    reason: str
    code: Annotated[SkipReasonCode, Word, Field(description="see the table of codes in trialrun docs session")]
    explain: Annotated[
        Callable[[], Iterable[SkipReason]],
        Opaque,
        PlainSerializer(lambda explain: list(islice(explain(), 1, None)), return_type=list[SkipReason]),
        Field(serialization_alias="further"),
    ] = field(repr=False, compare=False)
    """Computes every reason for the state of that turn, the deciding one first."""
    origin: FromOrigin

    @property
    def reasons(self) -> tuple[SkipReason, ...]:
        """Every reason, the deciding one first; they are computed on demand."""
        return tuple(self.explain())


@dataclass(slots=True)
class EvaluatedCondition:
    """The condition of an upsell in a turn."""

    upsell: UpsellName
    value: Annotated[bool | None, Field(description="null if the evaluation fails")]
    error: Annotated[str | SkipJsonSchema[None], Field(default=None)]
    origin: FromOrigin
    program: Annotated[Program | InvalidCondition, Opaque, Hidden]
    state: Annotated[EvaluationState | None, Opaque, Hidden]
    """What it was evaluated on, if it can be."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def parts(self) -> tuple[Annotated[Subexpression, omits("error")], ...]:
        """Every part of the condition with its value, outer parts first."""
        return self.state.parts(self.program) if self.state and isinstance(self.program, Program) else ()

    def evaluate_instead(self, text: str) -> bool | None:
        """The value of another text on the same state; None if it fails."""
        return self.state.value(text) if self.state and isinstance(self.program, Program) else None


@dataclass(frozen=True, slots=True)
class MappedTerm:
    """A customer term that was recognized."""

    term: str
    heard: str
    kind: MappedTermKind
    targets: tuple[OrderedLine, ...]
    """Order lines; a single target is added to the order."""
    instruction: str | None
    origin: FromOrigin


@dataclass(frozen=True)
class Turn:
    """A turn of a session."""

    number: Annotated[int, Field(serialization_alias="turn", ge=0, description="0 is the welcome")]
    """Before any customer action."""
    customer: Annotated[str, TextOrNull]
    language: Annotated[str, TextOrNull]
    utterances: Annotated[Sequence[Utterance], Field(serialization_alias="said")]
    offers: Annotated[Sequence[Offer], Field(serialization_alias="offered")]
    skipped: Annotated[Sequence[SkippedUpsell], Field(serialization_alias="passed_over")]
    conditions: Sequence[Annotated[EvaluatedCondition, omits("error")]]
    mapped_terms: Annotated[Sequence[MappedTerm], Field(serialization_alias="mapped")]
    order: Annotated[Sequence[OrderedLine], Field(description="after the turn")]
    finished: bool
    silence: Annotated[str | None, Field(description="why there is no greeting")]


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
