"""textDocument/foldingRange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from trialrun.lsp import results
from trialrun.lsp.server.request_analysis import request_analysis
from trialrun.lsp.server.session import Session

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

FOLDING_KINDS = {"region": types.FoldingRangeKind.Region, "comment": types.FoldingRangeKind.Comment}


def register_folding_range(server: LanguageServer, session: Session) -> None:
    """Register the request."""

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding_range(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        result = await request_analysis(session, "folding_range", params.text_document)
        return [_folding_range(fold) for fold in result.value] if result else []


def _folding_range(fold: results.FoldingRange) -> types.FoldingRange:
    return types.FoldingRange(fold.first - 1, fold.last - 1, kind=FOLDING_KINDS[fold.kind])
