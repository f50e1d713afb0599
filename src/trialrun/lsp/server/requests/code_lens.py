"""textDocument/codeLens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp.server import to_proto
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


def register_code_lens(server: LanguageServer, session: Session) -> None:
    """Register the request; the user can turn code lenses off."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        if not session.options.code_lenses:
            return []
        result = await request_analysis(session, "code_lens", params.text_document)
        if result is None:
            return []
        command, uri = session.options.terminal, params.text_document.uri
        mapper = result.document.mapper
        return [to_proto.code_lens_of(lens, mapper, command=command, uri=uri) for lens in result.value]
