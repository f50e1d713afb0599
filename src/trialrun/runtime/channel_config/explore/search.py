"""Search over many sessions: collects anomalies and shrinks the sessions that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.anomaly import (
    SkipCount,
    Statistics,
    UpsellStatistics,
    decisive_skip,
    skip_counts,
)
from trialrun.runtime.channel_config.explore.generators import StateSetting, build_generators, check_condition
from trialrun.runtime.channel_config.explore.runner import (
    OccurrenceKey,
    PlayedSession,
    Simulation,
    find_occurrences,
    replay,
)
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import (
    DEFAULT_PROFILE,
    CustomerProfile,
    Recording,
    only_sets_state,
)
from trialrun.runtime.channel_config.explore.static_analysis import StaticAnalysis
from trialrun.runtime.channel_config.session.actions import ActionError, SetState
from trialrun.runtime.channel_config.session.condition import ConditionItems, condition_items
from trialrun.runtime.channel_config.session.session import Session

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.values.cel import Schema

MAX_DETAILS = 100
"""Maximum number of examples per anomaly."""
MAX_ERRORS = 5
"""The errors of one condition that are distinguished."""


@dataclass(slots=True)
class AnomalyEvidence:
    """In how many sessions something was seen, what differed, and the shortest of these sessions."""

    recording: Recording
    turn: int
    sessions: int = 0
    details: dict[tuple[str, ...], None] = field(default_factory=dict)
    is_shortest: bool = False


class Search:
    """A search at a store, whose sessions are of one effective configuration; nothing in it depends on the machine."""

    def __init__(
        self,
        active_config: ActiveConfig,
        menu: BrandMenu,
        schema_for: Callable[[str], Schema],
        *,
        begin: datetime,
        seed: int = 0,
        turns: int = 8,
        habits: CustomerProfile = DEFAULT_PROFILE,
        languages: Sequence[str] = (),
    ) -> None:
        self.active_config, self.menu, self.types = active_config, menu, schema_for
        generators = build_generators(active_config, menu, schema_for, languages)
        self.simulation = Simulation(generators, habits, begin, turns, seed)
        self.simulation = replace(
            self.simulation, generators=replace(generators, settings=tuple(self._usable_settings(generators.settings)))
        )
        strategy = active_config.upsell_strategy
        self.upsells: tuple[UpsellConfig, ...] = tuple((strategy and strategy.upsells) or ())
        positions = {id(upsell): position for position, upsell in enumerate(self.upsells)}
        self.statistics = Statistics(positions, [UpsellStatistics() for _ in self.upsells])
        self.seen: dict[OccurrenceKey, AnomalyEvidence] = {}
        self.near_misses: dict[int, AnomalyEvidence] = {}

    @cached_property
    def _condition_items(self) -> Mapping[int, ConditionItems]:
        checks = (
            (position, check_condition(upsell, self.active_config, self.types))
            for position, upsell in enumerate(self.upsells)
        )
        return {position: condition_items(check.tree) for position, check in checks if check and check.tree}

    def play(self, sessions: int) -> Iterator[int]:
        """Play so many sessions; how many were played, after each."""
        for number in range(sessions):
            session = self.simulation.play(number, self.open_session)
            self.statistics.add(session)
            self._record_anomalies(session)
            yield number + 1

    def open_session(self, recording: Recording) -> Session:
        """The session of a visit, of which nothing was played yet."""
        return Session(
            self.active_config,
            self.menu,
            types=self.types,
            seed=recording.seed,
            begin=recording.begin,
            language=recording.language,
        )

    def why_never(self, upsell: UpsellConfig) -> str | None:
        """Why no session can offer an enabled upsell; None if one may."""
        never = self._analysis.why_never(upsell) if self._analysis else None
        return never.reason if never else None

    @cached_property
    def _analysis(self) -> StaticAnalysis | None:
        return StaticAnalysis.for_store(self.active_config, self.menu, self._constant)

    def _constant(self, upsell: UpsellConfig) -> bool | None:
        check = check_condition(upsell, self.active_config, self.types)
        return check.constant if check else None

    def is_constant(self, upsell: UpsellConfig) -> bool:
        """Whether the condition of an upsell has one value, whatever the session."""
        return self._constant(upsell) is not None

    def _usable_settings(self, settings: Sequence[StateSetting]) -> Iterator[StateSetting]:
        """The settings with the values that sessions take; the types may have no such value."""
        for setting in settings:
            values = tuple(value for value in setting.values if self._accepts(SetState(setting.path, value)))
            if len(values) > 1:
                yield StateSetting(setting.path, values)

    def _accepts(self, action: SetState) -> bool:
        try:
            self.open_session(Recording(0, self.simulation.begin, None, ())).turn((action,))
        except ActionError:
            return False
        return True

    def _record_anomalies(self, session: PlayedSession) -> None:
        counted_keys: set[OccurrenceKey] = set()
        for occurrence in find_occurrences(session, self.statistics.positions, self._condition_items):
            key = occurrence.key
            if key not in self.seen and self._has_too_many_errors(key):
                continue
            evidence = self.seen.setdefault(key, AnomalyEvidence(session.recording, occurrence.turn))
            if len(evidence.details) < MAX_DETAILS:
                evidence.details[occurrence.words] = None
            if key in counted_keys:
                continue
            counted_keys.add(key)
            evidence.sessions += 1
            if (occurrence.turn, session.recording.action_count) < (evidence.turn, evidence.recording.action_count):
                evidence.recording, evidence.turn = session.recording, occurrence.turn

    def _has_too_many_errors(self, key: OccurrenceKey) -> bool:
        return key[0] == "condition-error" and sum(seen_key[:2] == key[:2] for seen_key in self.seen) >= MAX_ERRORS

    @cached_property
    def near_miss_reasons(self) -> Mapping[int, SkipCount]:
        """What kept each upsell back when all else was fulfilled that was not offered in any session, but may be."""
        counts_by_position = enumerate(zip(self.upsells, self.statistics.upsells, strict=True))
        never = [
            position for position, (upsell, counts) in counts_by_position if not counts.offered and not upsell.disabled
        ]
        reasons = {
            position: decisive_skip(skip_counts(self.statistics.upsells[position]))
            for position in never
            if not self.why_never(self.upsells[position])
        }
        return {position: reason for position, reason in reasons.items() if reason}

    def shorten(self) -> Iterator[int]:
        """Make the sessions short that show something, or how near something came; how many are, after each.

        It can be left at any time; `near_misses` then lacks sessions that were not made short yet.
        """
        for count, (key, evidence) in enumerate(self.seen.items(), start=1):
            self._shorten(evidence, lambda session, key=key: self._turn_showing(key, session))  # type: ignore[misc]
            yield count
        for count, (position, reason) in enumerate(self.near_miss_reasons.items(), start=len(self.seen) + 1):
            self._find_near_miss(position, reason)
            yield count

    def _find_near_miss(self, position: int, reason: SkipCount) -> None:
        """Find the shortest session in which a reason kept an upsell back, made of the first one."""

        def turn_of(session: PlayedSession) -> int | None:
            return next((turn.number for turn in session.turns if _is_skipped_for(upsell, turn, reason)), None)

        upsell = self.upsells[position]
        session = self.simulation.play(self.statistics.first_session[position, reason.code], self.open_session)
        turn = turn_of(session)
        if turn is not None:
            evidence = AnomalyEvidence(session.recording, turn)
            self._shorten(evidence, turn_of)
            self.near_misses[position] = evidence

    def _shorten(self, evidence: AnomalyEvidence, turn_of: Callable[[PlayedSession], int | None]) -> None:
        def shown(recording: Recording) -> int | None:
            if recording.turns and only_sets_state(recording.turns[0]):
                return None
            try:
                return turn_of(replay(recording, self.open_session))
            except ActionError:
                return None

        simpler = simplifier(self.simulation.generators)
        shortened = replace(evidence.recording, turns=evidence.recording.turns[: evidence.turn])
        recording = shrink(
            shortened, lambda candidate: shown(candidate) is not None, begin=self.simulation.begin, simpler=simpler
        )
        turn = shown(recording)
        if turn is not None:
            evidence.recording, evidence.turn, evidence.is_shortest = recording, turn, True

    def _turn_showing(self, key: OccurrenceKey, session: PlayedSession) -> int | None:
        return next(
            (
                occurrence.turn
                for occurrence in find_occurrences(session, self.statistics.positions, self._condition_items)
                if occurrence.key == key
            ),
            None,
        )


def _is_skipped_for(upsell: UpsellConfig, turn: Turn, reason: SkipCount) -> bool:
    return any(skipped.upsell is upsell and skipped.reason.code == reason.code for skipped in turn.skipped)
