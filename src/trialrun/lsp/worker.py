"""The server's side of the office: starts its process, sends it texts and questions, and hears what it tells."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from typing import Any, BinaryIO

import trialrun
from trialrun.lsp.message import (
    Answer,
    Ask,
    Begin,
    Cancel,
    Choices,
    Doing,
    Drop,
    Findings,
    Gone,
    Put,
    Refusal,
    Reread,
    Told,
    ToOffice,
    Touch,
)
from trialrun.lsp.post import received, send

OnFindings = Callable[[str, int, Sequence[Any]], None]


class Worker:
    """An office in a process of its own, which starts at once and ends with this one.

    `on_findings` gets an absolute path, the version of the text and the findings; `on_told` gets the severity and the
    text of a message to show. Both are called in a thread of the worker. Nothing here waits for the office.
    """

    def __init__(self, *, on_findings: OnFindings, on_told: Callable[[str, str], None]) -> None:
        self._on_findings = on_findings
        self._on_told = on_told
        self._numbers = count()
        self._lock = threading.RLock()
        self._asked: dict[int, Future[Any]] = {}
        self._folder = ""
        self._is_stopped = False
        self._process = _started()
        threading.Thread(target=self._hear, args=(self._process,), daemon=True).start()

    def begin(self, folder: str, choices: Choices | None = None) -> None:
        """Open the workspace of a folder; the first thing to say."""
        self._folder = os.path.abspath(folder)
        self._send(Begin(self._folder, choices or Choices()))

    def open(self, file: str, data: bytes, version: int) -> None:
        """The editor opened a file, or wants its findings at once."""
        self._send(Put(file, data, version))

    def change(self, file: str, data: bytes, version: int) -> None:
        """The editor has another text; its findings come when no other followed for the pause of the choices."""
        self._send(Put(file, data, version, is_settled=False))

    def close(self, file: str) -> None:
        """The editor closed a file."""
        self._send(Drop(file))

    def saved(self, file: str) -> None:
        """A file was saved; with settings in it they are read again."""
        self.watched([file])

    def watched(self, files: Sequence[str]) -> None:
        """Files changed, came or went on disk."""
        self._send(Touch(tuple(files)))

    def settings(self, choices: Choices | None = None) -> None:
        """Read the settings again, with other choices where there are some."""
        self._send(Reread(choices))

    def ask(self, name: str, file: str, *arguments: Any, **named: Any) -> Future[Any]:
        """The answer of a feature about a file, to be. Cancel it when nobody waits for it any more.

        It raises CannotRename as the feature does, Fault for a fault of ours and Gone when the office had to end.
        """
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._asked[number] = future
            self._send(Ask(number, name, file, arguments, named))
        future.add_done_callback(lambda done: self._send(Cancel(number)) if done.cancelled() else None)
        return future

    def path_of(self, file: str) -> str:
        """The path of a file as findings and answers show it."""
        inside = os.path.join(self._folder, "")
        shown = file[len(inside) :] if file.startswith(inside) else _relative(file, self._folder)
        return shown.replace(os.sep, "/")

    def file_of(self, path: str) -> str:
        """The absolute path of a path that findings and answers show."""
        return os.path.normpath(os.path.join(self._folder, path))

    def stop(self) -> None:
        """End the office; questions without an answer raise Gone."""
        self._is_stopped = True
        self._process.kill()
        self._process.wait()

    def _send(self, message: ToOffice) -> None:
        with self._lock:
            try:
                send(_pipe(self._process.stdin), message)
            except OSError:
                return  # it is gone, which the thread that hears it tells

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        while (message := received(_pipe(process.stdout))) is not None:
            self._heard(message)
        for future in list(self._asked.values()):
            _settle(future, error=Gone("the office ended"))
        self._asked.clear()
        if not self._is_stopped:
            self._on_told("error", "the process that lints has ended; restart the server")

    def _heard(self, message: object) -> None:
        match message:
            case Findings(file, version, diagnostics):
                self._on_findings(file, version, diagnostics)
            case Told(severity, text):
                self._on_told(severity, text)
            case Answer(number, value):
                _settle(self._asked.pop(number, None), value=value)
            case Refusal(number, error):
                _settle(self._asked.pop(number, None), error=error)
            case Doing():
                return


def _started() -> subprocess.Popen[bytes]:
    """The process, in the folder our package is in: the folder of the workspace is no place to import from."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(trialrun.__file__)))
    command = [sys.executable, "-m", "trialrun.lsp.office_process"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=home)


def _pipe(stream: Any) -> BinaryIO:
    assert stream is not None
    pipe: BinaryIO = stream
    return pipe


def _relative(file: str, folder: str) -> str:
    try:
        return os.path.relpath(file, folder)
    except ValueError:  # another drive
        return file


def _settle(future: Future[Any] | None, *, value: Any = None, error: Exception | None = None) -> None:
    """Give a future its end, unless it was cancelled meanwhile."""
    if future is None:
        return
    try:
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
    except InvalidStateError:
        return
