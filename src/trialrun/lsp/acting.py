"""What can be done about findings: edits that the client makes, and pages that it shows."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from trialrun.lsp import answer, convert
from trialrun.lsp.asking import asked, offset_of

if TYPE_CHECKING:
    from trialrun.lsp.server import Server

EXPLAIN = "trialrun.explain"
KINDS = (types.CodeActionKind.QuickFix, f"{types.CodeActionKind.SourceFixAll.value}.trialrun")


def offer_actions(server: Server, able: types.ClientCapabilities) -> None:
    """Offer what can be done; a page is a document where the client can show one, else a message."""
    edit = able.workspace and able.workspace.workspace_edit
    versioned = bool(edit and edit.document_changes)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=list(KINDS)))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        given = params.context.diagnostics
        only = tuple(str(getattr(kind, "value", kind)) for kind in params.context.only or ())
        places = offset_of(params.range.start), offset_of(params.range.end)
        marks = tuple(filter(None, map(_fingerprint, given)))
        found = await asked(server, "code_actions", params.text_document, *places, marks, only=only)
        if found is None:
            return []
        return [_converted(server, one, given, versioned=versioned) for one in found[1]]

    shows = bool(able.window and able.window.show_document and able.window.show_document.support)

    @server.command(EXPLAIN)
    def explain(title: str, page: str) -> None:
        if shows:
            _show_document(server, title, page)
        else:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, page))


def _converted(
    server: Server, action: answer.CodeAction, given: Sequence[types.Diagnostic], *, versioned: bool
) -> types.CodeAction:
    mended = [one for one in given if _fingerprint(one) in action.fingerprints]
    made = types.CodeAction(action.title, kind=action.kind, diagnostics=mended or None)
    made.is_preferred = action.is_preferred or None
    if action.edits:
        made.edit = convert.workspace_edit_of(action.edits, server.files, versioned=versioned)
    if action.explains is not None:
        made.command = types.Command(action.title, EXPLAIN, arguments=[action.title, action.explains])
    return made


def _fingerprint(found: types.Diagnostic) -> str | None:
    """The fingerprint of a finding of ours, as it came to the client and back."""
    data: Any = found.data
    known = data.get("fingerprint") if isinstance(data, dict) else getattr(data, "fingerprint", None)
    return known if isinstance(known, str) else None


def _show_document(server: Server, title: str, page: str) -> None:
    """Let the client show a page, which it can only read from a file; the folder goes with the server."""
    if server.pages is None:
        server.pages = tempfile.TemporaryDirectory(prefix="trialrun-")
    name = re.sub(r"[^a-z0-9-]+", "-", title.lower()).strip("-") or "page"
    file = os.path.join(server.pages.name, f"{name}.md")
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(page)
    server.window_show_document(types.ShowDocumentParams(Path(file).as_uri(), take_focus=True))
