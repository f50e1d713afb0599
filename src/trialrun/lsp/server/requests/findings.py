"""Findings for a client that asks for them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.server.publish_diagnostics import Known, result_of

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


def offer_findings(server: Server) -> None:
    """Offer the findings of a text, and those of all files."""
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="trialrun")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        known = await server.publishing.asked(uri) or await _on_disk(server, uri)
        if known is not None and known.result == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(known.result)
        items, result = (known.items, known.result) if known else ((), None)
        return types.RelatedFullDocumentDiagnosticReport(items=list(items), result_id=result)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        server.publishing.fall_silent()
        previous = {one.uri: one.value for one in params.previous_result_ids}
        return types.WorkspaceDiagnosticReport(await server.elsewhere.asked(previous))


async def _on_disk(server: Server, uri: str) -> Known | None:
    """The findings of a file that is not open."""
    file = server.files.addresses.file(uri)
    if file is None:
        return None
    worker = server.folders.of(file)
    try:
        found = await asyncio.wrap_future(worker.ask("findings", file))
    except (Fault, Gone):
        return None
    items = server.converted(worker, file, found)
    return Known(0, items, result_of(items))
