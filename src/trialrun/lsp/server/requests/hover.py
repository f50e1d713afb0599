"""textDocument/hover."""

from __future__ import annotations

from trialrun.lsp.server import feature_types, params, to_proto
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session


def register_hover(client: Connection, session: Session) -> None:
    """Register the request."""

    async def hover(asked: params.PositionParams) -> feature_types.Hover | None:
        result = await request_analysis(session, "hover", asked.uri, offset_of(asked.position))
        return to_proto.hover_of(result.value, result.document.mapper) if result else None

    client.on("textDocument/hover", params.position, hover)
