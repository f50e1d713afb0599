"""Result of an exploration: offer shares, anomalies, and what no session reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.runner import OccurrenceKind, PlayedSession
from trialrun.runtime.channel_config.explore.simulated_customer import CustomerProfile, Recording
from trialrun.runtime.channel_config.session.actions import Accept, Decline

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.effective import Origin


@dataclass(slots=True)
class UpsellStatistics:
    """The sessions in which an upsell was offered, accepted, declined; and what else became of it, turn by turn.

    `skips` counts turns by reason, `sessions_skipped` sessions; `values` what its condition came to,
    `evaluated_sessions` the sessions in which it was looked at.
    """

    offered: int = 0
    accepted: int = 0
    declined: int = 0
    skips: Counter[str] = field(default_factory=Counter)
    sessions_skipped: Counter[str] = field(default_factory=Counter)
    values: Counter[bool | None] = field(default_factory=Counter)
    evaluated_sessions: int = 0


@dataclass(slots=True)
class Statistics:
    """The counts of each upsell by its place in the strategy, and of sessions by the reasons met there.

    `first_session` has the number of the first session in which a reason kept an upsell back.
    """

    positions: Mapping[int, int]
    upsells: list[UpsellStatistics]
    sessions: int = 0
    turns: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    first_session: dict[tuple[int, str], int] = field(default_factory=dict)

    def add(self, session: PlayedSession) -> None:
        """Count a session; upsells are distinguished by identity, as all sessions are of one configuration.

        An offer is answered in the turn after it.
        """
        offered: set[int] = set()
        evaluated: set[int] = set()
        reasons_met: set[tuple[int, str]] = set()
        for number, turn in enumerate(session.turns):
            offered.update(self.positions[id(offer.upsell)] for offer in turn.offers)
            for condition in turn.conditions:
                position = self.positions[id(condition.upsell)]
                self.upsells[position].values[condition.value] += 1
                evaluated.add(position)
            for skipped in turn.skipped:
                position, code = self.positions[id(skipped.upsell)], skipped.reason.code
                self.upsells[position].skips[code] += 1
                reasons_met.add((position, code))
            offers = [offer for offer in turn.offers if offer.kind != "suggestion"]
            if offers and number < len(session.recording.turns):
                counts, answer = self.upsells[self.positions[id(offers[-1].upsell)]], session.recording.turns[number]
                counts.accepted += any(isinstance(move, Accept) for move in answer)
                counts.declined += any(isinstance(move, Decline) for move in answer)
        for position in evaluated:
            self.upsells[position].evaluated_sessions += 1
        for position in offered:
            self.upsells[position].offered += 1
        for met in reasons_met:
            self.upsells[met[0]].sessions_skipped[met[1]] += 1
            self.first_session.setdefault(met, self.sessions)
        self.reasons.update({code for _, code in reasons_met})
        self.sessions += 1
        self.turns += len(session.turns) - 1


AnomalyKind = (
    OccurrenceKind | Literal["never-offered", "modifies-order", "limit-never-reached", "condition-always-true"]
)
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
    from the config, else `skip_counts` is what kept an upsell back, the most often first, and `near_miss` how near it
    was. `upsells` are those that it is about, as reports call them.
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
    """What a search found in `sessions` of the `requested_sessions`; fewer where it was interrupted."""

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


def skip_counts(counts: UpsellStatistics) -> tuple[SkipCount, ...]:
    """What kept an upsell back, the most often first."""
    counts_by_reason = [SkipCount(code, counts.sessions_skipped[code], turns) for code, turns in counts.skips.items()]
    return tuple(sorted(counts_by_reason, key=lambda skip: (-skip.sessions, -skip.turns, skip.code)))
