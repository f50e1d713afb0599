"""Files stay the truth: saved ones are linted, and taken over while the server runs.

A thread looks at the files as `check --watch` does. What it finds is taken over by each service at once; requests that
are under way see what was before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event, Thread

from trialrun.diagnostic import Diagnostic
from trialrun.errors import StoreError, UsageError
from trialrun.report.concise import line_of
from trialrun.runtime.options import Options
from trialrun.server.monitoring import RequestLog
from trialrun.server.operations import Services
from trialrun.service.resource import Merge
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import UnknownPath
from trialrun.workspace.dry_run import DryRun
from trialrun.workspace.file_changes import MAX_SETTLE_LOOKS, POLL_INTERVAL, Signature, settled_signature, signature
from trialrun.workspace.sound_documents import SoundDocuments, read_sound_documents, with_one_process

LOOK_SHARE = 5
"""Of so many seconds one is spent on looking at files, at most: in a large workspace the looks are rarer."""


@dataclass(frozen=True)
class ServedWorkspace:
    """A workspace as its settings are now: what is checked how, and the options of trial runs."""

    request: CheckRequest
    options: Options


class Reloader:
    """Has the services of a server follow the files of their workspace.

    `reopen` reads the settings anew; it may raise UsageError. `revision` is another one after each change of the files.
    """

    def __init__(self, workspace: ServedWorkspace, reopen: Callable[[], ServedWorkspace], log: RequestLog) -> None:
        self._workspace, self._reopen, self._log = workspace, reopen, log
        request = replace(workspace.request, with_fixes=False)
        self._seen = signature(request)  # before the documents are read, which may change meanwhile
        self.documents = read_sound_documents(request)
        self.revision = 0
        self._stopped = Event()
        self._failure = ""

    def current(self, trial: DryRun) -> tuple[int, DryRun]:
        """A trial run of what is served now, and the revision of that."""
        revision, now, catalog = self.revision, self._workspace, self.documents.views
        return revision, replace(trial, request=now.request, options=now.options, catalog=catalog)

    def serve(self, services: Services) -> None:
        """Say what keeps documents from being served, and have these services follow the files from now on."""
        self._services = services
        self._log_errors(self.documents.errors)
        for merge in (services.feature_views.first_merge, services.channel_configs.first_merge):
            self._log_overruled(merge)

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
        if now == self._seen:
            return False
        for _ in range(MAX_SETTLE_LOOKS):
            now = settled_signature(self._signature)
            found = self._read()
            if self._signature() == now:  # else files have changed while they were read
                break
        self._seen = now
        if found is not None:
            self._take_over(*found)
        return True

    def _signature(self) -> Signature:
        return signature(self.documents.request)

    def _read(self) -> tuple[ServedWorkspace, SoundDocuments] | None:
        """The workspace and its documents now; None where settings are wrong, which the log says."""
        try:
            workspace = self._reopen()
            return workspace, read_sound_documents(with_one_process(workspace.request), self.documents)
        except UsageError as error:
            lines = [line_of(diagnostic) for diagnostic in error.diagnostics]
            for line in lines or error.messages or [str(error)]:
                self._log.write_message("error", f"{line}; the settings before go on")
        except UnknownPath:  # the folder is gone for a moment
            pass
        return None

    def _take_over(self, workspace: ServedWorkspace, documents: SoundDocuments) -> None:
        """Have the services serve documents, all at once; where the journal cannot keep that, those of before go on."""
        selection, is_complete = workspace.request.profiles.whole, documents.is_complete
        views, configs = self._services.feature_views, self._services.channel_configs
        try:
            merges = (
                views.replace_documents(documents.views, selection, options=workspace.options, is_complete=is_complete),
                configs.replace_documents(documents.brands, selection, is_complete=is_complete),
            )
        except StoreError as error:
            message = f"files are not taken over: {error}"
            if message != self._failure:  # said once for all tries that fail so
                self._log.write_message("error", message)
            self._failure = message
            self._seen = []  # for another try
            return
        self._failure = ""
        known = {diagnostic.fingerprint for diagnostic in self.documents.errors}
        self._log_errors([error for error in documents.errors if error.fingerprint not in known])
        self._workspace, self.documents = workspace, documents
        self.revision += 1
        for merge in merges:
            named = ((merge.taken, "taken over"), (merge.removed, "removed"))
            if counts := [f"{len(names)} {word}" for names, word in named if names]:
                self._log.write_message("note", f"files have changed: {', '.join(counts)}")
            self._log_overruled(merge)

    def _log_errors(self, errors: Sequence[Diagnostic]) -> None:
        for error in errors:
            self._log.write_message("error", f"{line_of(error)}; the document is not taken over")

    def _log_overruled(self, merge: Merge) -> None:
        for name in merge.overruled:
            message = f"{name}: its document has changed, and counts instead of what a client changed"
            self._log.write_message("note", message)

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
