"""What a search found: shares of offers, and surprises, each with what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.profile import Habits
from trialrun.runtime.channel_config.explore.recording import Visit

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.origin import Origin

SurpriseKind = Literal[
    "condition-error",
    "never-offered",
    "offered-twice",
    "offered-in-order",
    "no-message",
    "other-language",
    "modifies-order",
    "limit-never-reached",
    "condition-always-true",
]
Weight = Literal["error", "warning", "note"]
WEIGHTS: dict[SurpriseKind, Weight] = {
    "condition-error": "error",
    "never-offered": "warning",
    "offered-twice": "warning",
    "offered-in-order": "warning",
    "no-message": "warning",
    "other-language": "warning",
    "modifies-order": "note",
    "limit-never-reached": "note",
    "condition-always-true": "note",
}
"""How much a surprise weighs: what fails, what is hardly meant, and what may well be meant; in the order of reports."""


ASSUMPTIONS = ("explore-sessions", "explore-habits", "explore-values", "explore-surprises", "explore-never")
"""The rows of docs/assumptions.md that every search rests on."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What kept an upsell back: the reason's code, in how many sessions and in how many turns."""

    code: str
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class Example:
    """The shortest session that shows something, and the turn in which it does; `shows` says what, if not plain.

    `lines` are its script, a line for each turn. It is not the `shortest` where the search was ended before.
    """

    visit: Visit
    lines: tuple[str, ...]
    turn: int
    shows: str = ""
    shortest: bool = True


@dataclass(frozen=True, slots=True)
class Surprise:
    """Something that whoever wrote the configs may not expect.

    `sessions` is in how many it was seen. What was never seen has no such number: it is `certain` where it follows
    from the config, else `kept` is what kept an upsell back, the most often first, and `near` how near it was.
    `upsells` are those that it is about, as reports call them.
    """

    kind: SurpriseKind
    message: str
    origin: Origin | None = None
    sessions: int = 0
    example: Example | None = None
    certain: bool = False
    kept: tuple[Kept, ...] = ()
    near: str = ""
    upsells: tuple[str, ...] = ()

    @property
    def weight(self) -> Weight:
        """How much it weighs."""
        return WEIGHTS[self.kind]


@dataclass(frozen=True, slots=True)
class Share:
    """In how many sessions an upsell was offered, accepted and declined, and what kept it back the most often."""

    upsell: UpsellConfig
    kind: Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]
    origin: Origin
    offered: int
    accepted: int
    declined: int
    kept: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a search found in `sessions` of the `wanted` sessions; fewer where it was interrupted."""

    store: str
    seed: int
    begin: datetime
    wanted: int
    sessions: int
    turns: int
    most_turns: int
    habits: Habits
    shares: Sequence[Share] = ()
    surprises: Sequence[Surprise] = ()
    assumptions: Sequence[str] = ASSUMPTIONS
