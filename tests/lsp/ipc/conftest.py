"""A supervisor of an analysis process, with what it tells."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.lsp.client import LIMIT
from trialrun.lsp.ipc.messages import Diagnostics, ForClient, Options, Progress, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor


class Watched:
    """A worker with what it tells."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.folder = folder
        self.findings: Queue[tuple[str, int, list[str]]] = Queue()
        self.told: Queue[str] = Queue()
        self.left: Queue[int] = Queue()
        self.supervisor = AnalysisSupervisor(self._take, **limits)

    def begin(self) -> Watched:
        self.supervisor.initialize(str(self.folder), Options(cache=False))
        return self

    def open(self, name: str, data: bytes, version: int = 1) -> None:
        self.supervisor.set_text(str(self.folder / name), data, version)

    def change(self, name: str, data: bytes, version: int) -> None:
        self.supervisor.set_text(str(self.folder / name), data, version, lint_immediately=False)

    def request(self, feature: str, name: str) -> Future[Any]:
        return self.supervisor.request(feature, str(self.folder / name))

    def end_while_it_works_on(self, name: str, reason: signal.Signals) -> None:
        """End the process that has a file before it."""
        until(lambda: all(self._works_on(name) for _ in range(20)))  # it takes a text in first, and then lints it
        process = self.supervisor.process_id
        os.kill(process, reason)
        until(lambda: self.supervisor.process_id != process)

    def _works_on(self, name: str) -> bool:
        time.sleep(0.01)
        return self.supervisor.busy_file == str(self.folder / name)

    def found(self, name: str, version: int) -> list[str]:
        """The rules of the first findings of a version of a file."""
        while True:
            one, of, rules = self.findings.get(timeout=LIMIT)
            if (one, of) == (name, version):
                return rules

    def _take(self, _: AnalysisSupervisor, message: ForClient) -> None:
        match message:
            case Diagnostics(file, version, diagnostics):
                self.findings.put((Path(file).name, version, [diagnostic.rule for diagnostic in diagnostics]))
            case ShowMessage(severity, text) if severity:
                self.told.put(text)
            case Progress(remaining_files):
                self.left.put(remaining_files)


Start = Callable[..., Watched]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Start]:
    started: list[Watched] = []

    def start(folder: Path = tmp_path, **limits: float) -> Watched:
        started.append(Watched(folder, **limits))
        return started[-1]

    yield start
    for one in started:
        one.supervisor.stop()


def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
