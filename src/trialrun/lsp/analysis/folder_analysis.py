"""The analysis of a folder: keeps its workspace open, publishes diagnostics and answers requests.

All of it runs in one thread. What takes long looks at the messages that wait, and ends if they make it needless.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.errors import UsageError
from trialrun.guarded_path import allow_folder, allowed_folders, forget_allowed
from trialrun.lsp.analysis.options import Options, is_settings_file, request_without_settings, workspace_request
from trialrun.lsp.analysis.scheduling import BackgroundTask, PendingDiagnostics, prime_caches
from trialrun.lsp.features import feature
from trialrun.lsp.results import CannotRename
from trialrun.lsp.uris import UNTITLED_FOLDER
from trialrun.text import MAX_BYTES
from trialrun.version import __version__
from trialrun.working_folder import absolute_path, display_path, enter_folder, working_folder
from trialrun.workspace import CheckRequest
from trialrun.workspace.discovery import ownership_notes
from trialrun.workspace.lint_files import file_diagnostic
from trialrun.workspace.open_workspace import Interrupted, OpenWorkspace

PRIMING_PAUSE = 0.5
"""Seconds without a change after which changed texts are read for the requests to come, not after each edit."""
PROGRESS_INTERVAL = 0.2
"""Seconds between two progress messages."""
FREEZE_INTERVAL = 50
"""Processed files after which the heap is frozen."""
MAX_REPORTS = 100
"""Internal errors that are shown."""
MAX_MESSAGE_DELAY = 0.05
"""Seconds that a message may wait while a file that is not open is linted."""
MessageSeverity = Literal["error", "warning", "note"]


class Client(Protocol):
    """What an analysis tells, and what it asks about the messages that wait. Files are absolute paths."""

    def publish(self, analysis: FolderAnalysis, file: str, revision: int, found: Sequence[Diagnostic]) -> None:
        """All diagnostics of an open file, for one revision of its text."""

    def show_message(self, severity: MessageSeverity | None, message: str) -> None:
        """Show invalid settings, or an internal error, once.

        Without a severity: the problem is fixed, and if it comes back, the message is shown again.
        """

    def report_progress(self, analysis: FolderAnalysis, remaining_files: int) -> None:
        """How many files are still to be linted; 0 once there is nothing to do."""

    def report_work(self, folder: str, file: str | None, revision: int | None, rule: str | None) -> None:
        """The file that is worked on from now on, with its revision where it is open, or the workspace rule."""

    def is_waiting(self) -> bool:
        """Whether a message waits."""

    def has_newer_text(self, file: str) -> bool:
        """Whether a newer text of a file waits, or its close."""

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the current request any more."""


class FolderAnalysis:
    """The workspace of a folder. Changes are collected until something is asked of it, or has to be linted.

    `clock` is the time if the options have none.
    """

    def __init__(
        self,
        folder: str,
        options: Options,
        client: Client,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._named_folder = absolute_path(folder)
        self.options = options
        self._client = client
        self._clock = clock
        self._task_started = 0.0
        self._requested_file: str | None = None
        self._pending = PendingDiagnostics()
        self._reported_crashes: set[str] = set()
        self._processed_files = 0
        self._has_frozen_imports = False
        self._overlay: dict[str, bytes | None] = {}
        self._texts: dict[str, Any] = {}
        self._changed: dict[str, None] = {}
        self._exclusions: dict[str, tuple[str, bytes | None]] = {}
        self._excluded: dict[str, Diagnostic] = {}
        self._settings_error: str | None = None
        self._is_idle = False
        self._last_progress = 0.0
        self._priming = BackgroundTask(self._prime_caches)
        self._open()

    def _open(self) -> None:
        """Open the workspace of the folder; while it does not exist, that of an empty one."""
        self.folder = self._named_folder
        if not (os.path.isdir(self.folder) and os.access(self.folder, os.X_OK)):
            self.folder = UNTITLED_FOLDER
            os.makedirs(self.folder, exist_ok=True)
        enter_folder(self.folder)
        forget_allowed()
        self._identity = _identity(self.folder)
        request = self._read_settings() or request_without_settings(self.folder, self.options)
        self.workspace = OpenWorkspace(
            request, self._overlay, is_wanted=self._should_continue, report_activity=self._report_activity
        )
        self._primed_revision = -1
        for message in ownership_notes([self.workspace.request.root]):
            self._client.show_message("note", message)

    def enter(self) -> None:
        """Make the folder the working directory; open it again if it was removed, replaced, or is back."""
        is_back = self.folder != self._named_folder and os.path.isdir(self._named_folder)
        if not is_back and _identity(self.folder) == self._identity:
            with suppress(OSError):  # it may be removed right now
                is_other = working_folder() != self.folder
                enter_folder(self.folder)
                if is_other:  # what is allowed in one folder is not in another
                    forget_allowed()
                    for folder in self._allowed:
                        allow_folder(folder)
                return
        self._open()
        for file in self._excluded:
            self.workspace.exclude_file(file)
        self._pending.schedule_all()

    def absolute_path(self, path: str) -> str:
        """The absolute path of a displayed path."""
        return os.path.normpath(os.path.join(self.folder, path))

    # ---- changes

    def set_text(self, file: str, data: bytes, revision: int, *, lint_immediately: bool = True) -> None:
        """An open file has this text. Without `lint_immediately` its diagnostics are debounced if they take long."""
        self._is_idle = False
        self._texts[file] = data[: MAX_BYTES + 1]  # enough for the parser to reject it for its size
        if lint_immediately:
            self._pending.schedule(file, revision)
        else:
            self._pending.schedule_change(file, revision, debounce=self.options.debounce)

    def close(self, file: str) -> None:
        """A file was closed, and its text on disk counts again."""
        self.enter()
        self._is_idle = False
        self._pending.close(file)
        for table in (self._texts, self._exclusions, self._excluded):
            table.pop(file, None)
        self._run_guarded(None, lambda: self.workspace.remove_overlay(file))

    def files_changed(self, files: Sequence[str]) -> None:
        """Files or folders changed, appeared or disappeared on disk; settings files among them are read again."""
        self._is_idle = False
        self._changed |= dict.fromkeys(files)

    def exclude(self, file: str, reason: str, *, will_open: bool) -> None:
        """Do not work on a file until it has another text than now, or than the one that it will be opened with.

        It took too long or crashed. The reason is published in place of its diagnostics.
        """
        self.enter()
        if will_open:
            self._exclusions[file] = reason, None
        self._exclude_file(file, reason)

    def disable_rule(self, rule: str) -> None:
        """Disable a workspace rule until the settings change."""
        self.workspace.disable_rule(rule)

    def reload(self, options: Options) -> None:
        """Read the settings again, with these options."""
        self.enter()
        self._is_idle = False
        self.options = options
        self._run_guarded(None, self._reload)

    def apply_changes(self) -> None:
        """Take the newest texts and the changes on disk in."""
        if self._changed:
            changed, self._changed = [*self._changed], {}
            self._run_guarded(None, lambda: self._apply_files(changed))
        while self._texts:
            file, data = self._texts.popitem()
            self._run_guarded(file, lambda file=file, data=data: self._apply_text(file, data))  # type: ignore[misc]

    def _apply_text(self, file: str, data: bytes) -> None:
        reason, excluded_text = self._exclusions.get(file, ("", None))
        if reason and excluded_text in (None, data):
            self._exclusions[file] = reason, data
            self._exclude_file(file, reason)
        else:
            self._exclusions.pop(file, None)
            self._excluded.pop(file, None)
            self.workspace.set_overlay(file, data)

    def _apply_files(self, files: Sequence[str]) -> None:
        for file in files:
            if file not in self._pending:
                self._exclusions.pop(file, None)
                self._excluded.pop(file, None)
        request = self.workspace.request
        if self._settings_error or any(is_settings_file(file, self.folder, self.options, request) for file in files):
            self._reload()
        self.workspace.files_changed(*(file for file in files if file not in self._excluded))

    # ---- work

    def answer(self, name: str, file: str, *arguments: Any, **keywords: Any) -> Any:
        """The result of a feature for a file; None after an internal error.

        Raises CannotRename as the feature does, and Interrupted if the text has changed or nobody waits any more.
        """
        self.enter()
        self.apply_changes()
        self._requested_file = file
        self._client.report_work(self._named_folder, file, self._pending.version(file), None)
        self._update_clock()
        try:
            self.workspace.rescan()
            return feature(name)(self.workspace, display_path(file), *arguments, **keywords)
        except (CannotRename, Interrupted):
            raise
        except Exception as error:  # noqa: BLE001 - an internal error of one feature is reported, the others continue
            self._report_crash(f"{name}: {error_summary(error)}")
            return None
        finally:
            self._requested_file = None

    def result(self, name: str, file: str, *arguments: Any) -> Any | None:
        """The result of a feature that is not a client's request: None if it has none, or not now."""
        try:
            return self.answer(name, file, *arguments)
        except Interrupted:
            return None

    def publish_next(self) -> bool:
        """Publish the diagnostics of one open file that is due; whether there was any."""
        self.enter()
        self.apply_changes()
        ready = self._pending.take_due()
        if ready is None:
            return False
        self._run_guarded(ready, lambda: self._publish(ready))
        return True

    def run_next_task(self) -> float | None:
        """Run one task, open files first; the seconds until the next one, None for never."""
        self.enter()
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
                self._client.report_progress(self, self.workspace.remaining_files)
            return 0.0
        if not self._pending and not self._is_idle:
            self._is_idle = True
            self._client.report_progress(self, 0)
        if self._primed_revision != self.workspace.revision:
            self._priming.schedule(0.0 if self._primed_revision < 0 else PRIMING_PAUSE)
            self._primed_revision = self.workspace.revision
        if self._priming.delay == 0.0:
            self._run_guarded(None, self._run_priming)
            return 0.0
        delay = self._priming.delay
        delays = self._pending.delays if delay is None else [*self._pending.delays, delay]
        if delay is None and not self._has_frozen_imports:
            self._has_frozen_imports = True
            _freeze_heap()
        if self.options.now is not None:
            return min(delays, default=None)
        now = self._clock()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return min([*delays, (midnight - now).total_seconds()])

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
            request = workspace_request(self.folder, self.options)
        except UsageError as error:
            self._settings_error = str(error)
        self._allowed = allowed_folders()
        if self._settings_error != before and before is not None:
            self._client.show_message(None, before)
        if self._settings_error != before and self._settings_error is not None:
            self._client.show_message("error", self._settings_error)
        return request

    def _reload(self) -> None:
        """Start again with the current settings; if they are invalid, keep the previous ones."""
        request = self._read_settings()
        if request is not None:
            self.workspace = self.workspace.with_request(request)
            self._primed_revision = -1
            self._pending.schedule_all()

    def _exclude_file(self, file: str, reason: str) -> None:
        """Treat a file as unreadable, and publish why if it is open."""
        self.workspace.exclude_file(file)
        self._excluded[file] = file_diagnostic("internal-error", Severity.ERROR, reason, display_path(file))
        self._pending.schedule_if_open(file)

    def _run_live_task(self) -> None:
        """Run a task of the workspace; schedule the open files whose diagnostics may have changed."""
        changed = self.workspace.run_next_task()
        for file in self._pending:
            if display_path(file) in changed:
                self._pending.schedule_if_open(file)

    def _prime_caches(self) -> Iterator[None]:
        for path in prime_caches(self.workspace):
            self._count_processed(path)
            yield

    def _run_priming(self) -> None:
        """Run a step of the cache priming; its errors are not about a file."""
        try:
            self._priming.run_step()
        except Exception as error:  # noqa: BLE001 - a request will raise it again, and then it is about a file
            self._report_crash(f"cache priming: {error_summary(error)}")

    def _publish(self, file: str) -> None:
        excluded = self._excluded.get(file)
        diagnostics = (excluded,) if excluded else tuple(self.workspace.diagnostics(display_path(file)))
        self._pending.note_cost(file, time.monotonic() - self._task_started)
        version = self._pending.version(file)
        if version is None or not self._pending.is_new(file, diagnostics):
            return
        self._client.publish(self, file, version, diagnostics)
        for diagnostic in () if excluded else diagnostics:
            if diagnostic.rule == "internal-error":
                self._report_crash(diagnostic.message)

    def _should_continue(self, file: str) -> bool:
        """Whether to continue linting a file: messages wait only briefly for one that is not open."""
        if self._client.is_cancelled() or (file in self._pending and self._client.has_newer_text(file)):
            return False
        if file in self._pending or self._requested_file is not None:
            return True
        return not self._client.is_waiting() or time.monotonic() - self._task_started < MAX_MESSAGE_DELAY

    def _report_activity(self, path: str | None) -> None:
        """Another one of many files is read now, for a request or ahead: that is what may time out."""
        if self._requested_file is not None and self._client.is_cancelled():
            raise Interrupted
        file = self._requested_file if path is None else absolute_path(path)
        self._client.report_work(self._named_folder, file, self._pending.version(file), None)

    def _run_guarded(self, file: str | None, task: Callable[[], None], *, rule: str | None = None) -> None:
        """Run a task about a file, which is excluded if the task raises an unexpected exception."""
        self._client.report_work(self._named_folder, file, self._pending.version(file), rule)
        self._task_started = time.monotonic()
        try:
            task()
        except Interrupted:
            self._pending.schedule_if_open(file)
        except Exception as error:  # noqa: BLE001 - an internal error on one file is reported, the others continue
            self._report_crash(f"{'the workspace' if file is None else display_path(file)}: {error_summary(error)}")
            if file is not None:
                reason = f"trialrun failed on this file ({error_summary(error)}); it is not checked until it changes"
                self._exclude_file(file, reason)

    def _report_crash(self, message: str) -> None:
        """Show an internal error, each one once and not too many."""
        if message not in self._reported_crashes and len(self._reported_crashes) < MAX_REPORTS:
            self._reported_crashes.add(message)
            text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {message}"
            self._client.show_message("error", text)


def error_summary(error: Exception) -> str:
    """The error in one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _identity(folder: str) -> tuple[int, int] | None:
    """What tells a folder from another of the same name; None if there is none."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _freeze_heap() -> None:
    """Leave lasting objects, what is imported and files that are read, out of garbage collections.

    These would take longer than an edit.
    """
    gc.collect()
    gc.freeze()
