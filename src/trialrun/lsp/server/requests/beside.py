"""What is shown beside a text: hover, inlay hints, code lenses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import asked, offset_of

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server


def offer_beside(server: Server) -> None:
    """Offer what stands beside a text; the user may wish to have no hints, or no lenses."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        found = await asked(server, "hover", params.text_document, offset_of(params.position))
        return to_proto.hover_of(found.value, found.opened.counted) if found else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        if not server.wishes.inlay_hints:
            return []
        places = offset_of(params.range.start), offset_of(params.range.end)
        found = await asked(server, "inlay_hints", params.text_document, *places)
        return [to_proto.hint_of(one, found.opened.counted) for one in found.value] if found else []

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        if not server.wishes.code_lenses:
            return []
        found = await asked(server, "code_lenses", params.text_document)
        if found is None:
            return []
        command, uri = server.wishes.terminal, params.text_document.uri
        return [to_proto.lens_of(one, found.opened.counted, command=command, uri=uri) for one in found.value]
