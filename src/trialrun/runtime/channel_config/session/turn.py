"""What the agent does in a turn, with the reasons and the origins of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.values.cel import Part

SaidKind = Literal["greeting", "greeting-offer", "closing-offer", "question", "invalid-item", "instruction"]
OfferKind = Literal["greeting-offer", "upsell", "closing-offer", "suggestion"]
MappedKind = Literal["SINGLE_TARGET", "INVALID_ITEM", "DISAMBIGUATION"]
ReasonCode = Literal[
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
]
"""Why an upsell is passed over; `docs/session.md` has a row for each."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text that the agent says, or is told to go by, and where it comes from."""

    text: str
    kind: SaidKind
    language: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an upsell is passed over: a code for programs, and words with the values in them for people."""

    code: ReasonCode
    text: str


@dataclass(frozen=True, slots=True)
class Offered:
    """An upsell that is made: its items by name, suggested modifiers, the words where the config has them, and why.

    `said` is None for a CEL upsell, whose words the conversational model finds. A `suggestion` is only shown.
    """

    upsell: UpsellConfig
    kind: OfferKind
    items: tuple[str, ...]
    modifiers: tuple[str, ...]
    message: str | None
    said: Said | None
    reason: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An upsell whose moment this is and that is not made: the reason that decides, and `further` ones."""

    upsell: UpsellConfig
    reason: Reason
    origin: Origin
    further: tuple[Reason, ...] = ()

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Every reason, the one that decides first."""
        return (self.reason, *self.further)


@dataclass(frozen=True)
class Condition:
    """The condition of a CEL upsell at a turn: its value, or the error that it met; its parts are worked out on demand.

    `trace` gives the parts for the state of that turn, `instead` what another text would have come to, None where it
    fails.
    """

    upsell: UpsellConfig
    value: bool | None
    error: str | None
    origin: Origin
    trace: Callable[[], tuple[Part, ...]]
    instead: Callable[[str], bool | None] = field(default=lambda text: None, repr=False)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every part of the condition with its value, outer parts first."""
        return self.trace()


@dataclass(frozen=True, slots=True)
class Mapped:
    """A customer term that was heard, and what it means: `targets` are order lines, added for a single target."""

    term: str
    heard: str
    kind: MappedKind
    targets: tuple[Ordered, ...]
    instruction: str | None
    origin: Origin


@dataclass(frozen=True)
class Turn:
    """A turn: 0 is the welcome, before the customer did anything; `order` is the order after it.

    `silence` is why nobody is greeted at the welcome, None where somebody is and in later turns.
    """

    number: int
    customer: str
    language: str
    said: Sequence[Said] = ()
    offered: Sequence[Offered] = ()
    passed_over: Sequence[PassedOver] = ()
    conditions: Sequence[Condition] = ()
    mapped: Sequence[Mapped] = ()
    order: Sequence[Ordered] = ()
    finished: bool = False
    silence: str | None = None


def called(upsell: UpsellConfig) -> str:
    """What reports call an upsell: its display name, else its priority."""
    return upsell.displayName or f"priority {upsell.priority}"
