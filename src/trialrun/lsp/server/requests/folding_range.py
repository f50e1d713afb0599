"""textDocument/foldingRange."""

from __future__ import annotations

from trialrun.lsp import results
from trialrun.lsp.server import feature_types, kinds, params
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session

FOLDING_KINDS = {"region": kinds.FoldingRangeKind.Region, "comment": kinds.FoldingRangeKind.Comment}


def register_folding_range(client: Connection, session: Session) -> None:
    """Register the request."""

    async def folding_range(asked: params.DocumentParams) -> list[feature_types.FoldingRange]:
        result = await request_analysis(session, "folding_range", asked.uri)
        return [_folding_range(fold) for fold in result.value] if result else []

    client.on("textDocument/foldingRange", params.document, folding_range)


def _folding_range(fold: results.FoldingRange) -> feature_types.FoldingRange:
    return feature_types.FoldingRange(fold.first - 1, fold.last - 1, kind=FOLDING_KINDS[fold.kind])
