"""The folders that the client has open, each with an analysis process of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence

from trialrun.lsp.ipc.messages import ForClient, Options
from trialrun.lsp.ipc.start_process import Process
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor

MAX_ADHOC_WORKSPACES = 8
"""Analysis processes for files outside of the folders of the client; further ones share the first."""
OnMessage = Callable[[AnalysisSupervisor, ForClient], None]
"""Called in a thread with a supervisor and a message from its process; returns at once."""


class WorkspaceFolders:
    """A file belongs to the innermost folder, or to the first one if it is in none.

    A workspace inside of a folder, with its own settings, has an analysis process of its own. The first process starts
    at once, or has been `started`, each other when a file of its folder is opened or all are needed. Their messages are
    kept until there is a receiver: the first process starts before the client is connected.
    """

    def __init__(self, options: Options, started: Process | None = None) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._on_message: OnMessage | None = None
        self._kept: list[tuple[AnalysisSupervisor, ForClient]] = []
        self._folders: list[str] = []
        self._supervisors: dict[str, AnalysisSupervisor] = {}
        self._spare: AnalysisSupervisor | None = AnalysisSupervisor(self._deliver, started=started)

    def deliver_to(self, on_message: OnMessage) -> None:
        """Deliver the messages so far, and all others from now on."""
        with self._lock:
            self._on_message = on_message
            for supervisor, message in self._kept:
                on_message(supervisor, message)
            self._kept.clear()

    def _deliver(self, supervisor: AnalysisSupervisor, message: ForClient) -> None:
        with self._lock:
            if self._on_message is None:
                self._kept.append((supervisor, message))
            else:
                self._on_message(supervisor, message)

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
        nested = [other for other in self._supervisors if other.startswith(inside) and other not in self._folders]
        for removed in (folder, *nested):
            supervisor = self._supervisors.pop(removed, None)
            if supervisor is not None:
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

    def __contains__(self, supervisor: AnalysisSupervisor) -> bool:
        """Whether a supervisor is one of these: those of closed folders are not."""
        return supervisor is self._spare or supervisor in self._supervisors.values()

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
            supervisor, self._spare = self._spare or AnalysisSupervisor(self._deliver), None
            self._supervisors[folder] = supervisor
            supervisor.initialize(folder, self._options)
        return supervisor


def _nested_workspace(folder: str, file: str) -> str:
    """The workspace root of a file if it is inside of a folder, else the folder."""
    from trialrun.workspace.discovery import workspace_root

    root = workspace_root(os.path.dirname(file))
    return root if root.startswith(os.path.join(folder, "")) else folder
