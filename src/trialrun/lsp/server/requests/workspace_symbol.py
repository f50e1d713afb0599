"""workspace/symbol."""

from __future__ import annotations

import asyncio

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server import feature_types, params, to_proto
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths


def register_workspace_symbol(client: Connection, session: Session) -> None:
    """Register the request."""

    async def workspace_symbol(query: str) -> list[feature_types.SymbolInformation]:
        requests = (_symbols(session, supervisor, query) for supervisor in session.folders.all())
        return [symbol for symbols in await asyncio.gather(*requests) for symbol in symbols]

    client.on("workspace/symbol", params.query, workspace_symbol)


async def _symbols(
    session: Session, supervisor: AnalysisSupervisor, query: str
) -> list[feature_types.SymbolInformation]:
    try:
        symbols = await asyncio.wrap_future(
            supervisor.request("workspace_symbols", supervisor.absolute_path(""), query)
        )
    except (InternalError, ServerCancelled):
        return []
    return to_proto.workspace_symbols_of(symbols, DisplayPaths(session.documents, supervisor.absolute_path))
