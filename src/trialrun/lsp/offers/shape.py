"""The shape of a text: its outline, what folds, what is coloured, what a selection grows to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp import convert
from trialrun.lsp.asking import asked

if TYPE_CHECKING:
    from trialrun.lsp.server import Server


def offer_shape(server: Server) -> None:
    """Offer what is known of the parts of a text."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        found = await asked(server, "symbols", params.text_document)
        if found is None:
            return []
        if not server.client.nests_symbols:
            return convert.flat_symbols_of(found.value, params.text_document.uri, found.opened.counted)
        return [convert.symbol_of(one, found.opened.counted) for one in found.value]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = await asked(server, "folding", params.text_document)
        return [convert.fold_of(one) for one in found.value] if found else []

    legend = types.SemanticTokensLegend(token_types=list(convert.TOKENS), token_modifiers=[])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        found = await asked(server, "semantic_tokens", params.text_document)
        return convert.tokens_of(found.value, found.opened.counted) if found else None
