"""workspace/didChangeConfiguration and didChangeWorkspaceFolders: options and folders that change without a restart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server import types
from trialrun.lsp.server.client_options import apply_client_options
from trialrun.lsp.server.json_rpc import ResponseError
from trialrun.lsp.server.params import FolderChange, InitializeParams
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_document_sync import send_text

SECTION = "trialrun"


def register_configuration(session: Session) -> None:
    """Request the options, and ask the client to report their changes."""
    if session.capabilities.watches_settings:
        options = {"section": SECTION}
        registration = types.Registration("trialrun-settings", "workspace/didChangeConfiguration", options)
        session.client.request("client/registerCapability", types.RegistrationParams([registration]))
    if session.capabilities.has_settings:
        session.run_in_background(_request_configuration(session))


def did_change_configuration(session: Session, settings: types.Json) -> None:
    """The options have changed; they are requested if the client can be asked, as it need not send them."""
    if session.capabilities.has_settings:
        session.run_in_background(_request_configuration(session))
    else:
        set_client_options(session, settings)


async def _request_configuration(session: Session) -> None:
    try:
        sections = await session.client.request("workspace/configuration", {"items": [{"section": SECTION}]})
    except (ResponseError, asyncio.CancelledError):
        return
    for section in sections if isinstance(sections, list) else ():
        set_client_options(session, section)


def set_client_options(session: Session, settings: Any) -> None:
    """Apply the options of the editor; an invalid one is shown, and keeps its previous value."""
    before = session.options
    session.options, errors = apply_client_options(before, settings)
    for fixed in session.invalid_options.difference(errors):
        session.clear_message(fixed)
    session.invalid_options = frozenset(errors)
    for error in errors:
        session.show_message(ShowMessage("warning", error))
    if session.options == before:
        return
    options = session.options
    session.workspace_diagnostics.enabled = options.workspace_diagnostics
    use_cache = session.cache_allowed and options.cache
    session.folders.set_options(replace(session.folders.options, debounce=options.debounce, cache=use_cache))
    if (options.inlay_hints, options.code_lenses) != (before.inlay_hints, before.code_lenses):
        session.refresher.refresh_all()
    session.workspace_diagnostics.wake()


def open_initial_folders(session: Session, params: InitializeParams) -> None:
    """Open the folders that the client has open; none if it has only files."""
    uris = params.folders or [params.root_uri or ""]
    folders = [folder for uri in uris if uri and (folder := session.documents.uris.folder(uri))]
    for folder in folders or ([params.root_path] if params.root_path else []):
        session.folders.add(folder)


def did_change_workspace_folders(session: Session, change: FolderChange) -> None:
    """Open and close folders; documents that belong to another folder now are sent to its analysis process."""
    before = {document.file: session.folders.of(document.file) for document in session.documents}
    for uri in change.added:
        if added := session.documents.uris.folder(uri):
            session.folders.add(added)
    for uri in change.removed:
        if removed := session.documents.uris.folder(uri):
            session.folders.remove(removed)
    for document in session.documents:
        if session.folders.of(document.file) is not before[document.file]:
            before[document.file].close_text(document.file)
            send_text(session, document)
    session.workspace_diagnostics.wake()
