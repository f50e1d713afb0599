"""textDocument/rename and textDocument/prepareRename: possible references are edited only if the user confirms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from trialrun.lsp import results
from trialrun.lsp.server import feature_types, kinds, params, to_proto, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths

POSSIBLE_REFERENCE: Final = "possible references"
"""The change annotation of edits that need a confirmation."""
MAX_LISTED: Final = 5


def register_rename(client: Connection, session: Session) -> None:
    """Register both requests."""

    async def prepare_rename(asked: params.PositionParams) -> feature_types.PrepareRenamePlaceholder | None:
        result = await request_analysis(session, "prepare_rename", asked.uri, offset_of(asked.position))
        return to_proto.prepare_rename_of(result.value, result.document.mapper) if result else None

    client.on("textDocument/prepareRename", params.position, prepare_rename)

    async def rename(asked: params.RenameParams) -> types.WorkspaceEdit | None:
        offset = offset_of(asked.position)
        result = await request_analysis(session, "rename", asked.uri, offset, asked.new_name)
        if result is None:
            return None
        renaming: results.RenameEdits = result.value
        edit = to_proto.workspace_edit_of(renaming.files, result.paths, versioned=session.capabilities.versions)
        if renaming.possible and session.capabilities.confirms:
            _add_with_confirmation(edit, renaming.possible, result.paths)
        elif renaming.possible:
            message = skipped_message(renaming.possible)
            session.client.notify("window/showMessage", types.ShowMessageParams(kinds.MessageType.Info, message))
        return edit

    client.on("textDocument/rename", params.rename, rename)


def skipped_message(possible: Iterable[results.FileEdits]) -> str:
    """The message for a client that cannot confirm edits: which possible references were not edited."""
    places = [f"{file.path}:{edit.range.start.line}" for file in possible for edit in file.edits]
    more = "" if len(places) <= MAX_LISTED else f" and {len(places) - MAX_LISTED} more"
    subject = "1 possible reference was" if len(places) == 1 else f"{len(places)} possible references were"
    return f"{subject} not renamed: {', '.join(places[:MAX_LISTED])}{more}"


def _add_with_confirmation(
    edit: types.WorkspaceEdit, possible: Iterable[results.FileEdits], paths: DisplayPaths
) -> None:
    """Add edits that the client makes only if the user confirms them."""
    unconfirmed = to_proto.workspace_edit_of(possible, paths, versioned=True)
    edit.change_annotations = {
        POSSIBLE_REFERENCE: types.ChangeAnnotation(
            "possible references in text", needs_confirmation=True, description="review each"
        )
    }
    changes = _document_edits(edit)
    by_uri = {change.text_document.uri: change for change in changes}
    for document in _document_edits(unconfirmed):
        annotated = [
            types.AnnotatedTextEdit(POSSIBLE_REFERENCE, text_edit.range, text_edit.new_text)
            for text_edit in _text_edits(document)
        ]
        if change := by_uri.get(document.text_document.uri):
            change.edits = [*change.edits, *annotated]
        else:
            changes.append(types.TextDocumentEdit(document.text_document, annotated))
    edit.document_changes = [*changes]


def _document_edits(edit: types.WorkspaceEdit) -> list[types.TextDocumentEdit]:
    return [change for change in edit.document_changes or () if isinstance(change, types.TextDocumentEdit)]


def _text_edits(document: types.TextDocumentEdit) -> list[types.TextEdit]:
    return [edit for edit in document.edits if isinstance(edit, types.TextEdit)]
