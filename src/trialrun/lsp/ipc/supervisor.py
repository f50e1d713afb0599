"""The server's side of the office: starts its process, sends it texts and questions, and hears what it tells."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import count
from typing import Any

from trialrun.lsp.ipc.analysis_process import Child
from trialrun.lsp.ipc.messages import (
    Answer,
    Ask,
    Astray,
    Cancel,
    Choices,
    Doing,
    Drop,
    Findings,
    Left,
    Mended,
    Outdated,
    Put,
    Refusal,
    Reread,
    Told,
    ToOffice,
    Touch,
)
from trialrun.lsp.ipc.pending_requests import Asked
from trialrun.lsp.ipc.replay_state import Desk

OnFindings = Callable[[str, int, Sequence[Any]], None]
PATIENCE = 5.0
"""Seconds for which the office may work on a text that is out of date before its process is ended."""
LONGEST = 30.0
"""Seconds for which it may work on any one text."""
MOST_ENDS = 5
"""Processes that may end by themselves, one after the other, with no finding told between them."""


class Worker:
    """An office in a process of its own, which starts at once and ends with this one.

    `on_findings` gets an absolute path, the version of the text and the findings; `on_told` gets the severity and the
    text of a message to show, `on_mended` its text once it holds no more; `on_left` how many files are left to lint, 0
    once nothing is left to do at all. All are called in a thread of the worker, and return at once. Nothing here waits
    for the office. A text that keeps it busy for too long, or ends it, is left out until it changes; all others are
    given to a new process.
    """

    def __init__(
        self,
        *,
        on_findings: OnFindings,
        on_told: Callable[[str, str], None],
        on_mended: Callable[[str], None] = lambda message: None,
        on_left: Callable[[int], None] = lambda left: None,
        patience: float = PATIENCE,
        longest: float = LONGEST,
    ) -> None:
        self._on_findings = on_findings
        self._on_told = on_told
        self._on_mended = on_mended
        self._on_left = on_left
        self._patience = patience
        self._longest = longest
        self._numbers = count()
        self._lock = threading.Condition()
        self._asked = Asked()
        self._desk = Desk()
        self._doing = Doing()
        self._since = 0.0
        self._ends = 0
        self._suspected: Doing | None = None
        self._is_stopped = False
        with self._lock:
            self._child = Child(self._hear, self._ended, self._outdated)
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, folder: str, choices: Choices | None = None) -> None:
        """Open the workspace of a folder; the first thing to say."""
        with self._lock:
            self._child.send(self._desk.begin(os.path.abspath(folder), choices or Choices()))

    def open(self, file: str, data: bytes, version: int) -> None:
        """The editor opened a file, or wants its findings at once."""
        self._send(Put(file, _readable(data), version))

    def change(self, file: str, data: bytes, version: int) -> None:
        """The editor has another text; its findings come when no other followed for the pause of the choices."""
        self._send(Put(file, _readable(data), version, is_settled=False))

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
        with self._lock:
            number = next(self._numbers)
            future = self._asked.future(number)
            self._send(Ask(number, name, file, arguments, named))
        future.add_done_callback(lambda done: self._send(Cancel(number)) if done.cancelled() else None)
        return future

    def path_of(self, file: str) -> str:
        """The path of a file as findings and answers show it."""
        return self._desk.path_of(file)

    def file_of(self, path: str) -> str:
        """The absolute path of a path that findings and answers show."""
        return self._desk.file_of(path)

    @property
    def process_id(self) -> int:
        """The number of the process that works now."""
        return self._child.process_id

    @property
    def works_on(self) -> str | None:
        """The file that is worked on now."""
        return self._doing.file

    def stop(self) -> None:
        """End the office; questions without an answer raise Gone."""
        with self._lock:
            self._is_stopped = True
            self._lock.notify_all()
        self._child.end()

    def _send(self, message: ToOffice) -> None:
        with self._lock:
            told = self._desk.note(message)
            if self._desk.is_back and not self._is_stopped:
                self._move()
            if self._is_stopped:
                self._asked.give_up()
            else:
                self._child.send(told)
                self._lock.notify_all()  # what is worked on may be out of date now, or somebody waits for it to end

    def _hear(self, child: Child, message: object) -> None:
        if child is not self._child:
            return
        match message:
            case Findings(file, version, diagnostics):
                self._ends = 0
                self._begun(Doing())
                self._on_findings(file, version, diagnostics)
            case Told(severity, text):
                self._on_told(severity, text)
            case Mended(text):
                self._on_mended(text)
            case Answer(number, value):
                self._asked.answer(number, value)
            case Refusal(number, error):
                self._asked.refuse(number, error)
            case Left(files):
                self._on_left(files)
            case Doing():
                self._begun(message)
            case Astray():
                self._move()

    def _move(self) -> None:
        """The folder has gone, or is there again: go on where it leaves us."""
        with self._lock:
            self._go_on(None)

    def _outdated(self, number: int) -> None:
        self._asked.refuse(number, Outdated("the text has changed; ask again"))

    def _begun(self, doing: Doing) -> None:
        with self._lock:
            self._doing, self._since = doing, time.monotonic()
            self._lock.notify_all()

    def _watch(self) -> None:
        """End a process that works on one text for too long."""
        with self._lock:
            while not self._is_stopped:
                left = self._time_left()
                if left is None or left > 0:
                    self._lock.wait(left)
                    continue
                self._go_on("takes too long to look at")

    def _time_left(self) -> float | None:
        """The seconds for which the work that goes on may still go on; None when none goes on."""
        if self._doing == Doing():
            return None
        most = self._patience if self._is_outdated() or self._is_in_the_way() else self._longest
        return most - (time.monotonic() - self._since)

    def _is_outdated(self) -> bool:
        return self._doing.file is not None and self._desk.is_outdated(self._doing.file, self._doing.version)

    def _is_in_the_way(self) -> bool:
        """Whether somebody waits for an answer behind work that nobody asked for."""
        return (self._doing.file is None or not self._desk.is_open(self._doing.file)) and self._asked.is_waiting

    def _ended(self, child: Child) -> None:
        """A process is gone: with one that nobody ended goes the text it worked on."""
        with self._lock:
            if child is not self._child:
                return
            self._ends += 1
            if self._is_stopped:
                self._asked.give_up()
            elif self._ends > MOST_ENDS:
                self._is_stopped = True
                self._asked.give_up()
                self._on_told("error", "the process that lints ends again and again; restart the server, and report it")
            else:
                self._go_on(self._reason_of_end())

    def _reason_of_end(self) -> str | None:
        """What is said of what was worked on when a process ended: nothing at first, as others end processes too."""
        is_second, self._suspected = self._doing == self._suspected, self._doing
        return "ended the process that lints" if is_second or self._doing == Doing() else None

    def _go_on(self, why: str | None) -> None:
        """Go on in a new process; where there is a reason without what the old one worked on.

        A text that has a newer one by now is out of the way.
        """
        old = self._child
        if why is not None and not self._is_outdated():
            self._leave_out(why)
        self._doing = Doing()
        self._child = Child(self._hear, self._ended, self._outdated)
        old.end()
        self._asked.give_up()
        for message in self._desk.all():
            self._child.send(message)

    def _leave_out(self, why: str) -> None:
        """Leave out what was worked on, and tell so; without it the next process may come further."""
        file, rule = self._doing.file, self._doing.rule
        if self._doing != Doing():
            self._ends = 0
        if file is not None:
            self._desk.leave_out(file, f"this file {why}; it is left out until it changes")
            self._on_told("error", f"{self.path_of(file)} {why}; it is left out until it changes")
        elif rule is not None:
            self._desk.leave_out_rule(rule)
            self._on_told("error", f"the rule {rule} {why}; it is left out until the settings change")
        else:
            self._on_told("warning", "the process that lints has ended; another one goes on")


def _readable(data: bytes) -> bytes:
    """As much of a text as the reader needs to refuse it for its size."""
    from trialrun.parser.limits import MAX_BYTES  # not before the process has started: this imports the reader

    return data[: MAX_BYTES + 1]
