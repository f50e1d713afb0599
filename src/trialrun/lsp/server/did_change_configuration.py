"""Settings of the editor and the folders that it has open, which change without a restart."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from trialrun.lsp.ipc.messages import Told
from trialrun.lsp.server.client_options import wished

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

SECTION = "trialrun"


def watch_settings(server: Server) -> None:
    """Ask for the settings, and to be told when they change."""
    if server.client.watches_settings:
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registration = types.Registration("trialrun-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        server.client_register_capability(types.RegistrationParams([registration]))
    if server.client.has_settings:
        server.background(_ask(server))


def take_settings(server: Server, params: types.DidChangeConfigurationParams) -> None:
    """The settings have changed; a client that can be asked need not say to what."""
    if server.client.has_settings:
        server.background(_ask(server))
    else:
        wish(server, params.settings)


async def _ask(server: Server) -> None:
    asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        answer = await server.workspace_configuration_async(asked)
    except (JsonRpcException, asyncio.CancelledError):
        return
    for told in answer or ():
        wish(server, told)


def wish(server: Server, told: Any) -> None:
    """Go by the settings that the editor tells; what is wrong with one is shown, and the one before stays."""
    before = server.wishes
    server.wishes, complaints = wished(before, told)
    for mended in server.complaints.difference(complaints):
        server.mended(mended)
    server.complaints = frozenset(complaints)
    for complaint in complaints:
        server.show(Told("warning", complaint))
    if server.wishes == before:
        return
    wishes = server.wishes
    server.folders.choose(replace(server.folders.choices, pause=wishes.pause, cache=server.may_cache and wishes.cache))
    if (wishes.inlay_hints, wishes.code_lenses) != (before.inlay_hints, before.code_lenses):
        server.refreshing.tell_all()
    server.elsewhere.wake()


def begin_folders(server: Server, params: types.InitializeParams) -> None:
    """Open the folders that the client has open; none where it has only files."""
    addresses = server.files.addresses
    uris = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
    folders = [folder for uri in uris if uri and (folder := addresses.folder(uri))]
    for folder in folders or ([params.root_path] if params.root_path else []):
        server.folders.add(folder)


def change_folders(server: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Open and close folders; texts that belong to another one now are given to its office."""
    before = {opened.file: server.folders.of(opened.file) for opened in server.files}
    for folder in params.event.added:
        if added := server.files.addresses.folder(folder.uri):
            server.folders.add(added)
    for folder in params.event.removed:
        if removed := server.files.addresses.folder(folder.uri):
            server.folders.remove(removed)
    for opened in server.files:
        if server.folders.of(opened.file) is not before[opened.file]:
            before[opened.file].close(opened.file)
            server.texts.tell(opened)
    server.elsewhere.wake()
