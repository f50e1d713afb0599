"""Names: where they are declared and used, how they change, and where they are in the workspace."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.ipc.supervisor import Worker
from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import asked, offset_of
from trialrun.lsp.server.requests.renaming import offer_rename
from trialrun.lsp.server.text_documents import Shown

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server


def offer_names(server: Server) -> None:
    """Offer all that is known of names."""
    _offer_places(server)
    offer_rename(server)

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        found = await asyncio.gather(*(_symbols(server, one, params.query) for one in server.folders.all()))
        return [one for of_folder in found for one in of_folder]


def _offer_places(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        found = await asked(server, "definition", params.text_document, offset_of(params.position))
        return to_proto.locations_of(found.value, found.shown) if found else []

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        at, declares = offset_of(params.position), params.context.include_declaration
        found = await asked(server, "references", params.text_document, at, with_declarations=declares)
        return to_proto.locations_of(found.value, found.shown) if found else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found = await asked(server, "highlights", params.text_document, offset_of(params.position))
        return [to_proto.highlight_of(one, found.opened.counted) for one in found.value] if found else []


async def _symbols(server: Server, worker: Worker, query: str) -> list[types.SymbolInformation]:
    try:
        found = await asyncio.wrap_future(worker.ask("workspace_symbols", worker.file_of(""), query))
    except (Fault, Gone):
        return []
    return to_proto.named_of(found, Shown(server.files, worker.file_of))
