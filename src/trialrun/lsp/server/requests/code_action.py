"""textDocument/codeAction, and the command that shows the page of a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.capabilities import ClientCapabilities
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

EXPLAIN_COMMAND = "trialrun.explain"
CODE_ACTION_KINDS = (types.CodeActionKind.QuickFix, f"{types.CodeActionKind.SourceFixAll.value}.trialrun")


def register_code_action(server: LanguageServer, session: Session) -> None:
    """Register the request and the command; a page is shown as a document if the client can, else as a message."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(CODE_ACTION_KINDS)))
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        diagnostics = params.context.diagnostics
        only = tuple(str(getattr(kind, "value", kind)) for kind in params.context.only or ())
        offsets = offset_of(params.range.start), offset_of(params.range.end)
        fingerprints = tuple(filter(None, map(_fingerprint, diagnostics)))
        result = await request_analysis(session, "code_action", params.text_document, *offsets, fingerprints, only=only)
        if result is None:
            return []
        uri = params.text_document.uri
        actions = (
            _code_action_of(action, diagnostics, result.paths, uri, session.capabilities) for action in result.value
        )
        return [action for action in actions if action is not None]

    @server.command(EXPLAIN_COMMAND)
    async def explain(uri: str, rule: str) -> None:
        file = session.documents.uris.file(uri)
        page = None if file is None else await session.rule_docs.write(session.folders.of(file), file, rule)
        if page is None:
            text = f"there is no longer a page of {rule}; the settings have changed"
            session.show_message(ShowMessage("warning", text))
        elif session.capabilities.shows_documents:
            session.client.window_show_document(types.ShowDocumentParams(page.uri, take_focus=True))
        else:
            session.client.window_show_message(types.ShowMessageParams(types.MessageType.Info, page.text))


def _code_action_of(
    action: results.CodeAction,
    diagnostics: Sequence[types.Diagnostic],
    paths: DisplayPaths,
    uri: str,
    capabilities: ClientCapabilities,
) -> types.CodeAction | None:
    """An action as far as the client supports it; None if it does not."""
    creates = any(file.creates for file in action.edits)
    if (action.disabled and not capabilities.shows_disabled) or (creates and not capabilities.creates_files):
        return None
    fixed = [diagnostic for diagnostic in diagnostics if _fingerprint(diagnostic) in action.fingerprints]
    converted = types.CodeAction(action.title, kind=action.kind, diagnostics=fixed or None)
    converted.is_preferred = action.is_preferred or None
    if action.edits:
        converted.edit = to_proto.workspace_edit_of(action.edits, paths, versioned=capabilities.versions)
        if action.placeholder and capabilities.has_tab_stops:
            _add_tab_stop(converted.edit, action.placeholder)
    if action.disabled:
        converted.disabled = types.CodeActionDisabled(action.disabled)
    if action.rule_to_explain is not None:
        converted.command = types.Command(action.title, EXPLAIN_COMMAND, arguments=[uri, action.rule_to_explain])
    return converted


def _add_tab_stop(edit: types.WorkspaceEdit, placeholder: str) -> None:
    """Turn the edits that have a placeholder into snippets, so that the client selects it."""
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            change.edits = [_snippet_edit(text_edit, placeholder) for text_edit in change.edits]


def _snippet_edit(edit: Any, placeholder: str) -> Any:
    if not isinstance(edit, types.TextEdit) or placeholder not in edit.new_text:
        return edit
    before, _, after = (re.sub(r"([\\$}])", r"\\\1", part) for part in edit.new_text.partition(placeholder))
    stop = "${1:" + re.sub(r"([\\$}])", r"\\\1", placeholder) + "}"
    return types.SnippetTextEdit(edit.range, types.StringValue(f"{before}{stop}{after}"))


def _fingerprint(diagnostic: types.Diagnostic) -> str | None:
    """The fingerprint of a diagnostic of ours, as the client returned it."""
    data: Any = diagnostic.data
    fingerprint = data.get("fingerprint") if isinstance(data, dict) else getattr(data, "fingerprint", None)
    return fingerprint if isinstance(fingerprint, str) else None
