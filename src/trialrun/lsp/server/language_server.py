"""The server of one client, which its guard starts: the loop of its work, and the notifications that it handles."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from trialrun import __version__
from trialrun.lsp.analysis.options import Options, options_from_json
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
    LATER,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    Connection,
    Json,
    Message,
    ResponseError,
    error_line,
)
from trialrun.lsp.server.requests import PULL_REQUESTS, REQUESTS
from trialrun.lsp.server.session import REFRESHES, Session
from trialrun.lsp.server.text_documents import TextDocument, apply_changes

logger = logging.getLogger("trialrun")
SECTION = "trialrun"
GLOBS = (
    "**/*.{yaml,yml,json,YAML,YML,JSON,Yaml,Yml,Json,jsonl,ndjson,csv,tsv,parquet,pq,gz}",
    "**/*.{tf,tofu,tfvars,TF,TOFU,Tf,Tofu}",
    "**/trialrun.toml",
    "**/pyproject.toml",
    "**/.gitignore",
)
"""What the client watches on disk: documents, settings, ignore files, and tables, whose columns are checked."""
GARBAGE_THRESHOLD = 50_000
"""Objects between two collections: a parsed text of 3,000 lines has as many, and none of them in a cycle."""
Handler = Callable[[Session, Params], Any]


def main(options: str) -> None:
    """Run until the guard is gone or the client exits; nothing else may read or write these streams, not even git.

    Messages arrive on standard input and leave on the original standard output. The options are JSON.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the guard stops this process when it stops itself
    gc.set_threshold(GARBAGE_THRESHOLD)
    incoming, out = os.dup(0), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout.flush()
    os.dup2(2, 1)
    connection = Connection(out)
    threading.Thread(target=connection.receive, args=(lambda size: os.read(incoming, size),), daemon=True).start()
    server = Server(connection, options_from_json(options))
    try:
        server.serve()
    finally:
        server.session.rule_docs.remove()
    os._exit(0 if connection.is_shut_down else 1)


class Server:
    """Speaks with one client, and does all of the work in one thread: what was sent first, then what is due."""

    def __init__(self, connection: Connection, options: Options) -> None:
        self._connection = connection
        self._deferred: dict[str | int, tuple[str, Json]] = {}
        self.session = Session(connection, options)

    def serve(self) -> None:
        """Handle messages until the client ends the session or has gone."""
        delay: float | None = 0.0
        while True:
            if delay != 0.0:
                self._connection.report_work(None)
            message = self._connection.get(delay)
            if message is None and self._connection.has_ended:
                return
            delay = 0.0
            if message is None:
                delay = self._run_next_task()
            elif message.get("method") == "exit":
                return
            else:
                self._take(message)
            if self.session.publisher.has_news:
                self._retry_deferred()

    def _run_next_task(self) -> float | None:
        """Do a piece of work: open files first; the seconds until the next one, None for never."""
        analyses = self.session.folders.running()
        if any(analysis.publish_next() for analysis in analyses):
            return 0.0
        try:
            if any(task.run_step() for task in self.session.background):
                return 0.0
        except Exception as error:  # noqa: BLE001 - an internal error is reported, and the server goes on
            self._show_failure(error)
        delays = [task.delay for task in self.session.background]
        for analysis in analyses:
            delays.append(analysis.run_next_task())
            if delays[-1] == 0.0:
                return 0.0
        return min((delay for delay in delays if delay is not None), default=None)

    def _take(self, message: Message) -> None:
        """Handle a message."""
        self.session.documents.revision = message["number"]
        method, params = str(message.get("method")), message.get("params")
        if "id" in message and "method" in message:
            self._handle_request(message["id"], method, params)
            for analysis in self.session.folders.running():
                analysis.publish_next()  # neither requests nor diagnostics may starve the other
            return
        try:
            if "id" in message:
                self._connection.handle_response(message)
            else:
                self._handle(method, params)
        except ResponseError:  # nobody waits to hear of it
            return
        except Exception as error:  # noqa: BLE001 - an internal error is reported, and the server goes on
            self._show_failure(error)

    def _handle_request(self, request_id: str | int, method: str, params: Json) -> None:
        if not self._connection.is_unanswered(request_id):  # it was cancelled
            return
        self.session.request_id = request_id
        try:
            result = self._handle(method, params)
            if result is LATER:
                self._deferred[request_id] = method, params
            else:
                self._connection.respond(request_id, result)
        except ResponseError as error:
            self._connection.refuse(request_id, error)
        except Exception as error:  # noqa: BLE001 - every request has a response
            data = {"traceback": traceback.format_tb(error.__traceback__)}
            self._connection.refuse(request_id, ResponseError(error_line(error), data=data))
            self._report_failure(error)
        self.session.request_id = None

    def _retry_deferred(self) -> None:
        """Handle the requests again that wait for diagnostics."""
        self.session.publisher.has_news = False
        deferred, self._deferred = self._deferred, {}
        for request_id, (method, params) in deferred.items():
            self._handle_request(request_id, method, params)

    def _handle(self, method: str, params: Json) -> Any:
        """Handle a request or a notification, as far as it is allowed now."""
        if self._connection.is_shut_down:
            raise ResponseError("the server has shut down; only exit is allowed", INVALID_REQUEST)
        if method == "initialize":
            if self._connection.is_begun:
                raise ResponseError("the server is initialized already", INVALID_REQUEST)
            return self._initialize(check_params(method, params))
        if not self._connection.is_begun:
            raise ResponseError("the first request is initialize", NOT_INITIALIZED)
        handler = NOTIFICATIONS.get(method) or REQUESTS.get(method)
        if "pulls" in self.session.capabilities:
            handler = handler or PULL_REQUESTS.get(method)
        if handler is None:
            raise ResponseError(f"Method Not Found: {method}", METHOD_NOT_FOUND)
        return handler(self.session, check_params(method, params))

    def _initialize(self, params: Params) -> dict[str, Any]:
        self._connection.is_begun = True
        initialize(self.session, params)
        capabilities = server_capabilities(self.session.capabilities, self.session.documents.encoding)
        return {"capabilities": capabilities, "serverInfo": {"name": "trialrun", "version": __version__}}

    def _show_failure(self, error: Exception) -> None:
        """Show and log an internal error of which no response tells."""
        self._report_failure(error)
        text = f"trialrun {__version__} failed; this is a bug in trialrun: please report it: {error_line(error)}"
        self.session.show_message("error", text)

    def _report_failure(self, error: Exception) -> None:
        """Log an internal error."""
        logger.error("%s%s", "".join(traceback.format_tb(error.__traceback__)), error_line(error))


# ---- the begin and the end of a session


def initialize(session: Session, params: Params) -> None:
    """Begin the session: what the client can do, its options and its folders; none if it has only files."""
    session.documents.encoding = position_encoding(params["capabilities"])
    session.capabilities = client_capabilities(params["capabilities"])
    session.refresher.features = tuple(feature for feature in REFRESHES if feature in session.capabilities)
    set_client_options(session, params.get("initializationOptions"))
    uris = [folder["uri"] for folder in params.get("workspaceFolders") or ()] or [params.get("rootUri") or ""]
    folders = [folder for uri in uris if uri and (folder := session.documents.folder(uri))]
    for folder in folders or ([params["rootPath"]] if params.get("rootPath") else []):
        session.folders.add(folder)


def initialized(session: Session, _: Params) -> None:
    """Ask the client to report files that change, appear and disappear, and changes of the options."""
    if session.is_restarted:  # the client has been asked, and shows what another process said
        session.refresher.refresh(session.refresher.features)
        if session.publisher.is_pulled:
            session.client.request("workspace/diagnostic/refresh")
    elif "watches_files" in session.capabilities:
        watchers = [{"globPattern": glob} for glob in GLOBS]
        _register(session, "trialrun-files", "workspace/didChangeWatchedFiles", watchers=watchers)
    if "watches_settings" in session.capabilities and not session.is_restarted:
        _register(session, "trialrun-settings", "workspace/didChangeConfiguration", section=SECTION)
    if "has_settings" in session.capabilities:
        _request_configuration(session)


def _register(session: Session, name: str, method: str, **options: Any) -> None:
    registration = {"id": name, "method": method, "registerOptions": options}
    session.client.request("client/registerCapability", {"registrations": [registration]})


def shutdown(session: Session, _: Params) -> None:
    """End the session, where the connection has not done it already."""
    session.client.shut_down(session.request_id)


# ---- texts of the client, passed on to the analyses


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
    text = apply_changes(before, params["contentChanges"])
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
        for analysis, files in session.folders.by_workspace([document.file]):
            if analysis is not own:
                analysis.files_changed(files)


def did_close(session: Session, params: Params) -> None:
    """Close a document."""
    closed = session.documents.close(params["textDocument"]["uri"])
    if closed is not None:
        session.folders.of(closed.file).close(closed.file)
        session.publisher.forget(closed)
        session.refresher.forget(closed.file)


def send_text(session: Session, document: TextDocument) -> None:
    """Send the text of a document to the analysis of its folder."""
    session.folders.of(document.file).set_text(document.file, document.data, document.revision)


# ---- files, options and folders that change without a restart


def did_change_watched_files(session: Session, params: Params) -> None:
    """Tell each analysis which files of its workspace changed on disk."""
    uris = [change["uri"] for change in params["changes"]]
    files = [file for uri in uris if (file := session.documents.file(uri))]
    for analysis, changed in session.folders.by_workspace(files):
        analysis.files_changed(changed)
    session.rule_docs.invalidate()


def did_change_configuration(session: Session, params: Params) -> None:
    """The options have changed; they are requested if the client can be asked, as it need not send them."""
    if "has_settings" in session.capabilities:
        _request_configuration(session)
    else:
        set_client_options(session, params.get("settings"))


def _request_configuration(session: Session) -> None:
    def take(sections: Json) -> None:
        for section in sections if isinstance(sections, list) else ():
            set_client_options(session, section)

    session.client.request("workspace/configuration", {"items": [{"section": SECTION}]}, take)


def set_client_options(session: Session, settings: Json) -> None:
    """Apply the options of the editor; an invalid one is shown, and keeps its previous value."""
    before = session.options
    session.options, errors = apply_client_options(before, settings)
    for fixed in session.invalid_options.difference(errors):
        session.show_message(None, fixed)
    session.invalid_options = frozenset(errors)
    for error in errors:
        session.show_message("warning", error)
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
    """Open and close folders; documents that belong to another folder now are passed on to its analysis."""
    before = {document.file: session.folders.of(document.file) for document in session.documents}
    for change, apply in (("added", session.folders.add), ("removed", session.folders.remove)):
        for item in params["event"][change]:
            if folder := session.documents.folder(item["uri"]):
                apply(folder)
    for document in session.documents:
        if session.folders.of(document.file) is not before[document.file]:
            before[document.file].close(document.file)
            send_text(session, document)
    session.workspace_diagnostics.wake()


# ---- what the guard tells


def restarted(session: Session, params: Params) -> None:
    """This process stands for one that ended: the client knows what it registered, and asks again for the rest."""
    session.is_restarted = True
    session.publisher.is_pulled = params["pulled"]


def exclude(session: Session, params: Params) -> None:
    """A file or a rule took too long, or ended the process."""
    analysis = session.folders.of(params["file"] or os.path.join(params["folder"], "trialrun.toml"))
    if params["file"] is not None:
        analysis.exclude(params["file"], params["reason"], will_open=params["uri"] is not None)
    else:
        analysis.disable_rule(params["rule"])


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
    "trialrun/restarted": restarted,
    "trialrun/exclude": exclude,
}
"""What is handled beside the requests for language features; `shutdown` has a response without a result."""
