"""The analysis process: keeps the workspace open, publishes diagnostics and responds to requests.

It is separate from the server process, so that no analysis blocks the editor.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.display_path import display_path
from trialrun.errors import UsageError
from trialrun.guarded_path import allow_folder
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lsp.analysis.scheduling import CachePrimer, PendingDiagnostics
from trialrun.lsp.features import feature
from trialrun.lsp.ipc.messages import (
    TEXT_CHANGED,
    AnalysisRequest,
    Busy,
    CoalescingQueue,
    Diagnostics,
    Exclude,
    FilesChanged,
    FromAnalysis,
    Initialize,
    InternalError,
    Options,
    Progress,
    Response,
    ServerCancelled,
    SetText,
    ShowMessage,
    ToAnalysis,
)
from trialrun.lsp.results import CannotRename
from trialrun.version import __version__
from trialrun.working_folder import absolute_path
from trialrun.workspace import CheckRequest, workspace_root
from trialrun.workspace.check_request import allow_named_paths, read_baseline_file
from trialrun.workspace.discovery import ownership_notes, settings_files
from trialrun.workspace.lint_files import file_diagnostic
from trialrun.workspace.open_workspace import Interrupted, OpenWorkspace

PROGRESS_INTERVAL = 0.2
"""Seconds between two progress messages."""
FREEZE_INTERVAL = 50
"""Processed files after which the heap is frozen."""
MAX_REPORTS = 100
"""Internal errors that are shown."""
MAX_MESSAGE_DELAY = 0.05
"""Seconds that a message may wait while a file that is not open is linted."""


class AnalysisServer:
    """Handles messages and sends their results; `initialize` has the folder of the workspace and the options.

    `queue` has the messages that come next: work that they make needless, or that they would wait for, is interrupted.
    `clock` is the time if the options have none.
    """

    def __init__(
        self,
        initialize: Initialize,
        send: Callable[[FromAnalysis], None],
        queue: CoalescingQueue,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._initialize = initialize
        self._send = send
        self._queue = queue
        self._clock = clock
        self._task_started = 0.0
        self._current_request: AnalysisRequest | None = None
        self._pending = PendingDiagnostics()
        self._reported_crashes: set[str] = set()
        self._processed_files = 0
        self._has_frozen_imports = False
        self._excluded: dict[str, Diagnostic] = {}
        self._settings_error: str | None = None
        self._is_idle = False
        self._last_progress = 0.0
        request = self._read_settings() or request_without_settings(initialize.folder, initialize.options)
        self.workspace = OpenWorkspace(request, is_wanted=self._should_continue, report_activity=self._report_busy)
        self._cache_primer = CachePrimer(self.workspace)
        for message in ownership_notes([self.workspace.request.root]):
            send(ShowMessage("note", message))

    @property
    def options(self) -> Options:
        """The command line options."""
        return self._initialize.options

    def handle(self, message: ToAnalysis) -> None:
        """Handle a message; a request is answered at once, diagnostics are published by `run_next_task`."""
        if isinstance(message, AnalysisRequest):
            self._respond(message)
        else:
            self._is_idle = False
            self._run_guarded(
                message.file if isinstance(message, SetText) and message.data is not None else None,
                lambda: self._apply(message),
            )

    def _apply(self, message: ToAnalysis) -> None:
        match message:
            case SetText(file, data, version, lint_immediately):
                self._excluded.pop(file, None)
                if data is None:
                    self.workspace.remove_overlay(file)
                    self._pending.close(file)
                    return
                if lint_immediately:
                    self._pending.schedule(file, version)
                else:
                    self._pending.schedule_change(file, version, debounce=self.options.debounce)
                self.workspace.set_overlay(file, data)
            case FilesChanged(files):
                request = self.workspace.request
                if self._settings_error or any(is_settings_file(file, self._initialize, request) for file in files):
                    self._reload()
                self.workspace.files_changed(*files)
            case Exclude(file, version, rule, reason):
                if file is not None:
                    self._exclude_file(file, reason, version)
                if rule is not None:
                    self.workspace.disable_rule(rule)
            case Initialize():
                self._initialize = message
                self._reload()

    def publish_next(self) -> bool:
        """Publish the diagnostics of one open file that is due; whether there was any."""
        ready = self._pending.take_due()
        if ready is None:
            return False
        self._run_guarded(ready, lambda: self._publish(ready))
        return True

    def run_next_task(self) -> float | None:
        """Run one task, open files first; the seconds until the next one, None for never."""
        self._update_clock()
        if self.publish_next():
            return 0.0
        if self.workspace.has_tasks:
            path = self.workspace.next_path
            self._run_guarded(
                None if path is None else absolute_path(path), self._run_live_task, rule=self.workspace.next_rule
            )
            self._count_processed(path)
            self._is_idle = False
            moment = time.monotonic()
            if moment - self._last_progress >= PROGRESS_INTERVAL and self.workspace.remaining_files:
                self._last_progress = moment
                self._send(Progress(self.workspace.remaining_files))
            return 0.0
        if not self._pending and not self._is_idle:
            self._is_idle = True
            self._send(Progress(0))
        if self._cache_primer.is_waiting:
            path = self._cache_primer.next_path
            self._run_guarded(None if path is None else absolute_path(path), self._prime_caches)
            self._count_processed(path)
            return 0.0
        if not self._has_frozen_imports:
            self._has_frozen_imports = True
            _freeze_heap()
        if self.options.now is not None:
            return min(self._pending.delays, default=None)
        now = self._clock()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return min([*self._pending.delays, (midnight - now).total_seconds()])

    def _update_clock(self) -> None:
        """Lint everything again on another day: suppressions expire, and runs have passed."""
        if self.options.now is None and self.workspace.set_clock(self._clock()):
            self._pending.schedule_all()

    def _count_processed(self, path: str | None) -> None:
        """Freeze the heap now and then; objects of edited files become garbage, so these are not counted."""
        if path is not None and absolute_path(path) not in self._pending:
            self._processed_files += 1
            if self._processed_files % FREEZE_INTERVAL == 0:
                _freeze_heap()

    def _read_settings(self) -> CheckRequest | None:
        """The request for the current settings; None if they are invalid, which is shown once."""
        before, request, self._settings_error = self._settings_error, None, None
        try:
            request = workspace_request(self._initialize.folder, self.options)
        except UsageError as error:
            self._settings_error = str(error)
        if self._settings_error != before and before is not None:
            self._send(ShowMessage(None, before))
        if self._settings_error != before and self._settings_error is not None:
            self._send(ShowMessage("error", self._settings_error))
        return request

    def _reload(self) -> None:
        """Start again with the current settings; if they are invalid, keep the previous ones."""
        request = self._read_settings()
        if request is not None:
            self.workspace = self.workspace.with_request(request)
            self._cache_primer = CachePrimer(self.workspace)
            self._pending.schedule_all()

    def _exclude_file(self, file: str, reason: str, version: int | None) -> None:
        """Treat a file as unreadable, and publish why if it is open."""
        self.workspace.exclude_file(file)
        self._excluded[file] = file_diagnostic("internal-error", Severity.ERROR, reason, display_path(file))
        if version is not None:
            self._pending.schedule(file, version)

    def _run_live_task(self) -> None:
        """Run a task of the workspace; schedule the open files whose diagnostics may have changed."""
        changed = self.workspace.run_next_task()
        for file in self._pending:
            if display_path(file) in changed:
                self._pending.schedule_if_open(file)

    def _prime_caches(self) -> None:
        """Run a step of the cache primer; its errors are not about a file."""
        try:
            self._cache_primer.step()
        except Exception as error:  # noqa: BLE001 - a request will raise it again, and then it is about a file
            self._report_crash(f"cache priming: {error_summary(error)}")

    def _publish(self, file: str) -> None:
        excluded = self._excluded.get(file)
        diagnostics = (excluded,) if excluded else tuple(self.workspace.diagnostics(display_path(file)))
        self._pending.note_cost(file, time.monotonic() - self._task_started)
        version = self._pending.version(file)
        if version is None or not self._pending.is_new(file, diagnostics):
            return
        self._send(Diagnostics(file, version, diagnostics))
        for diagnostic in () if excluded else diagnostics:
            if diagnostic.rule == "internal-error":
                self._report_crash(diagnostic.message)

    def _should_continue(self, file: str) -> bool:
        """Whether to continue linting a file: messages wait only briefly for one that is not open."""
        if file in self._pending:
            return not self._queue.has_newer_text(file)
        return self._queue.is_empty or time.monotonic() - self._task_started < MAX_MESSAGE_DELAY

    def _report_busy(self, path: str | None) -> None:
        """A request about many files reads another one now: that is what may time out."""
        if self._current_request is None:
            return
        if self._queue.has_cancelled(self._current_request.id):
            raise Interrupted
        file = self._current_request.file if path is None else absolute_path(path)
        self._send(Busy(file, self._pending.version(file)))

    def _respond(self, request: AnalysisRequest) -> None:
        self._current_request = request
        self._send(Busy(request.file, self._pending.version(request.file)))
        self._update_clock()
        try:
            self.workspace.rescan()
            value = feature(request.feature)(
                self.workspace, display_path(request.file), *request.arguments, **request.keywords
            )
            self._send(Response(request.id, value))
        except CannotRename as error:
            self._send(Response(request.id, error=error))
        except Interrupted:
            self._send(Response(request.id, error=ServerCancelled(TEXT_CHANGED)))
        except Exception as error:  # noqa: BLE001 - an internal error of one feature is reported, the others continue
            self._send(Response(request.id, error=InternalError(f"{request.feature}: {error}")))
            self._report_crash(f"{request.feature}: {error_summary(error)}")
        self._current_request = None
        self._send(Busy())

    def _run_guarded(self, file: str | None, task: Callable[[], None], *, rule: str | None = None) -> None:
        """Run a task about a file, which is excluded if the task raises an unexpected exception."""
        self._send(Busy(file, self._pending.version(file), rule))
        self._task_started = time.monotonic()
        try:
            task()
        except Interrupted:
            self._pending.schedule_if_open(file)
        except Exception as error:  # noqa: BLE001 - an internal error on one file is reported, the others continue
            self._report_crash(f"{'the workspace' if file is None else display_path(file)}: {error_summary(error)}")
            if file is not None:
                reason = f"trialrun failed on this file ({error_summary(error)}); it is not checked until it changes"
                self._exclude_file(file, reason, self._pending.version(file))
        self._send(Busy())

    def _report_crash(self, message: str) -> None:
        """Show an internal error, each one once and not too many."""
        if message not in self._reported_crashes and len(self._reported_crashes) < MAX_REPORTS:
            self._reported_crashes.add(message)
            text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {message}"
            self._send(ShowMessage("error", text))


def error_summary(error: Exception) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _freeze_heap() -> None:
    """Leave lasting objects, what is imported and files that are read, out of garbage collections.

    These would take longer than an edit.
    """
    gc.collect()
    gc.freeze()


def workspace_request(folder: str, options: Options) -> CheckRequest:
    """The request of the workspace of a folder, with its settings. Raises UsageError for invalid settings."""
    request = request_without_settings(folder, options)
    if options.is_isolated:
        return request
    settings = read_settings(request.root)
    profiles = Profiles(settings, list(options.select), list(options.ignore), list(options.policies))
    profiles.whole  # noqa: B018 - raises for invalid rules and policies
    baseline = (
        None if settings.baseline_file is None else read_baseline_file(settings.baseline_file, named_in=settings.folder)
    )
    return replace(request, profiles=profiles, baseline=baseline)


def request_without_settings(folder: str, options: Options) -> CheckRequest:
    """The request of the workspace of a folder without settings."""
    profiles = Profiles(Settings(), list(options.select), list(options.ignore), list(options.policies))
    now = options.now or datetime.now(UTC)
    root = workspace_root(folder)
    for path in options.allowed_folders:
        allow_folder(path)
    allow_named_paths(
        root, [name for name in options.policies if os.path.lexists(name)], is_isolated=options.is_isolated
    )
    return CheckRequest(root, now, profiles, jobs=1, cache=options.cache)


def is_settings_file(file: str, begin: Initialize, request: CheckRequest) -> bool:
    """Whether a file affects the request: settings, or a baseline or policies that they name."""
    if file in settings_files(begin.folder) or file in request.profiles.policies.files:
        return True
    settings = request.profiles.settings
    paths = [os.path.join(settings.folder, path) for path in settings.policies]
    paths += [path for path in (settings.baseline_file, *begin.options.policies) if path]
    return any(file == path or file.startswith(os.path.join(path, "")) for path in map(absolute_path, paths))
