"""Result of an exploration: offer shares, anomalies, and what no session reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.runner import PlayedSession
from trialrun.runtime.channel_config.explore.simulated_customer import CustomerProfile, Recording
from trialrun.runtime.channel_config.session.actions import Accept, Decline
from trialrun.runtime.channel_config.session.turn import Offer
from trialrun.values.cel.syntax_tree import operands

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.effective import Origin
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition
    from trialrun.values.cel import Node


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
        """Count a session; upsells are distinguished by identity, as all sessions are of one configuration."""
        self.sessions += 1
        self.turns += len(session.turns) - 1
        offered: dict[int, Offer] = {}
        reasons_met: dict[tuple[int, str], None] = {}
        evaluated: set[int] = set()
        for turn in session.turns:
            offered.update((self.positions[id(offer.upsell)], offer) for offer in turn.offers)
            for condition in turn.conditions:
                position = self.positions[id(condition.upsell)]
                self.upsells[position].values[condition.value] += 1
                evaluated.add(position)
            for skipped in turn.skipped:
                position, code = self.positions[id(skipped.upsell)], skipped.reason.code
                self.upsells[position].skips[code] += 1
                reasons_met[position, code] = None
        for position in evaluated:
            self.upsells[position].evaluated_sessions += 1
        for position in offered:
            self.upsells[position].offered += 1
        for position, reason in reasons_met:
            self.upsells[position].sessions_skipped[reason] += 1
            self.first_session.setdefault((position, reason), self.sessions - 1)
        self.reasons.update(list(dict.fromkeys(code for _, code in reasons_met)))
        self._count_answers(session)

    def _count_answers(self, session: PlayedSession) -> None:
        """Count the answers; an offer is answered in the turn after it."""
        for last, moves in zip(session.turns, session.recording.turns, strict=False):
            offers = [offer for offer in last.offers if offer.kind != "suggestion"]
            if not offers:
                continue
            counts = self.upsells[self.positions[id(offers[-1].upsell)]]
            counts.accepted += any(isinstance(move, Accept) for move in moves)
            counts.declined += any(isinstance(move, Decline) for move in moves)


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


EARLY_REASONS = ("condition-false", "condition-error", "frequency", "no-language")
"""Reasons that keep an upsell back before it competes with anything."""


def skip_counts(counts: UpsellStatistics) -> tuple[SkipCount, ...]:
    """What kept an upsell back, the most often first."""
    counts_by_reason = [SkipCount(code, counts.sessions_skipped[code], turns) for code, turns in counts.skips.items()]
    return tuple(sorted(counts_by_reason, key=lambda skip: (-skip.sessions, -skip.turns, skip.code)))


def decisive_skip(reasons: Sequence[SkipCount]) -> SkipCount | None:
    """The reason that kept an upsell back when all else was fulfilled: not its condition, if there is another."""
    return next((skip for skip in reasons if skip.code not in EARLY_REASONS), None)


@dataclass(frozen=True, slots=True)
class OperandCount:
    """A part of a condition that must hold with the others: how often it did, and how often it alone did not."""

    text: str
    held: int
    alone: int


class OperandStatistics:
    """The parts that a condition joins by `&&`, and how often each held."""

    def __init__(self, tree: Node, text: str) -> None:
        joined = operands(tree) if (tree.kind, tree.name) == ("operator", "&&") else ()
        self._spans = {(node.start, node.end): " ".join(text[node.start : node.end].split()) for node in joined}
        self._held: Counter[tuple[int, int]] = Counter()
        self._alone: Counter[tuple[int, int]] = Counter()
        self.count = 0

    def add(self, condition: EvaluatedCondition) -> None:
        """Count how the parts came out in an evaluation of the condition."""
        if not self._spans:
            return
        self.count += 1
        true = {(part.start, part.end) for part in condition.parts if part.value is True}
        false = [span for span in self._spans if span not in true]
        self._held.update(span for span in self._spans if span in true)
        self._alone.update(false if len(false) == 1 else ())

    @property
    def parts(self) -> tuple[OperandCount, ...]:
        """The parts in the order of the text."""
        return tuple(OperandCount(text, self._held[span], self._alone[span]) for span, text in self._spans.items())


def near_miss_text(count: int, parts: Sequence[OperandCount]) -> str:
    """In words, how near a condition came to hold; empty if it is of one part."""
    if not count or not parts:
        return ""
    decisive = max(parts, key=lambda part: part.alone)
    if decisive.alone:
        return f"{decisive.text} alone was not true in {decisive.alone:,} of {count:,} turns"
    missing = [part.text for part in parts if not part.held]
    if missing:
        return f"{' and '.join(missing)} was true in none of {count:,} turns"
    return f"each part was true in some of {count:,} turns, but never all of them together"
