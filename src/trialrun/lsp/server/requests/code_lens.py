"""textDocument/codeLens."""

from __future__ import annotations

from trialrun.lsp.server import feature_types, params, to_proto
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session


def register_code_lens(client: Connection, session: Session) -> None:
    """Register the request; the user can turn code lenses off."""

    async def code_lens(asked: params.DocumentParams) -> list[feature_types.CodeLens]:
        if not session.options.code_lenses:
            return []
        result = await request_analysis(session, "code_lens", asked.uri)
        if result is None:
            return []
        command, uri = session.options.terminal, asked.uri
        mapper = result.document.mapper
        return [to_proto.code_lens_of(lens, mapper, command=command, uri=uri) for lens in result.value]

    client.on("textDocument/codeLens", params.document, code_lens)
