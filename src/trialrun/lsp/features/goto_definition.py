"""Go to definition: the declarations that a name refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.results import Location
    from trialrun.workspace.open_workspace import OpenWorkspace


def goto_definition(workspace: OpenWorkspace, path: str, offset: int) -> tuple[Location, ...]:
    """The declarations of the name at an offset, in the order of paths; of an alias its anchor, and the
    files or the policy that are named.

    None if there is no name of ours.
    """
    from trialrun.lsp.symbols import declarations, location_of, occurrence_at
    from trialrun.lsp.symbols.anchors import anchor_at, anchor_locations
    from trialrun.lsp.symbols.file_references import file_references

    file = workspace.workspace_file(path)
    if file and (anchor := anchor_at(file, offset)):
        return anchor_locations(file, anchor[1])[:1]
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        return tuple(dict.fromkeys(file_references(workspace, file, offset))) if file else ()
    places = (
        place for declaration in declarations(workspace, occurrence) if (place := location_of(workspace, declaration))
    )
    return tuple(sorted(set(places), key=lambda place: (place.path, place.range)))
