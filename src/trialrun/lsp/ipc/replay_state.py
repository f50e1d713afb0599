"""What an office has been told, so that a new process can be told the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from trialrun.lsp.ipc.messages import Begin, Choices, Drop, LeaveOut, LeaveOutRule, Put, Reread, ToOffice, Touch
from trialrun.lsp.uris import DRAFTS


class Desk:
    """The workspace, the open texts, and what is left out: files until they change, rules until the settings do."""

    def __init__(self) -> None:
        self._wanted = os.getcwd()
        self._begin = Begin(self._wanted, Choices())
        self._has_begun = False
        self._texts: dict[str, Put] = {}
        self._left_out: dict[str, LeaveOut] = {}
        self._rules: set[str] = set()

    def begin(self, folder: str, choices: Choices) -> Begin:
        """The workspace is that of a folder; as long as there is none such, an empty one."""
        self._wanted, self._begin, self._has_begun = folder, Begin(_existing(folder), choices), True
        return self._begin

    @property
    def is_back(self) -> bool:
        """Whether the folder is there by now, which was not when its workspace was opened."""
        return self._begin.folder != self._wanted and _is_open(self._wanted)

    def note(self, message: ToOffice) -> ToOffice:
        """Remember what a message says; what an office is to be told."""
        match message:
            case Put(file):
                return self._put(file, message)
            case Drop(file):
                self._texts.pop(file, None)
                self._left_out.pop(file, None)
            case Touch(files):
                return self._touch(files)
            case Reread(choices):
                self._rules.clear()
                self._begin = replace(self._begin, choices=choices or self._begin.choices)
        return message

    def _put(self, file: str, put: Put) -> ToOffice:
        """Take a text in; one that is left out and has not changed stays so."""
        before, self._texts[file] = self._texts.get(file), put
        if file in self._left_out and before is not None and before.data == put.data:
            return self._of_version(file)
        self._left_out.pop(file, None)
        return put

    def _touch(self, files: tuple[str, ...]) -> ToOffice:
        """Files changed on disk; of one that is open the editor has the text."""
        if any(file.endswith(".toml") for file in files):
            self._rules.clear()
        for file in files:
            if file not in self._texts:
                self._left_out.pop(file, None)
        return Touch(tuple(file for file in files if file not in self._left_out))

    def _of_version(self, file: str) -> LeaveOut:
        """What is said of a file that is left out, for its text as it is known."""
        put = self._texts.get(file)
        return replace(self._left_out[file], version=None if put is None else put.version)

    def is_open(self, file: str) -> bool:
        """Whether an editor has a file open."""
        return file in self._texts

    def is_outdated(self, file: str, version: int | None) -> bool:
        """Whether there is another text of an open file than that of a version."""
        return version is not None and (file not in self._texts or self._texts[file].version != version)

    def leave_out(self, file: str, why: str) -> None:
        """Nobody looks at a file until it changes."""
        self._left_out[file] = LeaveOut(file, why)

    def leave_out_rule(self, rule: str) -> None:
        """Nobody judges by a rule until the settings change."""
        self._rules.add(rule)

    def all(self) -> Iterator[ToOffice]:
        """What a new office is told."""
        if self._has_begun:
            yield self.begin(self._wanted, self._begin.choices)
        yield from (LeaveOutRule(rule) for rule in sorted(self._rules))
        yield from (self._of_version(file) for file in sorted(self._left_out))
        yield from (put for file, put in self._texts.items() if file not in self._left_out)

    def path_of(self, file: str) -> str:
        """The path of a file as it is shown."""
        inside = os.path.join(self._begin.folder, "")
        shown = file[len(inside) :] if file.startswith(inside) else _relative(file, self._begin.folder)
        return shown.replace(os.sep, "/")

    def file_of(self, path: str) -> str:
        """The absolute path of a path that is shown."""
        return os.path.normpath(os.path.join(self._begin.folder, path))


def _existing(folder: str) -> str:
    if _is_open(folder):
        return folder
    os.makedirs(DRAFTS, exist_ok=True)
    return DRAFTS


def _is_open(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)


def _relative(file: str, folder: str) -> str:
    try:
        return os.path.relpath(file, folder)
    except ValueError:  # another drive
        return file
