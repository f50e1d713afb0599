"""textDocument/documentSymbol."""

from __future__ import annotations

from collections.abc import Iterable

from trialrun.lsp import results
from trialrun.lsp.server import feature_types, kinds, params, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.position_encoding import PositionMapper
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.to_proto import range_of

SYMBOL_KINDS = {
    "resource": kinds.SymbolKind.Module,
    "message": kinds.SymbolKind.Object,
    "item": kinds.SymbolKind.Struct,
    "field": kinds.SymbolKind.Field,
}
Symbols = list[feature_types.DocumentSymbol] | list[feature_types.SymbolInformation]


def register_document_symbol(client: Connection, session: Session) -> None:
    """Register the request."""

    async def document_symbol(asked: params.DocumentParams) -> Symbols:
        result = await request_analysis(session, "document_symbols", asked.uri)
        if result is None:
            return []
        if not session.capabilities.nests_symbols:
            return _flat(result.value, asked.uri, result.document.mapper)
        return [_nested(symbol, result.document.mapper) for symbol in result.value]

    client.on("textDocument/documentSymbol", params.document, document_symbol)


def _nested(symbol: results.Symbol, mapper: PositionMapper) -> feature_types.DocumentSymbol:
    return feature_types.DocumentSymbol(
        name=symbol.name or "?",
        kind=SYMBOL_KINDS[symbol.kind],
        range=range_of(mapper, symbol.range),
        selection_range=range_of(mapper, symbol.selection),
        detail=symbol.detail or None,
        children=[_nested(child, mapper) for child in symbol.children],
    )


def _flat(symbols: Iterable[results.Symbol], uri: str, mapper: PositionMapper) -> list[feature_types.SymbolInformation]:
    """Symbols in turn, for a client that does not support nested ones."""
    flat: list[feature_types.SymbolInformation] = []
    for symbol in symbols:
        location = types.Location(uri, range_of(mapper, symbol.range))
        flat.append(feature_types.SymbolInformation(location, symbol.name or "?", SYMBOL_KINDS[symbol.kind]))
        flat += _flat(symbol.children, uri, mapper)
    return flat
