"""What the server offers to a client: a function for each question, which puts it to a feature and words the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsprotocol import types

    from trialrun.lsp.server.language_server import Server


def offer(server: Server, able: types.ClientCapabilities) -> None:
    """Offer all there is, as far as the client can take it."""
    from trialrun.lsp.server.requests.actions import offer_actions
    from trialrun.lsp.server.requests.beside import offer_beside
    from trialrun.lsp.server.requests.completion import offer_completion
    from trialrun.lsp.server.requests.findings import offer_findings
    from trialrun.lsp.server.requests.naming import offer_names
    from trialrun.lsp.server.requests.shape import offer_shape

    if server.client.pulls:
        offer_findings(server)
    offer_actions(server)
    offer_completion(server, able)
    offer_beside(server)
    offer_names(server)
    offer_shape(server)
