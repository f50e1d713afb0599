"""textDocument/inlayHint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_inlay_hint(server: LanguageServer, session: Session) -> None:
    """Register the request; the user can turn inlay hints off."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        if not session.options.inlay_hints:
            return []
        offsets = offset_of(params.range.start), offset_of(params.range.end)
        result = await request_analysis(session, "inlay_hint", params.text_document, *offsets)
        return [to_proto.inlay_hint_of(hint, result.document.mapper) for hint in result.value] if result else []
