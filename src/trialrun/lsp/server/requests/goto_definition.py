"""textDocument/definition."""

from __future__ import annotations

from trialrun.lsp.server import params, to_proto, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session


def register_goto_definition(client: Connection, session: Session) -> None:
    """Register the request."""

    async def goto_definition(asked: params.PositionParams) -> list[types.Location]:
        result = await request_analysis(session, "goto_definition", asked.uri, offset_of(asked.position))
        return to_proto.locations_of(result.value, result.paths) if result else []

    client.on("textDocument/definition", params.position, goto_definition)
