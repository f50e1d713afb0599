"""Search over many sessions: collects anomalies and shrinks the sessions that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial

from trialrun.model.channel_config import UpsellConfig
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.explore.anomaly import (
    Example,
    Occurrence,
    OccurrenceKey,
    Statistics,
    find_occurrences,
)
from trialrun.runtime.channel_config.explore.generators import StateSetting, build_generators
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import (
    DEFAULT_PROFILE,
    CustomerProfile,
    PlayedSession,
    Recording,
    Simulation,
    only_sets_state,
    replay,
)
from trialrun.runtime.channel_config.explore.static_analysis import StaticAnalysis
from trialrun.runtime.channel_config.menu import BrandMenu
from trialrun.runtime.channel_config.session.actions import ActionError, SetState
from trialrun.runtime.channel_config.session.condition_items import ConditionItems, condition_items
from trialrun.runtime.channel_config.session.session import Session
from trialrun.values.cel import CheckResult, Node, Schema, check_expression

MAX_DETAILS = 100
"""Maximum number of examples per anomaly."""
BATCH_SIZE = 10
"""Sessions that are played before what was seen in them is added."""
MAX_ERRORS = 5
"""The errors of one condition that are distinguished."""
EARLY_REASONS = ("condition-false", "condition-error", "frequency", "no-language")
"""Reasons that keep an upsell back before it competes with anything."""


@dataclass(slots=True)
class AnomalyEvidence:
    """In how many sessions something was seen, what differed, and the shortest of these sessions."""

    recording: Recording
    turn: int
    sessions: int = 0
    details: dict[tuple[str, ...], None] = field(default_factory=dict)
    is_shortest: bool = False

    @property
    def length(self) -> tuple[int, int]:
        """How long the session is: the turn in which it is seen, and how many moves the customer makes."""
        return self.turn, self.recording.action_count


@dataclass(slots=True)
class BatchEvidence:
    """What a batch of sessions adds to the evidence of something; the shortest session is given by its number."""

    number: int
    length: tuple[int, int]
    sessions: int = 0
    details: dict[tuple[str, ...], None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionBatch:
    """What was seen in sessions in a row that may be played in another process."""

    statistics: Statistics
    seen: Mapping[OccurrenceKey, BatchEvidence]


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
        strategy = active_config.upsell_strategy
        self.upsells: tuple[UpsellConfig, ...] = tuple((strategy and strategy.upsells) or ())
        self.checks: dict[int, CheckResult] = {}  # of conditions, by the places of their upsells
        trees: list[tuple[Node, Schema]] = []
        for place, upsell in enumerate(self.upsells):
            if upsell.celUpsell and upsell.celUpsell.conditionExpression:
                schema = schema_for(active_config.origin_of(upsell.celUpsell, "conditionExpression").path)
                check = check_expression(upsell.celUpsell.conditionExpression, schema=schema)
                self.checks[place] = check
                trees += [(check.tree, schema)] if check.tree and not upsell.disabled else []
        generators = build_generators(active_config, menu, trees, languages)
        self.simulation = Simulation(generators, habits, begin, turns, seed)
        settings = tuple(self._usable_settings(generators.settings))
        self.simulation = replace(self.simulation, generators=replace(generators, settings=settings))
        positions = {id(upsell): position for position, upsell in enumerate(self.upsells)}
        self.statistics = Statistics(positions)
        self.seen: dict[OccurrenceKey, AnomalyEvidence] = {}
        self.near_misses: dict[int, AnomalyEvidence] = {}
        self.proved_never: dict[int, str] = {}
        """Why it is proved that no session offers an upsell, by the identity of the upsell."""
        self.proved_possible: dict[int, Example] = {}
        """A session that offers an upsell, by the identity of the upsell."""

    @cached_property
    def _condition_items(self) -> Mapping[int, ConditionItems]:
        return {place: condition_items(check.tree) for place, check in self.checks.items() if check.tree}

    def play(self, sessions: int) -> Iterator[int]:
        """Play so many sessions; how many were played, again and again."""
        for first in range(0, sessions, BATCH_SIZE):
            numbers = range(first, min(first + BATCH_SIZE, sessions))
            self.add_batch(self.play_batch(numbers))
            yield numbers.stop

    def play_batch(self, numbers: range) -> SessionBatch:
        """What is seen in the sessions of some numbers in a row; the search stays as it is."""
        statistics = Statistics(self.statistics.positions, first_number=numbers.start)
        seen: dict[OccurrenceKey, BatchEvidence] = {}
        for number in numbers:
            session = self.simulation.play(number, self.open_session)
            statistics.add(session)
            counted_keys: set[OccurrenceKey] = set()
            for key, turn, words in self._occurrences(session):
                length = turn, session.recording.action_count
                evidence = seen.setdefault(key, BatchEvidence(number, length))
                if len(evidence.details) < MAX_DETAILS:
                    evidence.details[words] = None
                evidence.sessions += key not in counted_keys
                counted_keys.add(key)
                if length < evidence.length:
                    evidence.number, evidence.length = number, length
        return SessionBatch(statistics, seen)

    def add_batch(self, batch: SessionBatch) -> None:
        """Add what was seen in the sessions after those that were played so far; the same as if they were played."""
        self.statistics.merge(batch.statistics)
        for key, one in batch.seen.items():
            evidence = self.seen.get(key)
            is_new_error = evidence is None and key[0] == "condition-error"
            if is_new_error and sum(other[:2] == key[:2] for other in self.seen) >= MAX_ERRORS:
                continue
            if evidence is None or one.length < evidence.length:
                recording = self.simulation.play(one.number, self.open_session).recording
                evidence = evidence or self.seen.setdefault(key, AnomalyEvidence(recording, one.length[0]))
                evidence.recording, evidence.turn = recording, one.length[0]
            evidence.sessions += one.sessions
            if not evidence.details.keys() >= one.details.keys():
                evidence.details = dict.fromkeys(list(evidence.details | one.details)[:MAX_DETAILS])

    def open_session(self, recording: Recording) -> Session:
        """The session of a visit, of which nothing was played yet."""
        return recording.open_session(self.active_config, self.menu, self.types)

    def why_never(self, upsell: UpsellConfig) -> str | None:
        """Why no session can offer an enabled upsell; None if one may."""
        if id(upsell) in self.proved_never:
            return self.proved_never[id(upsell)]
        never = self._analysis.why_never(upsell) if self._analysis else None
        return never.reason if never else None

    @cached_property
    def _analysis(self) -> StaticAnalysis | None:
        constants = {id(self.upsells[place]): check.constant for place, check in self.checks.items()}
        return StaticAnalysis.for_store(self.active_config, self.menu, lambda upsell: constants.get(id(upsell)))

    def _usable_settings(self, settings: Sequence[StateSetting]) -> Iterator[StateSetting]:
        """The settings with the values that sessions take; the types may have no such value."""
        for setting in settings:
            accepted = []
            for value in setting.values:
                with suppress(ActionError):
                    session = self.open_session(Recording(0, self.simulation.begin, None, ()))
                    session.turn((SetState(setting.path, value),))
                    accepted.append(value)
            if len(accepted) > 1:
                yield StateSetting(setting.path, tuple(accepted))

    def _occurrences(self, session: PlayedSession) -> Iterator[Occurrence]:
        return find_occurrences(session, self.statistics.positions, self._condition_items)

    def is_never_offered(self, place: int) -> bool:
        """Whether an upsell is enabled and was not offered in any session."""
        return not self.upsells[place].disabled and not self.statistics.in_sessions[place, "offered", None]

    @cached_property
    def near_miss_reasons(self) -> Mapping[int, str]:
        """What kept each upsell back when all else was fulfilled that was not offered in any session, but may be."""
        reasons: dict[int, str] = {}
        for place, upsell in enumerate(self.upsells):
            codes = [code for code, _, _ in self.statistics.skip_counts(place) if code not in EARLY_REASONS]
            if id(upsell) in self.proved_possible:
                continue
            if codes and self.is_never_offered(place) and not self.why_never(upsell):
                reasons[place] = codes[0]
        return reasons

    def shorten(self) -> Iterator[int]:
        """Make the sessions short that show something, or how near something came; how many are, after each.

        It can be left at any time; `near_misses` then lacks sessions that were not made short yet.
        """
        for count, (key, evidence) in enumerate(self.seen.items(), start=1):
            self._shorten(evidence, partial(self._turn_showing, key))
            yield count
        for count, (position, code) in enumerate(self.near_miss_reasons.items(), start=len(self.seen) + 1):
            turn_of = partial(_turn_skipping, self.upsells[position], code)
            session = self.simulation.play(self.statistics.first_session[position, "skipped", code], self.open_session)
            turn = turn_of(session)
            if turn is not None:
                evidence = AnomalyEvidence(session.recording, turn)
                self._shorten(evidence, turn_of)
                self.near_misses[position] = evidence
            yield count

    def _shorten(self, evidence: AnomalyEvidence, turn_of: Callable[[PlayedSession], int | None]) -> None:
        def shown(recording: Recording) -> int | None:
            if recording.turns and only_sets_state(recording.turns[0]):
                return None
            try:
                return turn_of(replay(recording, self.open_session))
            except ActionError:
                return None

        recording = shrink(
            replace(evidence.recording, turns=evidence.recording.turns[: evidence.turn]),
            lambda candidate: shown(candidate) is not None,
            begin=self.simulation.begin,
            simpler=simplifier(self.simulation.generators),
        )
        turn = shown(recording)
        if turn is not None:
            evidence.recording, evidence.turn, evidence.is_shortest = recording, turn, True

    def _turn_showing(self, key: OccurrenceKey, session: PlayedSession) -> int | None:
        return next((turn for seen_key, turn, _ in self._occurrences(session) if seen_key == key), None)


def _turn_skipping(upsell: UpsellConfig, code: str, session: PlayedSession) -> int | None:
    skipping = (
        turn.number
        for turn in session.turns
        if any(skipped.upsell is upsell and skipped.code == code for skipped in turn.skipped)
    )
    return next(skipping, None)
