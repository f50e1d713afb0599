"""textDocument/references, and textDocument/documentHighlight for those of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_references(server: LanguageServer, session: Session) -> None:
    """Register both requests."""

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        offset, declarations = offset_of(params.position), params.context.include_declaration
        result = await request_analysis(
            session, "references", params.text_document, offset, with_declarations=declarations
        )
        return to_proto.locations_of(result.value, result.paths) if result else []

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def document_highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        result = await request_analysis(session, "document_highlight", params.text_document, offset_of(params.position))
        return [to_proto.highlight_of(name, result.document.mapper) for name in result.value] if result else []
