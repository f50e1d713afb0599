"""Where the work of the server is done: the open workspace, its findings, and the answers to questions.

One process, apart from the one that speaks with the editor, so that nothing it does keeps the editor waiting.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.errors import UsageError
from trialrun.lsp.analysis.crash_reports import Faults, what
from trialrun.lsp.analysis.garbage_collection import Settling
from trialrun.lsp.analysis.load_settings import is_of_settings, plain_request, request_of
from trialrun.lsp.analysis.pending_diagnostics import Due
from trialrun.lsp.analysis.prime_caches import Warming
from trialrun.lsp.features import feature
from trialrun.lsp.ipc.coalescing_queue import Tray
from trialrun.lsp.ipc.messages import (
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
    LeaveOutRule,
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
from trialrun.lsp.results import CannotRename
from trialrun.workspace import Request
from trialrun.workspace.discovery import shown_path
from trialrun.workspace.lint_files import whole_file
from trialrun.workspace.open_workspace import Interrupted, Live
from trialrun.workspace.ownership import ownership_notes

TOLD_EVERY = 0.2
"""Seconds between one message and the next about how many files are left."""
MOMENT = 0.05
"""Seconds that a message may wait for a file to be linted that nobody has open."""


class Office:
    """Takes messages, and tells what comes of them; `begin` says where the workspace is, under which choices.

    `tray` has the messages that are still to be taken: work that they make needless, or that they would wait for, is
    left. `clock` says what time it is, where the choices do not.
    """

    def __init__(
        self,
        begin: Begin,
        tell: Callable[[FromOffice], None],
        tray: Tray,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._begin = begin
        self._tell = tell
        self._tray = tray
        self._clock = clock
        self._since = 0.0
        self._asked: Ask | None = None
        self._due = Due()
        self._faults = Faults(tell)
        self._settling = Settling()
        self._left_out: dict[str, Diagnostic] = {}
        self._trouble: str | None = None
        self._is_done = False
        self._left_told = 0.0
        self.live = Live(self._request(), is_wanted=self._is_wanted, turns_to=self._turn_to)
        self._warming = Warming(self.live)
        for message in ownership_notes([self.live.request.root]):
            tell(Told("note", message))

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
            case LeaveOut(file, why, version):
                self._leave_out(file, why, version)
            case LeaveOutRule(rule):
                self.live.leave_out_rule(rule)
            case Reread(choices):
                self._begin = replace(self._begin, choices=choices or self.choices)
                self._over()

    def find(self) -> bool:
        """Tell the findings of one open file that wait to be told; whether there were any."""
        ready = self._due.take()
        if ready is None:
            return False
        self._guarded(ready, lambda: self._find(ready))
        return True

    def work(self) -> float | None:
        """Do a little of what is left, open files first; the seconds until there is something left, None for never."""
        self._look_at_the_clock()
        if self.find():
            return 0.0
        if self.live.is_waiting:
            path = self.live.next_path
            self._guarded(None if path is None else os.path.abspath(path), self._step, rule=self.live.next_rule)
            self._settle(path)
            self._tell_left(time.monotonic())
            return 0.0
        if not self._due and not self._is_done:
            self._is_done = True
            self._tell(Left(0))
        if self._warming.is_waiting:
            path = self._warming.next_path
            self._guarded(None if path is None else os.path.abspath(path), self._warm)
            self._settle(path)
            return 0.0
        return min([*self._due.pauses, *self._until_tomorrow()], default=None)

    def _look_at_the_clock(self) -> None:
        """On another day everything is linted again: suppressions have ended, and runs have passed."""
        if self.choices.now is None and self.live.at(self._clock()):
            self._due.put_all()

    def _until_tomorrow(self) -> list[float]:
        if self.choices.now is not None:
            return []
        now = self._clock()
        return [(timedelta(days=1) - (now - now.replace(hour=0, minute=0, second=0, microsecond=0))).total_seconds()]

    def _settle(self, path: str | None) -> None:
        if path is not None and os.path.abspath(path) not in self._due:
            self._settling.count()

    def _tell_left(self, now: float) -> None:
        self._is_done = False
        if now - self._left_told >= TOLD_EVERY and self.live.left:
            self._left_told = now
            self._tell(Left(self.live.left))

    def _request(self) -> Request:
        return self._read() or plain_request(self._begin.folder, self.choices)

    def _read(self) -> Request | None:
        """The request as the settings are now; None where they are wrong, which is told once."""
        before, request, self._trouble = self._trouble, None, None
        try:
            request = request_of(self._begin.folder, self.choices)
        except UsageError as error:
            self._trouble = str(error)
        if self._trouble != before and before is not None:
            self._tell(Mended(before))
        if self._trouble != before and self._trouble is not None:
            self._tell(Told("error", self._trouble))
        return request

    def _over(self) -> None:
        """Begin anew under the settings as they are now; where they are wrong those in force stay."""
        request = self._read()
        if request is not None:
            self.live = self.live.over(request)
            self._warming = Warming(self.live)
            self._due.put_all()

    def _put(self, put: Put) -> None:
        self._left_out.pop(put.file, None)
        self._due.put(put.file, put.version, pause=0.0 if put.is_settled else self.choices.pause)
        self.live.put(put.file, put.data)

    def _drop(self, file: str) -> None:
        self.live.drop(file)
        self._left_out.pop(file, None)
        self._due.drop(file)

    def _leave_out(self, file: str, why: str, version: int | None) -> None:
        """Take a file as one that cannot be read, and tell why where it is open."""
        self.live.leave_out(file)
        self._left_out[file] = whole_file("internal-error", Severity.ERROR, why, shown_path(file))
        if version is not None:
            self._due.put(file, version)

    def _touch(self, files: tuple[str, ...]) -> None:
        if self._trouble or any(is_of_settings(file, self._begin, self.live.request) for file in files):
            self._over()
        self.live.touch(*files)

    def _step(self) -> None:
        """Do a step; the findings of the open files that may have others now are told next."""
        touched = self.live.step()
        for file in self._due:
            if shown_path(file) in touched:
                self._due.put_also(file)

    def _warm(self) -> None:
        """Do a little ahead of questions; what fails here says nothing about a file."""
        try:
            self._warming.step()
        except Exception as error:  # noqa: BLE001 - a question will meet it again, and then it is about something
            self._faults.tell(f"reading ahead: {what(error)}")

    def _find(self, file: str) -> None:
        """Tell the findings of an open file, unless they have been told."""
        left_out = self._left_out.get(file)
        found = (left_out,) if left_out else tuple(self.live.diagnostics(shown_path(file)))
        version = self._due.version(file)
        if version is None or not self._due.is_news(file, found):
            return
        self._tell(Findings(file, version, found))
        for one in () if left_out else found:
            if one.rule == "internal-error":
                self._faults.tell(one.message)

    def _is_wanted(self, file: str) -> bool:
        """Whether to go on with linting a file, for which others wait only for a moment where it is not open."""
        if file in self._due:
            return not self._tray.has_newer(file)
        return self._tray.is_empty or time.monotonic() - self._since < MOMENT

    def _turn_to(self, path: str | None) -> None:
        """A question about many texts comes to another one: from now on that is what may take too long."""
        if self._asked is None:
            return
        if self._tray.has_cancelled(self._asked.number):
            raise Interrupted
        file = self._asked.file if path is None else os.path.abspath(path)
        self._tell(Doing(file, self._due.version(file)))

    def _answer(self, ask: Ask) -> None:
        self._asked = ask
        self._tell(Doing(ask.file, self._due.version(ask.file)))
        self._look_at_the_clock()
        try:
            self.live.look()
            value = feature(ask.name)(self.live, shown_path(ask.file), *ask.arguments, **ask.named)
            self._tell(Answer(ask.number, value))
        except CannotRename as error:
            self._tell(Refusal(ask.number, error))
        except Interrupted:
            self._tell(Refusal(ask.number, Outdated("the text has changed; ask again")))
        except Exception as error:  # noqa: BLE001 - a fault of ours in one feature is told, and the others go on
            self._tell(Refusal(ask.number, Fault(f"{ask.name}: {error}")))
            self._faults.tell(f"{ask.name}: {what(error)}")
        self._asked = None
        self._tell(Doing())

    def _guarded(self, file: str | None, deed: Callable[[], None], *, rule: str | None = None) -> None:
        """Do something with a file, which is left out where a fault of ours ends it."""
        self._tell(Doing(file, self._due.version(file), rule))
        self._since = time.monotonic()
        try:
            deed()
        except Interrupted:
            self._due.put_also(file)
        except Exception as error:  # noqa: BLE001 - a fault of ours with one file is told, and the others go on
            self._faults.tell(f"{'the workspace' if file is None else shown_path(file)}: {what(error)}")
            if file is not None:
                why = f"trialrun failed on this file ({what(error)}); it is left out until it changes"
                self._leave_out(file, why, self._due.version(file))
        self._tell(Doing())
