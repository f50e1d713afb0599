"""What an editor has said that a new server has to know: the begin, the options, and what is open.

Nothing here imports much, so that the guard starts fast.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

MAX_CHANGES = 200
"""Changes of a document that are kept before they are applied."""
PULLS = ("textDocument/diagnostic", "workspace/diagnostic")
"""Requests that wait for diagnostics: they are asked of the next server."""
Message = dict[str, Any]


def notification(method: str, params: object) -> bytes:
    """The body of a notification."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


class Document:
    """An open document: the message that opened it, and its changes since.

    `number` is that of the latest of them as it was sent to the current server, `age` does not depend on the server.
    """

    def __init__(self, opened: Message) -> None:
        self._opened = opened
        self._changes: list[Message] = []
        self.number = 0
        self.age = 0

    @property
    def messages(self) -> list[Message]:
        """What opens it as it is now."""
        return [self._opened, *self._changes]

    def change(self, message: Message, client: Any) -> None:
        """Keep a change, a bounded number of them; `client` are its capabilities."""
        changes = message["params"].get("contentChanges")
        first = changes[0] if isinstance(changes, list) and changes else None
        if isinstance(first, dict) and "range" not in first and isinstance(first.get("text"), str):
            self._changes.clear()  # a whole text: earlier changes do not matter
        self._changes.append(message)
        if len(self._changes) > MAX_CHANGES:
            self._apply_changes(client)

    def _apply_changes(self, client: Any) -> None:
        """Apply all changes to the text, as the server does."""
        from trialrun.lsp.server.client import check_params, position_encoding  # seldom needed: the guard is small
        from trialrun.lsp.server.json_rpc import InvalidParams
        from trialrun.lsp.server.text_documents import TextDocument, apply_changes, source_of

        item = self._opened["params"]["textDocument"]
        for message in self._changes:
            with suppress(InvalidParams):
                params = check_params("textDocument/didChange", message["params"])
                document = TextDocument(source_of(item["text"], ""), position_encoding(client))
                item["text"] = apply_changes(document, params["contentChanges"])
                item["version"] = params["textDocument"]["version"]
        self._changes.clear()


class Conversation:
    """What the editor has said that a new server has to know."""

    def __init__(self) -> None:
        self.initialize: Message | None = None
        self.is_begun = False
        self.is_pulled = False
        self.documents: dict[str, Document] = {}
        self._ages = count(1)
        self._age_of_disk = 0
        self._initialized: Message | None = None
        self._configuration: Message | None = None
        self._folders: dict[str, Message] = {}

    def remember(self, message: Message) -> Document | None:
        """Remember a message; the document that it opens or changes."""
        method, params = message.get("method"), message.get("params")
        params = params if isinstance(params, dict) else {}
        match method:
            case "initialize" if not self.is_begun and isinstance(message.get("id"), str | int):
                self.initialize = message
                opened = params.get("workspaceFolders") or [{"uri": params.get("rootUri")}]
                self._folders = {folder.get("uri"): folder for folder in opened if folder.get("uri")}
            case "initialized":
                self._initialized = message
            case "workspace/didChangeConfiguration":
                self._configuration, self._age_of_disk = message, next(self._ages)
            case "workspace/didChangeWatchedFiles" | "textDocument/didSave":
                self._age_of_disk = next(self._ages)
            case "workspace/didChangeWorkspaceFolders":
                self._change_folders(params.get("event") or {})
            case "textDocument/didOpen" | "textDocument/didChange" | "textDocument/didClose":
                return self._change_document(method, params.get("textDocument"), message)
        self.is_pulled |= method in PULLS
        return None

    def _change_folders(self, event: Message) -> None:
        for folder in event.get("removed") or ():
            self._folders.pop(folder["uri"], None)
        self._folders |= {folder["uri"]: folder for folder in event.get("added") or ()}
        if self.initialize is not None:
            given = {"rootUri": None, "rootPath": None, "workspaceFolders": [*self._folders.values()]}
            self.initialize = {**self.initialize, "params": {**self.initialize["params"], **given}}

    def _change_document(self, method: str, item: Any, message: Message) -> Document | None:
        uri = item.get("uri") if isinstance(item, dict) else None
        if not isinstance(uri, str):
            return None
        if method == "textDocument/didClose":
            self.documents.pop(uri, None)
        elif method == "textDocument/didOpen" and isinstance(item.get("text"), str):
            self.documents[uri] = Document(message)
        elif uri in self.documents:
            self.documents[uri].change(message, self.capabilities)
        document = self.documents.get(uri)
        if document is not None:
            document.age = next(self._ages)
        return document

    def age(self, uri: str | None) -> int | None:
        """What differs after each change of a document, or of files and settings on disk; None for a closed one."""
        if uri is None:
            return self._age_of_disk
        return self.documents[uri].age if uri in self.documents else None

    @property
    def capabilities(self) -> Any:
        """What the client can do."""
        return self.initialize["params"].get("capabilities") if self.initialize else {}

    def repeat_begin(self, send: Callable[[bytes], int]) -> None:
        """Tell a new server all but the documents; `send` returns the number of the message."""
        restarted = json.loads(notification("trialrun/restarted", {"pulled": self.is_pulled}))
        begun = [restarted, self._initialized] if self._initialized else []
        for message in (self.initialize, *begun, self._configuration):
            if message is not None:
                send(json.dumps(message).encode())

    def repeat_documents(self, send: Callable[[bytes], int]) -> None:
        """Open all documents."""
        for document in self.documents.values():
            for message in document.messages:
                document.number = send(json.dumps(message).encode())
