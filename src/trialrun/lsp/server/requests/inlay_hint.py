"""textDocument/inlayHint."""

from __future__ import annotations

from trialrun.lsp.server import feature_types, params, to_proto
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session


def register_inlay_hint(client: Connection, session: Session) -> None:
    """Register the request; the user can turn inlay hints off."""

    async def inlay_hint(asked: params.RangeParams) -> list[feature_types.InlayHint]:
        if not session.options.inlay_hints:
            return []
        offsets = offset_of(asked.range.start), offset_of(asked.range.end)
        result = await request_analysis(session, "inlay_hint", asked.uri, *offsets)
        return [to_proto.inlay_hint_of(hint, result.document.mapper) for hint in result.value] if result else []

    client.on("textDocument/inlayHint", params.range_, inlay_hint)
