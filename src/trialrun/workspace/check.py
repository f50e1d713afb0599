"""Checks a workspace: finds its files, lints each, runs the rules across files, applies suppressions, and sorts.

A file is read, parsed, validated and walked by `FileLinter.lint`, which also asks the cache and starts workers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, NotChecked, Suppressed
from trialrun.lint.file_result import MASKING_RULES, CheckedFile, Fact, FactsGone, FileResult
from trialrun.lint.positions import with_unique_fingerprints
from trialrun.lint.settings import Profiles
from trialrun.working_folder import display_path, relative_path
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import WHOLE_FILE
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.related_files import RelatedFiles, judged_rules
from trialrun.workspace.workspaces import workspaces

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.lint.suppression.suppression import Suppression
    from trialrun.lint.suppression.suppressors import Suppressor
    from trialrun.lint.workspace_rules import WorkspaceContext
    from trialrun.workspace.workspace_index import KeptCheck

CROSS_FILE_CHECKS = "what depends on the whole document, in this and other files"
UNREAD_LINES = "some of its lines could not be read"
MAX_UNPACKED_FACTS = 5_000
"""More facts are packed until all files are linted, since the workers need memory until then."""
UNREAD_RULES = ("unreadable-file", "resource-limit")


@dataclass
class CheckResult:
    """The result of a check: `files` is the number of checked files, `documents` that of their resources.

    `paths` are these files as displayed; `skipped` counts files without documents of ours, and `not_checked` is what
    could not be checked. `suppressed` are the findings that suppressions hide, `suppression_statuses` the statuses of
    suppressions in these files and in the settings. `baselined` counts findings in the baseline. `workspaces` are the
    checked workspaces by root.
    """

    files: int = 0
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    has_internal_error: bool = False
    paths: list[str] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    suppression_statuses: list[Suppressor] = field(default_factory=list)
    baselined: int = 0
    skipped: int = 0
    not_checked: list[NotChecked] = field(default_factory=list)
    workspaces: list[tuple[str, Profiles]] = field(default_factory=list)

    def without_baseline(self, baseline: Baseline | None) -> CheckResult:
        """The result without the findings in a baseline."""
        if baseline is None:
            return self
        remaining = baseline.new_diagnostics(self.diagnostics)
        return replace(self, diagnostics=remaining, baselined=len(self.diagnostics) - len(remaining))


def check(request: CheckRequest) -> CheckResult:
    """Check the workspaces of the paths, each with its own settings; the diagnostics are sorted.

    Raises UnknownPath for a path that does not exist.
    """
    if request.workspace_at is None:
        return check_workspace(request)
    return merge_results([(part, check_workspace(part)) for part in workspaces(request)])


def check_workspace(request: CheckRequest) -> CheckResult:
    """Check one workspace, or some of its files: rules across files judge these by the facts of the whole workspace.

    Raises UnknownPath for a path that does not exist.
    """
    linter = FileLinter(request)
    is_cached = linter.result_cache is not None and not request.paths
    checked, around = ResultAccumulator(is_cached=is_cached), ResultAccumulator()
    try:
        files = linter.files.find(request.paths)
        if request.paths:
            _check_files(linter, files, checked, around)
        else:
            _check_all_files(linter, files, checked)
    except FactsGone:
        return check_workspace(replace(request, cache=False))
    finally:
        linter.close()
    whole = checked.to_result(linter, whole=not request.paths, has_all_facts=True)
    whole.not_checked = sorted({*whole.not_checked, *not_checked(around.diagnostics, around.incomplete)})
    names = {diagnostic.resource for diagnostic in checked.diagnostics if diagnostic.resource}
    if same := {fact.path for fact in around.facts if fact.resource in names}:
        # findings have the fingerprints that they have together with those of others of the same resources
        both = check_workspace(replace(request, paths=[*request.paths, *sorted(same)], known_files=None, baseline=None))
        whole = replace(
            whole,
            diagnostics=[one for one in both.diagnostics if one.path not in same],
            suppressed=[one for one in both.suppressed if one.diagnostic.path not in same],
        )
    return whole.without_baseline(request.baseline)


def _check_all_files(linter: FileLinter, files: Sequence[DiscoveredFile], checked: ResultAccumulator) -> None:
    """Check a whole workspace, as far as it has changed since the last time. Raises FactsGone."""
    index = linter.open_index(files)
    known = index.unchanged_results() if index else None
    if known is not None:
        checked.add_known(known)
        return
    for result in linter.lint(files, whole=True, pass_over=checked.skip, index=index, with_facts=not checked.is_cached):
        checked.add(result)
    found = findings_across_files(linter, [checked])
    checked.diagnostics += found
    if index:
        index.write(checked.files, found)


def findings_across_files(
    linter: FileLinter, parts: Sequence[ResultAccumulator], rules: Set[str] | None = None
) -> list[Diagnostic]:
    """The findings of all or some rules across files; of unchanged facts they are kept. Raises FactsGone."""
    unread = any(part.has_unread for part in parts)
    facts = [fact for part in parts for fact in part.facts if rules is None or fact.rule in rules]
    if linter.result_cache is None or not all(part.are_facts_kept for part in parts):
        if not all(part.has_all_facts for part in parts):
            raise FactsGone
        return run_workspace_rules(linter, facts, unread=unread)
    from trialrun.workspace.kept_findings import KeptFindings

    files = {path: file for part in parts for path, file in part.files.items()}
    context = workspace_context(linter, unread=unread)
    return KeptFindings(linter.result_cache, files, facts, context).diagnostics(rules)


def _check_files(
    linter: FileLinter, files: Sequence[DiscoveredFile], checked: ResultAccumulator, around: ResultAccumulator
) -> None:
    """Check some files of a workspace; what is gathered of others is added to `around`."""
    related = RelatedFiles(linter, {file.display_path for file in files})
    for result in linter.lint(files, around=related.scan, pass_over=checked.skip):
        checked.add(result)
    if checked.facts:
        checked.diagnostics += _judge_with_related_files(linter, checked, related, around)


def _judge_with_related_files(
    linter: FileLinter, checked: ResultAccumulator, related: RelatedFiles, around: ResultAccumulator
) -> list[Diagnostic]:
    """The findings of rules across files in the checked files; what is gathered of others is added to `around`.

    What rests on absence is only reported if every file of the workspace could be read.
    """
    from trialrun.lint.workspace_rules import REST_ON_ABSENCE

    rules = judged_rules(checked.facts)
    own = [fact for fact in checked.facts if fact.rule in rules]
    for result in related.results(own):
        around.add(result)

    def judge() -> list[Diagnostic]:
        facts = [*own, *(fact for fact in around.facts if fact.rule in rules)]
        found = run_workspace_rules(linter, facts, unread=checked.has_unread or around.has_unread)
        return [one for one in found if one.path in checked.paths or one.rule == "internal-error"]

    judged = judge()
    if not around.has_unread and any(one.rule in REST_ON_ABSENCE or one.not_checked for one in judged):
        for result in related.rest():
            around.add(result)
        judged = judge()  # the others may have a document whose name could not be read
    return judged


def run_workspace_rules(linter: FileLinter, facts: Iterable[Fact], *, unread: bool) -> list[Diagnostic]:
    """Run the rules across files on some facts; `unread` means that an unreadable file may contain more."""
    facts = list(facts)
    if not facts:
        return []
    from trialrun.lint.workspace_rules import run_rules

    return run_rules(facts, workspace_context(linter, unread=unread))


def workspace_context(linter: FileLinter, *, unread: bool) -> WorkspaceContext:
    """The context for rules across files in a workspace."""
    from trialrun.lint.workspace_rules import FactLocations, WorkspaceContext

    profiles = linter.profiles
    return WorkspaceContext(
        profiles.whole, profiles.of, FactLocations(linter.files.bytes_of), unread, linter.request.now
    )


class ResultAccumulator:
    """Accumulates file results; `has_unread` is whether any file could not be read at all.

    `incomplete` are the files of which facts may be missing. With `is_cached`, facts may be in the cache alone.
    """

    def __init__(self, *, is_cached: bool = False) -> None:
        self.is_cached = is_cached
        self._is_checked: dict[str, bool] = {}
        self.documents = 0
        self.diagnostics: list[Diagnostic] = []
        self._facts: list[Fact] = []
        self._packed: list[bytes] = []
        self._packs = True
        self.suppressions: list[Suppression] = []
        self._not_checked: list[NotChecked] = []
        self.has_unread = False
        self.files: dict[str, CheckedFile] = {}
        self.incomplete: set[str] = set()
        self.are_facts_kept = self.has_all_facts = True
        self._passed_over = 0

    @property
    def paths(self) -> Set[str]:
        """The paths of all files that were added."""
        return self._is_checked.keys()

    @property
    def facts(self) -> list[Fact]:
        """The facts that are here in the order of the files; what is added later is added to this list."""
        if self._packed:
            self._facts = [*(fact for packed in self._packed for fact in _unpack_facts(packed)), *self._facts]
            self._packed = []
        self._packs = False
        return self._facts

    def skip(self, path: str) -> None:
        """Count a file without documents of ours."""
        self._passed_over += 1

    def add_known(self, known: KeptCheck) -> None:
        """Add all that an earlier check found."""
        silent, documents, unrelated, results, found = known
        self._is_checked.update(dict.fromkeys(silent, True))
        self._passed_over += len(unrelated)
        for result in results:
            self.add(result)
        self.documents += documents
        self.diagnostics += found

    def add(self, result: FileResult) -> None:
        """Add the result of a file."""
        is_complete = result.kept.are_complete if result.kept else all(fact.is_complete for fact in result.facts)
        if not is_complete:
            self.incomplete.add(result.path)
        self.are_facts_kept &= result.kept is not None or not result.facts
        is_silent = is_complete and not (result.diagnostics or result.suppressions or result.not_checked)
        self.files[result.path] = result.documents, is_silent, result.kept
        is_checked = bool(result.documents or result.diagnostics)
        self._is_checked[result.path] = is_checked
        self._passed_over += not is_checked
        self.documents += result.documents
        self.diagnostics.extend(result.diagnostics)
        self._facts.extend(result.facts)
        self.has_all_facts &= bool(result.facts) or not (result.kept and result.kept.digests)
        if self._packs and len(self._facts) >= MAX_UNPACKED_FACTS:
            if self.is_cached and self.are_facts_kept:
                self.has_all_facts = False
            else:
                self._packed.append(_pack_facts(self._facts))
            self._facts = []
        self.suppressions.extend(result.suppressions)
        self._not_checked.extend(result.not_checked)
        self.has_unread |= not result.documents and any(
            diagnostic.rule in MASKING_RULES for diagnostic in result.diagnostics
        )

    def to_result(self, linter: FileLinter, *, whole: bool, has_all_facts: bool = False) -> CheckResult:
        """The sorted diagnostics after suppression, with complete fingerprints.

        `whole` means all files of the workspace; `has_all_facts` that rules across files had all their input for these.
        """
        from trialrun.lint.workspace_rules import without_overridden

        self.diagnostics = without_overridden(self.diagnostics)
        checked = sorted(path for path, is_checked in self._is_checked.items() if is_checked)
        result = CheckResult(len(checked), self.documents, self.diagnostics, paths=checked)
        result.skipped = self._passed_over
        result.not_checked = sorted({*not_checked(self.diagnostics, self.incomplete), *self._not_checked})
        if self.suppressions or linter.profiles.settings.ignore_tables:
            self._suppress(result, linter, whole=whole, has_all_facts=has_all_facts)
        result.has_internal_error = any(diagnostic.rule == "internal-error" for diagnostic in result.diagnostics)
        _sort_and_fingerprint(result, linter.files.root)
        return result

    def _suppress(self, result: CheckResult, linter: FileLinter, *, whole: bool, has_all_facts: bool) -> None:
        """Apply the suppressions of files and settings; findings about suppressions are added."""
        from trialrun.lint.suppression.apply import apply_suppressions
        from trialrun.lint.suppression.suppressors import SuppressionContext, SuppressTables, table_ranges

        profiles, settings, tables = linter.profiles, linter.profiles.settings, None
        if settings.ignore_tables and settings.file is not None:
            text = (linter.files.bytes_of(settings.file) or b"").decode("utf-8", "replace")
            ranges = table_ranges(text, settings.ignore_tables)
            tables = SuppressTables(
                display_path(settings.file), settings.ignore_tables, ranges, profiles.path_of_settings
            )
        terms = SuppressionContext(
            profiles.of, linter.request.now.date(), whole, frozenset(self.paths), tables, has_all_facts
        )
        rest = apply_suppressions(self.diagnostics, self.suppressions, terms)
        result.diagnostics, result.suppressed, result.suppression_statuses = rest.kept, rest.suppressed, rest.statuses


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


def by_path(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """The diagnostics of each path that has any, in their order."""
    found: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found


def not_checked(diagnostics: Iterable[Diagnostic], incomplete: Iterable[str]) -> list[NotChecked]:
    """What could not be checked, sorted: as reported by rules, and what depends on unreadable lines of some files."""
    found = {diagnostic.not_checked for diagnostic in diagnostics if diagnostic.not_checked}
    found.update(NotChecked(path, CROSS_FILE_CHECKS, UNREAD_LINES) for path in incomplete)
    found.update(
        NotChecked(diagnostic.path, WHOLE_FILE, diagnostic.message)
        for diagnostic in diagnostics
        if diagnostic.rule in UNREAD_RULES and not diagnostic.not_checked
    )
    return sorted(found)


def _sort_and_fingerprint(result: CheckResult, root: str) -> None:
    """Sort the findings and complete their fingerprints; suppressed ones are numbered after the others."""
    kept = sorted(result.diagnostics, key=lambda diagnostic: diagnostic.sort_key)
    if result.has_internal_error:
        from trialrun.lint.policy.evaluate import first_failures

        kept = list(first_failures(kept))
    suppressed = sorted(result.suppressed, key=lambda suppressed: suppressed.diagnostic.sort_key)
    diagnostics = with_unique_fingerprints(
        [*kept, *(one.diagnostic for one in suppressed)],
        shared_path=cache(lambda path: relative_path(path, root).replace(os.sep, "/")),
    )
    result.diagnostics, rest = diagnostics[: len(kept)], diagnostics[len(kept) :]
    result.suppressed = [one._replace(diagnostic=found) for one, found in zip(suppressed, rest, strict=True)]


def merge_results(results: Sequence[tuple[CheckRequest, CheckResult]]) -> CheckResult:
    """The merged, sorted results of workspaces, with what a search did not enter.

    A fingerprint that occurs in several workspaces is made unique with the root of its workspace.
    """
    whole = results[0][1] if len(results) == 1 else _merge(results)
    whole.workspaces = [(part.root, part.profiles) for part, _ in results]
    whole.not_checked = sorted({*whole.not_checked, *(gap for part, _ in results for gap in part.not_entered)})
    return whole


def _merge(results: Sequence[tuple[CheckRequest, CheckResult]]) -> CheckResult:
    whole, top = CheckResult(), os.path.commonpath([part.root for part, _ in results]) if results else ""
    seen: set[str] = set()
    for part, result in results:
        place = relative_path(part.root, top).replace(os.sep, "/")
        whole.diagnostics += [_distinguish(diagnostic, seen, place) for diagnostic in result.diagnostics]
        whole.suppressed += [
            suppressed._replace(diagnostic=_distinguish(suppressed.diagnostic, seen, place))
            for suppressed in result.suppressed
        ]
        whole.files += result.files
        whole.documents += result.documents
        whole.baselined += result.baselined
        whole.has_internal_error |= result.has_internal_error
        whole.paths += result.paths
        whole.suppression_statuses += result.suppression_statuses
        whole.skipped += result.skipped
        whole.not_checked += result.not_checked
        seen.update(
            diagnostic.fingerprint
            for diagnostic in (*result.diagnostics, *(suppressed.diagnostic for suppressed in result.suppressed))
        )
    whole.diagnostics.sort(key=lambda diagnostic: diagnostic.sort_key)
    whole.suppressed.sort(key=lambda suppressed: suppressed.diagnostic.sort_key)
    whole.paths.sort()
    return whole


def _distinguish(diagnostic: Diagnostic, seen: set[str], place: str) -> Diagnostic:
    if diagnostic.fingerprint not in seen:
        return diagnostic
    from hashlib import blake2b

    text = f"{diagnostic.fingerprint}\x1e{place}".encode("utf-8", "surrogatepass")
    return diagnostic._replace(fingerprint=blake2b(text, digest_size=8).hexdigest())
