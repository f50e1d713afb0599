"""textDocument/references."""

from __future__ import annotations

from trialrun.lsp.server import params, to_proto, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session


def register_references(client: Connection, session: Session) -> None:
    """Register the request."""

    async def references(asked: params.ReferenceParams) -> list[types.Location]:
        offset, declarations = offset_of(asked.position), asked.include_declaration
        result = await request_analysis(session, "references", asked.uri, offset, with_declarations=declarations)
        return to_proto.locations_of(result.value, result.paths) if result else []

    client.on("textDocument/references", params.reference, references)
