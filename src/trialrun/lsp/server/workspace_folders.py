"""The folders that the client has open, each with an office of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import count
from queue import SimpleQueue
from typing import Literal

from trialrun.lsp.ipc.messages import Choices, Findings, Left, Mended, Told
from trialrun.lsp.ipc.supervisor import Worker

MOST_LOOSE = 8
"""Offices for files that lie in no folder of the client; all further ones go to the first."""
News = tuple[int, Findings | Told | Mended | Left]
"""What an office tells, behind the number of its worker."""


class Folders:
    """A file belongs to the innermost folder, and to the first one where it lies in none.

    A workspace inside of a folder, which has settings of its own, has an office of its own.

    The first office starts at once; each other when a file of its folder is opened, or all are asked. What they tell
    is put to `heard`.
    """

    def __init__(self, choices: Choices) -> None:
        self.heard: SimpleQueue[News] = SimpleQueue()
        self._choices = choices
        self._numbers = count()
        self._folders: list[str] = []
        self._workers: dict[str, Worker] = {}
        self._numbered: dict[int, Worker] = {}
        self._spare: Worker | None = self._started()

    def add(self, folder: str) -> None:
        """The client has opened a folder."""
        if folder not in self._folders:
            self._folders.append(folder)
        if len(self._folders) == 1:
            self._worker(folder)

    def remove(self, folder: str) -> None:
        """The client has closed a folder."""
        if folder in self._folders:
            self._folders.remove(folder)
        inside = os.path.join(folder, "")
        nested = [one for one in self._workers if one.startswith(inside) and one not in self._folders]
        for ended in (folder, *nested):
            worker = self._workers.pop(ended, None)
            if worker is not None:
                self._numbered = {number: one for number, one in self._numbered.items() if one is not worker}
                worker.stop()

    def of(self, file: str) -> Worker:
        """The office of a file. Where no folder is open, that of the folder it lies in, as long as these are few."""
        around = [folder for folder in {*self._folders, *self._workers} if file.startswith(os.path.join(folder, ""))]
        if around:
            return self._worker(_workspace_inside(max(around, key=len), file))
        if not self._folders and len(self._workers) < MOST_LOOSE:
            return self._worker(os.path.dirname(file))
        return self._worker([*self._folders, *self._workers][0])

    def numbered(self, number: int) -> Worker | None:
        """The office that told something; None where it has been ended since."""
        return self._numbered.get(number)

    def parted(self, files: Sequence[str]) -> Iterator[tuple[Worker, list[str]]]:
        """The offices that are at work, each with those of some files that lie in its workspace.

        Folders may be parts of one workspace: what changes on disk in one is told to the offices of the others too.
        """
        from trialrun.workspace.discovery import workspace_root

        for folder, worker in [*self._workers.items()]:
            inside = os.path.join(workspace_root(folder), "")
            own = [file for file in files if file.startswith(inside)]
            if own:
                yield worker, own

    def all(self) -> list[Worker]:
        """The offices of all folders."""
        for folder in self._folders:
            self._worker(folder)
        return [*self._workers.values()]

    def choose(self, choices: Choices) -> None:
        """The user chose something else."""
        if choices != self._choices:
            self._choices = choices
            for worker in self._workers.values():
                worker.settings(choices)

    @property
    def choices(self) -> Choices:
        """What the user chose."""
        return self._choices

    def stop(self) -> None:
        """End all offices."""
        for worker in [*self._workers.values(), *([self._spare] if self._spare else [])]:
            worker.stop()

    def _worker(self, folder: str) -> Worker:
        worker = self._workers.get(folder)
        if worker is None:
            worker, self._spare = self._spare or self._started(), None
            self._workers[folder] = worker
            worker.begin(folder, self._choices)
        return worker

    def _started(self) -> Worker:
        number = next(self._numbers)
        worker = Worker(
            on_findings=lambda file, version, found: self.heard.put((number, Findings(file, version, tuple(found)))),
            on_told=lambda severity, message: self.heard.put((number, Told(_severity(severity), message))),
            on_mended=lambda message: self.heard.put((number, Mended(message))),
            on_left=lambda files: self.heard.put((number, Left(files))),
        )
        self._numbered[number] = worker
        return worker


def _workspace_inside(folder: str, file: str) -> str:
    """The root of the workspace of a file where that lies inside of a folder, else the folder."""
    from trialrun.workspace.discovery import workspace_root

    root = workspace_root(os.path.dirname(file))
    return root if root.startswith(os.path.join(folder, "")) else folder


def _severity(word: str) -> Literal["error", "warning", "note"]:
    return "error" if word == "error" else "warning" if word == "warning" else "note"
