"""textDocument/semanticTokens/full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.server.position_encoding import PositionMapper
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

TOKEN_TYPES = (
    "keyword",
    "number",
    "string",
    "operator",
    "variable",
    "property",
    "function",
    "comment",
    "enumMember",
    "type",
)
"""The legend: token types in the order in which the protocol numbers them."""


def register_semantic_tokens(server: LanguageServer, session: Session) -> None:
    """Register the request."""
    legend = types.SemanticTokensLegend(token_types=list(TOKEN_TYPES), token_modifiers=[])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        result = await request_analysis(session, "semantic_tokens", params.text_document)
        return _encoded(result.value, result.document.mapper) if result else None


def _encoded(tokens: Iterable[results.Token], mapper: PositionMapper) -> types.SemanticTokens:
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
    return types.SemanticTokens(data)
