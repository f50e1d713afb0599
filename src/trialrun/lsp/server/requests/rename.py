"""textDocument/rename and textDocument/prepareRename."""

from __future__ import annotations

from trialrun.lsp.server import feature_types, params, to_proto, types
from trialrun.lsp.server.json_rpc import Connection
from trialrun.lsp.server.request_analysis import offset_of, request_analysis
from trialrun.lsp.server.session import Session


def register_rename(client: Connection, session: Session) -> None:
    """Register both requests."""

    async def prepare_rename(asked: params.PositionParams) -> feature_types.PrepareRenamePlaceholder | None:
        result = await request_analysis(session, "prepare_rename", asked.uri, offset_of(asked.position))
        return to_proto.prepare_rename_of(result.value, result.document.mapper) if result else None

    client.on("textDocument/prepareRename", params.position, prepare_rename)

    async def rename(asked: params.RenameParams) -> types.WorkspaceEdit | None:
        offset = offset_of(asked.position)
        result = await request_analysis(session, "rename", asked.uri, offset, asked.new_name)
        if result is None:
            return None
        return to_proto.workspace_edit_of(result.value, result.paths, versioned=session.capabilities.versions)

    client.on("textDocument/rename", params.rename, rename)
