"""workspace/didChangeWatchedFiles: files that change on disk, which the client watches if it can."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.lsp.server import types
from trialrun.lsp.server.session import Session

GLOBS = (
    "**/*.{yaml,yml,json,YAML,YML,JSON,Yaml,Yml,Json,jsonl,ndjson,csv,tsv,parquet,pq,gz}",
    "**/trialrun.toml",
    "**/pyproject.toml",
    "**/.gitignore",
)
"""Documents, settings, ignore files, and tables, whose columns are checked."""


def register_watched_files(session: Session) -> None:
    """Ask the client to report files that change, appear and disappear, settings files among them."""
    if not session.capabilities.watches_files:
        return
    options = {"watchers": [{"globPattern": glob} for glob in GLOBS]}
    registration = types.Registration("trialrun-files", "workspace/didChangeWatchedFiles", options)
    session.client.request("client/registerCapability", types.RegistrationParams([registration]))


def did_change_watched_files(session: Session, uris: Sequence[str]) -> None:
    """Tell each analysis process which files of its workspace changed on disk."""
    files = [file for uri in uris if (file := session.documents.uris.file(uri))]
    for supervisor, changed in session.folders.by_workspace(files):
        supervisor.files_changed(changed)
    session.rule_docs.invalidate()
