"""Result types of an exploration: offer shares and anomalies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.profile import CustomerProfile
from trialrun.runtime.channel_config.explore.recording import Recording

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.effective import Origin

AnomalyKind = Literal[
    "condition-error",
    "never-offered",
    "offered-twice",
    "offered-in-order",
    "no-message",
    "other-language",
    "unavailable-item",
    "modifies-order",
    "limit-never-reached",
    "condition-always-true",
]
AnomalySeverity = Literal["error", "warning", "note"]
SEVERITIES: dict[AnomalyKind, AnomalySeverity] = {
    "condition-error": "error",
    "never-offered": "warning",
    "offered-twice": "warning",
    "offered-in-order": "warning",
    "no-message": "warning",
    "other-language": "warning",
    "unavailable-item": "warning",
    "modifies-order": "note",
    "limit-never-reached": "note",
    "condition-always-true": "note",
}
"""How much a surprise weighs: what fails, what is hardly meant, and what may well be meant; in the order of reports."""


ASSUMPTIONS = ("explore-sessions", "explore-habits", "explore-values", "explore-surprises", "explore-never")
"""The rows of docs/assumptions.md that every search rests on."""


@dataclass(frozen=True, slots=True)
class SkipCount:
    """What kept an upsell back: the reason's code, in how many sessions and in how many turns."""

    code: str
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class Example:
    """The shortest session that shows something, and the turn in which it does; `shows` says what, if not plain.

    `lines` are its script, a line for each turn. It is not the `shortest` where the search was ended before.
    """

    recording: Recording
    lines: tuple[str, ...]
    turn: int
    shows: str = ""
    shortest: bool = True


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something that anyone who wrote the configs may not expect.

    `sessions` is in how many it was seen. What was never seen has no such number: it is `is_certain` where it follows
    from the config, else `skip_counts` is what kept an upsell back, the most often first, and `near` how near it was.
    `upsells` are those that it is about, as reports call them.
    """

    kind: AnomalyKind
    message: str
    origin: Origin | None = None
    sessions: int = 0
    example: Example | None = None
    is_certain: bool = False
    skip_counts: tuple[SkipCount, ...] = ()
    near_miss: str = ""
    upsells: tuple[str, ...] = ()

    @property
    def severity(self) -> AnomalySeverity:
        """How much it weighs."""
        return SEVERITIES[self.kind]


@dataclass(frozen=True, slots=True)
class OfferShare:
    """In how many sessions an upsell was offered, accepted and declined, and what kept it back the most often."""

    upsell: UpsellConfig
    kind: Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]
    origin: Origin
    offered: int
    accepted: int
    declined: int
    skip_counts: tuple[SkipCount, ...]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a search found in `sessions` of the `wanted` sessions; fewer where it was interrupted."""

    store: str
    seed: int
    begin: datetime
    requested_sessions: int
    sessions: int
    turns: int
    most_turns: int
    profile: CustomerProfile
    shares: Sequence[OfferShare] = ()
    anomalies: Sequence[Anomaly] = ()
    assumptions: Sequence[str] = ASSUMPTIONS
