"""textDocument/definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_goto_definition(server: LanguageServer, session: Session) -> None:
    """Register the request."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def goto_definition(params: types.DefinitionParams) -> list[types.Location]:
        result = await request_analysis(session, "goto_definition", params.text_document, offset_of(params.position))
        return to_proto.locations_of(result.value, result.paths) if result else []
