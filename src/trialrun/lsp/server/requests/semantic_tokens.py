"""textDocument/semanticTokens/full."""

from __future__ import annotations

from collections.abc import Iterable

from trialrun.lsp import results
from trialrun.lsp.server import feature_types, params
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.position_encoding import PositionMapper
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.server_capabilities import TOKEN_TYPES
from trialrun.lsp.server.session import Session


def register_semantic_tokens(client: Connection, session: Session) -> None:
    """Register the request."""

    async def semantic_tokens(asked: params.DocumentParams) -> feature_types.SemanticTokens | None:
        result = await request_analysis(session, "semantic_tokens", asked.uri)
        return _encoded(result.value, result.document.mapper) if result else None

    client.on("textDocument/semanticTokens/full", params.document, semantic_tokens)


def _encoded(tokens: Iterable[results.Token], mapper: PositionMapper) -> feature_types.SemanticTokens:
    """Tokens in the relative encoding of the protocol."""
    data: list[int] = []
    line = character = 0
    for token in sorted(tokens, key=lambda token: token.range):
        (start_line, start), (_, end) = mapper.range_to_protocol(token.range)
        if end <= start:
            continue
        data += [start_line - line, start - character if start_line == line else start, end - start]
        data += [TOKEN_TYPES.index(token.kind), 0]
        line, character = start_line, start
    return feature_types.SemanticTokens(data)
