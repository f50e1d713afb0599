"""Statistics over all sessions: offers, answers, skip reasons and condition values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.runner import PlayedSession
from trialrun.runtime.channel_config.session.actions import Accept, Decline
from trialrun.runtime.channel_config.session.turn import Offer


@dataclass(slots=True)
class UpsellStatistics:
    """The sessions in which an upsell was offered, accepted, declined; and what else became of it, turn by turn.

    `skips` counts turns by reason, `sessions_skipped` sessions; `values` what its condition came to, `asked` the
    sessions in which it was looked at.
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
