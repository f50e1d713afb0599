"""Lints many files: each is read once, known results come from the cache, and workers share what is left.

Some things have to be known of all files before any is linted: which have documents of ours, and what others depend on.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, Finding, NotChecked, Severity, SymbolicLocation
from trialrun.lint.file_result import ALWAYS_REPORTED, FileResult
from trialrun.lint.selection import Selection
from trialrun.model.kinds import COMPANION_KINDS, declared_kinds
from trialrun.terraform import ModuleFile, is_terraform_path
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import Candidate, FileScan, FileSystem, UnreadableFile, UnrelatedFile
from trialrun.workspace.session_schemas import SchemaResolver, may_declare
from trialrun.workspace.terraform_module import names_file

if TYPE_CHECKING:
    from trialrun.lint.engine import Linter
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.result_cache import ResultCache
    from trialrun.workspace.workspace_index import WorkspaceIndex

    _Linted = tuple[bytes, FileResult, Sequence[tuple[bytes, str]]]
    """The digest of the linted bytes, the result, and the rows of the cache for new conditions."""

UNKNOWN_KIND = "unknown-kind"
TEMPLATE_CHECKED = "a template engine fills in lines of this file; check the file that it writes, or exclude this one"
NOTHING_CHECKED = "no document in this file has a known kind; add `kind:`, or exclude the file"
REST_OF_FOLDER = "the folders that were not searched"
CONDITION_FIELD = b"ondition"
"""A file without this does not contain conditionExpression in either spelling, and needs no CEL checker."""
MAX_KEPT_BYTES = 16_000_000
"""Bytes of files kept in memory until they are linted; files beyond this are read again."""
NO_DIGEST = b""
"""The digest of bytes that were not read, or are not needed."""
MIN_FILES_FOR_SAMPLES = 300
"""Fewer files are linted faster than samples of usual mistakes, which prepare workers for them."""


class FileLinter:
    """Lints files of one workspace for a request; new results are cached when it is closed.

    `files` are by default those of the request. `check_cancelled` is called between steps, and may raise to end the
    work. `declaring` are the files that may declare session types, if they are known.
    """

    def __init__(
        self,
        request: CheckRequest,
        files: FileSystem | None = None,
        *,
        check_cancelled: Callable[[], None] = lambda: None,
        declaring: list[tuple[str, bytes]] | None = None,
    ) -> None:
        self.request = request
        self.files = files or request.files
        self.profiles = request.profiles
        self._check_cancelled = check_cancelled
        self.result_cache = self._open_cache() if request.cache else None
        self._conditions = self.result_cache.conditions if self.result_cache else None
        self._linters: dict[int, Linter] = {}
        self._selections: dict[tuple[int, frozenset[str]], Selection] = {}
        self.declared = frozenset[str]()
        self._declaring = declaring
        self._checking: FileLinter | None = None

    def lint(
        self,
        discovered_files: Sequence[DiscoveredFile],
        *,
        whole: bool = False,
        around: FileScan | None = None,
        declared: Collection[str] | None = None,
        pass_over: Callable[[str], None] = lambda path: None,
        index: WorkspaceIndex | None = None,
        with_facts: bool = True,
    ) -> Iterator[FileResult]:
        """The results of the files with documents of ours, unordered; `whole` means that these are all files.

        `around` are the other files of the workspace. `declared` are the kinds of companion documents in the files that
        are checked together, by default those in all these files. `pass_over` is called with the path of each file
        without documents of ours. Results in the `index` come without facts, those in the cache with some if asked.
        """
        scan = self.scan(discovered_files, index)
        for path in scan.unrelated:
            pass_over(path)
        if whole or around:
            self._declaring = [*scan.declaring, *(around.declaring if around else ())]
        self.declared = frozenset(scan.kinds | (around.kinds if around else set()) if declared is None else declared)
        if index:
            index.begin(scan, self.declared)
        yield from self.results(scan.unreadable, scan.candidates, index, with_facts=with_facts)

    def scan(self, discovered_files: Sequence[DiscoveredFile], index: WorkspaceIndex | None = None) -> FileScan:
        """Read files without linting them; policy files are left out, whose errors were reported with the settings."""
        scan, policies, kept_bytes = FileScan(), self.profiles.policies.files, 0
        for file in discovered_files:
            if policies and absolute_path(file.file) in policies:
                continue
            entry = index.entry(file) if index else None
            if entry is not None:
                scan.add_known(file, entry)
                continue
            data = self.files.read(file)
            if isinstance(data, UnreadableFile):
                scan.unreadable.append((file, data))
            elif isinstance(data, UnrelatedFile):
                if not data.is_gone:
                    scan.unrelated.append(file.display_path)
            else:
                by_path = self.profiles.kind_by_glob(file.display_path)
                if may_declare(data, by_path):
                    scan.declaring.append((file.display_path, data))
                kinds = set[str]()
                if index or len(scan.kinds) < len(COMPANION_KINDS):
                    kinds = declared_kinds(data, by_path=by_path)
                    scan.kinds |= kinds
                kept_bytes += len(data)
                kept = data if kept_bytes <= MAX_KEPT_BYTES else None
                digest, has_conditions = self._digest(data), CONDITION_FIELD in data
                if names_file(file.file, data):
                    file = replace(file, stamp=None)
                scan.candidates.append(Candidate(file, len(data), digest, has_conditions, kept, sorted(kinds)))
        return scan

    def results(
        self,
        unreadable: Iterable[tuple[DiscoveredFile, UnreadableFile]],
        candidates: Iterable[Candidate],
        index: WorkspaceIndex | None = None,
        *,
        with_facts: bool = True,
    ) -> Iterator[FileResult]:
        """The results of scanned files, from the index, the cache or the linter."""
        for file, unread in unreadable:
            yield self._unreadable(file, unread)
        rest: list[Candidate] = []
        for candidate in candidates:
            known = (index.result(candidate) if index else None) or self._cached_result(candidate, with_facts)
            if known is None:
                rest.append(candidate)
            else:
                yield known
        for candidate, (digest, result, conditions) in self._lint_all(rest):
            if self.result_cache is not None:
                self.result_cache.add_rows(conditions)
                if digest:
                    key = self._cache_key(self.result_cache, candidate.found, digest)
                    self.result_cache.add(key, digest, result, self._selection(candidate.found))
            yield result

    def gatherer(self) -> FileLinter:
        """A linter that only gathers the facts of files for rules across files, and runs no other rules."""
        gatherer = copy(self)
        gatherer._selections, gatherer._linters, gatherer._checking = {}, {}, self
        return gatherer

    def for_files(self, files: FileSystem) -> FileLinter:
        """The same for files with other texts, none of which declares session types."""
        other = FileLinter(replace(self.request, cache=False), files, check_cancelled=self._check_cancelled)
        other.result_cache, other._linters, other.sessions = self.result_cache, self._linters, self.sessions
        other._conditions = self._conditions
        other._selections = self._selections
        return other

    def close(self) -> None:
        """Write new results to the cache."""
        if self.result_cache is not None:
            self.result_cache.close()

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

    # ---- the cache

    def _open_cache(self) -> ResultCache:
        from trialrun.workspace.result_cache import ResultCache

        return ResultCache(
            self.request.now.date().isoformat(),
            lambda selection: self.sessions.schemas_for(selection.session_schema).digest,
            with_fixes=self.request.with_fixes,
        )

    def _digest(self, data: bytes) -> bytes:
        """The digest of the bytes of a file for the cache, and of those that its values may come from."""
        if self.result_cache is None:
            return NO_DIGEST
        from trialrun.workspace.cache_store import digest

        return digest(data.all_bytes if isinstance(data, ModuleFile) else data)

    def _cache_key(self, results: ResultCache, file: DiscoveredFile, digest: bytes) -> bytes:
        """The key for the result of a file in the cache."""
        path, selection = file.display_path, self._selection(file)
        place = self.profiles.path_of_settings(path) if selection.policies.read_paths else ""
        if is_terraform_path(path):  # unknown names differ by folder
            place = f"{place}\0{path}"
        kind = self.profiles.kind_by_glob(path)
        return results.key(digest, path, selection, named=file.is_named, kind=kind, place=place)

    def _cached_result(self, candidate: Candidate, with_facts: bool) -> FileResult | None:
        if self.result_cache is None:
            return None
        file, selection = candidate.found, self._selection(candidate.found)
        key = self._cache_key(self.result_cache, file, candidate.digest)
        known = self.result_cache.find(key, candidate.digest, file.display_path, selection, with_facts=with_facts)
        if known is None and self._checking:
            return self._checking._cached_result(candidate, with_facts)  # it has the same facts
        return known

    def open_index(self, files: Sequence[DiscoveredFile]) -> WorkspaceIndex | None:
        """The index of a whole workspace with these files; None without a cache, or with texts of an editor."""
        if self.result_cache is None or self.files.overlay:
            return None
        from trialrun.workspace.workspace_index import WorkspaceIndex

        request, profiles = self.request, self.profiles
        environment = self.result_cache.environment(profiles.whole).hex()
        root = absolute_path(self.files.root)
        name = repr((root, display_path(root), environment, profiles.inputs, request.with_fixes))
        named = {layer.session_schema for _, layer in profiles.settings.layers() if layer.session_schema}
        schemas = [(file, self._digest(self.files.bytes_of(display_path(file)) or b"")) for file in sorted(named)]
        terms = repr((request.now.date().isoformat(), schemas, sorted(request.planned.items())))
        return WorkspaceIndex(self.result_cache, files, name=name, terms=terms, is_inside=self.files.is_inside)

    # ---- linting

    def _lint_all(self, candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, _Linted]]:
        """Lint files that are not in the cache; many of them in worker processes."""
        if len(candidates) < 2:
            yield from ((candidate, self._lint(candidate)) for candidate in candidates)
            return
        from trialrun.cores import available_cores, free_cores
        from trialrun.workspace.worker_pool import WorkerDied, map_parallel, worker_count

        sizes = [candidate.size for candidate in candidates]
        jobs = worker_count(sizes, self.request.jobs or available_cores())
        if jobs > 1 and not self.request.jobs:
            jobs = min(jobs, free_cores())
        self._prepare(candidates, jobs)

        def lint(number: int) -> tuple[int, _Linted]:
            return number, self._lint(candidates[number])

        for sent in map_parallel(range(len(sizes)), lint, size=sizes.__getitem__, jobs=jobs):
            if isinstance(sent, WorkerDied):
                candidate = candidates[sent.task]
                yield candidate, (NO_DIGEST, _crash_result(candidate.found, sent.reason), ())
            else:
                number, linted = sent
                yield candidates[number], linted

    def _prepare(self, candidates: Sequence[Candidate], jobs: int) -> None:
        """Import what linting needs before workers are forked, so that they share it, and what many files need."""
        if self._conditions is None:
            from trialrun.workspace.condition_cache import ConditionCache

            self._conditions = ConditionCache(None, str)
        for candidate in candidates:
            self._linter(self._selection(candidate.found))
        has_conditions = any(candidate.has_conditions for candidate in candidates)
        for linter in self._linters.values():
            schema = linter.session_types().schema if has_conditions else None
            linter.warm_up(None if schema is None or self._conditions.load(schema) else schema)
        if jobs > 1 and len(candidates) >= MIN_FILES_FOR_SAMPLES:
            from trialrun.lint.warm_up import lint_samples

            lint_samples(self.request.now)
        gc.freeze()

    def _selection(self, discovered_file: DiscoveredFile) -> Selection:
        """The selection for a file, without rules whose input documents do not exist."""
        selection = self.profiles.of(discovered_file.display_path)
        known = (id(selection), self.declared)
        if known not in self._selections:
            selection = selection.for_declared_kinds(self.declared)
            self._selections[known] = selection.for_facts() if self._checking else selection
        return self._selections[known]

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
        file = candidate.found
        data = self.files.read(file) if candidate.kept is None else candidate.kept
        if isinstance(data, UnreadableFile):
            return NO_DIGEST, self._unreadable(file, data), ()
        if isinstance(data, UnrelatedFile):
            return NO_DIGEST, FileResult(file.display_path), ()
        result = self._linter(self._selection(file)).lint(data, file.display_path, is_explicit=file.is_named)
        if file.is_named and not result.documents:
            _require_documents(result, data)
        digest = self._digest(data) if candidate.kept is None else candidate.digest
        return digest, result, self._conditions.take_new_rows() if self._conditions else ()

    def _unreadable(self, file: DiscoveredFile, unread: UnreadableFile) -> FileResult:
        rule = "resource-limit" if unread.is_limit else "unreadable-file"
        severity = self._selection(file).severity_overrides.get(rule, Severity.ERROR)
        message = unread.reason if unread.is_limit else f"the file cannot be read: {unread.reason}"
        diagnostic = file_diagnostic(rule, severity, message, file.display_path)
        if unread.is_limit:
            diagnostic = diagnostic._replace(not_checked=NotChecked(file.display_path, REST_OF_FOLDER, message))
        return FileResult(file.display_path, diagnostics=[diagnostic])


def _crash_result(file: DiscoveredFile, reason: str) -> FileResult:
    message = f"linting this file ended its process ({reason}); please report it with the file"
    diagnostic = file_diagnostic("internal-error", Severity.ERROR, message, file.display_path)
    return FileResult(file.display_path, diagnostics=[diagnostic], has_internal_error=True)


def file_diagnostic(rule: str, severity: Severity, message: str, path: str) -> Diagnostic:
    """A diagnostic about a whole file, at its first character."""
    from trialrun.lint import positions
    from trialrun.text import Source

    return positions.to_diagnostic(
        Finding(message, SymbolicLocation(None)), rule=rule, severity=severity, source=Source(path, ""), document=None
    )


def _require_documents(result: FileResult, data: bytes) -> None:
    """Report an error for a file without documents, unless it could not be read.

    Policy files are checked by `trialrun rules test`, and when they are used.
    """
    from trialrun.lint.policy import is_policy
    from trialrun.parser import parse
    from trialrun.parser.parse_error import TEMPLATE

    if is_terraform_path(result.path) or any(one.rule in ALWAYS_REPORTED for one in result.diagnostics):
        return
    strays = [diagnostic for diagnostic in result.diagnostics if diagnostic.rule == UNKNOWN_KIND]
    if strays:
        others = [diagnostic for diagnostic in result.diagnostics if diagnostic.rule != UNKNOWN_KIND]
        result.diagnostics = [strays[0]._replace(severity=Severity.ERROR), *others]
        return
    parsed = parse(data, result.path)
    if not any(is_policy(document.value) for document in parsed.documents):
        is_template = any(error.message == TEMPLATE for error in parsed.errors)
        message = TEMPLATE_CHECKED if is_template else NOTHING_CHECKED
        result.diagnostics.append(file_diagnostic(UNKNOWN_KIND, Severity.ERROR, message, result.path))
