"""Document highlights: the references of a name within one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.results import DocumentHighlight

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def document_highlight(workspace: OpenWorkspace, path: str, offset: int) -> tuple[DocumentHighlight, ...]:
    """The places of the text that name what is named at an offset; none where there is no name of ours."""
    from trialrun.lsp.features.references import references

    places = [one for one in references(workspace, path, offset) if one.path == path]
    uses = {one for one in references(workspace, path, offset, with_declarations=False) if one.path == path}
    return tuple(DocumentHighlight(one.range, declares=one not in uses) for one in places)
