"""How the texts of an open workspace are linted: one file at a time, for as long as somebody wants it."""

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
    """The linting of a text was left: there is a newer one, or somebody waits."""


class LintQueue:
    """One of texts on disk, whose verdicts are kept from run to run, and one of texts that an editor holds.

    While a file is linted `is_wanted` is asked with its absolute path.
    """

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        self._linted: str | None = None
        self._own: tuple[FileLinter, ...] = ()
        self._of_disk: FileLinter
        self.of_editor: FileLinter

    def begin(self, request: CheckRequest, files: FileSystem, declaring: list[tuple[str, bytes]]) -> None:
        """Lint under this request from now on; `declaring` are the texts that all others use."""
        for linting in self._own:
            linting.release()
        one_job, stop = replace(request, jobs=1, with_fixes=True), _cancellation_check(self)
        disk = FileLinter(one_job, files, check_cancelled=stop)
        editor = FileLinter(replace(one_job, cache=False), files, check_cancelled=stop)
        self._of_disk = disk.with_declaring_files(declaring)
        self.of_editor = editor.with_declaring_files(declaring)
        self._own = self._of_disk, self.of_editor

    def with_files(self, files: FileSystem) -> LintQueue:
        """The same of files with other texts; what these were made with is not theirs to let go of."""
        lintings = LintQueue(self._is_wanted)
        lintings._of_disk = lintings.of_editor = self.of_editor.for_files(files)
        return lintings

    def write_cache(self) -> None:
        """All files have been linted once."""
        if self._of_disk is not self.of_editor:
            self._of_disk.close()
            self._of_disk = self.of_editor

    def lint(self, found: DiscoveredFile, *, declared: Collection[str], is_edited: bool) -> list[FileResult]:
        """The reports of a file, one or none. Raises Interrupted where nobody wants them any more."""
        linting = self.of_editor if is_edited else self._of_disk
        self._linted = absolute_path(found.file)
        try:
            return list(linting.lint([found], declared=declared))
        finally:
            self._linted = None

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody wants the file to be linted any more that is being linted."""
        return self._linted is not None and not self._is_wanted(self._linted)


def _cancellation_check(lintings: LintQueue) -> Callable[[], None]:
    """Raises Interrupted once nobody wants the file that is linted; nothing is kept in memory for it."""
    source = ref(lintings)

    def go_on() -> None:
        lintings = source()
        if lintings is not None and lintings.is_cancelled:
            raise Interrupted

    return go_on
