"""The check of a workspace: lint every file, judge across files, and put what was found in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, NotChecked, Suppressed
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import HIDE_OTHERS, Fact, Report, shared
from trialrun.lint.fingerprint import numbered
from trialrun.lint.settings import Profiles
from trialrun.workspace.file_system import Files
from trialrun.workspace.lint_files import Linting, Terms

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.lint.suppression.suppression import Suppression
    from trialrun.lint.suppression.suppressor import Standing
    from trialrun.lint.workspace_rules import Court
    from trialrun.text import Source
    from trialrun.workspace.discovery import Found

IN_PART = "what depends on the whole document, in this and other files"
UNREAD_LINES = "some of its lines could not be read"
WHOLLY = "the whole file"
UNREAD = ("unreadable-file", "resource-limit")


@dataclass(frozen=True)
class Request:
    """What to check: `paths` as the user gave them, none for the whole workspace at `root`.

    `overlay` has, by absolute path, the bytes that stand in place of a file's own, or None for a file that is to be
    taken as gone. `as_found` says that a program listed the paths: nobody asked for these very files. What the
    `baseline` has is not told.

    `workspace_at` makes the request of a workspace inside of this one, or beside it, by its root: files are judged by
    their own nearest settings. Without it only files of this workspace are looked at. `known` are the files of `paths`
    where these have been listed before, and `not_entered` the repositories that were met there. A search enters
    submodules where `recurse_submodules` says so. Without `with_fixes` no finding of a file has its fix, nor a reason
    why there is none.
    """

    root: str
    now: datetime
    profiles: Profiles
    paths: Sequence[str] = ()
    as_found: bool = False
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    jobs: int = 0
    cache: bool = True
    workspace_at: Callable[[str], Request] | None = None
    known: Sequence[Found] | None = None
    not_entered: Sequence[NotChecked] = ()
    recurse_submodules: bool = False
    with_fixes: bool = True

    @property
    def files(self) -> Files:
        """The files of the workspace."""
        settings = self.profiles.settings
        return Files(
            self.root,
            settings.exclude,
            self.overlay,
            as_found=self.as_found,
            folder=settings.folder if settings.file else self.root,
            known=None if self.known is None else (self.paths, self.known),
            kind_by_glob=self.profiles.kind_by_glob,
        )

    def source(self, path: str) -> Source | None:
        """The text of a file that a finding speaks of, None where it cannot be read any more."""
        from trialrun.parser import source

        data = self.files.bytes_of(path)
        return None if data is None else source(data, path)

    def linting(self, files: Files | None = None) -> Linting:
        """A linting of the workspace, or of other files of it, under what the request says."""
        files = files or self.files
        return Linting(Terms(files, self.profiles, self.now, self.jobs, self.cache, with_fixes=self.with_fixes))


@dataclass
class Outcome:
    """What a check found: `files` counts those that were checked, `documents` the resources in them.

    `paths` are those files as a person would write them; `passed_over` counts the files that hold nothing of ours, and
    `not_checked` is what could not be checked although it is ours. `suppressed` is what was found as well and is not
    reported, `standings` are the suppressions in these files and in the settings. `baselined` counts the findings that
    are not told because the baseline has them. `workspaces` are those that were checked, by their roots.
    """

    files: int = 0
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    internal: bool = False
    paths: list[str] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    baselined: int = 0
    passed_over: int = 0
    not_checked: list[NotChecked] = field(default_factory=list)
    workspaces: list[tuple[str, Profiles]] = field(default_factory=list)

    def without(self, baseline: Baseline | None) -> Outcome:
        """The outcome without what a baseline has."""
        if baseline is None:
            return self
        told = baseline.without(self.diagnostics)
        return replace(self, diagnostics=told, baselined=len(self.diagnostics) - len(told))


def check(request: Request) -> Outcome:
    """The diagnostics of the workspaces that the paths lie in, each by its own settings, in their order.

    Raises UnknownPath for a path that does not exist.
    """
    if request.workspace_at is None:
        return check_workspace(request)
    from trialrun.workspace.workspaces import merged, workspaces

    return merged([(part, check_workspace(part)) for part in workspaces(request)])


def check_workspace(request: Request) -> Outcome:
    """The diagnostics of one workspace, or of some files of it, in their order.

    Rules across files compare the files that were asked for with each other, and say nothing that the rest of the
    workspace refutes. Raises UnknownPath for a path that does not exist.
    """
    linting = request.linting()
    looked_at = Looked()
    try:
        found = linting.terms.files.found(request.paths)
        for report in linting.reports(found, whole=not request.paths, pass_over=looked_at.pass_over):
            looked_at.take(report)
        judged = judgement(linting, looked_at.facts, unread=looked_at.unread)
        if judged and request.paths:
            judged = _confirmed(judged, linting, looked_at)
    finally:
        linting.close()
    looked_at.diagnostics.extend(judged)
    return looked_at.outcome(linting, whole=not request.paths).without(request.baseline)


def _confirmed(judged: list[Diagnostic], linting: Linting, looked_at: Looked) -> list[Diagnostic]:
    """What is true as well when the other files that have to do with it are judged along."""
    from trialrun.lint.workspace_rules import JUDGED_BY
    from trialrun.workspace.related_files import surroundings

    rules = {JUDGED_BY.get(one.rule, one.rule) for one in judged}
    around = Looked()
    around.facts = [fact for fact in looked_at.facts if fact.rule in rules]
    for report in surroundings(linting, around.facts, looked_at.paths):
        around.take(report)
    facts = [fact for fact in around.facts if fact.rule in rules]
    told = {_place(one) for one in judged}
    return [one for one in judgement(linting, facts, unread=around.unread) if _place(one) in told]


def _place(one: Diagnostic) -> tuple[str, str, int, str]:
    return one.rule, one.path, one.document, one.pointer


def _from(root: str, path: str) -> str:
    """A shown path as it is from the root of the workspace."""
    return os.path.relpath(path, root).replace(os.sep, "/")


class Looked:
    """What was seen in some files, put together as it comes; `unread` is whether nothing could be read of one."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.documents = 0
        self.diagnostics: list[Diagnostic] = []
        self.facts: list[Fact] = []
        self.suppressions: list[Suppression] = []
        self.unread = False
        self._passed_over = 0
        self._checked: set[str] = set()

    def pass_over(self, path: str) -> None:
        """Count a file that has nothing of ours, of which there is no report."""
        self._passed_over += 1

    def take(self, report: Report) -> None:
        """Add the report of a file."""
        self.paths.add(report.path)
        if report.documents or report.diagnostics:
            self._checked.add(report.path)
        else:
            self._passed_over += 1
        self.documents += report.documents
        self.diagnostics.extend(report.diagnostics)
        self.facts.extend(shared(fact, report.path) for fact in report.facts)
        self.suppressions.extend(report.suppressions)
        self.unread |= not report.documents and any(one.rule in HIDE_OTHERS for one in report.diagnostics)

    def outcome(self, linting: Linting, *, whole: bool) -> Outcome:
        """What is not suppressed, in order; fingerprints are made whole. `whole`: these are all files there are."""
        from trialrun.lint.workspace_rules import without_silenced

        self.diagnostics = without_silenced(self.diagnostics)
        outcome = Outcome(len(self._checked), self.documents, self.diagnostics, paths=sorted(self._checked))
        outcome.passed_over, outcome.not_checked = self._passed_over, not_checked(self.diagnostics, self.facts)
        if self.suppressions or linting.terms.profiles.settings.ignore_tables:
            from trialrun.workspace.suppressions import silenced

            rest = silenced(self.diagnostics, self.suppressions, linting, paths=self.paths, whole=whole)
            outcome.diagnostics, outcome.suppressed, outcome.standings = rest.kept, rest.suppressed, rest.standings
        outcome.internal = any(one.rule == "internal-error" for one in outcome.diagnostics)
        _number(outcome, linting.terms.files.root)
        return outcome


def not_checked(diagnostics: Iterable[Diagnostic], facts: Iterable[Fact]) -> list[NotChecked]:
    """What could not be checked, sorted: what rules say so of, and what rests on lines that could not be read."""
    found = {one.not_checked for one in diagnostics if one.not_checked}
    found.update(NotChecked(path, IN_PART, UNREAD_LINES) for path in {fact.path for fact in facts if not fact.whole})
    found.update(
        NotChecked(one.path, WHOLLY, one.message) for one in diagnostics if one.rule in UNREAD and not one.not_checked
    )
    return sorted(found)


def _number(outcome: Outcome, root: str) -> None:
    """Put the findings in order and make their fingerprints whole; those that are suppressed come after the others."""
    kept = sorted(outcome.diagnostics, key=lambda one: one.order)
    if outcome.internal:
        from trialrun.lint.policy.failures import told_once

        kept = list(told_once(kept))
    suppressed = sorted(outcome.suppressed, key=lambda one: one.diagnostic.order)
    told = numbered([*kept, *(one.diagnostic for one in suppressed)], place_of=cache(lambda path: _from(root, path)))
    outcome.diagnostics, rest = told[: len(kept)], told[len(kept) :]
    outcome.suppressed = [replace(one, diagnostic=found) for one, found in zip(suppressed, rest, strict=True)]


def judgement(linting: Linting, facts: Iterable[Fact], *, unread: bool) -> list[Diagnostic]:
    """What the rules across files say about some facts; `unread` is whether there may be more, in an unread file."""
    facts = list(facts)
    if not facts:
        return []
    from trialrun.lint.workspace_rules import judge

    court = court_of(linting, unread=unread)
    return judge(facts, court.selection, court.locate, selection_of=court.selection_of, unread=unread)


def court_of(linting: Linting, *, unread: bool) -> Court:
    """What the rules across files judge by in a workspace."""
    from trialrun.lint.fact_locations import FactPlaces
    from trialrun.lint.workspace_rules import Court

    profiles = linting.terms.profiles
    return Court(profiles.whole, profiles.of, FactPlaces(linting.terms.files.bytes_of), unread)


__all__ = ["Outcome", "Request", "check"]
