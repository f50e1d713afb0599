"""Supervisor of an analysis process: starts and restarts it, sends it texts and requests, receives its messages.

The way of an edit, thread by thread:

1. The event loop of the server calls `change_text`, which appends the text to the queue of the process and returns.
2. The sending thread of `AnalysisProcess` writes it to the pipe; it alone waits when the process is busy.
3. The receiving thread of the analysis process appends it to a queue, where the work on an older text notices it.
4. The main thread of the analysis process lints it and writes the diagnostics to the other pipe.
5. The receiving thread of `AnalysisProcess` calls `on_message`, which schedules the publication in the event loop.

The queue of the analysis process drops superseded texts.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from typing import Any, BinaryIO

from trialrun.lsp.ipc.messages import (
    AnalysisRequest,
    Busy,
    Cancel,
    ClearMessage,
    CloseText,
    Diagnostics,
    ErrorResponse,
    FilesChanged,
    FolderGone,
    ForClient,
    InternalError,
    MessageSeverity,
    Options,
    Progress,
    ReloadSettings,
    Response,
    ServerCancelled,
    SetText,
    ShowMessage,
    ToAnalysis,
    receive,
    send,
)
from trialrun.lsp.ipc.replay_state import ReplayState
from trialrun.lsp.ipc.start_process import Process, start_process

logger = logging.getLogger("trialrun")

STALE_TIMEOUT = 5.0
"""Seconds for which the process may work on an outdated text before it is restarted."""
TIMEOUT = 30.0
"""Seconds for which it may work on one text."""
MAX_RESTARTS = 5
"""Processes that may end by themselves in a row, without diagnostics in between."""


class AnalysisProcess:
    """A process that starts at once, if it is not `started` already.

    `on_message` gets each message, `on_exit` is called after the last one.
    """

    def __init__(
        self,
        on_message: Callable[[AnalysisProcess, object], None],
        on_exit: Callable[[AnalysisProcess], None],
        started: Process | None = None,
    ) -> None:
        self._on_message = on_message
        self._on_exit = on_exit
        self._queue: SimpleQueue[ToAnalysis | None] = SimpleQueue()
        self._process = started or start_process()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for target, stream in ((self._send, self._process.stdin), (self._receive, self._process.stdout)):
            threading.Thread(target=target, args=(stream,), daemon=True).start()

    @property
    def process_id(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, message: ToAnalysis) -> None:
        """Queue a message for sending."""
        self._queue.put(message)

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()

    def _send(self, stream: BinaryIO) -> None:
        """Write queued messages; only this thread waits when a busy process leaves the pipe full."""
        with suppress(OSError), stream:  # the process may be gone; the receiving thread reports that
            while (message := self._queue.get()) is not None:
                send(stream, message)

    def _receive(self, stream: BinaryIO) -> None:
        try:
            with stream:
                while (message := receive(stream)) is not None:
                    self._on_message(self, message)
        except Exception:  # a process that sends unreadable messages is replaced
            logger.exception("unreadable message of the analysis process; restart the server if trialrun was updated")
        self._queue.put(None)
        self.end()
        self._on_exit(self)


class AnalysisSupervisor:
    """An analysis process, which starts at once and ends with this one.

    `started` is the process if it runs already. `on_message` gets what concerns the client, in a thread, and returns at
    once. No method waits for the process. A text that times out, or crashes the process, is excluded until it changes;
    all others are sent to a new process.
    """

    def __init__(
        self,
        on_message: Callable[[AnalysisSupervisor, ForClient], None],
        *,
        stale_timeout: float = STALE_TIMEOUT,
        timeout: float = TIMEOUT,
        started: Process | None = None,
    ) -> None:
        self._on_message = on_message
        self._stale_timeout = stale_timeout
        self._timeout = timeout
        self._request_ids = count()
        self._lock = threading.Condition()
        self._pending: dict[int, Future[Any]] = {}
        self._replay = ReplayState()
        self._busy = Busy()
        self._busy_since = 0.0
        self._restarts = 0
        self._last_crashed: Busy | None = None
        self._is_stopped = False
        with self._lock:
            self._process = AnalysisProcess(self._on_process_message, self._on_process_exit, started)
        threading.Thread(target=self._run_watchdog, daemon=True).start()

    def initialize(self, folder: str, options: Options | None = None) -> None:
        """Open the workspace of a folder; must come first."""
        with self._lock:
            self._process.send(self._replay.initialize(os.path.abspath(folder), options or Options()))

    def open_text(self, file: str, data: bytes, version: int) -> None:
        """The editor opened a file, or needs its diagnostics at once."""
        self._send(SetText(file, _truncated(data), version))

    def change_text(self, file: str, data: bytes, version: int) -> None:
        """The editor has another text; its diagnostics are debounced if they take long."""
        self._send(SetText(file, _truncated(data), version, lint_immediately=False))

    def close_text(self, file: str) -> None:
        """The editor closed a file."""
        self._send(CloseText(file))

    def files_changed(self, files: Sequence[str]) -> None:
        """Files changed, appeared or disappeared on disk; settings files are read again."""
        self._send(FilesChanged(tuple(files)))

    def reload_settings(self, options: Options) -> None:
        """Read the settings again, with these options."""
        self._send(ReloadSettings(options))

    def request(self, name: str, file: str, *arguments: Any, **named: Any) -> Future[Any]:
        """The future result of a feature for a file. Cancel it when nobody waits for it any more.

        It raises CannotRename as the feature does, InternalError, and ServerCancelled when the process
        had to be restarted.
        """
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._request_ids)
            self._pending[number] = future
            future.add_done_callback(lambda _: self._pending.pop(number, None))
            self._send(AnalysisRequest(number, name, file, arguments, named))
        future.add_done_callback(lambda done: self._send(Cancel(number)) if done.cancelled() else None)
        return future

    async def result(self, name: str, file: str, *arguments: Any) -> Any | None:
        """The result of a feature that is not a client's request: None after an internal error or a restart."""
        try:
            return await asyncio.wrap_future(self.request(name, file, *arguments))
        except (InternalError, ServerCancelled):
            return None

    def absolute_path(self, path: str) -> str:
        """The absolute path of a displayed path."""
        return self._replay.absolute_path(path)

    @property
    def process_id(self) -> int:
        """The id of the current process."""
        return self._process.process_id

    @property
    def busy_file(self) -> str | None:
        """The file being processed."""
        return self._busy.file

    def stop(self) -> None:
        """Stop the process; pending requests raise ServerCancelled."""
        with self._lock:
            self._is_stopped = True
            self._lock.notify_all()
        self._process.end()

    def _send(self, message: ToAnalysis) -> None:
        with self._lock:
            replayed = self._replay.record(message)
            if self._replay.folder_reappeared and not self._is_stopped:
                self._restart(None)
            if self._is_stopped:
                self._reject_all()
            else:
                self._process.send(replayed)
                self._lock.notify_all()  # the current work may be outdated now, or block a request

    def _on_process_message(self, process: AnalysisProcess, message: object) -> None:
        if process is not self._process:
            return
        match message:
            case Diagnostics():
                self._restarts = 0
                self._set_busy(Busy())
                self._on_message(self, message)
            case ShowMessage() | ClearMessage() | Progress():
                self._on_message(self, message)
            case Response(number, value):
                self._finish(number, lambda future: future.set_result(value))
            case ErrorResponse(number, error):
                self._reject(number, error)
            case Busy():
                self._set_busy(message)
            case FolderGone():
                with self._lock:
                    self._restart(None)

    def _finish(self, number: int, finish: Callable[[Future[Any]], None]) -> None:
        """Give a request its result or its error, unless it was cancelled."""
        future = self._pending.pop(number, None)
        with suppress(InvalidStateError):
            if future is not None:
                finish(future)

    def _reject(self, number: int, error: Exception) -> None:
        self._finish(number, lambda future: future.set_exception(error))

    def _reject_all(self) -> None:
        for number in [*self._pending]:
            self._reject(number, ServerCancelled("the analysis process ended before it responded; ask again"))

    def _set_busy(self, busy: Busy) -> None:
        with self._lock:
            self._busy, self._busy_since = busy, time.monotonic()
            self._lock.notify_all()

    def _run_watchdog(self) -> None:
        """Restart a process that works on one text for too long."""
        with self._lock:
            while not self._is_stopped:
                remaining = self._remaining_time()
                if remaining is None or remaining > 0:
                    self._lock.wait(remaining)
                    continue
                self._restart("takes too long to check")

    def _remaining_time(self) -> float | None:
        """The seconds that the current work may still take; None when idle."""
        if self._busy == Busy():
            return None
        is_of_closed_file = self._busy.file is None or not self._replay.is_open(self._busy.file)
        blocks_requests = is_of_closed_file and bool(self._pending)
        limit = self._stale_timeout if self._is_outdated() or blocks_requests else self._timeout
        return limit - (time.monotonic() - self._busy_since)

    def _is_outdated(self) -> bool:
        return self._busy.file is not None and self._replay.is_outdated(self._busy.file, self._busy.version)

    def _on_process_exit(self, process: AnalysisProcess) -> None:
        """Restart after a crash, without the text that caused it."""
        with self._lock:
            if process is not self._process:
                return
            self._restarts += 1
            if self._is_stopped:
                self._reject_all()
            elif self._restarts > MAX_RESTARTS:
                self._is_stopped = True
                self._reject_all()
                self._show("error", "the analysis process keeps crashing; restart the server, and report it")
            else:
                # Work is excluded only at its second crash: the process may have been killed from outside.
                is_second, self._last_crashed = self._busy == self._last_crashed, self._busy
                self._restart("crashed the analysis process" if is_second or self._busy == Busy() else None)

    def _restart(self, reason: str | None) -> None:
        """Start a new process; with a reason, exclude what the old one worked on.

        An outdated text needs no exclusion.
        """
        old = self._process
        if reason is not None and not self._is_outdated():
            self._exclude_culprit(reason)
        self._busy = Busy()
        self._process = AnalysisProcess(self._on_process_message, self._on_process_exit)
        old.end()
        self._reject_all()
        for message in self._replay.messages():
            self._process.send(message)

    def _exclude_culprit(self, reason: str) -> None:
        """Exclude the current work, and show why."""
        file, rule = self._busy.file, self._busy.rule
        if self._busy != Busy():
            self._restarts = 0
        if file is not None:
            self._replay.exclude_file(file, f"this file {reason}; it is not checked until it changes")
            self._show("error", f"{self._replay.display_path(file)} {reason}; it is not checked until it changes")
        elif rule is not None:
            self._replay.disable_rule(rule)
            self._show("error", f"the rule {rule} {reason}; it is disabled until the settings change")
        else:
            self._show("warning", "the analysis process has ended and was restarted")

    def _show(self, severity: MessageSeverity, text: str) -> None:
        self._on_message(self, ShowMessage(severity, text))


def _truncated(data: bytes) -> bytes:
    """As much of a text as the parser needs to reject it for its size."""
    from trialrun.text import MAX_BYTES  # imported after the process has started: it is slow

    return data[: MAX_BYTES + 1]
