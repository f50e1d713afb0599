"""Lints many files: cached results are reused, the rest is distributed to all cores."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Diagnostic, Finding, NotChecked, Severity, SymbolicLocation
from trialrun.lint.file_result import ALWAYS_REPORTED, FileResult
from trialrun.lint.selection import Selection
from trialrun.working_folder import absolute_path
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.read_file import UnreadableFile, UnrelatedFile
from trialrun.workspace.scan_files import FIRST_FILES, MIN_FILES_BESIDE, NO_DIGEST, Candidate, FileScan
from trialrun.workspace.session_schemas import SchemaResolver, may_declare

if TYPE_CHECKING:
    from trialrun.lint.engine import Linter
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.result_cache import ConditionCache, ResultCache

UNKNOWN_KIND = "unknown-kind"
NOTHING_CHECKED = "no document in this file has a known kind; add `kind:`, or exclude the file"
REST_OF_FOLDER = "the folders that were not searched"


class _Linted(NamedTuple):
    """The result of a candidate, with the digest of the linted bytes, and rows of the cache for its new conditions."""

    candidate: Candidate
    result: FileResult
    conditions: Sequence[tuple[bytes, str]] = ()


class FileLinter:
    """Lints files of one workspace for a request; new results are cached when it is closed.

    `files` are by default those of the request. `check_cancelled` is called between steps, and may raise to end the
    work.
    """

    def __init__(
        self,
        request: CheckRequest,
        files: FileSystem | None = None,
        *,
        check_cancelled: Callable[[], None] = lambda: None,
    ) -> None:
        self.request = request
        self.files = files or request.files
        self.profiles = request.profiles
        self._check_cancelled = check_cancelled
        self._result_cache = self._open_cache() if request.cache else None
        self._conditions = self._result_cache.conditions if self._result_cache else None
        self._linters: dict[int, Linter] = {}
        self._selections: dict[tuple[int, frozenset[str]], Selection] = {}
        self.declared = frozenset[str]()
        self._declaring: list[tuple[str, bytes]] | None = None
        self._checking: FileLinter | None = None

    def lint(
        self,
        discovered_files: Sequence[DiscoveredFile],
        *,
        whole: bool = False,
        around: FileScan | None = None,
        declared: Collection[str] | None = None,
        pass_over: Callable[[str], None] = lambda path: None,
    ) -> Iterator[FileResult]:
        """The results of the files with documents of ours, unordered; `whole` means that these are all files.

        `around` are the other files of the workspace. `declared` are the kinds of companion documents in the files that
        are checked together, by default those in all these files. `pass_over` is called with the path of each file
        without documents of ours.
        """
        self._scan = scan = self._scan_files([*self._without_policies(discovered_files)])
        for path in scan.unrelated:
            pass_over(path)
        if whole or around:
            self._declaring = [*scan.declaring, *(around.declaring if around else ())]
        self.declared = frozenset(scan.kinds | (around.kinds if around else set()) if declared is None else declared)
        yield from self.results(scan.unreadable, scan.candidates)

    def scan(self, discovered_files: Sequence[DiscoveredFile]) -> FileScan:
        """Read files that are not checked themselves."""
        scan = FileScan(self.files, self.profiles, self._digest)
        scan.scan(self._without_policies(discovered_files))
        return scan

    def gatherer(self, scan: FileScan) -> FileLinter:
        """A linter that only gathers the facts of the scanned files for rules across files, and runs no other rules."""
        gatherer = copy(self)
        gatherer._scan, gatherer._selections, gatherer._linters, gatherer._checking = scan, {}, {}, self
        return gatherer

    def _scan_files(self, discovered_files: Sequence[DiscoveredFile]) -> FileScan:
        """Scan the files; many of them in another process, where linting them has to be prepared meanwhile."""
        scan = FileScan(self.files, self.profiles, self._digest)
        scan.scan(discovered_files[:FIRST_FILES])
        rest = discovered_files[FIRST_FILES:]
        if len(rest) >= MIN_FILES_BESIDE and len(scan.candidates) > FIRST_FILES // 2 and self._needs_preparation():
            scan.scan_beside(rest, lambda: self._prepare_early(scan.candidates))
        else:
            scan.scan(rest)
        return scan

    def _needs_preparation(self) -> bool:
        """Whether there are several workers, which will probably find no result in the cache."""
        from trialrun.cores import available_cores

        is_cached = self._result_cache is not None and not self._result_cache.is_new
        return not is_cached and (self.request.jobs or available_cores()) > 1

    def _prepare_early(self, candidates: Sequence[Candidate]) -> None:
        """Prepare what does not depend on files that are not scanned yet, such as the types of sessions."""
        from trialrun.lint.warm_up import lint_samples
        from trialrun.values.cel import DEFAULT_SCHEMA

        self._shared_conditions()
        for candidate in candidates:
            self._linter(self._selection(candidate.found))
        has_conditions = any(candidate.has_conditions for candidate in candidates)
        for linter in self._linters.values():
            linter.warm_up(DEFAULT_SCHEMA if has_conditions else None)
        lint_samples(self.request.now)

    def for_files(self, files: FileSystem) -> FileLinter:
        """The same for files with other texts, none of which declares session types."""
        other = FileLinter(replace(self.request, cache=False), files, check_cancelled=self._check_cancelled)
        other._result_cache, other._linters, other.sessions = self._result_cache, self._linters, self.sessions
        other._conditions = self._conditions
        other._selections = self._selections
        return other

    def with_declaring_files(self, declaring: list[tuple[str, bytes]]) -> FileLinter:
        """The same with the files that may declare session types, so that they are not searched for."""
        self._declaring = declaring
        return self

    def _without_policies(self, discovered_files: Sequence[DiscoveredFile]) -> Iterable[DiscoveredFile]:
        """The files without policy files, whose errors were reported when they were read."""
        read = self.profiles.policies.files
        return [file for file in discovered_files if absolute_path(file.file) not in read] if read else discovered_files

    def close(self) -> None:
        """Write new results to the cache."""
        if self._result_cache is not None:
            self._result_cache.close()

    def release(self) -> None:
        """Release all resources."""
        self.close()
        self._linters.clear()
        self.__dict__.pop("sessions", None)

    @cached_property
    def sessions(self) -> SchemaResolver:
        """The session types for conditions."""
        settings = self.profiles.settings
        named = [settings.session_schema, *(override.session_schema for override in settings.overrides)]
        return SchemaResolver(self._declaring_files, named, self.files.bytes_of, self.profiles.kind_by_glob)

    def _declaring_files(self) -> Iterable[tuple[str, bytes]]:
        """The files that may declare session types: of the whole workspace, even if only some files are linted."""
        if self._declaring is None:
            texts = ((file.display_path, self.files.read(file)) for file in self.files.find())
            kind_of = self.profiles.kind_by_glob
            self._declaring = [
                (path, data) for path, data in texts if isinstance(data, bytes) and may_declare(data, kind_of(path))
            ]
        return self._declaring

    def _digest(self, data: bytes) -> bytes:
        """The digest of the bytes of a file for the cache."""
        if self._result_cache is None:
            return NO_DIGEST
        from trialrun.workspace.result_cache import digest

        return digest(data)

    def _open_cache(self) -> ResultCache:
        from trialrun.workspace.result_cache import ResultCache

        day = self.request.now.date().isoformat()
        return ResultCache(
            day,
            lambda selection: self.sessions.schemas_for(selection.session_schema).digest,
            with_fixes=self.request.with_fixes,
        )

    def _cache_key(self, candidate: Candidate) -> bytes:
        """The cache key for the result of a candidate."""
        assert self._result_cache is not None
        found, profiles, selection = candidate.found, self.profiles, self._selection(candidate.found)
        kind = profiles.kind_by_glob(found.display_path)
        place = profiles.path_of_settings(found.display_path) if selection.policies.read_paths else ""
        return self._result_cache.key(
            candidate.digest, found.display_path, selection, named=found.is_named, kind=kind, place=place
        )

    def _selection(self, discovered_file: DiscoveredFile) -> Selection:
        """The selection for a file, without rules whose input documents do not exist."""
        selection = self.profiles.of(discovered_file.display_path)
        known = (id(selection), self.declared)
        if known not in self._selections:
            selection = selection.for_declared_kinds(self.declared)
            self._selections[known] = selection.for_facts() if self._checking else selection
        return self._selections[known]

    def results(
        self, unreadable: Iterable[tuple[DiscoveredFile, UnreadableFile]], candidates: Iterable[Candidate]
    ) -> Iterator[FileResult]:
        """The results of scanned files, from the cache or the linter."""
        for file, unread in unreadable:
            yield self._unreadable(file, unread)
        rest: list[Candidate] = []
        for candidate in candidates:
            known = self._cached_result(candidate)
            if known is None:
                rest.append(candidate)
            else:
                yield known
        if not rest:
            return
        self._prepare(rest)
        jobs = self._worker_count(rest)
        for linted in self._lint_parallel(rest, jobs) if jobs > 1 else map(self._lint, rest):
            self._cache(linted)
            yield linted.result

    def _cached_result(self, candidate: Candidate) -> FileResult | None:
        if self._result_cache is None:
            return None
        if self._checking and (known := self._checking._cached_result(candidate)):
            return known  # it has the same facts
        result = candidate.found
        return self._result_cache.find(self._cache_key(candidate), result.display_path, self._selection(result))

    def _cache(self, linted: _Linted) -> None:
        if self._result_cache is None:
            return
        self._result_cache.add_rows(linted.conditions)
        candidate = linted.candidate
        if candidate.digest:
            self._result_cache.add(self._cache_key(candidate), linted.result, self._selection(candidate.found))

    def _lint_parallel(self, rest: list[Candidate], jobs: int) -> Iterator[_Linted]:
        """Lint candidates in worker processes."""
        from trialrun.workspace import worker_pool

        def lint(number: int) -> tuple[int, bytes, FileResult, Sequence[tuple[bytes, str]]]:
            linted = self._lint(rest[number])
            return number, linted.candidate.digest, linted.result, linted.conditions

        numbers = range(len(rest))
        for sent in worker_pool.map_parallel(numbers, lint, size=lambda number: rest[number].size, jobs=jobs):
            if isinstance(sent, worker_pool.WorkerDied):
                yield _Linted(rest[sent.task], _crash_result(rest[sent.task].found, sent.reason))
            else:
                number, digest, result, conditions = sent
                yield _Linted(Candidate(rest[number].found, 0, digest), result, conditions)

    def _prepare(self, rest: list[Candidate]) -> None:
        """Import what linting needs before workers are forked, so that they share it, and what many files need."""
        if len(rest) < 2:
            return
        conditions = self._shared_conditions()
        for candidate in rest:
            self._linter(self._selection(candidate.found))
        has_conditions = any(candidate.has_conditions for candidate in rest)
        for linter in self._linters.values():
            schema = linter.session_types().schema if has_conditions else None
            linter.warm_up(None if schema is None or conditions.load(schema) else schema)
        gc.freeze()

    def _shared_conditions(self) -> ConditionCache:
        """The conditions of all linters, which are created after this."""
        if self._conditions is None:
            from trialrun.workspace.result_cache import ConditionCache

            self._conditions = ConditionCache(None, str)
        return self._conditions

    def _worker_count(self, rest: list[Candidate]) -> int:
        if len(rest) < 2:
            return 1
        from trialrun.cores import available_cores
        from trialrun.workspace import worker_pool

        jobs = self.request.jobs or available_cores()
        return worker_pool.worker_count([candidate.size for candidate in rest], jobs)

    def _linter(self, selection: Selection) -> Linter:
        """The linter for a selection, created once."""
        linter = self._linters.get(id(selection))
        if linter is None:
            from trialrun.lint.engine import Linter, check_condition

            session = self.sessions.schemas_for(selection.session_schema)
            linter = self._linters[id(selection)] = Linter(
                selection,
                now=self.request.now,
                session_types=lambda: session.types,
                kind_by_path=self.profiles.kind_by_glob,
                policy_path=self.profiles.path_of_settings,
                check_cancelled=self._check_cancelled,
                with_fixes=self.request.with_fixes,
                check_condition=self._conditions.check if self._conditions else check_condition,
            )
        return linter

    def _lint(self, candidate: Candidate) -> _Linted:
        """The result of a candidate, with the digest of the linted bytes."""
        found = candidate.found
        kept = self._scan.data(candidate)
        data = self.files.read(found) if kept is None else kept
        if isinstance(data, UnreadableFile):
            return _Linted(Candidate(found, 0, NO_DIGEST), self._unreadable(found, data))
        if isinstance(data, UnrelatedFile):
            return _Linted(Candidate(found, 0, NO_DIGEST), FileResult(found.display_path))
        report = self._linter(self._selection(found)).lint(data, found.display_path, is_explicit=found.is_named)
        if found.is_named and not report.documents:
            _require_documents(report, data)
        digest = self._digest(data) if kept is None else candidate.digest
        conditions = self._conditions.take_new_rows() if self._conditions else ()
        return _Linted(Candidate(found, candidate.size, digest), report, tuple(conditions))

    def _unreadable(self, discovered_file: DiscoveredFile, unread: UnreadableFile) -> FileResult:
        report, selection = FileResult(discovered_file.display_path), self._selection(discovered_file)
        rule = "resource-limit" if unread.is_limit else "unreadable-file"
        severity = selection.severity_overrides.get(rule, Severity.ERROR)
        message = unread.reason if unread.is_limit else f"the file cannot be read: {unread.reason}"
        diagnostic = file_diagnostic(rule, severity, message, discovered_file.display_path)
        if unread.is_limit:
            diagnostic = replace(
                diagnostic, not_checked=NotChecked(discovered_file.display_path, REST_OF_FOLDER, message)
            )
        report.diagnostics.append(diagnostic)
        return report


def _crash_result(discovered_file: DiscoveredFile, reason: str) -> FileResult:
    report = FileResult(discovered_file.display_path, has_internal_error=True)
    message = f"linting this file ended its process ({reason}); please report it with the file"
    report.diagnostics.append(file_diagnostic("internal-error", Severity.ERROR, message, discovered_file.display_path))
    return report


def file_diagnostic(rule: str, severity: Severity, message: str, path: str) -> Diagnostic:
    """A diagnostic about a whole file, at its first character."""
    from trialrun.lint import positions
    from trialrun.text import Source

    return positions.to_diagnostic(
        Finding(message, SymbolicLocation(None)), rule=rule, severity=severity, source=Source(path, ""), document=None
    )


def _require_documents(report: FileResult, data: bytes) -> None:
    """Report an error for a file without documents, unless it could not be read.

    Policy files are checked by `trialrun rules test`, and when they are used.
    """
    from trialrun.lint.policy import is_policy
    from trialrun.parser import parse

    if any(diagnostic.rule in ALWAYS_REPORTED for diagnostic in report.diagnostics):
        return
    strays = [diagnostic for diagnostic in report.diagnostics if diagnostic.rule == UNKNOWN_KIND]
    if strays:
        others = [diagnostic for diagnostic in report.diagnostics if diagnostic.rule != UNKNOWN_KIND]
        report.diagnostics = [replace(strays[0], severity=Severity.ERROR), *others]
    elif not any(is_policy(document.value) for document in parse(data, report.path).documents):
        report.diagnostics.append(file_diagnostic(UNKNOWN_KIND, Severity.ERROR, NOTHING_CHECKED, report.path))
