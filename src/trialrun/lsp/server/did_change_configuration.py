"""workspace/didChangeConfiguration and didChangeWorkspaceFolders: options and folders that change without a restart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from trialrun.lsp.ipc.messages import ShowMessage
from trialrun.lsp.server.client_options import apply_client_options
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_document_sync import send_text

SECTION = "trialrun"


def register_configuration(session: Session) -> None:
    """Request the options, and ask the client to report their changes."""
    if session.capabilities.watches_settings:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registration = types.Registration("trialrun-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        session.client.client_register_capability(types.RegistrationParams([registration]))
    if session.capabilities.has_settings:
        session.run_in_background(_request_configuration(session))


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """The options have changed; they are requested if the client can be asked, as it need not send them."""
    if session.capabilities.has_settings:
        session.run_in_background(_request_configuration(session))
    else:
        set_client_options(session, params.settings)


async def _request_configuration(session: Session) -> None:
    params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        sections = await session.client.workspace_configuration_async(params)
    except (JsonRpcException, asyncio.CancelledError):
        return
    for section in sections or ():
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


def open_initial_folders(session: Session, params: types.InitializeParams) -> None:
    """Open the folders that the client has open; none if it has only files."""
    uris = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
    folders = [folder for uri in uris if uri and (folder := session.documents.uris.folder(uri))]
    for folder in folders or ([params.root_path] if params.root_path else []):
        session.folders.add(folder)


def did_change_workspace_folders(session: Session, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Open and close folders; documents that belong to another folder now are sent to its analysis process."""
    before = {document.file: session.folders.of(document.file) for document in session.documents}
    for folder in params.event.added:
        if added := session.documents.uris.folder(folder.uri):
            session.folders.add(added)
    for folder in params.event.removed:
        if removed := session.documents.uris.folder(folder.uri):
            session.folders.remove(removed)
    for document in session.documents:
        if session.folders.of(document.file) is not before[document.file]:
            before[document.file].close_text(document.file)
            send_text(session, document)
    session.workspace_diagnostics.wake()
