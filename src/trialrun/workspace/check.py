"""The check of a workspace: lint every file, judge across files, and put what was found in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic
from trialrun.lint.fingerprint import numbered
from trialrun.lint.report import Fact, Report, shared
from trialrun.lint.settings import Profiles
from trialrun.record import dataclass
from trialrun.workspace.files import Files
from trialrun.workspace.linting import Linting, Terms

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline


@dataclass(frozen=True)
class Request:
    """What to check: `paths` as the user gave them, none for the whole workspace at `root`.

    `overlay` has, by absolute path, the bytes that stand in place of a file's own, or None for a file that is to be
    taken as gone. What the `baseline` has is not told.
    """

    root: str
    now: datetime
    profiles: Profiles
    paths: Sequence[str] = ()
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    jobs: int = 0
    cache: bool = True

    @property
    def files(self) -> Files:
        """The files of the workspace."""
        return Files(self.root, self.profiles.settings.exclude, self.overlay)

    def linting(self, files: Files | None = None) -> Linting:
        """A linting of the workspace, or of other files of it, under what the request says."""
        return Linting(Terms(files or self.files, self.profiles, self.now, self.jobs, self.cache))


@dataclass
class Outcome:
    """What a check found: `files` counts those that were looked into, `documents` the resources in them.

    `paths` are those files as a person would write them. `baselined` counts the findings that are not told because the
    baseline has them.
    """

    files: int = 0
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    internal: bool = False
    paths: list[str] = field(default_factory=list)
    baselined: int = 0

    def without(self, baseline: Baseline | None) -> Outcome:
        """The outcome without what a baseline has."""
        if baseline is None:
            return self
        told = baseline.without(self.diagnostics)
        return replace(self, diagnostics=told, baselined=len(self.diagnostics) - len(told))


def check(request: Request) -> Outcome:
    """The diagnostics of a workspace, or of some files, in their order.

    Rules across files compare the files that were asked for with each other, and say nothing that the rest of the
    workspace refutes. Raises UnknownPath for a path that does not exist.
    """
    linting = request.linting()
    looked_at = Looked()
    try:
        for report in linting.reports(linting.terms.files.found(request.paths), whole=not request.paths):
            looked_at.take(report)
        judged = judgement(linting, looked_at.facts)
        if judged and request.paths:
            judged = _confirmed(judged, linting, looked_at)
    finally:
        linting.close()
    looked_at.diagnostics.extend(judged)
    return looked_at.outcome().without(request.baseline)


def _confirmed(judged: list[Diagnostic], linting: Linting, looked_at: Looked) -> list[Diagnostic]:
    """What is true as well when the other files that have to do with it are judged along."""
    from trialrun.workspace.surroundings import surroundings

    rules = {one.rule for one in judged}
    facts = [fact for fact in looked_at.facts if fact.rule in rules]
    for report in surroundings(linting, facts, looked_at.paths):
        facts.extend(fact for fact in report.facts if fact.rule in rules)
    told = {_place(one) for one in judged}
    return [one for one in judgement(linting, facts) if _place(one) in told]


def _place(one: Diagnostic) -> tuple[str, str, int, str]:
    return one.rule, one.path, one.document, one.pointer


class Looked:
    """What was seen in some files, put together as it comes."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.documents = 0
        self.diagnostics: list[Diagnostic] = []
        self.facts: list[Fact] = []

    def take(self, report: Report) -> None:
        """Add the report of a file."""
        self.paths.add(report.path)
        self.documents += report.documents
        self.diagnostics.extend(report.diagnostics)
        self.facts.extend(shared(fact, report.path) for fact in report.facts)

    def outcome(self) -> Outcome:
        """The whole, in order; fingerprints are made whole."""
        told = numbered(sorted(self.diagnostics, key=lambda one: one.order))
        internal = any(one.rule == "internal-error" for one in told)
        return Outcome(len(self.paths), self.documents, told, internal, sorted(self.paths))


def judgement(linting: Linting, facts: Iterable[Fact]) -> list[Diagnostic]:
    """What the rules across files say about some facts."""
    facts = list(facts)
    if not facts:
        return []
    from trialrun.lint.across import judge
    from trialrun.lint.fact_places import FactPlaces

    profiles = linting.terms.profiles
    places = FactPlaces(linting.terms.files.bytes_of)
    return judge(facts, profiles.whole, places, selection_of=profiles.of)


__all__ = ["Outcome", "Request", "check"]
