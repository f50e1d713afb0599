"""workspace/symbol."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_workspace_symbol(server: LanguageServer, session: Session) -> None:
    """Register the request."""

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbol(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        requests = (_symbols(session, supervisor, params.query) for supervisor in session.folders.all())
        return [symbol for symbols in await asyncio.gather(*requests) for symbol in symbols]


async def _symbols(session: Session, supervisor: AnalysisSupervisor, query: str) -> list[types.SymbolInformation]:
    try:
        symbols = await asyncio.wrap_future(
            supervisor.request("workspace_symbols", supervisor.absolute_path(""), query)
        )
    except (InternalError, ServerCancelled):
        return []
    return to_proto.workspace_symbols_of(symbols, DisplayPaths(session.documents, supervisor.absolute_path))
