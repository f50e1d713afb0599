"""Plays the scenarios of both revisions on the documents of both, where a document behind them differs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from trialrun.changes.change import NotCompared, Outcome, ScenarioOutcome, SessionsDifference, Version
from trialrun.changes.comparison import Comparison
from trialrun.changes.sides import RUN_CHECK, Catalogs, SideCatalogs, Sides
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.extras import missing_libraries
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.working_folder import absolute_path
from trialrun.workspace.relevant_diagnostics import diagnostics_of, is_about
from trialrun.workspace.run_scenarios import documents_of_scenario, needs_runtime, scenario_options

if TYPE_CHECKING:
    from trialrun.runtime.scenario.runner import ScenarioFailure, ScenarioResult

Document = DeclaredResource[Any]
MAX_SCENARIOS = 100
"""Number of scenarios that are played; a plan is for every pull request, and `trialrun test` plays all."""


@dataclass(frozen=True)
class PlayedScenario:
    """An outcome with what is behind it: documents of both sides by identity of their models, and stores by name."""

    outcome: ScenarioOutcome
    documents: frozenset[int]
    stores: frozenset[str]


@dataclass
class Plays:
    """What playing scenarios and sessions came to, and how many of them were played on each side."""

    scenarios: int = 0
    sessions: int = 0
    outcomes: list[PlayedScenario] = field(default_factory=list)
    differences: list[SessionsDifference] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)
    is_interrupted: bool = False


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

    @property
    def documents(self) -> Sequence[Document]:
        return (*self.before, *self.after)


@dataclass(frozen=True)
class _Failure:
    """Why a scenario could not be played, for which nothing can be said about it."""

    reason: str


def play_scenarios(
    sides: Sides, both: Catalogs, comparison: Comparison, plays: Plays, on_progress: Callable[[str, int, int], None]
) -> None:
    """Play what may end in another way; an interrupt ends it, and what was not played is listed."""
    candidates = list(_candidates(both, comparison))
    for candidate in candidates[MAX_SCENARIOS:]:
        plays.not_compared.append(
            NotCompared(candidate.title, f"only {MAX_SCENARIOS} scenarios are played; run trialrun test")
        )
    chosen = [one for one in candidates[:MAX_SCENARIOS] if _can_play(one, plays, sides)]
    try:
        errors = [_errors(catalogs, chosen) for catalogs in (both.base, both.head)] if chosen else []
        for number, candidate in enumerate(chosen):
            on_progress("scenarios", number, len(chosen))
            _play_both(candidate, both, errors, plays)
    except KeyboardInterrupt:
        plays.is_interrupted = True
        left = [NotCompared(one.title, "interrupted before it was played") for one in chosen[plays.scenarios :]]
        plays.not_compared += left


def _candidates(both: Catalogs, comparison: Comparison) -> Iterator[_Candidate]:
    """The scenarios that differ themselves, or behind which a document differs; by path."""
    different = {
        id(side.node)
        for one in comparison.resources
        if one.differences
        for side in (one.pair.before, one.pair.after)
        if side
    }
    if not different:
        return
    head = [(scenario, _version(scenario, different, "head")) for scenario in both.head.scenarios]
    base = [(scenario, _version(scenario, different, "base")) for scenario in both.base.scenarios]
    scenarios = [*head, *(one for one in base if one[1] == "base")]
    for scenario, version in sorted(scenarios, key=lambda one: (one[0].path, one[0].document, one[1])):
        before, after = (
            documents_of_scenario(scenario, catalogs.views, catalogs.brands, catalogs.side.request)
            for catalogs in (both.base, both.head)
        )
        if any(id(document.node) in different for document in (*before, *after)):
            yield _Candidate(scenario, version, before, after)


def _version(scenario: Document, different: set[int], version: Version) -> Version:
    return version if id(scenario.node) in different else "both"


def _can_play(candidate: _Candidate, plays: Plays, sides: Sides) -> bool:
    missing = missing_libraries("it", "runtime", "duckdb", "numpy")
    if missing and needs_runtime(candidate.scenario.node):
        plays.not_compared.append(NotCompared(candidate.title, missing))
        return False
    if file := _different_data(candidate, sides.data_files):
        why = f"{os.path.basename(file)} differs; it is played with the rows of the working tree on both sides"
        plays.not_compared.append(NotCompared(candidate.title, why))
    return True


def _different_data(candidate: _Candidate, files: Sequence[str]) -> str | None:
    """A file of rows that differs and that a source behind a scenario reads."""
    for document in candidate.documents:
        place = getattr(document.node, "files", None) or getattr(document.node, "database", None)
        if isinstance(place, str):
            pattern = os.path.normpath(os.path.join(os.path.dirname(absolute_path(document.path)), place))
            for file in files:
                if fnmatchcase(file, pattern) or file.startswith(os.path.join(pattern, "")):
                    return file
    return None


def _errors(catalogs: SideCatalogs, candidates: Sequence[_Candidate]) -> list[Diagnostic]:
    """The errors of `check` in the documents of a side behind some scenarios, and in the scenarios that it has."""
    is_base = catalogs.side is catalogs.sides.base
    documents = {
        id(document): document
        for one in candidates
        for document in (one.before if is_base else one.after)
        if document is not one.scenario or is_base == (one.version == "base")
    }
    found = diagnostics_of(catalogs.side.request, list(documents.values()))
    return [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]


def _play_both(candidate: _Candidate, both: Catalogs, errors: Sequence[Sequence[Diagnostic]], plays: Plays) -> None:
    owner = errors[0 if candidate.version == "base" else 1]
    wrong = next((error for error in owner if is_about(error, candidate.scenario)), None)
    if wrong is not None:
        plays.scenarios += 1
        plays.not_compared.append(NotCompared(candidate.title, f"{wrong.message}; {RUN_CHECK}"))
        return
    results = [
        _play(candidate, documents, catalogs, wrong)
        for documents, catalogs, wrong in (
            (candidate.before, both.base, errors[0]),
            (candidate.after, both.head, errors[1]),
        )
    ]
    plays.scenarios += 1
    for result in results:
        if isinstance(result, _Failure):
            plays.not_compared.append(NotCompared(candidate.title, result.reason))
            return
    (before, reason_before), (after, reason_after) = results  # type: ignore[misc]
    if (before == "passed") != (after == "passed"):
        outcome = _outcome(candidate, before, after, reason_before or reason_after)
        nodes = frozenset(id(document.node) for document in candidate.documents)
        plays.outcomes.append(PlayedScenario(outcome, nodes, frozenset(_stores(candidate.scenario, both))))


def _outcome(candidate: _Candidate, before: Outcome, after: Outcome, reason: str) -> ScenarioOutcome:
    scenario = candidate.scenario
    name = scenario.node.name or "a scenario without a name"
    return ScenarioOutcome(name, scenario.path, scenario.line("name"), candidate.version, before, after, reason)


def _play(
    candidate: _Candidate, documents: Sequence[Document], catalogs: SideCatalogs, errors: Sequence[Diagnostic]
) -> tuple[Outcome, str] | _Failure:
    """How a scenario ends on the documents of a side, and the first thing that is not as expected."""
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.runtime.scenario.runner import play

    others = [document for document in documents if document is not candidate.scenario]
    for error in errors:
        if any(is_about(error, document) for document in others):
            return "error", f"{error.path}:{error.range.start.line}: {error.message}"
    request = catalogs.side.request
    options, recorder = scenario_options(request), CoverageRecorder(is_enabled=False)
    try:
        result = play(
            candidate.scenario, catalogs.views, catalogs.brands, now=request.now, options=options, recorder=recorder
        )
    except Exception as error:  # noqa: BLE001 - an internal error in one scenario does not hide the others
        return _Failure(f"this is a bug in trialrun ({type(error).__name__}: {error}); please report it with the file")
    return result.status, _reason(result)


def _reason(result: ScenarioResult) -> str:
    return _failure_text(result.failures[0]) if result.failures else ""


def _failure_text(failure: ScenarioFailure) -> str:
    text = failure.got if failure.expected is None else f"expected {failure.expected}, got {failure.got}"
    return f"line {failure.range.start.line}: {text}"


def _stores(scenario: Document, both: Catalogs) -> Iterator[str]:
    """The full names of the stores in the steps of a scenario."""
    for step in scenario.node.steps or ():
        for deed in step.members("deed"):
            name = getattr(getattr(step, deed), "store", None)
            for brands in (both.base.brands, both.head.brands):
                try:
                    yield from [brands.store(name).name] if name else []
                except UndeclaredError:  # the step that names it reports it
                    continue
