"""Prepare rename: whether the name at a position can be renamed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lsp.results import RenameTarget

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def prepare_rename(workspace: OpenWorkspace, path: str, offset: int) -> RenameTarget | None:
    """The name at an offset as `rename` changes it; None if there is none of ours.

    Raises CannotRename where there is a name that cannot be changed; the message says why.
    """
    from trialrun.lsp.features.rename import require_known
    from trialrun.lsp.symbols import location_of, occurrence_at, rename_set
    from trialrun.lsp.symbols.anchors import anchor_at
    from trialrun.lsp.symbols.edit import replaced_start

    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        _, anchor, span = anchored
        return RenameTarget(file.range(span), anchor.name)
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        return None
    require_known(workspace, occurrence, rename_set(workspace, occurrence))
    start = replaced_start(occurrence)
    end = len(occurrence.text)
    place = location_of(workspace, replace(occurrence, chars=(start, end)))
    return RenameTarget(place.range, occurrence.text[start:end]) if place else None
