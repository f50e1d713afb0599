"""Lints many files: cached results are reused, the rest is distributed to all cores."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Diagnostic, Finding, NotChecked, Severity, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import ALWAYS_REPORTED, FileResult
from trialrun.lint.selection import Selection
from trialrun.lint.settings import Profiles
from trialrun.working_folder import absolute_path
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.kind_scan import COMPANION_KINDS, declared_kinds
from trialrun.workspace.read_file import UnreadableFile, UnrelatedFile
from trialrun.workspace.session_schemas import SchemaResolver, may_declare

if TYPE_CHECKING:
    from trialrun.lint.engine import Linter
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.condition_cache import ConditionCache
    from trialrun.workspace.result_cache import ResultCache
    from trialrun.workspace.worker_pool import WorkerDied

CONDITION_FIELD = b"ondition"
"""A file without this does not contain conditionExpression in either spelling, and needs no CEL checker."""
UNKNOWN_KIND = "unknown-kind"
NOTHING_CHECKED = "no document in this file has a known kind; add `kind:`, or exclude the file"
REST_OF_FOLDER = "the folders that were not searched"
MAX_KEPT_BYTES = 16_000_000
"""Bytes of files kept in memory between the scan and linting; files beyond this are read again."""
NO_DIGEST = b""
"""The digest of bytes that were not read, or are not needed."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file with documents of ours; `digest` is that of its bytes, `data` the bytes if they are kept."""

    found: DiscoveredFile
    size: int
    digest: bytes
    has_conditions: bool = False
    data: bytes | None = None


class _Linted(NamedTuple):
    """The result of a candidate, with the digest of the linted bytes, and rows of the cache for its new conditions."""

    candidate: _Candidate
    result: FileResult
    conditions: Sequence[tuple[bytes, str]] = ()


class _WorkspaceScan:
    """Facts of all files that the others depend on: session types, and kinds of companion documents."""

    def __init__(self, profiles: Profiles) -> None:
        self.types: list[tuple[str, bytes]] = []
        self.kinds: set[str] = set()
        self._profiles = profiles

    def look(self, discovered_file: DiscoveredFile, data: bytes) -> None:
        """Scan a file."""
        by_path = self._profiles.kind_by_glob(discovered_file.display_path)
        if may_declare(data, by_path):
            self.types.append((discovered_file.display_path, data))
        if len(self.kinds) < len(COMPANION_KINDS):
            self.kinds |= declared_kinds(data, by_path=by_path)


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

    def lint(
        self,
        discovered_files: Sequence[DiscoveredFile],
        *,
        whole: bool = False,
        declared: Collection[str] | None = None,
        pass_over: Callable[[str], None] = lambda path: None,
    ) -> Iterator[FileResult]:
        """The results of the files with documents of ours, unordered; `whole` means that these are all files.

        `declared` are the kinds of companion documents in the files that are checked together, by default those in
        these files. `pass_over` is called with the path of each file without documents of ours.
        """
        candidates: list[_Candidate] = []
        unreadable: list[FileResult] = []
        saying = _WorkspaceScan(self.profiles)
        kept = 0
        for policy in self._without_policies(discovered_files):
            data = self.files.read(policy)
            if isinstance(data, UnreadableFile):
                unreadable.append(self._unreadable(policy, data))
            elif isinstance(data, UnrelatedFile):
                if not data.is_gone:
                    pass_over(policy.display_path)
            else:
                kept += len(data)
                data_to_keep = data if kept <= MAX_KEPT_BYTES else None
                has_conditions = CONDITION_FIELD in data
                candidates.append(_Candidate(policy, len(data), self._digest(data), has_conditions, data_to_keep))
                saying.look(policy, data)
        if whole:
            self._declaring = saying.types
        self.declared = frozenset(saying.kinds if declared is None else declared)
        yield from unreadable
        yield from self._results(candidates)

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
        from trialrun.workspace.result_cache import CacheKeys, ResultCache

        day = self.request.now.date().isoformat()
        conditions = CacheKeys(day, lambda selection: self.sessions.schemas_for(selection.session_schema).digest)
        return ResultCache(conditions, with_fixes=self.request.with_fixes)

    def _cache_key(self, candidate: _Candidate) -> bytes:
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
            self._selections[known] = selection.for_declared_kinds(self.declared)
        return self._selections[known]

    def _results(self, candidates: Iterable[_Candidate]) -> Iterator[FileResult]:
        """The results of the candidates, from the cache or the linter."""
        rest: list[_Candidate] = []
        for candidate in candidates:
            known = self._cached_result(candidate)
            if known is None:
                rest.append(candidate)
            else:
                yield known
        if not rest:
            return
        self._prepare(rest)
        for linted in self._lint_parallel(rest) if len(rest) > 1 else map(self._lint, rest):
            self._cache(linted)
            yield linted.result

    def _cached_result(self, candidate: _Candidate) -> FileResult | None:
        if self._result_cache is None:
            return None
        result = candidate.found
        return self._result_cache.find(self._cache_key(candidate), result.display_path, self._selection(result))

    def _cache(self, linted: _Linted) -> None:
        if self._result_cache is None:
            return
        self._result_cache.add_rows(linted.conditions)
        candidate = linted.candidate
        if candidate.digest:
            self._result_cache.add(self._cache_key(candidate), linted.result, self._selection(candidate.found))

    def _lint_parallel(self, rest: list[_Candidate]) -> Iterator[_Linted]:
        """Lint candidates in worker processes; a single one in this process."""
        from trialrun.workspace import worker_pool

        jobs = self._worker_count(rest)
        for result in worker_pool.map_parallel(rest, self._lint, size=lambda candidate: candidate.size, jobs=jobs):
            yield _Linted(result.task, _crash_result(result)) if isinstance(result, worker_pool.WorkerDied) else result

    def _prepare(self, rest: list[_Candidate]) -> None:
        """Import what linting needs before workers are forked, so that they share it, and what many files need."""
        if len(rest) < 2:
            return
        if self._conditions is None:
            from trialrun.workspace.condition_cache import ConditionCache

            self._conditions = ConditionCache(None, str)
        for candidate in rest:
            self._linter(self._selection(candidate.found))
        for linter in self._linters.values():
            self._prepare_linter(linter, self._conditions, rest)
        gc.freeze()

    def _prepare_linter(self, linter: Linter, cache: ConditionCache, rest: list[_Candidate]) -> None:
        files = [candidate.data or b"" for candidate in rest if candidate.has_conditions]
        schema = linter.session_types().schema if files else None
        linter.warm_up(conditions=schema is not None and not cache.load(schema))
        jobs = self._worker_count(rest)
        if schema is None or jobs < 2:
            return
        from trialrun.workspace.shared_conditions import check_shared_conditions

        rows = check_shared_conditions(files, cache, schema, linter.extensions, jobs=jobs)
        if self._result_cache is not None:
            self._result_cache.add_rows(rows)

    def _worker_count(self, rest: list[_Candidate]) -> int:
        from trialrun.workspace import worker_pool

        jobs = self.request.jobs or worker_pool.available_cores()
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

    def _lint(self, candidate: _Candidate) -> _Linted:
        """The result of a candidate, with the digest of the linted bytes."""
        found = candidate.found
        data = self.files.read(found) if candidate.data is None else candidate.data
        if isinstance(data, UnreadableFile):
            return _Linted(_Candidate(found, 0, NO_DIGEST), self._unreadable(found, data))
        if isinstance(data, UnrelatedFile):
            return _Linted(_Candidate(found, 0, NO_DIGEST), FileResult(found.display_path))
        report = self._linter(self._selection(found)).lint(data, found.display_path, is_explicit=found.is_named)
        if found.is_named and not report.documents:
            _require_documents(report, data)
        digest = self._digest(data) if candidate.data is None else candidate.digest
        conditions = self._conditions.take_new_rows() if self._conditions else ()
        return _Linted(_Candidate(found, candidate.size, digest), report, tuple(conditions))

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


def _crash_result(died: WorkerDied[_Candidate]) -> FileResult:
    report = FileResult(died.task.found.display_path, has_internal_error=True)
    message = f"linting this file ended its process ({died.reason}); please report it with the file"
    report.diagnostics.append(file_diagnostic("internal-error", Severity.ERROR, message, died.task.found.display_path))
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
        report.diagnostics = [
            replace(diagnostic, severity=Severity.ERROR) if diagnostic.rule == UNKNOWN_KIND else diagnostic
            for diagnostic in report.diagnostics
        ]
    elif not any(is_policy(document.value) for document in parse(data, report.path).documents):
        report.diagnostics.append(file_diagnostic(UNKNOWN_KIND, Severity.ERROR, NOTHING_CHECKED, report.path))
