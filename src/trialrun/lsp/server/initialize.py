"""initialize, initialized and shutdown: the begin and the end of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from trialrun.lsp.ipc.messages import ForClient
from trialrun.lsp.server.capabilities import client_capabilities, position_encoding
from trialrun.lsp.server.did_change_configuration import (
    open_initial_folders,
    register_configuration,
    set_client_options,
)
from trialrun.lsp.server.params import InitializeParams
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.watched_files import register_watched_files


def initialize(session: Session, params: InitializeParams) -> None:
    """Begin the session: what the client can do, its options and its folders."""
    session.documents.encoding = position_encoding(params.capabilities)
    session.capabilities = client_capabilities(params.capabilities)
    session.refresher.refreshes = _refreshes(session)
    session.folders.deliver_to(_receiver(session, asyncio.get_running_loop()))
    set_client_options(session, params.options)
    open_initial_folders(session, params)


def initialized(session: Session, _: Any) -> None:
    """Ask the client to report changes of files and of options."""
    register_watched_files(session)
    register_configuration(session)


def shutdown(session: Session, _: Any) -> None:
    """Remember that the client ends in order, for the exit code; nobody waits for other results any more."""
    session.is_shut_down = True
    session.client.cancel_all()


def _receiver(session: Session, loop: asyncio.AbstractEventLoop) -> Callable[[int, ForClient], None]:
    """Passes messages from the threads of the supervisors on to the thread of the event loop."""

    def on_message(number: int, message: ForClient) -> None:
        with suppress(RuntimeError):  # the loop has ended, and the server with it
            loop.call_soon_threadsafe(session.receive, number, message)

    return on_message


def _refreshes(session: Session) -> dict[str, Callable[[], None]]:
    """The requests by which the client is asked to refresh, of those that it supports."""
    methods = {"inlay_hint": "inlayHint", "code_lens": "codeLens"}
    supported = session.capabilities.refreshes
    return {feature: _refresh(session, method) for feature, method in methods.items() if feature in supported}


def _refresh(session: Session, method: str) -> Callable[[], None]:
    def ask() -> None:
        session.client.request(f"workspace/{method}/refresh")

    return ask
