"""How the texts of an open workspace are linted: one file at a time, for as long as somebody wants it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import ref

from trialrun.workspace.lint_files import Linting, Terms

if TYPE_CHECKING:
    from trialrun.lint.file_result import Report
    from trialrun.workspace.check import Request
    from trialrun.workspace.discovery import Found
    from trialrun.workspace.file_system import Files


class Interrupted(Exception):
    """The linting of a text was left: there is a newer one, or somebody waits."""


class Lintings:
    """One of texts on disk, whose verdicts are kept from run to run, and one of texts that an editor holds.

    While a file is linted `is_wanted` is asked with its absolute path.
    """

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        self._linted: str | None = None
        self._own: tuple[Linting, ...] = ()
        self._of_disk: Linting
        self.of_editor: Linting

    def begin(self, request: Request, files: Files, declaring: list[tuple[str, bytes]]) -> None:
        """Lint under this request from now on; `declaring` are the texts that all others go by."""
        for linting in self._own:
            linting.let_go()
        terms = Terms(files, request.profiles, request.now, 1, request.cache, _going_on(self))
        self._of_disk = Linting(terms).knowing(declaring)
        self.of_editor = Linting(replace(terms, cache=False)).knowing(declaring)
        self._own = self._of_disk, self.of_editor

    def under(self, files: Files) -> Lintings:
        """The same of files with other texts; what these were made with is not theirs to let go of."""
        lintings = Lintings(self._is_wanted)
        lintings._of_disk = lintings.of_editor = self.of_editor.of(files)
        return lintings

    def keep_verdicts(self) -> None:
        """All files have been linted once."""
        if self._of_disk is not self.of_editor:
            self._of_disk.close()
            self._of_disk = self.of_editor

    def reports(self, found: Found, *, declared: Collection[str], is_edited: bool) -> list[Report]:
        """The reports of a file, one or none. Raises Interrupted where nobody wants them any more."""
        linting = self.of_editor if is_edited else self._of_disk
        self._linted = os.path.abspath(found.file)
        try:
            return list(linting.reports([found], declared=declared))
        finally:
            self._linted = None

    @property
    def is_given_up(self) -> bool:
        """Whether nobody wants the file to be linted any more that is being linted."""
        return self._linted is not None and not self._is_wanted(self._linted)


def _going_on(lintings: Lintings) -> Callable[[], None]:
    """Raises Interrupted once nobody wants the file that is linted; nothing is kept in memory for it."""
    source = ref(lintings)

    def go_on() -> None:
        lintings = source()
        if lintings is not None and lintings.is_given_up:
            raise Interrupted

    return go_on
