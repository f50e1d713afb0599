"""State to replay into a restarted analysis process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from trialrun.lsp.ipc.messages import (
    CloseText,
    DisableRule,
    ExcludeFile,
    FilesChanged,
    Initialize,
    Options,
    ReloadSettings,
    SetText,
    ToAnalysis,
)
from trialrun.lsp.uris import UNTITLED_FOLDER


class ReplayState:
    """The workspace, the open texts, and what is excluded: files until they change, rules until the settings do."""

    def __init__(self) -> None:
        self._folder = os.getcwd()
        self._initialize = Initialize(self._folder, Options())
        self._is_initialized = False
        self._texts: dict[str, SetText] = {}
        self._excluded: dict[str, ExcludeFile] = {}
        self._disabled_rules: set[str] = set()

    def initialize(self, folder: str, options: Options) -> Initialize:
        """Set the workspace folder; while it does not exist, an empty folder is used."""
        self._folder, self._initialize, self._is_initialized = (
            folder,
            Initialize(_existing_folder(folder), options),
            True,
        )
        return self._initialize

    @property
    def folder_reappeared(self) -> bool:
        """Whether the folder exists now, but did not when its workspace was opened."""
        return self._initialize.folder != self._folder and _is_accessible(self._folder)

    def record(self, message: ToAnalysis) -> ToAnalysis:
        """Record a message; the message to send in its place."""
        match message:
            case SetText(file):
                return self._set_text(file, message)
            case CloseText(file):
                self._texts.pop(file, None)
                self._excluded.pop(file, None)
            case FilesChanged(files):
                return self._files_changed(files)
            case ReloadSettings(options):
                self._disabled_rules.clear()
                self._initialize = replace(self._initialize, options=options)
        return message

    def _set_text(self, file: str, put: SetText) -> ToAnalysis:
        """Record a text; an excluded file whose text has not changed stays excluded."""
        before, self._texts[file] = self._texts.get(file), put
        if file in self._excluded and before is not None and before.data == put.data:
            return self._exclusion(file)
        self._excluded.pop(file, None)
        return put

    def _files_changed(self, files: tuple[str, ...]) -> ToAnalysis:
        """Record changes on disk; they do not matter for open files."""
        if any(file.endswith(".toml") for file in files):
            self._disabled_rules.clear()
        for file in files:
            if file not in self._texts:
                self._excluded.pop(file, None)
        return FilesChanged(tuple(file for file in files if file not in self._excluded))

    def _exclusion(self, file: str) -> ExcludeFile:
        """The exclusion of a file, for the version that is open."""
        put = self._texts.get(file)
        return replace(self._excluded[file], version=None if put is None else put.version)

    def is_open(self, file: str) -> bool:
        """Whether an editor has a file open."""
        return file in self._texts

    def is_outdated(self, file: str, version: int | None) -> bool:
        """Whether an open file has another version than this."""
        return version is not None and (file not in self._texts or self._texts[file].version != version)

    def exclude_file(self, file: str, reason: str) -> None:
        """Exclude a file until it changes."""
        self._excluded[file] = ExcludeFile(file, reason)

    def disable_rule(self, rule: str) -> None:
        """Disable a workspace rule until the settings change."""
        self._disabled_rules.add(rule)

    def messages(self) -> Iterator[ToAnalysis]:
        """The messages for a new process."""
        if self._is_initialized:
            yield self.initialize(self._folder, self._initialize.options)
        yield from (DisableRule(rule) for rule in sorted(self._disabled_rules))
        yield from (self._exclusion(file) for file in sorted(self._excluded))
        yield from (put for file, put in self._texts.items() if file not in self._excluded)

    def display_path(self, file: str) -> str:
        """The displayed path of a file."""
        try:
            return os.path.relpath(file, self._initialize.folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return file.replace(os.sep, "/")

    def absolute_path(self, path: str) -> str:
        """The absolute path of a displayed path."""
        return os.path.normpath(os.path.join(self._initialize.folder, path))


def _existing_folder(folder: str) -> str:
    if _is_accessible(folder):
        return folder
    os.makedirs(UNTITLED_FOLDER, exist_ok=True)
    return UNTITLED_FOLDER


def _is_accessible(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)
