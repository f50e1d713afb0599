"""Diagnostics of a file, open or not, and of all files of a workspace."""

from __future__ import annotations

from trialrun.diagnostic import Diagnostic
from trialrun.workspace.open_workspace import OpenWorkspace


def diagnostics(workspace: OpenWorkspace, path: str) -> tuple[Diagnostic, ...]:
    """The findings of a file, in order."""
    return tuple(workspace.diagnostics(path))


def workspace_diagnostics(workspace: OpenWorkspace, path: str) -> dict[str, tuple[Diagnostic, ...]]:
    """The findings of each file that has some, by its path, whatever file is asked about."""
    return workspace.all_diagnostics()
