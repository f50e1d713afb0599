"""initialize, initialized and shutdown: the begin and the end of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lsprotocol import types

from trialrun.lsp.ipc.messages import ForClient
from trialrun.lsp.server.capabilities import client_capabilities
from trialrun.lsp.server.did_change_configuration import (
    open_initial_folders,
    register_configuration,
    set_client_options,
)
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.watched_files import register_watched_files


def initialize(session: Session, params: types.InitializeParams) -> None:
    """Begin the session: what the client can do, its options and its folders."""
    encoding = session.client.workspace.position_encoding
    named = str(getattr(encoding, "value", encoding))
    session.documents.encoding = "utf-8" if named == "utf-8" else "utf-32" if named == "utf-32" else "utf-16"
    session.capabilities = client_capabilities(params.capabilities)
    session.refresher.refreshes = _refreshes(session)
    session.folders.deliver_to(_receiver(session, asyncio.get_running_loop()))
    set_client_options(session, params.initialization_options)
    open_initial_folders(session, params)


def initialized(session: Session, params: Any) -> None:
    """Ask the client to report changes of files and of options."""
    register_watched_files(session)
    register_configuration(session)


def shutdown(session: Session, params: None) -> None:
    """Remember that the client ends in order, for the exit code."""
    session.is_shut_down = True


def _receiver(session: Session, loop: asyncio.AbstractEventLoop) -> Callable[[int, ForClient], None]:
    """Passes messages from the threads of the supervisors on to the thread of the event loop."""

    def on_message(number: int, message: ForClient) -> None:
        with suppress(RuntimeError):  # the loop has ended, and the server with it
            loop.call_soon_threadsafe(session.receive, number, message)

    return on_message


def _refreshes(session: Session) -> dict[str, Callable[[], None]]:
    """The requests by which the client is asked to refresh, of those that it supports."""
    refreshes: dict[str, Callable[[None], Any]] = {
        "inlay_hint": session.client.workspace_inlay_hint_refresh,
        "code_lens": session.client.workspace_code_lens_refresh,
        "semantic_tokens": session.client.workspace_semantic_tokens_refresh,
    }
    supported = session.capabilities.refreshes
    return {feature: _without_params(refresh) for feature, refresh in refreshes.items() if feature in supported}


def _without_params(request: Callable[[None], Any]) -> Callable[[], None]:
    return lambda: request(None)
