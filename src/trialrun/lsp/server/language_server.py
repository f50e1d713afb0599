"""The server process: registers the handlers with the protocol library, and receives from the analysis processes."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from trialrun import __version__
from trialrun.lsp.ipc.messages import ClearMessage, Diagnostics, Progress, ShowMessage
from trialrun.lsp.server import text_document_sync
from trialrun.lsp.server.capabilities import client_capabilities
from trialrun.lsp.server.did_change_configuration import (
    did_change_configuration,
    did_change_workspace_folders,
    open_initial_folders,
    register_configuration,
    set_client_options,
)
from trialrun.lsp.server.protocol import Protocol
from trialrun.lsp.server.requests import register_requests
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.watched_files import did_change_watched_files, register_watched_files
from trialrun.lsp.server.workspace_folders import SupervisorMessage, WorkspaceFolders

logger = logging.getLogger("trialrun")
logging.getLogger("pygls").propagate = False  # it logs every refused request as an error; ours are logged below
logging.getLogger("pygls").addHandler(logging.NullHandler())  # without a handler it logs to standard error


class Server(LanguageServer):
    """Speaks with one client; whatever takes time is done by the analysis processes of its folders."""

    protocol: Protocol

    def __init__(self, folders: WorkspaceFolders) -> None:
        super().__init__("trialrun", __version__, protocol_cls=Protocol)
        self.session = Session(self, folders)
        self._register_notifications()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Report an internal error; messages that are not JSON are refused, and refusals are not logged."""
        if isinstance(error, JSONDecodeError | UnicodeDecodeError):
            self.protocol.refuse_text(error)
        elif not isinstance(error, JsonRpcException) or isinstance(error, JsonRpcInternalError):
            logger.error("%s", _with_traceback(error))
        if source is FeatureNotificationError:
            text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {error}"
            self.session.show_message(ShowMessage("error", text))

    def _register_notifications(self) -> None:
        handlers: dict[str, Callable[[Session, Any], None]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: _initialized,
            types.SHUTDOWN: _shutdown,
            types.TEXT_DOCUMENT_DID_OPEN: text_document_sync.did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: text_document_sync.did_change,
            types.TEXT_DOCUMENT_DID_SAVE: text_document_sync.did_save,
            types.TEXT_DOCUMENT_DID_CLOSE: text_document_sync.did_close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders,
        }
        for method, handler in handlers.items():
            self.feature(method)(_bound(handler, self.session))

    def _initialize(self, session: Session, params: types.InitializeParams) -> None:
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        session.documents.encoding = "utf-8" if encoding == "utf-8" else "utf-32" if encoding == "utf-32" else "utf-16"
        session.capabilities = client_capabilities(params.capabilities)
        refreshes = {
            "inlay_hint": self.workspace_inlay_hint_refresh,
            "code_lens": self.workspace_code_lens_refresh,
            "semantic_tokens": self.workspace_semantic_tokens_refresh,
        }
        session.refresher.refreshes = {
            feature: _without_params(refresh)
            for feature, refresh in refreshes.items()
            if feature in session.capabilities.refreshes
        }
        register_requests(self, session, params.capabilities)
        threading.Thread(target=self._receive, args=(asyncio.get_running_loop(),), daemon=True).start()
        set_client_options(session, params.initialization_options)
        open_initial_folders(session, params)

    def _receive(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass the messages of the supervisors on to the thread of the event loop."""
        while True:
            message = self.session.folders.messages.get()
            try:
                loop.call_soon_threadsafe(_on_message, self.session, message)
            except RuntimeError:  # the loop has ended, and the server with it
                return


def _initialized(session: Session, params: Any) -> None:
    register_watched_files(session)
    register_configuration(session)


def _shutdown(session: Session, params: None) -> None:
    session.is_shut_down = True


def _on_message(session: Session, numbered: SupervisorMessage) -> None:
    number, message = numbered
    supervisor = session.folders.numbered(number)
    match message:
        case _ if supervisor is None:
            return
        case ShowMessage():
            session.show_message(message)
        case ClearMessage(text):
            session.clear_message(text)
        case Progress(remaining_files):
            _on_progress(session, number, remaining_files)
        case Diagnostics(file, revision, diagnostics):
            document = session.documents.of(file)
            if document is not None and document.revision == revision:
                session.publisher.publish(document, session.convert_diagnostics(supervisor, file, diagnostics))


def _on_progress(session: Session, number: int, remaining_files: int) -> None:
    if session.capabilities.shows_progress:
        session.progress.report(number, remaining_files)
    if remaining_files == 0:
        session.refresher.schedule()
        if session.workspace_diagnostics.is_wanted:
            session.workspace_diagnostics.schedule()


def _bound(handler: Callable[[Session, Any], None], session: Session) -> Callable[[Any], None]:
    """A plain function: pygls sets attributes on what it registers, which a bound method refuses."""
    return lambda params: handler(session, params)


def _without_params(request: Callable[[None], Any]) -> Callable[[], None]:
    return lambda: request(None)


def _with_traceback(error: Exception) -> str:
    """An error with its traceback, where pygls has kept it."""
    data = getattr(error, "data", None)
    lines = data.get("traceback", ()) if isinstance(data, dict) else traceback.format_tb(error.__traceback__)
    return "".join([*lines, f"{type(error).__name__}: {error}"])
