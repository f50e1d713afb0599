"""Find references: the declarations and uses of a name in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.results import Location
    from trialrun.workspace.open_workspace import OpenWorkspace


def references(
    workspace: OpenWorkspace, path: str, offset: int, *, with_declarations: bool = True
) -> tuple[Location, ...]:
    """The places that name what is named at an offset, in the order of paths; none where there is no name of ours."""
    from trialrun.lsp.symbols import find_references, location_of, occurrence_at
    from trialrun.lsp.symbols.anchors import anchor_at, anchor_locations

    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        return anchor_locations(file, anchored[1], with_declaration=with_declarations)
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        return ()
    occurrences = (
        reference for reference in find_references(workspace, occurrence) if with_declarations or not reference.declares
    )
    places = (place for occurrence in occurrences if (place := location_of(workspace, occurrence)))
    return tuple(sorted(set(places), key=lambda place: (place.path, place.range)))
