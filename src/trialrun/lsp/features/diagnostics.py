"""Diagnostics of a file, open or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace


def diagnostics(workspace: OpenWorkspace, path: str) -> tuple[Diagnostic, ...]:
    """The findings of a file, in order."""
    return tuple(workspace.diagnostics(path))
