"""Plays scenarios and sessions on both sides of a plan, and says which changes what differs is attributed to.

The scenarios of both revisions are played on the documents of both where a document behind them differs. Nothing is
played where nothing differs. What could be played and is not is listed with the reason.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from trialrun.changes.compare import ResourcePair
from trialrun.changes.session_differences import PairedSearch, StorePair, count_session_stores, is_heard, session_stores
from trialrun.changes.sides import RUN_CHECK, Side, Sides
from trialrun.changes.stores import Stores
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.extras import missing_libraries
from trialrun.outputs.plan import Change, NotCompared, Outcome, Played, ScenarioOutcome, SessionsDifference, Version
from trialrun.report.summary import pluralize
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.runtime.options import Options
from trialrun.values.resource_name import last_id
from trialrun.working_folder import absolute_path
from trialrun.workspace.parallel_sessions import play_sessions
from trialrun.workspace.relevant_diagnostics import (
    diagnostics_of,
    documents_of_scenario,
    documents_of_store,
    is_about,
    needs_runtime,
    scenario_options,
)

Document = DeclaredResource[Any]
KINDS_OF_SESSIONS = frozenset({"Menu", "SessionSchema"})
"""Kinds of documents that sessions depend on and no effective configuration."""
MAX_SCENARIOS = 100
"""Number of scenarios that are played; a plan is for every pull request, and `trialrun test` plays all."""
MAX_CONFIGURATIONS = 10
"""Number of different configurations whose sessions are played: those of the most stores."""


@dataclass(frozen=True)
class Player:
    """What is played for a plan: scenarios, and so many sessions at each configuration that differs.

    `access` are the options of a command that say which files are read; `on_progress` is told what is played, how much
    of it was, and of how much. `prove` asks for proofs too. `jobs` processes play sessions, 0 for one on each core.
    """

    with_scenarios: bool = True
    sessions: int = 0
    access: Sequence[str] = ()
    prove: bool = False
    on_progress: Callable[[str, int, int], None] = field(default=lambda title, done, total: None)
    jobs: int = 1


NO_PLAYER = Player(with_scenarios=False)


@dataclass
class PlanInput:
    """What a plan was made of, with what playing came to so far."""

    sides: Sides
    pairs: Sequence[ResourcePair]
    changes: Sequence[Change]
    stores: Stores | None
    options: Options
    not_compared: set[NotCompared]
    played: Played = field(default_factory=Played)

    def leave_out(self, what: str, why: str) -> None:
        """List something as not compared."""
        self.not_compared.add(NotCompared(what, why))


def play(made_of: PlanInput, player: Player) -> Played | None:
    """What playing shows; None where nothing differs."""
    if not any(pair.differences for pair in made_of.pairs):
        return None
    if player.with_scenarios:
        _play_scenarios(made_of, player)
    if not made_of.played.is_interrupted:
        _play_sessions(made_of, player)
    for one in made_of.played.outcomes:
        if not one.causes:
            why = f"{one.before} before and {one.after} after, and no change of the plan is behind it"
            made_of.leave_out(f"scenario {one.name}", why)
    return made_of.played


def _errors_in(side: Side, documents: Iterable[Document]) -> list[Diagnostic]:
    """The errors of `check` in some documents of a side."""
    found = diagnostics_of(side.request, list({id(document): document for document in documents}.values()))
    return [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]


def _first_error(errors: Sequence[Diagnostic], documents: Sequence[Document]) -> Diagnostic | None:
    return next((error for error in errors if any(is_about(error, document) for document in documents)), None)


@dataclass(frozen=True)
class _Candidate:
    """A scenario with the documents behind it on both sides."""

    scenario: Document
    version: Version
    before: Sequence[Document]
    after: Sequence[Document]

    @property
    def title(self) -> str:
        return f"scenario {self.scenario.node.name or self.scenario.path}"


def _play_scenarios(made_of: PlanInput, player: Player) -> None:
    """Play what may end in another way; an interrupt ends it, and what was not played is listed."""
    candidates = list(_candidates(made_of))
    for candidate in candidates[MAX_SCENARIOS:]:
        made_of.leave_out(candidate.title, f"only {MAX_SCENARIOS} scenarios are played; run trialrun test")
    chosen = [one for one in candidates[:MAX_SCENARIOS] if _can_play(one, made_of)]
    sides, errors = made_of.sides, list[Sequence[Diagnostic]]()
    try:
        for side in (sides.base, sides.head) if chosen else ():
            is_base = side is sides.base
            documents = (
                document
                for one in chosen
                for document in (one.before if is_base else one.after)
                if document is not one.scenario or is_base == (one.version == "base")
            )
            errors.append(_errors_in(side, documents))
        for number, candidate in enumerate(chosen):
            player.on_progress("scenarios", number, len(chosen))
            _play_both(candidate, errors, made_of)
    except KeyboardInterrupt:
        made_of.played.is_interrupted = True
        for one in chosen[made_of.played.scenarios :]:
            made_of.leave_out(one.title, "interrupted before it was played")


def _candidates(made_of: PlanInput) -> Iterator[_Candidate]:
    """The scenarios that differ themselves, or behind which a document differs; by path."""
    base, head = made_of.sides.base, made_of.sides.head
    different = {id(side.node) for pair in made_of.pairs if pair.differences for side in pair.sides}
    scenarios: list[tuple[Document, Version]] = [
        (one, "head" if id(one.node) in different else "both") for one in head.of_kind("Scenario")
    ]
    scenarios += [(one, "base") for one in base.of_kind("Scenario") if id(one.node) in different]
    for scenario, version in sorted(scenarios, key=lambda one: (one[0].path, one[0].document, one[1])):
        before, after = (
            documents_of_scenario(scenario, side.views, side.brands, side.request) for side in (base, head)
        )
        if any(id(document.node) in different for document in (*before, *after)):
            yield _Candidate(scenario, version, before, after)


def _can_play(candidate: _Candidate, made_of: PlanInput) -> bool:
    missing = missing_libraries("it", "runtime", "duckdb", "numpy")
    if missing and needs_runtime(candidate.scenario.node):
        made_of.leave_out(candidate.title, missing)
        return False
    if file := _different_data(candidate, made_of.sides.data_files):
        why = f"{os.path.basename(file)} differs; it is played with the rows of the working tree on both sides"
        made_of.leave_out(candidate.title, why)
    return True


def _different_data(candidate: _Candidate, files: Sequence[str]) -> str | None:
    """A file of rows that differs and that a source behind a scenario reads."""
    for document in (*candidate.before, *candidate.after):
        place = getattr(document.node, "files", None) or getattr(document.node, "database", None)
        if isinstance(place, str):
            pattern = os.path.normpath(os.path.join(os.path.dirname(absolute_path(document.path)), place))
            for file in files:
                if fnmatchcase(file, pattern) or file.startswith(os.path.join(pattern, "")):
                    return file
    return None


def _play_both(candidate: _Candidate, errors: Sequence[Sequence[Diagnostic]], made_of: PlanInput) -> None:
    scenario, sides, played = candidate.scenario, made_of.sides, made_of.played
    if wrong := _first_error(errors[0 if candidate.version == "base" else 1], [scenario]):
        played.scenarios += 1
        made_of.leave_out(candidate.title, f"{wrong.message}; {RUN_CHECK}")
        return
    results = [
        _play(scenario, candidate.before, sides.base, errors[0]),
        _play(scenario, candidate.after, sides.head, errors[1]),
    ]
    played.scenarios += 1
    (before, reason_before), (after, reason_after) = results
    if before is None or after is None:
        made_of.leave_out(candidate.title, reason_before if before is None else reason_after)
    elif (before == "passed") != (after == "passed"):
        name, line = scenario.node.name or "a scenario without a name", scenario.line("name")
        reason, causes = reason_before or reason_after, _causes_of_outcome(candidate, made_of)
        outcome = ScenarioOutcome(name, scenario.path, line, candidate.version, before, after, reason, causes)
        played.outcomes.append(outcome)


def _play(
    scenario: Document, documents: Sequence[Document], side: Side, errors: Sequence[Diagnostic]
) -> tuple[Outcome | None, str]:
    """How a scenario ends on the documents of a side, and the first thing that is not as expected.

    None, and the reason, where nothing can be said about it.
    """
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.runtime.scenario.runner import play, status_of

    if error := _first_error(errors, [document for document in documents if document is not scenario]):
        return "error", f"{error.path}:{error.range.start.line}: {error.message}"
    options, recorder = scenario_options(side.request), CoverageRecorder(is_enabled=False)
    try:
        failures = play(scenario, side.views, side.brands, now=side.request.now, options=options, recorder=recorder)
    except Exception as error:  # noqa: BLE001 - an internal error in one scenario does not hide the others
        return None, f"this is a bug in trialrun ({type(error).__name__}: {error}); please report it with the file"
    if not failures:
        return "passed", ""
    failure = failures[0]
    text = failure.got if failure.expected is None else f"expected {failure.expected}, got {failure.got}"
    return status_of(failures), f"line {failure.range.start.line}: {text}"


def _causes_of_outcome(candidate: _Candidate, made_of: PlanInput) -> list[int]:
    """The changes of documents behind a scenario; of those at stores, the ones that reach its stores."""
    nodes = {id(document.node) for document in (*candidate.before, *candidate.after)}
    behind = {
        (pair.kind, pair.name, pair.resource.path)
        for pair in made_of.pairs
        if pair.differences and any(id(side.node) in nodes for side in pair.sides)
    }
    found = [
        (number, change.reach.stores)
        for number, change in enumerate(made_of.changes)
        if (change.kind, change.resource, change.path) in behind
    ]
    names = set(_stores_of(candidate.scenario, made_of.sides))
    reaching = [number for number, reach in found if reach is None or not names.isdisjoint(reach.names)]
    return reaching or [number for number, _ in found]


def _stores_of(scenario: Document, sides: Sides) -> Iterator[str]:
    """The full names of the stores in the steps of a scenario."""
    for step in scenario.node.steps or ():
        for deed in step.members("deed"):
            name: str = getattr(getattr(step, deed), "store", None) or ""
            for side in (sides.base, sides.head) if name else ():
                with suppress(UndeclaredError):  # the step that names it reports it
                    yield side.brands.store(name).name


def _play_sessions(made_of: PlanInput, player: Player) -> None:
    """Play sessions at the stores that differ; an interrupt ends it, and what was not played is listed."""
    if made_of.stores is None:
        return
    if not (player.sessions or player.prove):
        if count := count_session_stores(made_of.stores):
            why = f"not played at the {pluralize(count, 'store')} where they may differ; --sessions N plays them"
            made_of.leave_out("sessions", why)
        return
    pairs = session_stores(made_of.stores, made_of.options)
    for pair in pairs[MAX_CONFIGURATIONS:]:
        made_of.leave_out(_title(pair), f"only the {MAX_CONFIGURATIONS} configurations of the most stores are played")
    pairs = list(_without_errors(pairs[:MAX_CONFIGURATIONS], made_of))
    if player.prove:
        _prove_sessions(pairs, made_of, player)
    for number, pair in enumerate(pairs if player.sessions else (), start=1):
        if made_of.played.is_interrupted:
            made_of.leave_out(_title(pair), "interrupted before they were played")
        else:
            _play_pair(pair, made_of, player, f"{last_id(pair.names[0])}, {number} of {len(pairs)}")


def _title(pair: StorePair) -> str:
    others = pluralize(len(pair.names) - 1, "other store")
    return f"sessions at {last_id(pair.names[0])}{f' and {others}' if len(pair.names) > 1 else ''}"


def _without_errors(pairs: Sequence[StorePair], made_of: PlanInput) -> Iterator[StorePair]:
    """The stores without errors in the documents of either side; the others are listed."""
    errors: dict[int, Diagnostic] = {}
    for number, side in enumerate((made_of.sides.base, made_of.sides.head)):
        behind = [documents_of_store(pair.stores[number], side.brands, side.request) for pair in pairs]
        of_side = _errors_in(side, (document for documents in behind for document in documents))
        for pair, documents in zip(pairs, behind, strict=True):
            if error := _first_error(of_side, documents):
                errors.setdefault(id(pair), error)
    for pair in pairs:
        if wrong := errors.get(id(pair)):
            why = f"{wrong.path}:{wrong.range.start.line}: {wrong.message}; {RUN_CHECK}"
            made_of.leave_out(_title(pair), why)
        else:
            yield pair


def _prove_sessions(pairs: Sequence[StorePair], made_of: PlanInput, player: Player) -> None:
    """Prove of each pair that no session differs, or find one that does; an interrupt ends it."""
    from trialrun.changes.proved import MAX_KNOWN, Known, prove_pair

    known: Known = deque(maxlen=MAX_KNOWN)
    try:
        for number, pair in enumerate(pairs):
            player.on_progress("proofs", number, len(pairs))
            store = _store_title(pair, made_of)
            begin = made_of.sides.head.request.now
            made_of.played.proofs.append(prove_pair(pair, begin, store, player.access, known))
    except KeyboardInterrupt:
        made_of.played.is_interrupted = True
        for pair in pairs[len(made_of.played.proofs) :]:
            made_of.leave_out(_title(pair), "interrupted before anything was proved of them")


def _store_title(pair: StorePair, made_of: PlanInput) -> str:
    """The id of the first store of a pair; its name where another store has that id."""
    name = pair.names[0]
    same = [other for other in made_of.stores.names if last_id(other) == last_id(name)] if made_of.stores else []
    return last_id(name) if len(same) == 1 else name


def _play_pair(pair: StorePair, made_of: PlanInput, player: Player, progress: str) -> None:
    search = PairedSearch(pair, made_of.sides.head.request.now)
    played = made_of.played
    try:
        for done in play_sessions(search, player.sessions, jobs=player.jobs):
            player.on_progress(progress, done, player.sessions)
    except KeyboardInterrupt:
        played.is_interrupted = True
        why = f"interrupted after {search.sessions:,} of {player.sessions:,} sessions"
        made_of.leave_out(_title(pair), why)
    played.sessions += search.sessions
    if not search.differing:
        return
    store, example = _store_title(pair, made_of), None
    if not played.is_interrupted:
        try:
            example = search.example(store, player.access)
        except KeyboardInterrupt:
            played.is_interrupted = True
            made_of.leave_out(_title(pair), "interrupted before the session that differs was made short")
    if played.is_interrupted:
        example = search.example(store, player.access, is_short=False)
    difference = search.difference(example)
    played.differences.append(replace(difference, causes=_causes_of_difference(difference, made_of.changes)))


def _causes_of_difference(one: SessionsDifference, changes: Sequence[Change]) -> list[int]:
    """The changes that alter something at the stores that sessions depend on."""
    names = frozenset(one.stores)
    reaching = [
        (number, change.reach.stores)
        for number, change in enumerate(changes)
        if change.reach.stores is not None and not names.isdisjoint(change.reach.stores.names)
    ]
    heard = [
        number
        for number, reach in reaching
        if any(not names.isdisjoint(field.stores) and is_heard(field.path) for field in reach.fields)
    ]
    around = [number for number, change in enumerate(changes) if change.kind in KINDS_OF_SESSIONS]
    return heard or [number for number, _ in reaching] or around
