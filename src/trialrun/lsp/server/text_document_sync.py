"""Texts of the client: opened, changed, saved and closed, and passed on to the office of their folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server.position_encoding import Counted, text_of
from trialrun.lsp.server.text_documents import OpenFile

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server


class Texts:
    """What the client says of its texts. Of one that it never opened nothing is known, and nothing comes of it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._changed: dict[str, float] = {}

    def open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a text in; one that is open already is as if it was changed."""
        document = params.text_document
        language = str(getattr(document.language_id, "value", document.language_id))
        opened = self._server.files.put(document.uri, document.version, document.text, language)
        if opened is not None:
            self._server.elsewhere.forget(opened.file)
            self.tell(opened)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take a change in. The first after a while is linted at once, those of someone who types when they pause."""
        before = self._server.files.at(params.text_document.uri)
        if before is None:
            return
        text = edited(before.counted, params.content_changes)
        opened = self._server.files.put(before.uri, params.text_document.version, text)
        assert opened is not None
        now = time.monotonic()
        is_typed = now - self._changed.get(opened.file, 0.0) < self._server.wishes.pause
        self._changed[opened.file] = now
        worker = self._server.folders.of(opened.file)
        (worker.change if is_typed else worker.open)(opened.file, opened.data, opened.revision)

    def save(self, params: types.DidSaveTextDocumentParams) -> None:
        """What was saved is looked at at once, and anew where it says what is looked for."""
        opened = self._server.files.at(params.text_document.uri)
        if opened is not None:
            self.tell(opened)
            own = self._server.folders.of(opened.file)
            own.saved(opened.file)
            for worker, files in self._server.folders.parted([opened.file]):
                if worker is not own:
                    worker.watched(files)

    def close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a text."""
        closed = self._server.files.close(params.text_document.uri)
        if closed is not None:
            self._changed.pop(closed.file, None)
            self._server.folders.of(closed.file).close(closed.file)
            self._server.publishing.forget(closed)
            self._server.refreshing.forget(closed.file)

    def tell(self, opened: OpenFile) -> None:
        """Give the office of a text what is in it."""
        self._server.folders.of(opened.file).open(opened.file, opened.data, opened.revision)


def edited(counted: Counted, changes: Sequence[types.TextDocumentContentChangeEvent]) -> str:
    """The text after the changes of a client, one after the other; one without a range is the whole text."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            source = text_of(change.text, counted.source.path)
        else:
            start, end = change.range.start, change.range.end
            source = counted.replaced((start.line, start.character), (end.line, end.character), change.text)
        counted = Counted(source, counted.encoding)
    return counted.source.written
