"""What is counted over all sessions: offers and answers, what kept upsells back, and what conditions came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.runner import Played
from trialrun.runtime.channel_config.session.actions import Accept, Decline
from trialrun.runtime.channel_config.session.turn import Offered


@dataclass(slots=True)
class OfUpsell:
    """The sessions in which an upsell was offered, accepted, declined; and what else became of it, turn by turn.

    `kept_back` counts turns by reason, `sessions_kept_back` sessions; `values` what its condition came to, `asked` the
    sessions in which it was looked at.
    """

    offered: int = 0
    accepted: int = 0
    declined: int = 0
    kept_back: Counter[str] = field(default_factory=Counter)
    sessions_kept_back: Counter[str] = field(default_factory=Counter)
    values: Counter[bool | None] = field(default_factory=Counter)
    asked: int = 0


@dataclass(slots=True)
class Tally:
    """The counts of each upsell by its place in the strategy, and of sessions by the reasons met there.

    `first` has the number of the first session in which a reason kept an upsell back.
    """

    places: Mapping[int, int]
    upsells: list[OfUpsell]
    sessions: int = 0
    turns: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    first: dict[tuple[int, str], int] = field(default_factory=dict)

    def count(self, played: Played) -> None:
        """Count a session; upsells are told apart by identity, as all sessions are of one configuration."""
        self.sessions += 1
        self.turns += len(played.turns) - 1
        offered: dict[int, Offered] = {}
        met: dict[tuple[int, str], None] = {}
        asked: set[int] = set()
        for turn in played.turns:
            offered.update((self.places[id(one.upsell)], one) for one in turn.offered)
            for condition in turn.conditions:
                place = self.places[id(condition.upsell)]
                self.upsells[place].values[condition.value] += 1
                asked.add(place)
            for passed in turn.passed_over:
                place, code = self.places[id(passed.upsell)], passed.reason.code
                self.upsells[place].kept_back[code] += 1
                met[place, code] = None
        for place in asked:
            self.upsells[place].asked += 1
        for place in offered:
            self.upsells[place].offered += 1
        for place, reason in met:
            self.upsells[place].sessions_kept_back[reason] += 1
            self.first.setdefault((place, reason), self.sessions - 1)
        self.reasons.update(list(dict.fromkeys(code for _, code in met)))
        self._answered(played)

    def _answered(self, played: Played) -> None:
        """Count the answers; an offer is answered in the turn after it."""
        for last, moves in zip(played.turns, played.visit.turns, strict=False):
            offers = [one for one in last.offered if one.kind != "suggestion"]
            if not offers:
                continue
            counts = self.upsells[self.places[id(offers[-1].upsell)]]
            counts.accepted += any(isinstance(move, Accept) for move in moves)
            counts.declined += any(isinstance(move, Decline) for move in moves)
