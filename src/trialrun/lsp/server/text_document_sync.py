"""textDocument/didOpen, didChange, didSave and didClose: texts of the client, passed on to the analysis processes."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from trialrun.lsp.server.position_encoding import PositionMapper, source_of
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import TextDocument


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Open a document; one that is open already is changed."""
    document = params.text_document
    language = str(getattr(document.language_id, "value", document.language_id))
    opened = session.documents.set_text(document.uri, document.version, document.text, language)
    if opened is not None:
        session.workspace_diagnostics.forget(opened.file)
        send_text(session, opened)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Change a document."""
    before = session.documents.at(params.text_document.uri)
    if before is None:
        return
    text = apply_changes(before.mapper, params.content_changes)
    changed = session.documents.set_text(before.uri, params.text_document.version, text)
    assert changed is not None
    session.folders.of(changed.file).change_text(changed.file, changed.data, changed.revision)


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Lint a saved document at once, and reload the settings if it has any."""
    document = session.documents.at(params.text_document.uri)
    if document is not None:
        send_text(session, document)
        own = session.folders.of(document.file)
        own.file_saved(document.file)
        for supervisor, files in session.folders.by_workspace([document.file]):
            if supervisor is not own:
                supervisor.files_changed(files)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Close a document."""
    closed = session.documents.close(params.text_document.uri)
    if closed is not None:
        session.folders.of(closed.file).close_text(closed.file)
        session.publisher.forget(closed)
        session.refresher.forget(closed.file)


def send_text(session: Session, document: TextDocument) -> None:
    """Send the text of a document to the analysis process of its folder."""
    session.folders.of(document.file).open_text(document.file, document.data, document.revision)


def apply_changes(mapper: PositionMapper, changes: Sequence[types.TextDocumentContentChangeEvent]) -> str:
    """The text after the changes of a client, in turn; one without a range is the whole text."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            source = source_of(change.text, mapper.source.path)
        else:
            start, end = change.range.start, change.range.end
            source = mapper.replace((start.line, start.character), (end.line, end.character), change.text)
        mapper = PositionMapper(source, mapper.encoding)
    return mapper.source.raw
