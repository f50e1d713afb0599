"""The verdicts of a workspace that is edited: those of `check`, kept up to date file by file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from trialrun.display_path import display_path
from trialrun.working_folder import absolute_path
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.open_workspace.catalog_cache import CatalogState, transfer
from trialrun.workspace.open_workspace.file_cache import FileCache
from trialrun.workspace.open_workspace.file_index import FileIndex
from trialrun.workspace.open_workspace.lint_queue import Interrupted, LintQueue
from trialrun.workspace.open_workspace.location_free_facts import LocationFreeFacts
from trialrun.workspace.open_workspace.results import FileResults
from trialrun.workspace.open_workspace.shared_inputs import SharedInputs
from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.values.cel import Schema
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.check_result import CheckResult
    from trialrun.workspace.lint_files import FileLinter


T = TypeVar("T")
TABLE_SUFFIX = ".json"
"""How the files end that may be tables as well as files of ours."""


class OpenWorkspace:
    """A workspace that stays open. `request` says where it is and under which settings, as for `check`.

    `put` takes what an editor holds, `drop` what it holds no more, `touch` what changed on disk. The findings of a file
    are those of `check` over the same texts, once `step` has nothing left to do. A file outside of the workspace is
    checked by itself. While a file is linted `is_wanted` is asked with its absolute path; Interrupted is raised where
    it says no, and the file is left for another time.
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
        """Say which text is read for a question about many; None when it is read."""
        self._lintings = LintQueue(is_wanted)
        self._is_wanted = is_wanted
        self._is_listed = True
        self.revision = 0
        """Another number after every change of a text, of what there is, and of the settings."""
        self._overlay = overlay or {}
        self.files = FileSystem(
            request.root,
            request.profiles.settings.exclude,
            self._overlay,
            kind_by_glob=request.profiles.kind_by_glob,
        )
        self._listing = FileIndex(self.files, self._overlay)
        self._ground = SharedInputs(request.profiles)
        self._readings = FileCache()
        self._is_ours: dict[str, bool] = {}
        self.catalogs = CatalogState()
        """The catalogs of its documents, once they are asked for."""
        self._feature_state: dict[type, object] = {}
        self._reports = FileResults()
        self._waiting: dict[str, DiscoveredFile] = {}
        self._changed_at: dict[str, int] = {}
        self._left_out: set[str] = set()
        self._found = self._listing.files()
        for shown, found in self._found.items():
            self._ground.set_text(shown, self._shared_text(found))
        self._invalidate_all()

    def with_request(self, request: CheckRequest) -> OpenWorkspace:
        """The same texts of the editor under another request, with nothing linted yet; this one is over."""
        live = OpenWorkspace(request, self._overlay, is_wanted=self._is_wanted, report_activity=self.report_activity)
        live._left_out = self._left_out
        live._reports.workspace_results.carry_over(
            self._reports.workspace_results, lambda one: one.rule in request.profiles.of(one.path).rules
        )
        if request.profiles.settings.kinds == self.request.profiles.settings.kinds:
            transfer(self, live)
        self._reports.clear()
        self._waiting.clear()
        self._readings = FileCache()
        return live

    def copy(self) -> OpenWorkspace:
        """The workspace as it is now, to try other texts in: what is done to one is nothing to the other."""
        live = copy(self)
        live._overlay = dict(self._overlay)
        live.files = self.files.with_overlay(live._overlay)
        live._listing = self._listing.with_overlay(live.files, live._overlay)
        live._ground, live._readings = self._ground.copy(), self._readings.copy()
        live._reports, live._waiting, live._found = self._reports.copy(), dict(self._waiting), dict(self._found)
        live._changed_at, live._is_ours = dict(self._changed_at), dict(self._is_ours)
        live._left_out, live.catalogs, live._feature_state = set(self._left_out), CatalogState(), {}
        live._lintings = self._lintings.with_files(live.files)
        return live

    def lint(self, files: Iterable[str]) -> None:
        """Lint some files, by their absolute paths."""
        for shown in map(display_path, files):
            if shown in self._waiting:
                self.report_activity(shown)
                self._lint(self._waiting.pop(shown))
        self.report_activity(None)

    def changed_rules(self, other: OpenWorkspace, files: Iterable[str]) -> set[str]:
        """The rules across files of which some files, by their absolute paths, have other facts than there."""
        return self._reports.workspace_results.changed_rules(other._reports.workspace_results, map(display_path, files))

    def findings_of(self, files: Iterable[str], rules: Iterable[str]) -> list[Diagnostic]:
        """What is wrong in some files, suppressed or not, and what rules across files say, without their places."""
        from trialrun.lint.workspace_rules import WorkspaceContext

        profiles = self.request.profiles
        court = WorkspaceContext(
            profiles.whole, profiles.of, LocationFreeFacts(self.files.bytes_of), self._reports.has_unread
        )
        return self._reports.findings_of(map(display_path, files), rules, court)

    def run_workspace_rules(self) -> None:
        """Judge across all files that have been linted."""
        while self._reports.workspace_results.next_rule:
            self._reports.run_next_rule(self._lintings.of_editor)

    def set_clock(self, now: datetime) -> bool:
        """The clock says this: on another day every file is linted again. Whether it is another day."""
        before, self.request = self.request.now, replace(self.request, now=now)
        if before.date() == now.date():
            return False
        self._invalidate_all()
        return True

    def set_overlay(self, file: str, data: bytes) -> None:
        """Lay a text of an editor over a file, by its absolute path."""
        file = absolute_path(file)
        self._overlay[file] = data
        self._left_out.discard(display_path(file))
        self._file_changed(file)

    def exclude_file(self, file: str) -> None:
        """Take a file as one that cannot be read, until there is another text of it: looking at it takes too long."""
        file = absolute_path(file)
        self._overlay[file] = b""
        self._left_out.add(display_path(file))
        self._file_changed(file)

    def disable_rule(self, rule: str) -> None:
        """Do not judge across files by a rule under these settings: it takes too long."""
        self._reports.workspace_results.disable_rule(rule)

    def remove_overlay(self, file: str) -> None:
        """The editor has closed a file: what is on disk counts again."""
        file = absolute_path(file)
        self._overlay.pop(file, None)
        self._left_out.discard(display_path(file))
        self._file_changed(file)
        self._mark_changed(file)

    def files_changed(self, *files: str) -> None:
        """Files, or whole folders, changed, came or went on disk."""
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
        # a file that is not a resource may be a table that a rule reads from the disk
        if strange or any(file.endswith(TABLE_SUFFIX) for file in paths):
            # a file that is not a resource may be a table that a rule reads from the disk
            self._reports.workspace_results.invalidate_all()

    def rescan(self) -> None:
        """List the files again where some may have come or gone: once, however many were told of."""
        if not self._is_listed:
            self._is_listed = True
            for file in self._listing.rescan():
                self._file_changed(file)

    @property
    def declared_kinds(self) -> frozenset[str]:
        """The kinds of companion documents that the workspace has."""
        return self._ground.declared

    @property
    def linter(self) -> FileLinter:
        """The linting of texts that an editor holds."""
        return self._lintings.of_editor

    @property
    def next_path(self) -> str | None:
        """The file that `step` lints next; None if it checks across files, or nothing is left."""
        return next(iter(self._waiting), None)

    @property
    def next_rule(self) -> str | None:
        """The rule that `step` checks by next; None if it lints a file, or nothing is left."""
        return None if self._waiting else self._reports.workspace_results.next_rule

    @property
    def remaining_files(self) -> int:
        """How many files are left to lint."""
        return len(self._waiting)

    @property
    def has_tasks(self) -> bool:
        """Whether there is something left for `step`."""
        return bool(self._waiting or self._reports.workspace_results.next_rule or not self._is_listed)

    def run_next_task(self) -> set[str]:
        """Do a little of what is left: lint one file, or judge across files.

        The paths whose findings may be others.
        """
        touched = set[str]()
        if not self._is_listed:
            self.rescan()
        elif self._waiting:
            shown = next(iter(self._waiting))
            self._lint(self._waiting.pop(shown))
            touched = {shown}
        else:
            self._lintings.write_cache()
            touched = self._reports.run_next_rule(self._lintings.of_editor)
        return touched if self.has_tasks else {*self._reports.paths, *self._settings_path}

    def run_all_tasks(self) -> None:
        """Do all that is left."""
        while self.has_tasks:
            self.run_next_task()

    def diagnostics(self, path: str) -> list[Diagnostic]:
        """The findings of a file as it is shown, in order; those across files as they were last checked."""
        self.rescan()
        if path in self._waiting:
            self._lint(self._waiting.pop(path))
        outcome = self._result(self._files_judged_with(path))
        return [diagnostic for diagnostic in outcome.diagnostics if diagnostic.path == path]

    def all_diagnostics(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The findings of every file that has some, by its path; of what is not linted yet as they were."""
        outcome = self._result(self._reports.paths)
        found: dict[str, list[Diagnostic]] = {}
        for diagnostic in outcome.diagnostics:
            found.setdefault(diagnostic.path, []).append(diagnostic)
        return {path: tuple(of_file) for path, of_file in found.items()}

    def _result(self, paths: Iterable[str]) -> CheckResult:
        outcome = self._reports.to_result(paths, self._lintings.of_editor, whole=not self.has_tasks)
        return outcome.without_baseline(self.request.baseline)

    def feature_state(self, kind: type[T]) -> T:
        """What a feature of the editor keeps of this workspace: an object of a class of its own, at first a new one."""
        state = self._feature_state.get(kind)
        if not isinstance(state, kind):
            state = self._feature_state[kind] = kind()
        return state

    def workspace_file(self, path: str) -> WorkspaceFile | None:
        """A text of the workspace, of the editor where it holds one; None if there is none or it is not ours."""
        known = self._readings.get(path)
        if known is None:
            data = self.files.bytes_of(path)
            if data is None:
                return None
            known = self._readings.add(WorkspaceFile(data, path, self.request.profiles.kind_by_glob))
        return known

    @property
    def paths(self) -> Set[str]:
        """The paths of all files that there are, open ones among them."""
        return self._found.keys()

    def file_signatures(self) -> dict[str, object]:
        """Something else for every text of a path: the text itself where an editor has it."""
        return {**self._listing.signatures, **{display_path(file): data for file, data in self._overlay.items()}}

    def changed_at(self, path: str) -> int:
        """The revision at which a text last changed, came or went; 0 where it never did."""
        return self._changed_at.get(path, 0)

    def changed_after(self, revision: int) -> set[str]:
        """The paths whose text has changed, come or gone since a revision."""
        return {path for path, at in self._changed_at.items() if at > revision}

    def workspace_files(self, paths: Collection[str] | None = None) -> Iterator[WorkspaceFile]:
        """Every text of the workspace that holds something of ours, in the order of paths, or those of some paths."""
        self.rescan()
        for path in sorted(self._found if paths is None else self._found.keys() & set(paths)):
            reading = self.workspace_file(path) if self._is_ours.get(path, True) else None
            if reading is not None and self._is_shared(reading):
                yield reading

    def _is_shared(self, reading: WorkspaceFile) -> bool:
        """Whether others of the workspace may have to do with a text; one that is foreign is not kept."""
        shown = reading.path
        if shown not in self._is_ours:
            inside = self._listing.is_inside(absolute_path(shown))
            self._is_ours[shown] = inside and self.files.may_be_ours(shown, reading.data)
        if not self._is_ours[shown]:
            self._readings.remove(shown)
        return self._is_ours[shown]

    def session_types(self, path: str) -> Schema:
        """The types and variables that the conditions of a file may read: those that it is linted against."""
        return self._lintings.of_editor.sessions.schemas_for(self.request.profiles.of(path).session_schema).types.schema

    def _invalidate_all(self) -> None:
        """Lint all files again: what they use has changed. Until then the verdicts are as they were."""
        self.revision += 1
        self._lintings.begin(self.request, self.files, self._ground.declaring_texts)
        opened = [shown for shown in map(display_path, self._overlay) if shown in self._found]
        self._waiting = {shown: self._found[shown] for shown in opened} | self._found
        self._reports.workspace_results.invalidate_all()

    def _file_changed(self, file: str) -> None:
        """A file, by its absolute path, has another text, or came or went."""
        self.revision += 1
        shown, found = display_path(file), self._listing.file(file)
        self._changed_at[shown] = self.revision
        self._readings.remove(shown)
        self._is_ours.pop(shown, None)
        if found is None:
            self._found.pop(shown, None)
            self._waiting.pop(shown, None)
            self._reports.set_results(shown, (), is_left_out=shown in self._left_out)
        else:
            self._found[shown] = self._waiting[shown] = found
        if self._ground.set_text(shown, self._shared_text(found) if found else None):
            self._invalidate_all()

    def _shared_text(self, found: DiscoveredFile) -> bytes | None:
        """The text of a file of the workspace; None if there is none, or it is nothing to the others."""
        if found.display_path not in self._listing.signatures and not self._listing.is_inside(
            absolute_path(found.file)
        ):
            return None
        data = self.files.read(found)
        return data if isinstance(data, bytes) else None

    def _lint(self, found: DiscoveredFile) -> None:
        file = absolute_path(found.file)
        try:
            reports = self._lintings.lint(found, declared=self.declared_kinds, is_edited=file in self._overlay)
        except Interrupted:
            self._waiting[found.display_path] = found
            raise
        if not self._listing.is_inside(file):
            for report in reports:
                report.facts.clear()
        self._reports.set_results(found.display_path, reports, is_left_out=found.display_path in self._left_out)

    def _files_judged_with(self, path: str) -> list[str]:
        """The files from which findings of a file follow; from all, of the settings, which entries ignore
        nothing.
        """
        return self._reports.paths if path in self._settings_path else self._reports.files_judged_with(path)

    @property
    def _settings_path(self) -> tuple[str, ...]:
        """The path of the settings, where there are some."""
        file = self.request.profiles.settings.file
        return () if file is None else (display_path(file),)
