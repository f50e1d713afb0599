"""Supervisor of an analysis process: starts and restarts it, sends it texts and requests, receives its messages.

The way of an edit, thread by thread:

1. The event loop of the server calls `set_text`, which appends the text to the queue of the process and returns.
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
from dataclasses import replace
from itertools import count
from queue import SimpleQueue
from typing import Any, BinaryIO

from trialrun.lsp.ipc.messages import (
    AnalysisRequest,
    Busy,
    Cancel,
    Diagnostics,
    Exclude,
    FilesChanged,
    FolderGone,
    ForClient,
    Initialize,
    InternalError,
    MessageSeverity,
    Options,
    Progress,
    Response,
    ServerCancelled,
    SetText,
    ShowMessage,
    ToAnalysis,
    receive,
    send,
)
from trialrun.lsp.ipc.start_process import Process, start_process
from trialrun.lsp.uris import UNTITLED_FOLDER

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
        self._folder = os.getcwd()
        self._initialize = Initialize(self._folder, Options())
        self._is_initialized = False
        self._texts: dict[str, SetText] = {}
        self._excluded: dict[str, Exclude] = {}
        self._disabled_rules: set[str] = set()
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
            self._folder, self._is_initialized = os.path.abspath(folder), True
            self._process.send(self._begin(options or Options()))

    def set_text(self, file: str, data: bytes | None, version: int = 0, *, lint_immediately: bool = True) -> None:
        """The editor has this text of a file, or None: it closed the file.

        Unless its diagnostics are needed at once, they are debounced if they take long.
        """
        from trialrun.text import MAX_BYTES  # imported after the process has started: it is slow

        enough = None if data is None else data[: MAX_BYTES + 1]  # for the parser to reject it for its size
        message = SetText(file, enough, version, lint_immediately)
        with self._lock:
            before = self._texts.get(file)
            if enough is None:
                self._texts.pop(file, None)
            else:
                self._texts[file] = message
            if before is None or before.data != enough:
                self._excluded.pop(file, None)
            self._send(self._exclusion(file) if file in self._excluded else message)

    def files_changed(self, files: Sequence[str]) -> None:
        """Files changed, appeared or disappeared on disk, where open ones do not matter; settings are read again."""
        with self._lock:
            if any(file.endswith(".toml") for file in files):
                self._disabled_rules.clear()
            for file in files:
                if file not in self._texts:
                    self._excluded.pop(file, None)
            self._send(FilesChanged(tuple(file for file in files if file not in self._excluded)))

    def reload_settings(self, options: Options) -> None:
        """Read the settings again, with these options."""
        with self._lock:
            self._disabled_rules.clear()
            self._initialize = replace(self._initialize, options=options)
            self._send(self._initialize)

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
        return os.path.normpath(os.path.join(self._initialize.folder, path))

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

    def _begin(self, options: Options) -> Initialize:
        """The first message to a process; while the folder does not exist, an empty one is used."""
        folder = self._folder
        if not _is_accessible(folder):
            folder = UNTITLED_FOLDER
            os.makedirs(folder, exist_ok=True)
        self._initialize = Initialize(folder, options)
        return self._initialize

    def _exclusion(self, file: str) -> Exclude:
        """The exclusion of a file, for the version that is open."""
        text = self._texts.get(file)
        return replace(self._excluded[file], version=None if text is None else text.version)

    def _send(self, message: ToAnalysis) -> None:
        with self._lock:
            folder_reappeared = self._initialize.folder != self._folder and _is_accessible(self._folder)
            if folder_reappeared and not self._is_stopped:
                self._restart(None)
            if self._is_stopped:
                self._reject_all()
            else:
                self._process.send(message)
                self._lock.notify_all()  # the current work may be outdated now, or block a request

    def _on_process_message(self, process: AnalysisProcess, message: object) -> None:
        if process is not self._process:
            return
        match message:
            case Diagnostics():
                self._restarts = 0
                self._set_busy(Busy())
                self._on_message(self, message)
            case ShowMessage() | Progress():
                self._on_message(self, message)
            case Response(number, value, error):
                self._finish(number, value, error)
            case Busy():
                self._set_busy(message)
            case FolderGone():
                with self._lock:
                    self._restart(None)

    def _finish(self, number: int, value: Any, error: Exception | None) -> None:
        """Give a request its result or its error, unless it was cancelled."""
        future = self._pending.pop(number, None)
        with suppress(InvalidStateError):
            if future is not None and error is not None:
                future.set_exception(error)
            elif future is not None:
                future.set_result(value)

    def _reject_all(self) -> None:
        for number in [*self._pending]:
            self._finish(number, None, ServerCancelled("the analysis process ended before it responded; ask again"))

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
        is_of_closed_file = self._busy.file not in self._texts
        blocks_requests = is_of_closed_file and bool(self._pending)
        limit = self._stale_timeout if self._is_outdated() or blocks_requests else self._timeout
        return limit - (time.monotonic() - self._busy_since)

    def _is_outdated(self) -> bool:
        """Whether the file of the current work was open, and has another version now or is closed."""
        text = self._texts.get(self._busy.file or "")
        return self._busy.version is not None and (text is None or text.version != self._busy.version)

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
        if self._is_initialized:
            self._process.send(self._begin(self._initialize.options))
        for rule in sorted(self._disabled_rules):
            self._process.send(Exclude(rule=rule))
        for file in sorted(self._excluded):
            self._process.send(self._exclusion(file))
        for file, text in self._texts.items():
            if file not in self._excluded:
                self._process.send(text)

    def _exclude_culprit(self, reason: str) -> None:
        """Exclude the current work, and show why."""
        file, rule = self._busy.file, self._busy.rule
        if self._busy != Busy():
            self._restarts = 0
        if file is not None:
            self._excluded[file] = Exclude(file, reason=f"this file {reason}; it is not checked until it changes")
            self._show("error", f"{self._display_path(file)} {reason}; it is not checked until it changes")
        elif rule is not None:
            self._disabled_rules.add(rule)
            self._show("error", f"the rule {rule} {reason}; it is disabled until the settings change")
        else:
            self._show("warning", "the analysis process has ended and was restarted")

    def _display_path(self, file: str) -> str:
        try:
            return os.path.relpath(file, self._initialize.folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return file.replace(os.sep, "/")

    def _show(self, severity: MessageSeverity, text: str) -> None:
        self._on_message(self, ShowMessage(severity, text))


def _is_accessible(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)
