"""Requests of the protocol: a module each, which registers its handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.server.json_rpc import Connection
    from trialrun.lsp.server.params import Fields
    from trialrun.lsp.server.session import Session


def register_requests(client: Connection, session: Session, capabilities: Fields) -> None:
    """Register every request that the client supports."""
    from trialrun.lsp.server.requests.code_action import register_code_action
    from trialrun.lsp.server.requests.code_lens import register_code_lens
    from trialrun.lsp.server.requests.completion import register_completion
    from trialrun.lsp.server.requests.diagnostic import register_diagnostic
    from trialrun.lsp.server.requests.document_symbol import register_document_symbol
    from trialrun.lsp.server.requests.folding_range import register_folding_range
    from trialrun.lsp.server.requests.goto_definition import register_goto_definition
    from trialrun.lsp.server.requests.hover import register_hover
    from trialrun.lsp.server.requests.inlay_hint import register_inlay_hint
    from trialrun.lsp.server.requests.references import register_references
    from trialrun.lsp.server.requests.rename import register_rename
    from trialrun.lsp.server.requests.workspace_symbol import register_workspace_symbol

    if session.capabilities.pulls:
        register_diagnostic(client, session)
    register_code_action(client, session)
    register_completion(client, session, capabilities)
    for register in (
        register_hover,
        register_inlay_hint,
        register_code_lens,
        register_goto_definition,
        register_references,
        register_rename,
        register_workspace_symbol,
        register_document_symbol,
        register_folding_range,
    ):
        register(client, session)
