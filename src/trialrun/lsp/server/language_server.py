"""The server of one client: it registers the handlers, which take the session, and reports their errors."""

from __future__ import annotations

import asyncio
import logging
import os
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, TypeVar

from trialrun import __version__
from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server import params, text_document_sync
from trialrun.lsp.server.did_change_configuration import did_change_configuration, did_change_workspace_folders
from trialrun.lsp.server.initialize import initialize, initialized, shutdown
from trialrun.lsp.server.json_rpc import Connection, InvalidRequest, ResponseError, ServerNotInitialized, error_line
from trialrun.lsp.server.requests import register_requests
from trialrun.lsp.server.server_capabilities import server_capabilities
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.types import Json
from trialrun.lsp.server.watched_files import did_change_watched_files
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

logger = logging.getLogger("trialrun")
STDIN = 0
T = TypeVar("T")


class Server:
    """Speaks with one client; whatever takes time is done by the analysis processes of its folders."""

    def __init__(self, folders: WorkspaceFolders) -> None:
        self._has_begun = False
        self._connection = Connection(self._refusal, self._report_failure)
        self.session = Session(self._connection, folders)
        self._register_handlers()

    def serve(self, out: BinaryIO) -> None:
        """Handle what arrives on standard input until the client ends the session or has gone."""
        asyncio.run(self._connection.run(lambda size: os.read(STDIN, size), out))

    def _register_handlers(self) -> None:
        self._connection.on("initialize", params.initialize, self._initialize)
        self._connection.on("exit", params.anything, lambda _: self._connection.end())
        self._on("initialized", params.anything, initialized)
        self._on("shutdown", params.anything, shutdown)
        self._on("textDocument/didOpen", params.opened, text_document_sync.did_open)
        self._on("textDocument/didChange", params.changed, text_document_sync.did_change)
        self._on("textDocument/didSave", params.document, text_document_sync.did_save)
        self._on("textDocument/didClose", params.document, text_document_sync.did_close)
        self._on("workspace/didChangeWatchedFiles", params.changed_files, did_change_watched_files)
        self._on("workspace/didChangeConfiguration", params.settings, did_change_configuration)
        self._on("workspace/didChangeWorkspaceFolders", params.changed_folders, did_change_workspace_folders)

    def _on(self, method: str, read: Callable[[Json], T], handler: Callable[[Session, T], None]) -> None:
        self._connection.on(method, read, partial(handler, self.session))

    def _initialize(self, begin: params.InitializeParams) -> dict[str, Any]:
        self._has_begun = True
        initialize(self.session, begin)
        register_requests(self._connection, self.session, begin.capabilities)
        capabilities = server_capabilities(self.session.capabilities, self.session.documents.encoding)
        return {"capabilities": capabilities, "serverInfo": {"name": "trialrun", "version": __version__}}

    def _refusal(self, method: str) -> ResponseError | None:
        """Why a message is not allowed now; `exit` always is."""
        if method == "exit":
            return None
        if self.session.is_shut_down:
            return InvalidRequest("the server has shut down; only exit is allowed")
        if method == "initialize":
            return InvalidRequest("the server is initialized already") if self._has_begun else None
        return None if self._has_begun else ServerNotInitialized("the first request is initialize")

    def _report_failure(self, error: Exception, is_notification: bool) -> None:
        """Log an internal error; where no response says so, show it."""
        logger.error("%s%s", "".join(traceback.format_tb(error.__traceback__)), error_line(error))
        if is_notification:
            text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {error_line(error)}"
            self.session.show_message(ShowMessage("error", text))
