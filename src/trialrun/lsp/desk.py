"""What an office has been told, so that a new process can be told the same."""

from __future__ import annotations

import os
from collections.abc import Iterator

from trialrun.lsp.message import Begin, Choices, Drop, LeaveOut, Put, Reread, ToOffice, Touch


class Desk:
    """The workspace, the open texts, and the files that are left out until they change."""

    def __init__(self) -> None:
        self._begin = Begin(os.getcwd(), Choices())
        self._has_begun = False
        self._texts: dict[str, Put] = {}
        self._left_out: set[str] = set()

    def begin(self, folder: str, choices: Choices) -> Begin:
        """The workspace is that of a folder."""
        self._begin, self._has_begun = Begin(folder, choices), True
        return self._begin

    def note(self, message: ToOffice) -> None:
        """Remember what a message says."""
        match message:
            case Put(file):
                self._texts[file] = message
                self._left_out.discard(file)
            case Drop(file):
                self._texts.pop(file, None)
                self._left_out.discard(file)
            case Touch(files):
                self._left_out.difference_update(files)
            case Reread(choices) if choices is not None:
                self._begin = Begin(self._begin.folder, choices)

    def is_outdated(self, file: str, version: int | None) -> bool:
        """Whether there is another text of an open file than that of a version."""
        return version is not None and (file not in self._texts or self._texts[file].version != version)

    def leave_out(self, file: str) -> None:
        """Nobody looks at a file until it changes."""
        self._left_out.add(file)

    def all(self) -> Iterator[ToOffice]:
        """What a new office is told."""
        if self._has_begun:
            yield self._begin
        yield from (LeaveOut(file) for file in sorted(self._left_out))
        yield from (put for file, put in self._texts.items() if file not in self._left_out)

    def path_of(self, file: str) -> str:
        """The path of a file as it is shown."""
        inside = os.path.join(self._begin.folder, "")
        shown = file[len(inside) :] if file.startswith(inside) else _relative(file, self._begin.folder)
        return shown.replace(os.sep, "/")

    def file_of(self, path: str) -> str:
        """The absolute path of a path that is shown."""
        return os.path.normpath(os.path.join(self._begin.folder, path))


def _relative(file: str, folder: str) -> str:
    try:
        return os.path.relpath(file, folder)
    except ValueError:  # another drive
        return file
