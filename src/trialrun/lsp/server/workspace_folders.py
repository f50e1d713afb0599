"""The folders that the client has open, each with an analysis process of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from trialrun.lsp.ipc.messages import ForClient, Options
from trialrun.lsp.ipc.start_process import Process
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor

MAX_ADHOC_WORKSPACES = 8
"""Analysis processes for files outside of the folders of the client; further ones share the first."""
OnMessage = Callable[[int, ForClient], None]
"""Called in a thread with the number of a supervisor and a message from its process; returns at once."""


class WorkspaceFolders:
    """A file belongs to the innermost folder, or to the first one if it is in none.

    A workspace inside of a folder, with its own settings, has an analysis process of its own. The first process starts
    at once, or has been `started`, each other when a file of its folder is opened or all are needed. Their messages go
    to `deliver_to`.
    """

    def __init__(self, options: Options, started: Process | None = None) -> None:
        self._mailbox = Mailbox()
        self._options = options
        self._numbers = count()
        self._folders: list[str] = []
        self._supervisors: dict[str, AnalysisSupervisor] = {}
        self._numbered: dict[int, AnalysisSupervisor] = {}
        self._spare: AnalysisSupervisor | None = self._start_supervisor(started)

    def deliver_to(self, on_message: OnMessage) -> None:
        """Deliver the messages of all processes, also earlier ones."""
        self._mailbox.open(on_message)

    def add(self, folder: str) -> None:
        """The client has opened a folder."""
        if folder not in self._folders:
            self._folders.append(folder)
        if len(self._folders) == 1:
            self._supervisor(folder)

    def remove(self, folder: str) -> None:
        """The client has closed a folder."""
        if folder in self._folders:
            self._folders.remove(folder)
        inside = os.path.join(folder, "")
        nested = [
            supervisor
            for supervisor in self._supervisors
            if supervisor.startswith(inside) and supervisor not in self._folders
        ]
        for removed in (folder, *nested):
            supervisor = self._supervisors.pop(removed, None)
            if supervisor is not None:
                self._numbered = {number: other for number, other in self._numbered.items() if other is not supervisor}
                supervisor.stop()

    def of(self, file: str) -> AnalysisSupervisor:
        """The supervisor for a file. If no folder is open, that of its own folder, up to a limit."""
        enclosing = [
            folder for folder in {*self._folders, *self._supervisors} if file.startswith(os.path.join(folder, ""))
        ]
        if enclosing:
            return self._supervisor(_nested_workspace(max(enclosing, key=len), file))
        if not self._folders and len(self._supervisors) < MAX_ADHOC_WORKSPACES:
            return self._supervisor(os.path.dirname(file))
        return self._supervisor([*self._folders, *self._supervisors][0])

    def numbered(self, number: int) -> AnalysisSupervisor | None:
        """The supervisor of a number; None if it has been stopped."""
        return self._numbered.get(number)

    def by_workspace(self, files: Sequence[str]) -> Iterator[tuple[AnalysisSupervisor, list[str]]]:
        """The running supervisors, each with the files that are in its workspace.

        Folders may be parts of one workspace: a file may belong to several of them.
        """
        from trialrun.workspace.discovery import workspace_root

        for folder, supervisor in [*self._supervisors.items()]:
            inside = os.path.join(workspace_root(folder), "")
            changed = [file for file in files if file.startswith(inside)]
            if changed:
                yield supervisor, changed

    def all(self) -> list[AnalysisSupervisor]:
        """The supervisors of all folders, started if needed."""
        for folder in self._folders:
            self._supervisor(folder)
        return [*self._supervisors.values()]

    def set_options(self, options: Options) -> None:
        """The options changed."""
        if options != self._options:
            self._options = options
            for supervisor in self._supervisors.values():
                supervisor.reload_settings(options)

    @property
    def options(self) -> Options:
        """The current options."""
        return self._options

    def stop(self) -> None:
        """Stop all supervisors."""
        for supervisor in [*self._supervisors.values(), *([self._spare] if self._spare else [])]:
            supervisor.stop()

    def _supervisor(self, folder: str) -> AnalysisSupervisor:
        supervisor = self._supervisors.get(folder)
        if supervisor is None:
            supervisor, self._spare = self._spare or self._start_supervisor(), None
            self._supervisors[folder] = supervisor
            supervisor.initialize(folder, self._options)
        return supervisor

    def _start_supervisor(self, started: Process | None = None) -> AnalysisSupervisor:
        number = next(self._numbers)
        supervisor = AnalysisSupervisor(lambda message: self._mailbox.deliver(number, message), started=started)
        self._numbered[number] = supervisor
        return supervisor


def _nested_workspace(folder: str, file: str) -> str:
    """The workspace root of a file if it is inside of a folder, else the folder."""
    from trialrun.workspace.discovery import workspace_root

    root = workspace_root(os.path.dirname(file))
    return root if root.startswith(os.path.join(folder, "")) else folder


class Mailbox:
    """Keeps messages until there is a receiver: the first process starts before the client is connected."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._on_message: OnMessage | None = None
        self._kept: list[tuple[int, ForClient]] = []

    def open(self, on_message: OnMessage) -> None:
        """Deliver the messages so far, and all others from now on."""
        with self._lock:
            self._on_message = on_message
            for number, message in self._kept:
                on_message(number, message)
            self._kept.clear()

    def deliver(self, number: int, message: ForClient) -> None:
        """Deliver a message, or keep it."""
        with self._lock:
            if self._on_message is None:
                self._kept.append((number, message))
            else:
                self._on_message(number, message)
