"""Files stay the truth: saved ones are linted, and taken over while the server runs.

A thread looks at the files as `check --watch` does. What it finds is taken over by each service at once; requests that
are under way see what was before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from threading import Event, Thread

from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.report.concise import line_of
from trialrun.runtime.options import Options
from trialrun.server.bindings.binding import Services
from trialrun.server.request_log import RequestLog
from trialrun.service.journal import JournalError
from trialrun.service.origin import Merge
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import UnknownPath
from trialrun.workspace.dry_run import DryRun
from trialrun.workspace.file_changes import (
    MAX_SETTLE_LOOKS,
    POLL_INTERVAL,
    Signature,
    settled_signature,
    signature,
)
from trialrun.workspace.sound_documents import SoundDocuments, read_sound_documents, with_one_process

LOOK_SHARE = 5
"""Of so many seconds one is spent on looking at files, at most: in a large workspace the looks are rarer."""


@dataclass(frozen=True)
class ServedWorkspace:
    """A workspace as its settings are now: what is checked how, and the options of trial runs."""

    request: CheckRequest
    options: Options


@dataclass
class FollowedDocuments:
    """The documents that a server serves now, and the files that they were read from, as these were before that.

    `revision` is another one after each change of the files.
    """

    workspace: ServedWorkspace
    now: SoundDocuments
    seen: Signature
    revision: int = 0

    @staticmethod
    def read(workspace: ServedWorkspace) -> FollowedDocuments:
        """The documents of a workspace as a server begins with them."""
        request = replace(workspace.request, with_fixes=False)
        seen = signature(request)
        return FollowedDocuments(workspace, read_sound_documents(request), seen)


class Reloader:
    """Has the services of a server follow the files of their workspace.

    `reopen` reads the settings anew; it may raise UsageError.
    """

    def __init__(
        self,
        services: Services,
        documents: FollowedDocuments,
        reopen: Callable[[], ServedWorkspace],
        log: RequestLog,
    ) -> None:
        self._services, self._reopen, self._log = services, reopen, log
        self._followed = documents
        self._stopped = Event()
        self._failure = ""
        log_errors(documents.now.errors, log)
        for merge in (services.feature_views.first_merge, services.channel_configs.first_merge):
            log_overruled(merge, log)

    @property
    def documents(self) -> SoundDocuments:
        """The documents that are served."""
        return self._followed.now

    def current(self, trial: DryRun) -> tuple[int, DryRun]:
        """A trial run of what is served now, and the revision of that."""
        followed = self._followed
        revision, workspace = followed.revision, followed.workspace
        return revision, replace(
            trial, request=workspace.request, options=workspace.options, catalog=followed.now.views
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the files until the block is left."""
        thread = Thread(target=self._follow, name="reload", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            with suppress(TimeoutError):  # all threads that the loop has for this may be at work
                async with asyncio.timeout(POLL_INTERVAL):
                    await asyncio.to_thread(thread.join, POLL_INTERVAL)

    def look(self) -> bool:
        """Take over what has changed, once it has stopped changing; whether anything had."""
        now = self._signature()
        if now == self._followed.seen:
            return False
        for _ in range(MAX_SETTLE_LOOKS):
            now = settled_signature(self._signature)
            found = self._read()
            if self._signature() == now:  # else files have changed while they were read
                break
        self._followed.seen = now
        if found is not None:
            self._take_over(*found)
        return True

    def _read(self) -> tuple[ServedWorkspace, SoundDocuments] | None:
        """The workspace and its documents now; None where settings are wrong, which the log says."""
        try:
            workspace = self._reopen()
            return workspace, read_sound_documents(with_one_process(workspace.request), self.documents)
        except UsageError as error:
            self._log_wrong_settings(error)
        except UnknownPath:  # the folder is gone for a moment
            pass
        return None

    def _take_over(self, workspace: ServedWorkspace, documents: SoundDocuments) -> None:
        """Have the services serve documents, all at once; where the journal cannot keep that, those of before go on."""
        selection, is_complete = workspace.request.profiles.whole, documents.is_complete
        try:
            merges = (
                self._services.feature_views.replace_documents(
                    documents.views, selection, options=workspace.options, is_complete=is_complete
                ),
                self._services.channel_configs.replace_documents(documents.brands, selection, is_complete=is_complete),
            )
        except JournalError as error:
            self._log_failure(f"files are not taken over: {error}")
            self._followed.seen = []  # for another try
            return
        self._failure = ""
        known = {diagnostic.fingerprint for diagnostic in self.documents.errors}
        log_errors([error for error in documents.errors if error.fingerprint not in known], self._log)
        self._followed.workspace, self._followed.now = workspace, documents
        self._followed.revision += 1
        for merge in merges:
            log_merge(merge, self._log)

    def _log_failure(self, message: str) -> None:
        """Say why a try failed, once for all tries that do."""
        if message != self._failure:
            self._log.write_message("error", message)
        self._failure = message

    def _log_wrong_settings(self, error: UsageError) -> None:
        lines = [line_of(diagnostic) for diagnostic in error.diagnostics]
        for line in lines or error.messages or [str(error)]:
            self._log.write_message("error", f"{line}; the settings before go on")

    def _follow(self) -> None:
        pause = POLL_INTERVAL
        while not self._stopped.wait(pause):
            start = time.monotonic()
            try:
                has_changed = self.look()
            except Exception as error:  # noqa: BLE001 - an internal error does not end the following of files
                self._log.write_internal_error(error)
                has_changed = True
            pause = POLL_INTERVAL if has_changed else max(POLL_INTERVAL, (time.monotonic() - start) * LOOK_SHARE)

    def _signature(self) -> Signature:
        return signature(self.documents.request)


def log_errors(errors: Sequence[Diagnostic], log: RequestLog) -> None:
    """Say which errors keep documents from being taken over."""
    for error in errors:
        log.write_message("error", f"{line_of(error)}; the document is not taken over")


def log_merge(merge: Merge, log: RequestLog) -> None:
    """Say what was taken over of files that have changed."""
    named = ((merge.taken, "taken over"), (merge.removed, "removed"))
    if counts := [f"{len(names)} {word}" for names, word in named if names]:
        log.write_message("note", f"files have changed: {', '.join(counts)}")
    log_overruled(merge, log)


def log_overruled(merge: Merge, log: RequestLog) -> None:
    """Say which changes of clients ended with a change of a document."""
    for name in merge.overruled:
        log.write_message("note", f"{name}: its document has changed, and counts instead of what a client changed")
