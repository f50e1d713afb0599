"""A workspace that is edited: the diagnostics of `check`, kept up to date file by file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar
from weakref import ref

from trialrun.terraform import is_terraform_path
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.check import CheckResult, by_path
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.open_workspace.catalog_cache import CatalogState, transfer
from trialrun.workspace.open_workspace.file_index import FileIndex, SharedInputs
from trialrun.workspace.open_workspace.results import WorkspaceResults
from trialrun.workspace.open_workspace.workspace_file import FileCache, WorkspaceFile
from trialrun.workspace.terraform_module import dependents

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.lint.file_result import FileResult
    from trialrun.values.cel import Schema
    from trialrun.workspace.check_request import CheckRequest


T = TypeVar("T")
TABLE_SUFFIX = ".json"
"""Suffix of files that may be tables as well as documents."""


class Interrupted(Exception):
    """Linting was interrupted, since there is a newer text or a request."""


class LintQueue:
    """Linters: one for texts on disk, whose results are cached, one for texts in the editor, and one for fixes.

    Proving fixes may take several times as long as linting, as each parses the text again, so that texts in the editor
    are linted without. While a file is linted, `is_wanted` is called with its absolute path.
    """

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        self._linted: str | None = None
        self._own: tuple[FileLinter, ...] = ()
        self._of_disk: FileLinter
        self.of_editor: FileLinter
        self.with_fixes: FileLinter

    def begin(self, request: CheckRequest, files: FileSystem, declaring: list[tuple[str, bytes]]) -> None:
        """Use another request from now on; `declaring` are the texts that declare session types."""
        for linting in self._own:
            linting.release()
        one_job, stop = replace(request, jobs=1, with_fixes=True), _cancellation_check(self)
        of_editor = replace(one_job, cache=False)
        self._of_disk = FileLinter(one_job, files, check_cancelled=stop, declaring=declaring)
        self.of_editor = FileLinter(
            replace(of_editor, with_fixes=False), files, check_cancelled=stop, declaring=declaring
        )
        self.with_fixes = FileLinter(of_editor, files, check_cancelled=stop, declaring=declaring)
        self._own = self._of_disk, self.of_editor, self.with_fixes

    def write_cache(self) -> None:
        """Write the cache, once all files have been linted."""
        if self._of_disk is not self.of_editor:
            self._of_disk.close()
            self._of_disk = self.of_editor

    def lint(self, discovered_file: DiscoveredFile, *, declared: Collection[str], is_edited: bool) -> list[FileResult]:
        """The result of a file, or none. Raises Interrupted if it is no longer wanted."""
        linting = self.of_editor if is_edited else self._of_disk
        return self._run(linting, discovered_file, declared)

    def lint_with_fixes(self, discovered_file: DiscoveredFile, *, declared: Collection[str]) -> list[FileResult]:
        """The result of a file with its fixes. Raises Interrupted if it is no longer wanted."""
        return self._run(self.with_fixes, discovered_file, declared)

    def _run(self, linting: FileLinter, discovered_file: DiscoveredFile, declared: Collection[str]) -> list[FileResult]:
        self._linted = absolute_path(discovered_file.file)
        try:
            return list(linting.lint([discovered_file], declared=declared))
        finally:
            self._linted = None

    @property
    def is_cancelled(self) -> bool:
        """Whether the result of the file being linted is no longer wanted."""
        return self._linted is not None and not self._is_wanted(self._linted)


def _cancellation_check(lintings: LintQueue) -> Callable[[], None]:
    """A function that raises Interrupted if the file being linted is no longer wanted; does not own the queue."""
    source = ref(lintings)

    def go_on() -> None:
        lintings = source()
        if lintings is not None and lintings.is_cancelled:
            raise Interrupted

    return go_on


class OpenWorkspace:
    """A workspace that stays open. `request` has its root and settings, as for `check`.

    `set_overlay` sets the text of a file in the editor, `remove_overlay` removes it, `files_changed` reports changes on
    disk. The findings are those of `check` on the same texts once `run_next_task` has nothing left to do. A file
    outside of the workspace is checked on its own. While a file is linted, `is_wanted` is called with its absolute
    path; if it returns false, Interrupted is raised and the file is linted later.
    """

    def __init__(
        self,
        request: CheckRequest,
        overlay: dict[str, bytes | None] | None = None,
        *,
        is_wanted: Callable[[str], bool] = lambda file: True,
        report_activity: Callable[[str | None], None] = lambda path: None,
    ) -> None:
        self.request = request
        self.report_activity = report_activity
        """Called with the path of a text that is being read for a request about many; with None at the end."""
        self._lintings = LintQueue(is_wanted)
        self._is_wanted = is_wanted
        self._is_listed = True
        self.revision = 0
        """Incremented after every change of texts, files or settings."""
        self._overlay = {} if overlay is None else overlay
        self.files = FileSystem(
            request.root, request.profiles.settings.exclude, self._overlay, kind_by_glob=request.profiles.kind_by_glob
        )
        self._listing = FileIndex(self.files, self._overlay)
        self._ground = SharedInputs(request.profiles)
        self._readings = FileCache()
        self._is_ours: dict[str, bool] = {}
        self.catalogs = CatalogState()
        """The catalogs of its documents, once they are needed."""
        self._feature_state: dict[type, object] = {}
        self._results = WorkspaceResults()
        self._waiting: dict[str, DiscoveredFile] = {}
        self._changed_at: dict[str, int] = {}
        self._left_out: set[str] = set()
        self._found = self._listing.files()
        for shown, found in self._found.items():
            self._ground.set_text(shown, self._shared_text(found))
        self._invalidate_all()

    def with_request(self, request: CheckRequest) -> OpenWorkspace:
        """The same editor texts under another request, with nothing linted yet; this object must no longer be used."""
        live = OpenWorkspace(request, self._overlay, is_wanted=self._is_wanted, report_activity=self.report_activity)
        live._left_out = self._left_out
        live._results.carry_over(self._results, lambda one: one.rule in request.profiles.of(one.path).rules)
        if request.profiles.settings.kinds == self.request.profiles.settings.kinds:
            transfer(self, live)
        self._results = WorkspaceResults()
        self._waiting.clear()
        self._readings = FileCache()
        return live

    def set_clock(self, now: datetime) -> bool:
        """Set the clock; on another day every file is linted again. Returns whether it is another day."""
        before, self.request = self.request.now, replace(self.request, now=now)
        if before.date() == now.date():
            return False
        self._invalidate_all()
        return True

    def set_overlay(self, file: str, data: bytes) -> None:
        """Set the editor's text of a file, given by absolute path."""
        file = absolute_path(file)
        self._overlay[file] = data
        self._left_out.discard(display_path(file))
        for path in self._listing.names(file):
            self._file_changed(path)

    def exclude_file(self, file: str) -> None:
        """Treat a file as unreadable until its text changes, since linting it takes too long."""
        file = absolute_path(file)
        self._overlay[file] = b""
        self._left_out.add(display_path(file))
        self._file_changed(file)

    def disable_rule(self, rule: str) -> None:
        """Disable a rule across files under these settings, since it takes too long."""
        self._results.disable_rule(rule)

    def remove_overlay(self, file: str) -> None:
        """Remove the editor's text of a file, so that the one on disk counts."""
        file = absolute_path(file)
        self._overlay.pop(file, None)
        self._left_out.discard(display_path(file))
        for path in self._listing.names(file):
            self._file_changed(path)
        self._mark_changed(file)

    def files_changed(self, *files: str) -> None:
        """Report that files or folders were changed, created or deleted on disk."""
        self._mark_changed(*files)
        self.rescan()

    def _mark_changed(self, *files: str) -> None:
        for file in files:
            if display_path(file) in self._left_out:
                self.remove_overlay(file)
        paths = [*map(absolute_path, files)]
        strange = {file for file in paths if not self._listing.is_known(file)}
        for file in paths:
            if file not in self._overlay and file not in strange:
                self._file_changed(file)
        if strange:
            self._is_listed = False
            self._mark_dependents(*strange)
        if strange or any(file.endswith(TABLE_SUFFIX) for file in paths):
            # a file that is not a resource may be a table that a rule reads from the disk
            self._results.invalidate_all()

    def rescan(self) -> None:
        """List the files again if some may have been created or deleted; once for any number of reports."""
        if not self._is_listed:
            self._is_listed = True
            for file in self._listing.rescan():
                self._file_changed(file)

    @property
    def declared_kinds(self) -> frozenset[str]:
        """The kinds of companion documents in the workspace."""
        return self._ground.declared

    @property
    def linter(self) -> FileLinter:
        """The linter for texts in the editor, with fixes."""
        return self._lintings.with_fixes

    @property
    def next_path(self) -> str | None:
        """The file that `run_next_task` will lint; None if it will run rules across files, or nothing."""
        return next(iter(self._waiting), None)

    @property
    def next_rule(self) -> str | None:
        """The rule across files that `run_next_task` will run; None if it will lint a file, or nothing."""
        return None if self._waiting else self._results.next_rule

    @property
    def remaining_files(self) -> int:
        """The number of files left to lint."""
        return len(self._waiting)

    @property
    def has_tasks(self) -> bool:
        """Whether `run_next_task` has something to do."""
        return bool(self._waiting or self._results.next_rule or not self._is_listed)

    def run_next_task(self) -> set[str]:
        """Lint one file, or run a rule across files for a short time; returns paths whose findings may have changed."""
        touched = set[str]()
        if not self._is_listed:
            self.rescan()
        elif self._waiting:
            shown = next(iter(self._waiting))
            self._lint(self._waiting.pop(shown))
            touched = {shown}
        else:
            self._lintings.write_cache()
            touched = self._results.run_next_rule(self._lintings.of_editor)
        return touched if self.has_tasks else {*self._results.paths, *self._settings_path}

    def run_all_tasks(self) -> None:
        """Do all remaining tasks."""
        while self.has_tasks:
            self.run_next_task()

    def diagnostics(self, path: str, *, with_fixes: bool = False) -> list[Diagnostic]:
        """The findings of a file, given by displayed path, in order; those across files are from the last run.

        Fixes are computed when they are first asked for: proving them may take longer than linting.
        """
        self.rescan()
        if path in self._waiting:
            self._lint(self._waiting.pop(path))
        if with_fixes and path in self._found and not self._results.has_fixes(path):
            linted = self._lintings.lint_with_fixes(self._found[path], declared=self.declared_kinds)
            self._results.set_fixes(path, linted)
        # a settings file has findings about unused entries, which depend on all files
        paths = self._results.paths if path in self._settings_path else self._results.files_judged_with(path)
        result = self._result(paths, with_fixes=with_fixes)
        return [diagnostic for diagnostic in result.diagnostics if diagnostic.path == path]

    def all_diagnostics(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The findings of every file that has any, by path; for files not linted yet, the previous ones."""
        result = self._result(self._results.paths)
        return {path: tuple(of_file) for path, of_file in by_path(result.diagnostics).items()}

    def _result(self, paths: Iterable[str], *, with_fixes: bool = False) -> CheckResult:
        linter, whole = self._lintings.of_editor, not self.has_tasks
        result = self._results.to_result(paths, linter, whole=whole, with_fixes=with_fixes)
        return result.without_baseline(self.request.baseline)

    def feature_state(self, kind: type[T]) -> T:
        """The state that an editor feature keeps for this workspace; created on first use."""
        state = self._feature_state.get(kind)
        if not isinstance(state, kind):
            state = self._feature_state[kind] = kind()
        return state

    def workspace_file(self, path: str) -> WorkspaceFile | None:
        """A text of the workspace, from the editor if open there; None if there is none, or it is unrelated."""
        known = self._readings.get(path)
        if known is None:
            data = self.files.bytes_of(path)
            if data is None:
                return None
            known = self._readings.add(WorkspaceFile(data, path, self.request.profiles.kind_by_glob))
        return known

    @property
    def paths(self) -> Set[str]:
        """The paths of all files, including those open in the editor."""
        return self._found.keys()

    def file_signatures(self) -> dict[str, object]:
        """A value for every path that differs when its text differs; for a text in the editor, the text itself."""
        return {**self._listing.signatures, **{display_path(file): data for file, data in self._overlay.items()}}

    def changed_at(self, path: str) -> int:
        """The revision at which a text last changed; 0 if it never did."""
        return self._changed_at.get(path, 0)

    def changed_after(self, revision: int) -> set[str]:
        """The paths whose text has changed since a revision."""
        return {path for path, at in self._changed_at.items() if at > revision}

    def workspace_files(self, paths: Collection[str] | None = None) -> Iterator[WorkspaceFile]:
        """Every text with documents of ours, sorted by path, or those of some paths."""
        self.rescan()
        for path in sorted(self._found if paths is None else self._found.keys() & set(paths)):
            reading = self.workspace_file(path) if self._is_ours.get(path, True) else None
            if reading is not None and self._is_shared(reading):
                yield reading

    def _is_shared(self, reading: WorkspaceFile) -> bool:
        """Whether a text may matter for other files; unrelated texts are not kept."""
        shown = reading.path
        if shown not in self._is_ours:
            inside = self._listing.is_inside(absolute_path(shown))
            self._is_ours[shown] = inside and self.files.may_be_ours(shown, reading.data)
        if not self._is_ours[shown]:
            self._readings.remove(shown)
        return self._is_ours[shown]

    def session_types(self, path: str) -> Schema:
        """The types and variables for the conditions of a file, the same as for the linter."""
        return self._lintings.of_editor.sessions.schemas_for(self.request.profiles.of(path).session_schema).types.schema

    def _invalidate_all(self) -> None:
        """Mark all files to be linted again, since shared inputs have changed. Until then, results stay."""
        self.revision += 1
        self._lintings.begin(self.request, self.files, self._ground.declaring_texts)
        opened = [shown for shown in map(display_path, self._overlay) if shown in self._found]
        self._waiting = {shown: self._found[shown] for shown in opened} | self._found
        self._results.invalidate_all()

    def _file_changed(self, file: str) -> None:
        """Handle a change of a file, given by absolute path, and of those whose values may come from it."""
        self._text_changed(file)
        self._mark_dependents(file)

    def _mark_dependents(self, *files: str) -> None:
        listed = (absolute_path(shown) for shown in self._found if is_terraform_path(shown))
        for other in [*dependents(files, listed)]:
            if other not in files:
                self._text_changed(other)

    def _text_changed(self, file: str) -> None:
        self.revision += 1
        shown, found = display_path(file), self._listing.file(file)
        self._changed_at[shown] = self.revision
        self._readings.remove(shown)
        self._is_ours.pop(shown, None)
        if found is None:
            self._found.pop(shown, None)
            self._waiting.pop(shown, None)
            self._results.set_results(shown, (), is_left_out=shown in self._left_out)
        else:
            self._found[shown] = self._waiting[shown] = found
        if self._ground.set_text(shown, self._shared_text(found) if found else None):
            self._invalidate_all()

    def _shared_text(self, discovered_file: DiscoveredFile) -> bytes | None:
        """The text of a file of the workspace; None if there is none, or it does not matter for others."""
        if discovered_file.display_path not in self._listing.signatures and not self._listing.is_inside(
            absolute_path(discovered_file.file)
        ):
            return None
        data = self.files.read(discovered_file)
        return data if isinstance(data, bytes) else None

    def _lint(self, discovered_file: DiscoveredFile) -> None:
        file = absolute_path(discovered_file.file)
        try:
            results = self._lintings.lint(
                discovered_file, declared=self.declared_kinds, is_edited=file in self._overlay
            )
        except Interrupted:
            self._waiting[discovered_file.display_path] = discovered_file
            raise
        if not self._listing.is_inside(file):
            for result in results:
                result.facts.clear()
        self._results.set_results(
            discovered_file.display_path, results, is_left_out=discovered_file.display_path in self._left_out
        )

    @property
    def _settings_path(self) -> tuple[str, ...]:
        """The path of the settings, if there are any."""
        file = self.request.profiles.settings.file
        return () if file is None else (display_path(file),)
