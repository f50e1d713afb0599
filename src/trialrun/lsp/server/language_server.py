"""The server for editors: takes texts in, passes questions to the offices, and tells what they find."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterable
from json import JSONDecodeError
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from trialrun import __version__
from trialrun.diagnostic import Diagnostic
from trialrun.lsp.ipc.messages import Findings, Left, Mended, Told
from trialrun.lsp.ipc.supervisor import Worker
from trialrun.lsp.server.capabilities import Client, client_of
from trialrun.lsp.server.client_options import Wishes
from trialrun.lsp.server.did_change_configuration import (
    begin_folders,
    change_folders,
    take_settings,
    watch_settings,
    wish,
)
from trialrun.lsp.server.marking import diagnostic_of
from trialrun.lsp.server.protocol import Protocol
from trialrun.lsp.server.publish_diagnostics import Items, Publishing
from trialrun.lsp.server.refresh import Refreshing
from trialrun.lsp.server.requests import offer
from trialrun.lsp.server.rule_docs_files import Pages
from trialrun.lsp.server.text_document_sync import Texts
from trialrun.lsp.server.text_documents import OpenFiles, Shown
from trialrun.lsp.server.watched_files import tell_changed_files, watch_files
from trialrun.lsp.server.work_done_progress import Progress
from trialrun.lsp.server.workspace_diagnostics import Elsewhere
from trialrun.lsp.server.workspace_folders import Folders, News
from trialrun.lsp.uris import Addresses

LEVELS = {
    "error": types.MessageType.Error,
    "warning": types.MessageType.Warning,
    "note": types.MessageType.Info,
}
logger = logging.getLogger("trialrun")
logging.getLogger("pygls").propagate = False  # it takes every refusal for a fault; faults are told below
logging.getLogger("pygls").addHandler(logging.NullHandler())  # without one, what it says goes to standard error


class Server(LanguageServer):
    """Speaks with one client; whatever takes time is done by the offices of its folders."""

    protocol: Protocol

    def __init__(self, folders: Folders) -> None:
        super().__init__("trialrun", __version__, protocol_cls=Protocol)
        self.folders = folders
        self.may_cache = folders.choices.cache
        self.wishes = Wishes()
        self.client: Client = client_of(types.ClientCapabilities())
        self.files = OpenFiles(Addresses())
        self.texts = Texts(self)
        self.pages = Pages()
        self.bars = Progress(self)
        self.publishing = Publishing(self.files, push=self._push, refresh=self._refresh)
        self.elsewhere = Elsewhere(self, self._push)
        self.refreshing = Refreshing(self.files, folders.of)
        self.is_shut_down = False
        self.complaints: frozenset[str] = frozenset()
        self._shown: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listen()

    def show(self, told: Told) -> None:
        """Show the user a message, the same one once until it is mended."""
        if told.message not in self._shown:
            self._shown.add(told.message)
            self.window_show_message(types.ShowMessageParams(LEVELS[told.severity], told.message))

    def mended(self, message: str) -> None:
        """What a message said is so no more: should it come back, the user is shown it again."""
        self._shown.discard(message)

    def background(self, deed: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for."""
        task = asyncio.ensure_future(deed)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def converted(self, worker: Worker, file: str, found: Iterable[Diagnostic]) -> Items:
        """Findings of a file in the words of the protocol; none where the file is gone."""
        counted = self.files.counted(file)
        if counted is None:
            return ()
        shown = Shown(self.files, worker.file_of)
        return tuple(diagnostic_of(one, counted, shown, self._link(worker, file, one.rule)) for one in found)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Tell a fault of ours; what a client sends that is no JSON is refused, and a refusal stands nowhere."""
        if isinstance(error, JSONDecodeError | UnicodeDecodeError):
            self.protocol.refuse_text(error)
        elif not isinstance(error, JsonRpcException) or isinstance(error, JsonRpcInternalError):
            logger.error("%s", _traced(error))
        if source is FeatureNotificationError:
            self.show(Told("error", f"trialrun {__version__} failed; the fault is ours: please report it: {error}"))

    def _listen(self) -> None:
        """Say what is done when a message comes."""
        deeds: dict[str, Callable[[Any], None]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.TEXT_DOCUMENT_DID_OPEN: self.texts.open,
            types.TEXT_DOCUMENT_DID_CHANGE: self.texts.change,
            types.TEXT_DOCUMENT_DID_SAVE: self.texts.save,
            types.TEXT_DOCUMENT_DID_CLOSE: self.texts.close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda params: tell_changed_files(self, params),
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda params: take_settings(self, params),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: lambda params: change_folders(self, params),
        }
        for method, deed in deeds.items():
            self.feature(method)(_called(deed))

    def _initialize(self, params: types.InitializeParams) -> None:
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        self.files.encoding = "utf-8" if encoding == "utf-8" else "utf-32" if encoding == "utf-32" else "utf-16"
        self.client = client_of(params.capabilities)
        refreshes = {
            "inlay_hints": ("inlay_hint", self.workspace_inlay_hint_refresh),
            "code_lenses": ("code_lens", self.workspace_code_lens_refresh),
            "semantic_tokens": ("semantic_tokens", self.workspace_semantic_tokens_refresh),
        }
        self.refreshing.refreshes = {
            name: _called_with_none(deed) for name, (kind, deed) in refreshes.items() if kind in self.client.refreshes
        }
        offer(self, params.capabilities)
        threading.Thread(target=self._hear, args=(asyncio.get_running_loop(),), daemon=True).start()
        wish(self, params.initialization_options)
        begin_folders(self, params)

    def _initialized(self, params: Any) -> None:
        watch_files(self)
        watch_settings(self)

    def _shut_down(self, params: None) -> None:
        self.is_shut_down = True

    def _hear(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on what offices tell, in the thread that speaks with the client."""
        while True:
            news = self.folders.heard.get()
            try:
                loop.call_soon_threadsafe(self._take, news)
            except RuntimeError:  # the loop has ended, and the server with it
                return

    def _take(self, news: News) -> None:
        number, message = news
        worker = self.folders.numbered(number)
        match message:
            case _ if worker is None:
                return
            case Told():
                self.show(message)
            case Mended(text):
                self.mended(text)
            case Left(left):
                self._go_by(number, left)
            case Findings(file, revision, diagnostics):
                opened = self.files.of(file)
                if opened is not None and opened.revision == revision:
                    self.publishing.take(opened, self.converted(worker, file, diagnostics))

    def _go_by(self, number: int, left: int) -> None:
        """An office has so many files left."""
        if self.client.shows_progress:
            self.bars.take(number, left)
        if left == 0:
            self.refreshing.look()
            if self.elsewhere.is_wanted:
                self.elsewhere.look()

    def _link(self, worker: Worker, file: str, rule: str) -> str | None:
        return self.pages.link(worker, file, rule) if self.client.links else None

    def _push(self, params: types.PublishDiagnosticsParams) -> None:
        self.text_document_publish_diagnostics(params)

    def _refresh(self) -> None:
        self.workspace_diagnostic_refresh(None)


def _called(deed: Callable[[Any], None]) -> Callable[[Any], None]:
    """A deed as a plain function: pygls writes on what it is given, which a bound method refuses."""
    return lambda params: deed(params)


def _called_with_none(request: Callable[[None], Any]) -> Callable[[], None]:
    return lambda: request(None)


def _traced(error: Exception) -> str:
    """An error with the lines that it came by, where pygls has kept them."""
    data = getattr(error, "data", None)
    lines = data.get("traceback", ()) if isinstance(data, dict) else traceback.format_tb(error.__traceback__)
    return "".join([*lines, f"{type(error).__name__}: {error}"])
