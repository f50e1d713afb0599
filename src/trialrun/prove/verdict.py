"""What a question is about and what is answered: the situation of a store, a witness, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from trialrun.runtime.channel_config.active_config import Origin
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.menu import BrandMenu, Item, OrderLineItem
from trialrun.runtime.channel_config.session.actions import OrderLine, subtotal
from trialrun.runtime.channel_config.session.cel_state import (
    ClientState,
    SessionValues,
    StateBuilder,
    with_client_value,
)
from trialrun.values.cel import Schema

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a proof reaches; every verdict that rests on one names it.

    `lines` of an order, `turns` of a session, and `days` after `begin` in which it starts.
    """

    lines: int = 200
    turns: int = 1000
    days: int = 370


@dataclass(frozen=True, slots=True)
class Situation:
    """What is the same for all sessions that a question is about: the menu, the session types and the store.

    `begin` is the first time at which sessions start, `languages` those that customers speak beside the ones that
    conditions name. `unpriced` are the items whose price the menu lacks; a total with one of them is not known.
    """

    menu: BrandMenu
    schema: Schema
    store: str = ""
    begin: datetime = datetime(2027, 1, 1, tzinfo=UTC)
    languages: tuple[str, ...] = ()
    bounds: Bounds = Bounds()
    unpriced: frozenset[Item] = frozenset()


@dataclass(frozen=True, slots=True)
class Witness:
    """A state of a session that shows what was asked for: its order, what the client sent, and where it stands.

    `sent` has the values of the client by path; paths that are not sent are not in it.
    """

    lines: tuple[OrderLineItem, ...] = ()
    sent: Mapping[Path, Any] = field(default_factory=dict)
    turn: int = 1
    offers: int = 0
    declines: int = 0
    language: str = ""
    start: datetime = datetime(2027, 1, 1, tzinfo=UTC)

    def activation(self, builder: StateBuilder, store: str) -> Any:
        """The state of the witness as the engine takes it. Raises TypeMismatch where the client cannot send it."""
        sent: ClientState = ()
        for path, value in self.sent.items():
            sent = with_client_value(sent, path, value, [builder])
        lines = tuple(OrderLine(f"line-{number}", line) for number, line in enumerate(self.lines, start=1))
        values: SessionValues = {
            "order": {"subtotal": subtotal(lines)},
            "session": {
                "store": store,
                "languageCode": self.language,
                "turn": self.turn,
                "upsellOffers": self.offers,
                "upsellDeclines": self.declines,
                "startTime": self.start,
            },
        }
        return builder.activation(values, lines, sent)


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of a condition that is not decided, and why; `start` and `end` are code points of `condition`."""

    condition: str
    start: int
    end: int
    reason: str

    @property
    def text(self) -> str:
        """The part as it is written."""
        return self.condition[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Never:
    """Proved: no state of a session within the premises does what was asked for.

    `core` names the facts of `Encoding.decide` that the proof needs.
    """

    premises: tuple[str, ...] = ()
    core: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Possible:
    """The least state that does what was asked for, confirmed by the product's own engine."""

    witness: Witness
    premises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not decided: the parts that are not understood, or why the solver or the witness did not decide."""

    reason: str
    parts: tuple[UnknownPart, ...] = ()
    premises: tuple[str, ...] = ()


Verdict = Never | Possible | Unknown
Question = Literal["offered", "condition-true", "condition-fails", "redundant-operand"]
Word = Literal["never", "possible", "unknown"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is proved of an upsell, or of a condition without one: `upsell` is its name, empty for a condition.

    `never` is a proof; `possible` has the session that was played as `example`; `unknown` has the `parts` that are not
    understood. `why` is the reason of a proof that nothing offers the upsell. `related` are the places that a proof
    needs beside the `origin`.
    """

    question: Question
    upsell: str
    verdict: Word
    message: str
    origin: Origin | None = None
    related: tuple[tuple[str, Origin], ...] = ()
    example: Example | None = None
    premises: tuple[str, ...] = ()
    parts: tuple[UnknownPart, ...] = ()
    why: str = ""

    @property
    def severity(self) -> Literal["error", "warning", "note"] | None:
        """How much it weighs: a condition that can fail, what never happens, what is superfluous or not decided."""
        if self.verdict == "unknown" or self.question == "redundant-operand":
            return "note"
        if self.question == "condition-fails":
            return "error" if self.verdict == "possible" else None
        return "warning" if self.verdict == "never" else None
