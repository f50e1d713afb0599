"""Lints the texts of an open workspace one at a time, and can be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import ref

from trialrun.working_folder import absolute_path
from trialrun.workspace.lint_files import FileLinter

if TYPE_CHECKING:
    from trialrun.lint.file_result import FileResult
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.discovery import DiscoveredFile
    from trialrun.workspace.file_system import FileSystem


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
