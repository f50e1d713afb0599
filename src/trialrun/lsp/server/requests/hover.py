"""textDocument/hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_hover(server: LanguageServer, session: Session) -> None:
    """Register the request."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        result = await request_analysis(session, "hover", params.text_document, offset_of(params.position))
        return to_proto.hover_of(result.value, result.document.mapper) if result else None
