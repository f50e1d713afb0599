"""The server for editors: takes texts in, passes questions to the worker, and tells what it finds."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError
from pygls.lsp.server import LanguageServer

from trialrun import __version__
from trialrun.lsp.asking import answer_questions
from trialrun.lsp.message import Choices, Findings, Told
from trialrun.lsp.open_files import OpenFiles, file_at
from trialrun.lsp.places import Counted, text_of
from trialrun.lsp.protocol import Protocol
from trialrun.lsp.publishing import Publishing
from trialrun.lsp.watching import tell_changed_files, watch_files
from trialrun.lsp.worker import Worker

LEVELS = {
    "error": types.MessageType.Error,
    "warning": types.MessageType.Warning,
    "note": types.MessageType.Info,
}
Heard = SimpleQueue[Findings | Told]
logger = logging.getLogger("trialrun")


class Server(LanguageServer):
    """Speaks with one client; whatever takes time is done by the worker, whose news come by `heard`."""

    def __init__(self, worker: Worker, heard: Heard, choices: Choices) -> None:
        super().__init__("trialrun", __version__, protocol_cls=Protocol)
        self.worker = worker
        self.files = OpenFiles(worker.file_of)
        self.publishing = Publishing(self.files, push=self._push, refresh=self._refresh)
        self.is_shut_down = False
        self.pages: TemporaryDirectory[str] | None = None
        self._heard = heard
        self._choices = choices
        self._has_begun = False
        self._changed: dict[str, float] = {}
        self._shown: set[str] = set()
        self._on(types.INITIALIZE, self._initialize)
        self._on(types.INITIALIZED, lambda params: watch_files(self))
        self._on(types.SHUTDOWN, self._shut_down)
        self._on(types.TEXT_DOCUMENT_DID_OPEN, self._open)
        self._on(types.TEXT_DOCUMENT_DID_CHANGE, self._change)
        self._on(types.TEXT_DOCUMENT_DID_SAVE, self._save)
        self._on(types.TEXT_DOCUMENT_DID_CLOSE, self._close)
        self._on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, lambda params: tell_changed_files(self, params))

    def show(self, told: Told) -> None:
        """Show the user a message, the same one once."""
        if told.message not in self._shown:
            self._shown.add(told.message)
            self.window_show_message(types.ShowMessageParams(LEVELS[told.severity], told.message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Tell a fault of ours; what a client sends that is no message stands in the log alone."""
        logger.error("%s", error)
        if source is FeatureNotificationError:
            self.show(Told("error", f"trialrun {__version__} failed; the fault is ours: please report it: {error}"))

    def _initialize(self, params: types.InitializeParams) -> None:
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        self.files.encoding = "utf-8" if encoding == "utf-8" else "utf-32" if encoding == "utf-32" else "utf-16"
        answer_questions(self, params.capabilities, params.initialization_options)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._hear, args=(loop,), daemon=True).start()
        if folder := _folder(params):
            self._begin(folder)

    def _begin(self, folder: str) -> None:
        self._has_begun = True
        self.worker.begin(folder, self._choices)

    def _shut_down(self, params: None) -> None:
        self.is_shut_down = True

    def _on(self, method: str, deed: Callable[[Any], None]) -> None:
        """Do something when a message comes; pygls writes on what it is given, which a bound method refuses."""
        self.feature(method)(lambda params: deed(params))

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        opened = self.files.put(document.uri, document.version, document.text)
        if opened is None:
            return
        if not self._has_begun:
            self._begin(os.path.dirname(opened.file))
        self.worker.open(opened.file, opened.data, opened.version)

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take a change in. The first after a while is linted at once, those of someone who types when they pause."""
        opened = self.files.at(params.text_document.uri)
        if opened is None:
            return
        text = _edited(opened.counted, params.content_changes)
        opened = self.files.put(opened.uri, params.text_document.version, text)
        assert opened is not None
        now = time.monotonic()
        is_typed = now - self._changed.get(opened.file, 0.0) < self._choices.pause
        self._changed[opened.file] = now
        (self.worker.change if is_typed else self.worker.open)(opened.file, opened.data, opened.version)

    def _save(self, params: types.DidSaveTextDocumentParams) -> None:
        opened = self.files.at(params.text_document.uri)
        if opened is not None:
            self.worker.open(opened.file, opened.data, opened.version)
            self.worker.saved(opened.file)

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        closed = self.files.close(params.text_document.uri)
        if closed is not None:
            self._changed.pop(closed.file, None)
            self.worker.close(closed.file)
            self.publishing.forget(closed)

    def _hear(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on what the worker tells, in the thread that speaks with the client."""
        while True:
            message = self._heard.get()
            try:
                loop.call_soon_threadsafe(self._take, message)
            except RuntimeError:  # the loop has ended, and the server with it
                return

    def _take(self, message: Findings | Told) -> None:
        if isinstance(message, Told):
            self.show(message)
        else:
            self.publishing.take(message)

    def _push(self, params: types.PublishDiagnosticsParams) -> None:
        self.text_document_publish_diagnostics(params)

    def _refresh(self) -> None:
        self.workspace_diagnostic_refresh(None)


def _edited(counted: Counted, changes: Sequence[types.TextDocumentContentChangeEvent]) -> str:
    """The text after the changes of a client, one after the other; one without a range is the whole text."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            source = text_of(change.text, counted.source.path)
        else:
            start, end = change.range.start, change.range.end
            source = counted.replaced((start.line, start.character), (end.line, end.character), change.text)
        counted = Counted(source, counted.encoding)
    return counted.source.written


def _folder(params: types.InitializeParams) -> str | None:
    """The folder that the client has open, the first of several; None where it has only files."""
    for folder in params.workspace_folders or ():
        if file := file_at(folder.uri):
            return file
    if params.root_uri and (file := file_at(params.root_uri)):
        return file
    return params.root_path or None
