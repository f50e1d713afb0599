"""textDocument/codeAction, and the command that shows the page of a rule."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Sequence
from typing import Any

from trialrun.lsp import results
from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server import feature_types, kinds, params, to_proto, types
from trialrun.lsp.server.capabilities import ClientCapabilities
from trialrun.lsp.server.json_rpc import Connection, InvalidParams
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.server_capabilities import EXPLAIN_COMMAND
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths


def register_code_action(client: Connection, session: Session) -> None:
    """Register the request and the command; a page is shown as a document if the client can, else as a message."""

    async def code_action(asked: params.CodeActionParams) -> list[feature_types.CodeAction]:
        diagnostics, uri = asked.diagnostics, asked.uri
        offsets = offset_of(asked.range.start), offset_of(asked.range.end)
        fingerprints = tuple(filter(None, map(_fingerprint, diagnostics)))
        result = await request_analysis(session, "code_action", uri, *offsets, fingerprints, only=asked.only)
        if result is None:
            return []
        actions = (
            _code_action_of(action, diagnostics, result.paths, uri, session.capabilities) for action in result.value
        )
        return [action for action in actions if action is not None]

    client.on("textDocument/codeAction", params.code_action, code_action)

    async def explain(uri: str, rule: str) -> None:
        file = session.documents.uris.file(uri)
        page = None if file is None else await session.rule_docs.write(session.folders.of(file), file, rule)
        if page is None:
            text = f"there is no longer a page of {rule}; the settings have changed"
            session.show_message(ShowMessage("warning", text))
        elif session.capabilities.shows_documents:
            session.client.request("window/showDocument", types.ShowDocumentParams(page.uri, take_focus=True))
        else:
            session.client.notify("window/showMessage", types.ShowMessageParams(kinds.MessageType.Info, page.text))

    def execute_command(asked: params.CommandParams) -> Coroutine[Any, Any, None]:
        if asked.command != EXPLAIN_COMMAND:
            raise InvalidParams(f"Command name {asked.command!r} is not defined")
        if len(asked.arguments) != 2:
            raise InvalidParams(f"Expected 2 arguments, got {len(asked.arguments)}")
        uri, rule = map(str, asked.arguments)
        return explain(uri, rule)

    client.on("workspace/executeCommand", params.command, execute_command)


def _code_action_of(
    action: results.CodeAction,
    diagnostics: Sequence[types.Json],
    paths: DisplayPaths,
    uri: str,
    capabilities: ClientCapabilities,
) -> feature_types.CodeAction | None:
    """An action as far as the client supports it; None if it does not."""
    creates = any(file.creates for file in action.edits)
    if (action.disabled and not capabilities.shows_disabled) or (creates and not capabilities.creates_files):
        return None
    fixed = [diagnostic for diagnostic in diagnostics if _fingerprint(diagnostic) in action.fingerprints]
    converted = feature_types.CodeAction(action.title, kind=action.kind, diagnostics=fixed or None)
    converted.is_preferred = action.is_preferred or None
    if action.edits:
        converted.edit = to_proto.workspace_edit_of(action.edits, paths, versioned=capabilities.versions)
        if action.placeholder and capabilities.has_tab_stops:
            _add_tab_stop(converted.edit, action.placeholder)
    if action.disabled:
        converted.disabled = feature_types.CodeActionDisabled(action.disabled)
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


def _fingerprint(diagnostic: types.Json) -> str | None:
    """The fingerprint of a diagnostic of ours, as the client returned it."""
    data = diagnostic.get("data")
    fingerprint = data.get("fingerprint") if isinstance(data, dict) else None
    return fingerprint if isinstance(fingerprint, str) else None
