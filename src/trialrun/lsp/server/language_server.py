"""The server of one client: the notifications that it handles, its handlers of requests, and its internal errors."""

from __future__ import annotations

import asyncio
import logging
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, Final

from trialrun import __version__
from trialrun.lsp.ipc.messages import ForClient, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server.client import (
    Params,
    apply_client_options,
    check_params,
    client_capabilities,
    position_encoding,
    server_capabilities,
)
from trialrun.lsp.server.json_rpc import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    Connection,
    Json,
    ResponseError,
    error_line,
)
from trialrun.lsp.server.requests import PULL_REQUESTS, REQUESTS
from trialrun.lsp.server.session import REFRESHES, Session
from trialrun.lsp.server.text_documents import PositionMapper, TextDocument, source_of
from trialrun.lsp.server.workspace_folders import WorkspaceFolders

logger = logging.getLogger("trialrun")
STDIN = 0
SECTION = "trialrun"
GLOBS = (
    "**/*.{yaml,yml,json,YAML,YML,JSON,Yaml,Yml,Json,jsonl,ndjson,csv,tsv,parquet,pq,gz}",
    "**/*.{tf,tofu,tfvars,TF,TOFU,Tf,Tofu}",
    "**/trialrun.toml",
    "**/pyproject.toml",
    "**/.gitignore",
)
"""What the client watches on disk: documents, settings, ignore files, and tables, whose columns are checked."""
Handler = Callable[[Session, Params], Any]


class Server:
    """Speaks with one client; whatever takes time is done by the analysis processes of its folders."""

    def __init__(self, folders: WorkspaceFolders) -> None:
        self._has_begun = False
        self._connection = Connection(self._handle, self._report_failure)
        self.session = Session(self._connection, folders)

    def serve(self, out: BinaryIO) -> None:
        """Handle what arrives on standard input until the client ends the session or has gone."""
        asyncio.run(self._connection.run(lambda size: os.read(STDIN, size), out))

    def _handle(self, method: str, params: Json) -> Any:
        """Handle a request or a notification, as far as it is allowed now; `exit` always is."""
        if method == "exit":
            return self._connection.end()
        if self.session.is_shut_down:
            raise ResponseError("the server has shut down; only exit is allowed", INVALID_REQUEST)
        if method == "initialize":
            if self._has_begun:
                raise ResponseError("the server is initialized already", INVALID_REQUEST)
            return self._initialize(check_params(method, params))
        if not self._has_begun:
            raise ResponseError("the first request is initialize", NOT_INITIALIZED)
        handler = NOTIFICATIONS.get(method) or REQUESTS.get(method)
        if "pulls" in self.session.capabilities:
            handler = handler or PULL_REQUESTS.get(method)
        if handler is None:
            raise ResponseError(f"Method Not Found: {method}", METHOD_NOT_FOUND)
        return handler(self.session, check_params(method, params))

    def _initialize(self, params: Params) -> dict[str, Any]:
        self._has_begun = True
        initialize(self.session, params)
        capabilities = server_capabilities(self.session.capabilities, self.session.documents.encoding)
        return {"capabilities": capabilities, "serverInfo": {"name": "trialrun", "version": __version__}}

    def _report_failure(self, error: Exception, is_notification: bool) -> None:
        """Log an internal error; where no response says so, show it."""
        logger.error("%s%s", "".join(traceback.format_tb(error.__traceback__)), error_line(error))
        if is_notification:
            text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {error_line(error)}"
            self.session.show_message(ShowMessage("error", text))


# ---- the begin and the end of a session


def initialize(session: Session, params: Params) -> None:
    """Begin the session: what the client can do, its options and its folders; none if it has only files."""
    session.documents.encoding = position_encoding(params["capabilities"])
    session.capabilities = client_capabilities(params["capabilities"])
    session.refresher.features = tuple(feature for feature in REFRESHES if feature in session.capabilities)
    loop = asyncio.get_running_loop()

    def pass_on(supervisor: AnalysisSupervisor, message: ForClient) -> None:
        """Pass a message from the thread of a supervisor on to the thread of the event loop."""
        with suppress(RuntimeError):  # the loop has ended, and the server with it
            loop.call_soon_threadsafe(session.receive, supervisor, message)

    session.folders.deliver_to(pass_on)
    set_client_options(session, params.get("initializationOptions"))
    uris = [folder["uri"] for folder in params.get("workspaceFolders") or ()] or [params.get("rootUri") or ""]
    folders = [folder for uri in uris if uri and (folder := session.documents.uris.folder(uri))]
    for folder in folders or ([params["rootPath"]] if params.get("rootPath") else []):
        session.folders.add(folder)


def initialized(session: Session, _: Params) -> None:
    """Ask the client to report files that change, appear and disappear, and changes of the options."""
    if "watches_files" in session.capabilities:
        watchers = [{"globPattern": glob} for glob in GLOBS]
        _register(session, "trialrun-files", "workspace/didChangeWatchedFiles", watchers=watchers)
    if "watches_settings" in session.capabilities:
        _register(session, "trialrun-settings", "workspace/didChangeConfiguration", section=SECTION)
    if "has_settings" in session.capabilities:
        session.run_in_background(_request_configuration(session))


def _register(session: Session, name: str, method: str, **options: Any) -> None:
    registration = {"id": name, "method": method, "registerOptions": options}
    session.client.request("client/registerCapability", {"registrations": [registration]})


def shutdown(session: Session, _: Params) -> None:
    """Remember that the client ends in order, for the exit code; nobody waits for other results any more."""
    session.is_shut_down = True
    session.client.cancel_all()


# ---- texts of the client, passed on to the analysis processes


def did_open(session: Session, params: Params) -> None:
    """Open a document; one that is open already is changed."""
    item = params["textDocument"]
    opened = session.documents.set_text(item["uri"], item["version"], item["text"], item["languageId"])
    if opened is not None:
        send_text(session, opened)


def did_change(session: Session, params: Params) -> None:
    """Change a document."""
    before = session.documents.at(params["textDocument"]["uri"])
    if before is None:
        return
    text = apply_changes(before.mapper, params["contentChanges"])
    changed = session.documents.set_text(before.uri, params["textDocument"]["version"], text)
    assert changed is not None
    session.folders.of(changed.file).set_text(changed.file, changed.data, changed.revision, lint_immediately=False)


def did_save(session: Session, params: Params) -> None:
    """Lint a saved document at once, and reload the settings if it has any."""
    document = session.documents.at(params["textDocument"]["uri"])
    if document is not None:
        send_text(session, document)
        own = session.folders.of(document.file)
        own.files_changed([document.file])
        for supervisor, files in session.folders.by_workspace([document.file]):
            if supervisor is not own:
                supervisor.files_changed(files)


def did_close(session: Session, params: Params) -> None:
    """Close a document."""
    closed = session.documents.close(params["textDocument"]["uri"])
    if closed is not None:
        session.folders.of(closed.file).set_text(closed.file, None)
        session.publisher.forget(closed)
        session.refresher.forget(closed.file)


def send_text(session: Session, document: TextDocument) -> None:
    """Send the text of a document to the analysis process of its folder."""
    session.folders.of(document.file).set_text(document.file, document.data, document.revision)


def apply_changes(mapper: PositionMapper, changes: Sequence[Mapping[str, Any]]) -> str:
    """The text after the changes of a client, in turn; one without a range is the whole text."""
    for change in changes:
        if "range" in change:
            source = mapper.replace(change["range"]["start"], change["range"]["end"], change["text"])
        else:
            source = source_of(change["text"], mapper.source.path)
        mapper = PositionMapper(source, mapper.encoding)
    return mapper.source.raw


# ---- files, options and folders that change without a restart


def did_change_watched_files(session: Session, params: Params) -> None:
    """Tell each analysis process which files of its workspace changed on disk."""
    uris = [change["uri"] for change in params["changes"]]
    files = [file for uri in uris if (file := session.documents.uris.file(uri))]
    for supervisor, changed in session.folders.by_workspace(files):
        supervisor.files_changed(changed)
    session.rule_docs.invalidate()


def did_change_configuration(session: Session, params: Params) -> None:
    """The options have changed; they are requested if the client can be asked, as it need not send them."""
    if "has_settings" in session.capabilities:
        session.run_in_background(_request_configuration(session))
    else:
        set_client_options(session, params.get("settings"))


async def _request_configuration(session: Session) -> None:
    try:
        sections = await session.client.request("workspace/configuration", {"items": [{"section": SECTION}]})
    except (ResponseError, asyncio.CancelledError):
        return
    for section in sections if isinstance(sections, list) else ():
        set_client_options(session, section)


def set_client_options(session: Session, settings: Json) -> None:
    """Apply the options of the editor; an invalid one is shown, and keeps its previous value."""
    before = session.options
    session.options, errors = apply_client_options(before, settings)
    for fixed in session.invalid_options.difference(errors):
        session.show_message(ShowMessage(None, fixed))
    session.invalid_options = frozenset(errors)
    for error in errors:
        session.show_message(ShowMessage("warning", error))
    if session.options == before:
        return
    options = session.options
    session.workspace_diagnostics.enabled = options.workspace_diagnostics
    use_cache = session.cache_allowed and options.cache
    session.folders.set_options(replace(session.folders.options, debounce=options.debounce, cache=use_cache))
    if (options.inlay_hints, options.code_lenses) != (before.inlay_hints, before.code_lenses):
        session.refresher.refresh(session.refresher.features)
    session.workspace_diagnostics.wake()


def did_change_workspace_folders(session: Session, params: Params) -> None:
    """Open and close folders; documents that belong to another folder now are sent to its analysis process."""
    before = {document.file: session.folders.of(document.file) for document in session.documents}
    for change, apply in (("added", session.folders.add), ("removed", session.folders.remove)):
        for item in params["event"][change]:
            if folder := session.documents.uris.folder(item["uri"]):
                apply(folder)
    for document in session.documents:
        if session.folders.of(document.file) is not before[document.file]:
            before[document.file].set_text(document.file, None)
            send_text(session, document)
    session.workspace_diagnostics.wake()


NOTIFICATIONS: Final[Mapping[str, Handler]] = {
    "initialized": initialized,
    "shutdown": shutdown,
    "textDocument/didOpen": did_open,
    "textDocument/didChange": did_change,
    "textDocument/didSave": did_save,
    "textDocument/didClose": did_close,
    "workspace/didChangeWatchedFiles": did_change_watched_files,
    "workspace/didChangeConfiguration": did_change_configuration,
    "workspace/didChangeWorkspaceFolders": did_change_workspace_folders,
}
"""What is handled beside the requests for language features; `shutdown` has a response without a result."""
