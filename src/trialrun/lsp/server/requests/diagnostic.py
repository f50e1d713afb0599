"""textDocument/diagnostic and workspace/diagnostic, for a client that pulls diagnostics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.server.publish_diagnostics import DiagnosticReport, result_id
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

DocumentReport = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


def register_diagnostic(server: LanguageServer, session: Session) -> None:
    """Register both requests."""
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="trialrun")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(params: types.DocumentDiagnosticParams) -> DocumentReport:
        uri = params.text_document.uri
        report = await session.publisher.pull(uri) or await _report_on_disk(session, uri)
        if report is not None and report.result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(report.result_id)
        items, id_ = (report.items, report.result_id) if report else ((), None)
        return types.RelatedFullDocumentDiagnosticReport(items=list(items), result_id=id_)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        session.publisher.stop_pushing()
        previous = {result.uri: result.value for result in params.previous_result_ids}
        return types.WorkspaceDiagnosticReport(await session.workspace_diagnostics.pull(previous))


async def _report_on_disk(session: Session, uri: str) -> DiagnosticReport | None:
    """The diagnostics of a file that is not open."""
    file = session.documents.uris.file(uri)
    if file is None:
        return None
    supervisor = session.folders.of(file)
    try:
        diagnostics = await asyncio.wrap_future(supervisor.request("diagnostics", file))
    except (InternalError, ServerCancelled):
        return None
    items = session.convert_diagnostics(supervisor, file, diagnostics)
    return DiagnosticReport(0, items, result_id(items))
