"""Checks a workspace: lints every file, runs the rules across files, and sorts the diagnostics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, NotChecked
from trialrun.lint.file_result import MASKING_RULES, Fact, FileResult
from trialrun.lint.fingerprint import with_unique_fingerprints
from trialrun.working_folder import relative_path
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.read_file import WHOLE_FILE

if TYPE_CHECKING:
    from trialrun.lint.suppression.suppression import Suppression
    from trialrun.lint.workspace_rules import WorkspaceContext
    from trialrun.workspace.discovery import DiscoveredFile
    from trialrun.workspace.related_files import RelatedFiles

CROSS_FILE_CHECKS = "what depends on the whole document, in this and other files"
UNREAD_LINES = "some of its lines could not be read"
MAX_UNPACKED_FACTS = 5_000
"""More facts are packed until all files are linted, since the workers need memory until then."""
UNREAD_RULES = ("unreadable-file", "resource-limit")


def check(request: CheckRequest) -> CheckResult:
    """Check the workspaces of the paths, each with its own settings; the diagnostics are sorted.

    Raises UnknownPath for a path that does not exist.
    """
    if request.workspace_at is None:
        return check_workspace(request)
    from trialrun.workspace.workspaces import merge_results, workspaces

    return merge_results([(part, check_workspace(part)) for part in workspaces(request)])


def check_workspace(request: CheckRequest) -> CheckResult:
    """Check one workspace, or some of its files: rules across files judge these by the facts of the whole workspace.

    Raises UnknownPath for a path that does not exist.
    """
    linting = FileLinter(request)
    looked_at, around = ResultAccumulator(), ResultAccumulator()
    try:
        files = linting.files.find(request.paths)
        related = _files_around(linting, files) if request.paths else None
        scan = related.scan if related else None
        for report in linting.lint(files, whole=not request.paths, around=scan, pass_over=looked_at.skip):
            looked_at.add(report)
        if related and looked_at.facts:
            judged = _judge_with_related_files(linting, looked_at, related, around)
        else:
            judged = run_workspace_rules(linting, looked_at.facts, unread=looked_at.has_unread)
    finally:
        linting.close()
    looked_at.diagnostics.extend(judged)
    outcome = looked_at.to_result(linting, whole=not request.paths, has_all_facts=True)
    outcome.not_checked = sorted({*outcome.not_checked, *not_checked(around.diagnostics, around.facts)})
    names = {one.resource for one in looked_at.diagnostics if one.resource}
    if same := {fact.path for fact in around.facts if fact.resource in names}:
        outcome = _numbered_together(outcome, request, same)
    return outcome.without_baseline(request.baseline)


def _numbered_together(outcome: CheckResult, request: CheckRequest, others: Set[str]) -> CheckResult:
    """A result with the fingerprints that its findings have together with those of others of the same resources."""
    both = check_workspace(replace(request, paths=[*request.paths, *sorted(others)], known_files=None, baseline=None))
    return replace(
        outcome,
        diagnostics=[one for one in both.diagnostics if one.path not in others],
        suppressed=[one for one in both.suppressed if one.diagnostic.path not in others],
    )


def _files_around(linting: FileLinter, files: Sequence[DiscoveredFile]) -> RelatedFiles:
    from trialrun.workspace.related_files import RelatedFiles

    return RelatedFiles(linting, {file.display_path for file in files})


def _judge_with_related_files(
    linting: FileLinter, looked_at: ResultAccumulator, related: RelatedFiles, around: ResultAccumulator
) -> list[Diagnostic]:
    """The findings of rules across files in the checked files; what is gathered of others is added to `around`.

    What rests on absence is only reported if every file of the workspace could be read.
    """
    from trialrun.lint.workspace_rules import REST_ON_ABSENCE
    from trialrun.workspace.related_files import judged_rules

    rules = judged_rules(looked_at.facts)
    own = [fact for fact in looked_at.facts if fact.rule in rules]
    for report in related.results(own):
        around.add(report)

    def judge() -> list[Diagnostic]:
        facts = [*own, *(fact for fact in around.facts if fact.rule in rules)]
        found = run_workspace_rules(linting, facts, unread=looked_at.has_unread or around.has_unread)
        return [one for one in found if one.path in looked_at.paths or one.rule == "internal-error"]

    judged = judge()
    if not around.has_unread and any(one.rule in REST_ON_ABSENCE or one.not_checked for one in judged):
        for report in related.rest():
            around.add(report)
        judged = judge()  # the others may have a document whose name could not be read
    return judged


def _path_from_root(root: str, path: str) -> str:
    """The path of a displayed path relative to the root of the workspace."""
    return relative_path(path, root).replace(os.sep, "/")


class ResultAccumulator:
    """Accumulates file results; `has_unread` is whether any file could not be read at all."""

    def __init__(self) -> None:
        self._is_checked: dict[str, bool] = {}
        self.documents = 0
        self.diagnostics: list[Diagnostic] = []
        self._facts: list[Fact] = []
        self._packed: list[bytes] = []
        self._packs = True
        self.suppressions: list[Suppression] = []
        self.has_unread = False
        self._passed_over = 0

    @property
    def paths(self) -> Set[str]:
        """The paths of all files that were added."""
        return self._is_checked.keys()

    @property
    def facts(self) -> list[Fact]:
        """The facts in the order of the files; what is added later is added to this list."""
        if self._packed:
            self._facts = [*(fact for packed in self._packed for fact in _unpack_facts(packed)), *self._facts]
            self._packed = []
        self._packs = False
        return self._facts

    @facts.setter
    def facts(self, facts: list[Fact]) -> None:
        self._facts, self._packed, self._packs = facts, [], False

    def skip(self, path: str) -> None:
        """Count a file without documents of ours."""
        self._passed_over += 1

    def add(self, report: FileResult) -> None:
        """Add the result of a file."""
        is_checked = bool(report.documents or report.diagnostics)
        self._is_checked[report.path] = is_checked
        self._passed_over += not is_checked
        self.documents += report.documents
        self.diagnostics.extend(report.diagnostics)
        self._facts.extend(report.facts)
        if self._packs and len(self._facts) >= MAX_UNPACKED_FACTS:
            self._packed.append(_pack_facts(self._facts))
            self._facts = []
        self.suppressions.extend(report.suppressions)
        self.has_unread |= not report.documents and any(
            diagnostic.rule in MASKING_RULES for diagnostic in report.diagnostics
        )

    def to_result(self, linting: FileLinter, *, whole: bool, has_all_facts: bool = False) -> CheckResult:
        """The sorted diagnostics after suppression, with complete fingerprints.

        `whole` means all files of the workspace; `has_all_facts` that rules across files had all their input for these.
        """
        from trialrun.lint.workspace_rules import without_overridden

        self.diagnostics = without_overridden(self.diagnostics)
        checked = sorted(path for path, is_checked in self._is_checked.items() if is_checked)
        outcome = CheckResult(len(checked), self.documents, self.diagnostics, paths=checked)
        outcome.skipped, outcome.not_checked = self._passed_over, not_checked(self.diagnostics, self.facts)
        if self.suppressions or linting.profiles.settings.ignore_tables:
            from trialrun.workspace.suppressions import apply_workspace_suppressions

            rest = apply_workspace_suppressions(
                self.diagnostics,
                self.suppressions,
                linting,
                paths=self.paths,
                whole=whole,
                has_all_facts=has_all_facts,
            )
            outcome.diagnostics, outcome.suppressed, outcome.suppression_statuses = (
                rest.kept,
                rest.suppressed,
                rest.statuses,
            )
        outcome.has_internal_error = any(diagnostic.rule == "internal-error" for diagnostic in outcome.diagnostics)
        _sort_and_fingerprint(outcome, linting.files.root)
        return outcome


def _pack_facts(facts: list[Fact]) -> bytes:
    """Facts in a small part of their memory: most of their texts begin alike."""
    import pickle
    import zlib

    return zlib.compress(pickle.dumps(facts, pickle.HIGHEST_PROTOCOL), 1)


def _unpack_facts(packed: bytes) -> list[Fact]:
    import pickle
    import zlib

    facts: list[Fact] = pickle.loads(zlib.decompress(packed))
    return facts


def not_checked(diagnostics: Iterable[Diagnostic], facts: Iterable[Fact]) -> list[NotChecked]:
    """What could not be checked, sorted: as reported by rules, and what depends on unreadable lines."""
    found = {diagnostic.not_checked for diagnostic in diagnostics if diagnostic.not_checked}
    found.update(
        NotChecked(path, CROSS_FILE_CHECKS, UNREAD_LINES)
        for path in {fact.path for fact in facts if not fact.is_complete}
    )
    found.update(
        NotChecked(diagnostic.path, WHOLE_FILE, diagnostic.message)
        for diagnostic in diagnostics
        if diagnostic.rule in UNREAD_RULES and not diagnostic.not_checked
    )
    return sorted(found)


def _sort_and_fingerprint(outcome: CheckResult, root: str) -> None:
    """Sort the findings and complete their fingerprints; suppressed ones are numbered after the others."""
    kept = sorted(outcome.diagnostics, key=lambda diagnostic: diagnostic.sort_key)
    if outcome.has_internal_error:
        from trialrun.lint.policy.evaluate import first_failures

        kept = list(first_failures(kept))
    suppressed = sorted(outcome.suppressed, key=lambda suppressed: suppressed.diagnostic.sort_key)
    diagnostics = with_unique_fingerprints(
        [*kept, *(one.diagnostic for one in suppressed)], shared_path=cache(lambda path: _path_from_root(root, path))
    )
    outcome.diagnostics, rest = diagnostics[: len(kept)], diagnostics[len(kept) :]
    outcome.suppressed = [replace(one, diagnostic=found) for one, found in zip(suppressed, rest, strict=True)]


def run_workspace_rules(linting: FileLinter, facts: Iterable[Fact], *, unread: bool) -> list[Diagnostic]:
    """Run the rules across files on some facts; `unread` means that an unreadable file may contain more."""
    facts = list(facts)
    if not facts:
        return []
    from trialrun.lint.workspace_rules import run_workspace_rules

    context = workspace_context(linting, unread=unread)
    return run_workspace_rules(
        facts, context.selection, context.locate, selection_of=context.selection_of, unread=unread, now=context.now
    )


def workspace_context(linting: FileLinter, *, unread: bool) -> WorkspaceContext:
    """The context for rules across files in a workspace."""
    from trialrun.lint.fact_locations import FactLocations
    from trialrun.lint.workspace_rules import WorkspaceContext

    profiles = linting.profiles
    return WorkspaceContext(
        profiles.whole, profiles.of, FactLocations(linting.files.bytes_of), unread, linting.request.now
    )
