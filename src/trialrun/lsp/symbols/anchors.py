"""YAML anchors and aliases as symbols, and their renaming."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import TextEdit
from trialrun.lsp.results import CannotRename, Location

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.parser.anchors import Anchor
    from trialrun.text import Span
    from trialrun.workspace.open_workspace import WorkspaceFile

_name = re.compile(r"[0-9A-Za-z_-]+")


def anchor_at(file: WorkspaceFile | None, offset: int) -> tuple[Document, Anchor, Span] | None:
    """The anchor at an offset, at its definition or an alias: its document, the anchor, and the range of the name."""
    from trialrun.parser.anchors import anchors

    for document in file.parsed.documents if file else ():
        if not document.full_span.start <= offset <= document.full_span.end:
            continue
        for anchor in anchors(document):
            for span in (anchor.span, *anchor.aliases):
                if span.start - 1 <= offset <= span.end:
                    return document, anchor, span
    return None


def anchor_locations(file: WorkspaceFile, anchor: Anchor, *, with_declaration: bool = True) -> tuple[Location, ...]:
    """The locations of an anchor and its aliases, in order."""
    spans = (anchor.span, *anchor.aliases) if with_declaration else anchor.aliases
    return tuple(Location(file.path, file.range(span)) for span in spans)


def rename_anchor(file: WorkspaceFile, document: Document, anchor: Anchor, name: str) -> tuple[TextEdit, ...]:
    """The edits that rename an anchor. Raises CannotRename."""
    from trialrun.lsp.symbols.edit import apply_edits
    from trialrun.parser import parse
    from trialrun.parser.anchors import anchors

    if not _name.fullmatch(name):
        raise CannotRename(f'"{name}" is not a valid anchor name; use letters, digits, - and _')
    if name == anchor.name:
        return ()
    if any(anchor.name == name for anchor in anchors(document)):
        raise CannotRename(f'this document already has an anchor "{name}"; choose another name')
    edits = tuple(TextEdit(place.range, name) for place in anchor_locations(file, anchor))
    tree = parse(apply_edits(file.source, edits).encode("utf-8", "surrogatepass"), file.path)
    before = file.parsed
    same = [document.value for document in tree.documents] == [document.value for document in before.documents]
    if not same or len(tree.errors) != len(before.errors):
        raise CannotRename(f'"{name}" would change the meaning of the document; choose another name')
    return edits
