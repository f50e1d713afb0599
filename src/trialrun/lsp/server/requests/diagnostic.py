"""textDocument/diagnostic and workspace/diagnostic, for a client that pulls diagnostics."""

from __future__ import annotations

import asyncio

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.server import params, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.publish_diagnostics import DiagnosticReport, result_id
from trialrun.lsp.server.session import Session

DocumentReport = types.DocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport


def register_diagnostic(client: Connection, session: Session) -> None:
    """Register both requests."""

    async def diagnostic(asked: params.DocumentDiagnosticParams) -> DocumentReport:
        uri = asked.uri
        report = await session.publisher.pull(uri) or await _report_on_disk(session, uri)
        if report is not None and report.result_id == asked.previous_result_id:
            return types.UnchangedDocumentDiagnosticReport(report.result_id)
        items, id_ = (report.items, report.result_id) if report else ((), None)
        return types.DocumentDiagnosticReport(items=list(items), result_id=id_)

    client.on("textDocument/diagnostic", params.document_diagnostic, diagnostic)

    async def workspace_diagnostic(previous: dict[str, str]) -> types.WorkspaceDiagnosticReport:
        session.publisher.stop_pushing()
        return types.WorkspaceDiagnosticReport(await session.workspace_diagnostics.pull(previous))

    client.on("workspace/diagnostic", params.previous_results, workspace_diagnostic)


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
