"""What can be done about findings: edits that the client makes, and pages that it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.ipc.messages import Told
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.capabilities import Client
from trialrun.lsp.server.request_analysis import asked, offset_of
from trialrun.lsp.server.text_documents import Shown

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

EXPLAIN = "trialrun.explain"
KINDS = (types.CodeActionKind.QuickFix, f"{types.CodeActionKind.SourceFixAll.value}.trialrun")


def offer_actions(server: Server) -> None:
    """Offer what can be done; a page is a document where the client can show one, else a message."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS)))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        given = params.context.diagnostics
        only = tuple(str(getattr(kind, "value", kind)) for kind in params.context.only or ())
        places = offset_of(params.range.start), offset_of(params.range.end)
        marks = tuple(filter(None, map(_fingerprint, given)))
        found = await asked(server, "code_actions", params.text_document, *places, marks, only=only)
        if found is None:
            return []
        uri = params.text_document.uri
        made = (_converted(one, given, found.shown, uri, server.client) for one in found.value)
        return [one for one in made if one is not None]

    @server.command(EXPLAIN)
    async def explain(uri: str, rule: str) -> None:
        file = server.files.addresses.file(uri)
        page = None if file is None else await server.pages.page(server.folders.of(file), file, rule)
        if page is None:
            server.show(Told("warning", f"there is no page of {rule} any more; the settings have changed"))
        elif server.client.shows_documents:
            server.window_show_document(types.ShowDocumentParams(page.address, take_focus=True))
        else:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, page.text))


def _converted(
    action: results.CodeAction, given: Sequence[types.Diagnostic], shown: Shown, uri: str, client: Client
) -> types.CodeAction | None:
    """An action as the client takes it; None where it cannot."""
    creates = any(one.creates for one in action.edits)
    if (action.disabled and not client.shows_disabled) or (creates and not client.creates_files):
        return None
    mended = [one for one in given if _fingerprint(one) in action.fingerprints]
    made = types.CodeAction(action.title, kind=action.kind, diagnostics=mended or None)
    made.is_preferred = action.is_preferred or None
    if action.edits:
        made.edit = to_proto.workspace_edit_of(action.edits, shown, versioned=client.versions)
        if action.placeholder and client.has_tab_stops:
            _stop_at(made.edit, action.placeholder)
    if action.disabled:
        made.disabled = types.CodeActionDisabled(action.disabled)
    if action.explains is not None:
        made.command = types.Command(action.title, EXPLAIN, arguments=[uri, action.explains])
    return made


def _stop_at(edit: types.WorkspaceEdit, placeholder: str) -> None:
    """Let the client place its cursor over a placeholder: the edits that have it become snippets."""
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            change.edits = [_snippet(one, placeholder) for one in change.edits]


def _snippet(edit: Any, placeholder: str) -> Any:
    if not isinstance(edit, types.TextEdit) or placeholder not in edit.new_text:
        return edit
    before, _, after = (re.sub(r"([\\$}])", r"\\\1", part) for part in edit.new_text.partition(placeholder))
    stop = "${1:" + re.sub(r"([\\$}])", r"\\\1", placeholder) + "}"
    return types.SnippetTextEdit(edit.range, types.StringValue(f"{before}{stop}{after}"))


def _fingerprint(found: types.Diagnostic) -> str | None:
    """The fingerprint of a finding of ours, as it came to the client and back."""
    data: Any = found.data
    known = data.get("fingerprint") if isinstance(data, dict) else getattr(data, "fingerprint", None)
    return known if isinstance(known, str) else None
