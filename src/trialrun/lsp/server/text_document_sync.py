"""textDocument/didOpen, didChange, didSave and didClose: texts of the client, passed on to the analysis processes."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.lsp.server.params import Change, ChangeParams, DocumentParams, OpenParams
from trialrun.lsp.server.position_encoding import PositionMapper, source_of
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import TextDocument


def did_open(session: Session, params: OpenParams) -> None:
    """Open a document; one that is open already is changed."""
    opened = session.documents.set_text(params.uri, params.version, params.text, params.language)
    if opened is not None:
        session.workspace_diagnostics.forget(opened.file)
        send_text(session, opened)


def did_change(session: Session, params: ChangeParams) -> None:
    """Change a document."""
    before = session.documents.at(params.uri)
    if before is None:
        return
    text = apply_changes(before.mapper, params.changes)
    changed = session.documents.set_text(before.uri, params.version, text)
    assert changed is not None
    session.folders.of(changed.file).change_text(changed.file, changed.data, changed.revision)


def did_save(session: Session, params: DocumentParams) -> None:
    """Lint a saved document at once, and reload the settings if it has any."""
    document = session.documents.at(params.uri)
    if document is not None:
        send_text(session, document)
        own = session.folders.of(document.file)
        own.file_saved(document.file)
        for supervisor, files in session.folders.by_workspace([document.file]):
            if supervisor is not own:
                supervisor.files_changed(files)


def did_close(session: Session, params: DocumentParams) -> None:
    """Close a document."""
    closed = session.documents.close(params.uri)
    if closed is not None:
        session.folders.of(closed.file).close_text(closed.file)
        session.publisher.forget(closed)
        session.refresher.forget(closed.file)


def send_text(session: Session, document: TextDocument) -> None:
    """Send the text of a document to the analysis process of its folder."""
    session.folders.of(document.file).open_text(document.file, document.data, document.revision)


def apply_changes(mapper: PositionMapper, changes: Sequence[Change]) -> str:
    """The text after the changes of a client, in turn; one without a range is the whole text."""
    for change in changes:
        if change.range is None:
            source = source_of(change.text, mapper.source.path)
        else:
            start, end = change.range.start, change.range.end
            source = mapper.replace((start.line, start.character), (end.line, end.character), change.text)
        mapper = PositionMapper(source, mapper.encoding)
    return mapper.source.raw
