"""textDocument/selectionRange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lsp.server import feature_types, params
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.position_encoding import PositionMapper
from trialrun.lsp.server.request_analysis import offsets_of, request_analysis
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.to_proto import range_of

if TYPE_CHECKING:
    from trialrun.diagnostic import Range


def register_selection_range(client: Connection, session: Session) -> None:
    """Register the request."""

    async def selection_range(asked: params.PositionsParams) -> list[feature_types.SelectionRange] | None:
        result = await request_analysis(session, "selection_range", asked.uri, offsets_of(asked.positions))
        return [_selection_range(ranges, result.document.mapper) for ranges in result.value] if result else None

    client.on("textDocument/selectionRange", params.positions, selection_range)


def _selection_range(ranges: Sequence[Range], mapper: PositionMapper) -> feature_types.SelectionRange:
    """Ranges from the innermost to the outermost, as a linked list."""
    *inner, outermost = ranges
    selection = feature_types.SelectionRange(range_of(mapper, outermost))
    for range_ in reversed(inner):
        selection = feature_types.SelectionRange(range_of(mapper, range_), selection)
    return selection
