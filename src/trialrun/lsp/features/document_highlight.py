"""Document highlights: the references of a name within one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.results import DocumentHighlight

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def document_highlight(workspace: OpenWorkspace, path: str, offset: int) -> tuple[DocumentHighlight, ...]:
    """The places of the text that name what is named at an offset; none where there is no name of ours."""
    from trialrun.lsp.features.references import references

    places = [reference for reference in references(workspace, path, offset) if reference.path == path]
    uses = {
        reference
        for reference in references(workspace, path, offset, with_declarations=False)
        if reference.path == path
    }
    return tuple(DocumentHighlight(place.range, declares=place not in uses) for place in places)
