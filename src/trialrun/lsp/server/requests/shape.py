"""The shape of a text: its outline, what folds, what a selection grows to, what is coloured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.server.position_encoding import Counted
from trialrun.lsp.server.request_analysis import asked, offsets_of
from trialrun.lsp.server.to_proto import range_of

if TYPE_CHECKING:
    from trialrun.diagnostic import Range
    from trialrun.lsp.server.language_server import Server

SYMBOLS = {
    "resource": types.SymbolKind.Module,
    "message": types.SymbolKind.Object,
    "item": types.SymbolKind.Struct,
    "field": types.SymbolKind.Field,
}
FOLDS = {"region": types.FoldingRangeKind.Region, "comment": types.FoldingRangeKind.Comment}
TOKENS = (
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
"""The kinds of tokens, in the order in which the protocol numbers them."""


def offer_shape(server: Server) -> None:
    """Offer what is known of the parts of a text."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        found = await asked(server, "symbols", params.text_document)
        if found is None:
            return []
        if not server.client.nests_symbols:
            return _flat(found.value, params.text_document.uri, found.opened.counted)
        return [_symbol(one, found.opened.counted) for one in found.value]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = await asked(server, "folding", params.text_document)
        return [_fold(one) for one in found.value] if found else []

    @server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)
    async def selection(params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
        found = await asked(server, "selection", params.text_document, offsets_of(params.positions))
        return [_selection(one, found.opened.counted) for one in found.value] if found else None

    legend = types.SemanticTokensLegend(token_types=list(TOKENS), token_modifiers=[])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        found = await asked(server, "semantic_tokens", params.text_document)
        return _coloured(found.value, found.opened.counted) if found else None


def _coloured(tokens: Iterable[results.Token], counted: Counted) -> types.SemanticTokens:
    """Coloured characters, each told from the one before it."""
    data: list[int] = []
    line = character = 0
    for token in sorted(tokens, key=lambda one: one.range):
        (start_line, start), (_, end) = counted.places(token.range)
        if end <= start:
            continue
        data += [start_line - line, start - character if start_line == line else start, end - start]
        data += [TOKENS.index(token.kind), 0]
        line, character = start_line, start
    return types.SemanticTokens(data)


def _symbol(symbol: results.Symbol, counted: Counted) -> types.DocumentSymbol:
    """A part of an outline, with its own parts."""
    return types.DocumentSymbol(
        name=symbol.name or "?",
        kind=SYMBOLS[symbol.kind],
        range=range_of(counted, symbol.range),
        selection_range=range_of(counted, symbol.selection),
        detail=symbol.detail or None,
        children=[_symbol(one, counted) for one in symbol.children],
    )


def _flat(symbols: Iterable[results.Symbol], uri: str, counted: Counted) -> list[types.SymbolInformation]:
    """The parts of outlines one after the other, for a client that knows no nested ones."""
    made: list[types.SymbolInformation] = []
    for one in symbols:
        place = types.Location(uri, range_of(counted, one.range))
        made.append(types.SymbolInformation(place, one.name or "?", SYMBOLS[one.kind]))
        made += _flat(one.children, uri, counted)
    return made


def _fold(fold: results.Fold) -> types.FoldingRange:
    """Lines that fold."""
    return types.FoldingRange(fold.first - 1, fold.last - 1, kind=FOLDS[fold.kind])


def _selection(ranges: Sequence[Range], counted: Counted) -> types.SelectionRange:
    """Ranges that a selection grows to, each within the next."""
    *inner, last = ranges
    found = types.SelectionRange(range_of(counted, last))
    for one in reversed(inner):
        found = types.SelectionRange(range_of(counted, one), found)
    return found
