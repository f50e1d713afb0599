"""workspace/didChangeWatchedFiles: files that change on disk, which the client watches if it can."""

from __future__ import annotations

from lsprotocol import types

from trialrun.lsp.server.session import Session

GLOBS = (
    "**/*.{yaml,yml,json,jsonl,ndjson,csv,tsv,parquet,pq,gz}",
    "**/trialrun.toml",
    "**/pyproject.toml",
    "**/.gitignore",
)
"""Documents, settings, ignore files, and tables, whose columns are checked."""


def register_watched_files(session: Session) -> None:
    """Ask the client to report files that change, appear and disappear, settings files among them."""
    if not session.capabilities.watches_files:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in GLOBS])
    registration = types.Registration("trialrun-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    session.client.client_register_capability(types.RegistrationParams([registration]))


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Tell each analysis process which files of its workspace changed on disk."""
    files = [file for change in params.changes if (file := session.documents.uris.file(change.uri))]
    for supervisor, changed in session.folders.by_workspace(files):
        supervisor.files_changed(changed)
    session.rule_docs.invalidate()
