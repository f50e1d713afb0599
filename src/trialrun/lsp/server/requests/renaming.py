"""Another name for what is named at a place: whether it can have one, the edits, and what a person has to confirm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import asked, offset_of
from trialrun.lsp.server.text_documents import Shown

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

DOUBT: Final = "may mean it"
"""The annotation of edits that are made only where a person says so."""
MOST_NAMED: Final = 5


def offer_rename(server: Server) -> None:
    """Offer another name, asked about before it is written where the client can."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = await asked(server, "renameable", params.text_document, offset_of(params.position))
        return to_proto.renameable_of(found.value, found.opened.counted) if found else None

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        at = offset_of(params.position)
        found = await asked(server, "rename", params.text_document, at, params.new_name)
        if found is None:
            return None
        renaming: results.Renaming = found.value
        made = to_proto.workspace_edit_of(renaming.files, found.shown, versioned=server.client.versions)
        if renaming.doubtful and server.client.confirms:
            _confirm(made, renaming.doubtful, found.shown)
        elif renaming.doubtful:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, left(renaming.doubtful)))
        return made


def left(doubtful: Iterable[results.FileEdits]) -> str:
    """What is told where nobody can be asked: the places that were left."""
    places = [f"{one.path}:{edit.range.start.line}" for one in doubtful for edit in one.edits]
    more = "" if len(places) <= MOST_NAMED else f" and {len(places) - MOST_NAMED} more"
    are = "1 text that may mean it was left" if len(places) == 1 else f"{len(places)} texts that may mean it were left"
    return f"{are}: {', '.join(places[:MOST_NAMED])}{more}"


def _confirm(made: types.WorkspaceEdit, doubtful: Iterable[results.FileEdits], shown: Shown) -> None:
    """Add edits that the client makes when a person confirms them."""
    apart = to_proto.workspace_edit_of(doubtful, shown, versioned=True)
    made.change_annotations = {
        DOUBT: types.ChangeAnnotation("texts that may mean it", needs_confirmation=True, description="look at each")
    }
    changes = _documents(made)
    named = {one.text_document.uri: one for one in changes}
    for one in _documents(apart):
        asks = [types.AnnotatedTextEdit(DOUBT, edit.range, edit.new_text) for edit in _plain(one)]
        if there := named.get(one.text_document.uri):
            there.edits = [*there.edits, *asks]
        else:
            changes.append(types.TextDocumentEdit(one.text_document, asks))
    made.document_changes = [*changes]


def _documents(edit: types.WorkspaceEdit) -> list[types.TextDocumentEdit]:
    return [one for one in edit.document_changes or () if isinstance(one, types.TextDocumentEdit)]


def _plain(one: types.TextDocumentEdit) -> list[types.TextEdit]:
    return [edit for edit in one.edits if isinstance(edit, types.TextEdit)]
