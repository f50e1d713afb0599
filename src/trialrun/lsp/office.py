"""Where the work of the server is done: the open workspace, its findings, and the answers to questions.

One process, apart from the one that speaks with the editor, so that nothing it does keeps the editor waiting.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from trialrun import __version__
from trialrun.diagnostic import Diagnostic
from trialrun.lsp.answer import CannotRename
from trialrun.lsp.features import feature
from trialrun.lsp.message import (
    Answer,
    Ask,
    Begin,
    Choices,
    Doing,
    Drop,
    Fault,
    Findings,
    FromOffice,
    LeaveOut,
    Left,
    Put,
    Refusal,
    Reread,
    Told,
    ToOffice,
    Touch,
)
from trialrun.lsp.requesting import plain_request, request_of
from trialrun.usage import UsageError
from trialrun.workspace import Request
from trialrun.workspace.discovery import SETTINGS_FILES, shown_path
from trialrun.workspace.live import Live

TOLD_EVERY = 0.2
"""Seconds between one message and the next about how many files are left."""
REPORT_IT = f"trialrun {__version__} failed; the fault is ours: please report it"


class Office:
    """Takes messages, and tells what comes of them; `begin` says where the workspace is, under which choices."""

    def __init__(self, begin: Begin, tell: Callable[[FromOffice], None]) -> None:
        self._begin = begin
        self._tell = tell
        self._versions: dict[str, int] = {}
        self._told: dict[str, tuple[int, tuple[Diagnostic, ...]]] = {}
        self._due: dict[str, float] = {}
        self._faults: set[str] = set()
        self._is_done = False
        self._left_told = 0.0
        self.live = Live(self._request())

    @property
    def choices(self) -> Choices:
        """What the user chose."""
        return self._begin.choices

    def take(self, message: ToOffice) -> None:
        """Take a message in; a question is answered at once, findings are told by `work`."""
        if isinstance(message, Ask):
            self._answer(message)
        else:
            self._is_done = False
            self._guarded(message.file if isinstance(message, Put) else None, lambda: self._note(message))

    def _note(self, message: ToOffice) -> None:
        match message:
            case Put():
                self._put(message)
            case Drop(file):
                self._drop(file)
            case Touch(files):
                self._touch(files)
            case LeaveOut(file):
                self.live.leave_out(file)
            case Reread(choices):
                self._begin = replace(self._begin, choices=choices or self.choices)
                self._over()

    def find(self) -> bool:
        """Tell the findings of one open file that wait to be told; whether there were any."""
        now = time.monotonic()
        ready = next((file for file, due in self._due.items() if due <= now), None)
        if ready is None:
            return False
        del self._due[ready]
        self._guarded(ready, lambda: self._find(ready))
        return True

    def work(self) -> float | None:
        """Do a little of what is left, open files first; the seconds until there is something left, None for never."""
        if self.find():
            return 0.0
        if self.live.is_waiting:
            path = self.live.next_path
            self._guarded(None if path is None else os.path.abspath(path), self._step)
            self._tell_left(time.monotonic())
            return 0.0
        if not self._due and not self._is_done:
            self._is_done = True
            self._tell(Left(0))
        return min(self._due.values()) - time.monotonic() if self._due else None

    def _tell_left(self, now: float) -> None:
        self._is_done = False
        if now - self._left_told >= TOLD_EVERY and self.live.left:
            self._left_told = now
            self._tell(Left(self.live.left))

    def _request(self) -> Request:
        try:
            return request_of(self._begin.folder, self.choices)
        except UsageError as error:
            self._tell(Told("error", str(error)))
            return plain_request(self._begin.folder, self.choices)

    def _over(self) -> None:
        """Begin anew under the settings as they are now; wrong ones are told, and those in force stay."""
        try:
            request = request_of(self._begin.folder, self.choices)
        except UsageError as error:
            self._tell(Told("error", str(error)))
            return
        self.live = self.live.over(request)
        self._due = dict.fromkeys(self._versions, 0.0)

    def _put(self, put: Put) -> None:
        self.live.put(put.file, put.data)
        self._versions[put.file] = put.version
        self._due[put.file] = 0.0 if put.is_settled else time.monotonic() + self.choices.pause

    def _drop(self, file: str) -> None:
        self.live.drop(file)
        for known in (self._versions, self._told, self._due):
            known.pop(file, None)

    def _touch(self, files: tuple[str, ...]) -> None:
        if any(self._is_of_settings(file) for file in files):
            self._over()
        self.live.touch(*files)

    def _is_of_settings(self, file: str) -> bool:
        """Whether a file says what is looked for: the settings, or what they name."""
        profiles = self.live.request.profiles
        if os.path.basename(file) in SETTINGS_FILES or file == profiles.settings.baseline_file:
            return True
        return file in profiles.policies.files

    def _step(self) -> None:
        """Do a step, and tell the findings of the open files that may have others now."""
        touched = self.live.step()
        for file in self._versions:
            if file not in self._due and shown_path(file) in touched:
                self._find(file)

    def _find(self, file: str) -> None:
        """Tell the findings of an open file, unless they have been told."""
        version = self._versions[file]
        found = tuple(self.live.diagnostics(shown_path(file)))
        if self._told.get(file) != (version, found):
            self._told[file] = version, found
            self._tell(Findings(file, version, found))

    def _answer(self, ask: Ask) -> None:
        self._tell(Doing(ask.file, self._versions.get(ask.file)))
        if self.choices.now is None:
            self.live.at(datetime.now(UTC))
        try:
            value = feature(ask.name)(self.live, shown_path(ask.file), *ask.arguments, **ask.named)
            self._tell(Answer(ask.number, value))
        except CannotRename as error:
            self._tell(Refusal(ask.number, error))
        except Exception as error:  # noqa: BLE001 - a fault of ours in one feature is told, and the others go on
            self._tell(Refusal(ask.number, Fault(f"{ask.name}: {error}")))
            self._fault(ask.name, error)
        self._tell(Doing(None))

    def _guarded(self, file: str | None, deed: Callable[[], None]) -> None:
        self._tell(Doing(file, self._versions.get(file or "")))
        try:
            deed()
        except Exception as error:  # noqa: BLE001 - a fault of ours with one file is told, and the others go on
            self._fault("the workspace" if file is None else shown_path(file), error)
        self._tell(Doing(None))

    def _fault(self, where: str, error: Exception) -> None:
        """Tell a fault of ours, each once."""
        message = f"{where}: {type(error).__name__}: {error}"
        if message not in self._faults:
            self._faults.add(message)
            self._tell(Told("error", f"{REPORT_IT}: {message}"))
