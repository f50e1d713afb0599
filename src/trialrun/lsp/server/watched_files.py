"""Files that change on disk: the client watches them, where it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

GLOBS = (
    "**/*.{yaml,yml,json,jsonl,ndjson,csv,tsv,parquet,pq,gz}",
    "**/trialrun.toml",
    "**/pyproject.toml",
    "**/.gitignore",
)
"""Documents, settings, what says which files there are, and tables, whose columns are looked at."""


def watch_files(server: Server) -> None:
    """Ask the client to tell of files that change, come and go, settings files among them."""
    if not server.client.watches_files:
        return
    watched = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in GLOBS])
    registration = types.Registration("trialrun-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched)
    server.client_register_capability(types.RegistrationParams([registration]))


def tell_changed_files(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Pass on which files changed, came or went on disk, to each office those that lie in its workspace."""
    files = [file for change in params.changes if (file := server.files.addresses.file(change.uri))]
    for worker, own in server.folders.parted(files):
        worker.watched(own)
    server.pages.forget()
