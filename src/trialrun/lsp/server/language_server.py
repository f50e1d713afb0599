"""The server of the protocol library: it registers the handlers, which take the session, and reports their errors."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from trialrun import __version__
from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server import text_document_sync
from trialrun.lsp.server.did_change_configuration import (
    did_change_configuration,
    did_change_workspace_folders,
)
from trialrun.lsp.server.initialize import initialize, initialized, shutdown
from trialrun.lsp.server.protocol import Protocol
from trialrun.lsp.server.requests import register_requests
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.watched_files import did_change_watched_files
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

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
            types.INITIALIZED: initialized,
            types.SHUTDOWN: shutdown,
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
        initialize(session, params)
        register_requests(self, session, params.capabilities)


def _bound(handler: Callable[[Session, Any], None], session: Session) -> Callable[[Any], None]:
    """A plain function: pygls sets attributes on what it registers, which a bound method refuses."""
    return lambda params: handler(session, params)


def _with_traceback(error: Exception) -> str:
    """An error with its traceback, where pygls has kept it."""
    data = getattr(error, "data", None)
    lines = data.get("traceback", ()) if isinstance(data, dict) else traceback.format_tb(error.__traceback__)
    return "".join([*lines, f"{type(error).__name__}: {error}"])
