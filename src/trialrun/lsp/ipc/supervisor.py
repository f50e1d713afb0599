"""Supervisor of an analysis process: starts and restarts it, sends it texts and requests, receives its messages.

The way of an edit, thread by thread:

1. The event loop of the server calls `change_text`, which appends the text to the queue of the process and returns.
2. The sending thread of `AnalysisProcess` writes it to the pipe; it alone waits when the process is busy.
3. The receiving thread of the analysis process appends it to a queue, where the work on an older text notices it.
4. The main thread of the analysis process lints it and writes the diagnostics to the other pipe.
5. The receiving thread of `AnalysisProcess` calls `on_message`, which schedules the publication in the event loop.

Both queues drop superseded texts: the first one while a pipe is full, the second one while a text is linted.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from itertools import count
from typing import Any

from trialrun.lsp.ipc.analysis_process import AnalysisProcess
from trialrun.lsp.ipc.messages import (
    AnalysisRequest,
    Busy,
    Cancel,
    ClearMessage,
    CloseText,
    ContentModified,
    Diagnostics,
    ErrorResponse,
    FilesChanged,
    FolderGone,
    ForClient,
    MessageSeverity,
    Options,
    Progress,
    ReloadSettings,
    Response,
    ServerCancelled,
    SetText,
    ShowMessage,
    ToAnalysis,
)
from trialrun.lsp.ipc.replay_state import ReplayState
from trialrun.lsp.ipc.start_process import Process

STALE_TIMEOUT = 5.0
"""Seconds for which the process may work on an outdated text before it is restarted."""
TIMEOUT = 30.0
"""Seconds for which it may work on one text."""
MAX_RESTARTS = 5
"""Processes that may end by themselves in a row, without diagnostics in between."""


class AnalysisSupervisor:
    """An analysis process, which starts at once and ends with this one.

    `started` is the process if it runs already. `on_message` gets what concerns the client, in a thread, and returns at
    once. No method waits for the process. A text that times out, or crashes the process, is excluded until it changes;
    all others are sent to a new process.
    """

    def __init__(
        self,
        on_message: Callable[[ForClient], None],
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
        self._pending = PendingRequests()
        self._replay = ReplayState()
        self._busy = Busy()
        self._busy_since = 0.0
        self._restarts = 0
        self._last_crashed: Busy | None = None
        self._is_stopped = False
        with self._lock:
            self._process = self._start(started)
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

    def file_saved(self, file: str) -> None:
        """A file was saved; settings files are read again."""
        self.files_changed([file])

    def files_changed(self, files: Sequence[str]) -> None:
        """Files changed, appeared or disappeared on disk."""
        self._send(FilesChanged(tuple(files)))

    def reload_settings(self, options: Options | None = None) -> None:
        """Read the settings again, with other options if given."""
        self._send(ReloadSettings(options))

    def request(self, name: str, file: str, *arguments: Any, **named: Any) -> Future[Any]:
        """The future result of a feature for a file. Cancel it when nobody waits for it any more.

        It raises CannotRename as the feature does, InternalError, and ServerCancelled when the process
        had to be restarted.
        """
        with self._lock:
            number = next(self._request_ids)
            future = self._pending.create(number)
            self._send(AnalysisRequest(number, name, file, arguments, named))
        future.add_done_callback(lambda done: self._send(Cancel(number)) if done.cancelled() else None)
        return future

    def display_path(self, file: str) -> str:
        """The path of a file as diagnostics and results display it."""
        return self._replay.display_path(file)

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

    def _start(self, started: Process | None = None) -> AnalysisProcess:
        return AnalysisProcess(self._on_process_message, self._on_process_exit, self._reject_stale, started)

    def _send(self, message: ToAnalysis) -> None:
        with self._lock:
            replayed = self._replay.record(message)
            if self._replay.folder_reappeared and not self._is_stopped:
                self._restart_in_folder()
            if self._is_stopped:
                self._pending.fail_all()
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
                self._on_message(message)
            case ShowMessage() | ClearMessage() | Progress():
                self._on_message(message)
            case Response(number, value):
                self._pending.resolve(number, value)
            case ErrorResponse(number, error):
                self._pending.reject(number, error)
            case Busy():
                self._set_busy(message)
            case FolderGone():
                self._restart_in_folder()

    def _restart_in_folder(self) -> None:
        """Restart because the folder disappeared or came back."""
        with self._lock:
            self._restart(None)

    def _reject_stale(self, number: int) -> None:
        self._pending.reject(number, ContentModified("the document has changed; ask again"))

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
        limit = self._stale_timeout if self._is_outdated() or self._blocks_requests() else self._timeout
        return limit - (time.monotonic() - self._busy_since)

    def _is_outdated(self) -> bool:
        return self._busy.file is not None and self._replay.is_outdated(self._busy.file, self._busy.version)

    def _blocks_requests(self) -> bool:
        """Whether a request waits behind work on a file that is not open."""
        return (self._busy.file is None or not self._replay.is_open(self._busy.file)) and self._pending.is_waiting

    def _on_process_exit(self, process: AnalysisProcess) -> None:
        """Restart after a crash, without the text that caused it."""
        with self._lock:
            if process is not self._process:
                return
            self._restarts += 1
            if self._is_stopped:
                self._pending.fail_all()
            elif self._restarts > MAX_RESTARTS:
                self._is_stopped = True
                self._pending.fail_all()
                self._show("error", "the analysis process keeps crashing; restart the server, and report it")
            else:
                self._restart(self._crash_reason())

    def _crash_reason(self) -> str | None:
        """Why to exclude the current work after a crash: not the first time, as it may be killed from outside."""
        is_second, self._last_crashed = self._busy == self._last_crashed, self._busy
        return "crashed the analysis process" if is_second or self._busy == Busy() else None

    def _restart(self, reason: str | None) -> None:
        """Start a new process; with a reason, exclude what the old one worked on.

        An outdated text needs no exclusion.
        """
        old = self._process
        if reason is not None and not self._is_outdated():
            self._exclude_culprit(reason)
        self._busy = Busy()
        self._process = self._start()
        old.end()
        self._pending.fail_all()
        for message in self._replay.messages():
            self._process.send(message)

    def _exclude_culprit(self, reason: str) -> None:
        """Exclude the current work, and show why."""
        file, rule = self._busy.file, self._busy.rule
        if self._busy != Busy():
            self._restarts = 0
        if file is not None:
            self._replay.exclude_file(file, f"this file {reason}; it is not checked until it changes")
            self._show("error", f"{self.display_path(file)} {reason}; it is not checked until it changes")
        elif rule is not None:
            self._replay.disable_rule(rule)
            self._show("error", f"the rule {rule} {reason}; it is disabled until the settings change")
        else:
            self._show("warning", "the analysis process has ended and was restarted")

    def _show(self, severity: MessageSeverity, text: str) -> None:
        self._on_message(ShowMessage(severity, text))


def _truncated(data: bytes) -> bytes:
    """As much of a text as the parser needs to reject it for its size."""
    from trialrun.parser.limits import MAX_BYTES  # imported after the process has started: it is slow

    return data[: MAX_BYTES + 1]


class PendingRequests:
    """Futures of requests by id; a cancelled one ignores its response."""

    def __init__(self) -> None:
        self._futures: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()

    def create(self, request_id: int) -> Future[Any]:
        """The future of a new request."""
        create: Future[Any] = Future()
        with self._lock:
            self._futures[request_id] = create
        create.add_done_callback(lambda _: self._pop(request_id))
        return create

    def resolve(self, request_id: int, value: object) -> None:
        """Set the result of a request."""
        create = self._pop(request_id)
        try:
            if create is not None:
                create.set_result(value)
        except InvalidStateError:
            return

    def reject(self, request_id: int, error: Exception) -> None:
        """Set the error of a request."""
        create = self._pop(request_id)
        try:
            if create is not None:
                create.set_exception(error)
        except InvalidStateError:
            return

    @property
    def is_waiting(self) -> bool:
        """Whether a request has no response yet."""
        return bool(self._futures)

    def fail_all(self) -> None:
        """Fail every request so far."""
        with self._lock:
            request_ids = list(self._futures)
        for request_id in request_ids:
            self.reject(request_id, ServerCancelled("the analysis process ended before it responded; ask again"))

    def _pop(self, request_id: int) -> Future[Any] | None:
        with self._lock:
            return self._futures.pop(request_id, None)
