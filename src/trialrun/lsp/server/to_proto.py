"""Answers in the words of the protocol; what is counted in code points becomes the units of the client."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from trialrun.diagnostic import Range, TextEdit
from trialrun.lsp import results
from trialrun.lsp.server.position_encoding import Counted, Place
from trialrun.lsp.server.text_documents import Shown
from trialrun.text import Source

SORTS = {
    "upsell": types.SymbolKind.Object,
    "session type": types.SymbolKind.Class,
    "session variable": types.SymbolKind.Variable,
    "session field": types.SymbolKind.Field,
    "config": types.SymbolKind.Module,
    "brand": types.SymbolKind.Namespace,
    "store": types.SymbolKind.Object,
    "binding": types.SymbolKind.Key,
    "item": types.SymbolKind.Constant,
    "modifier": types.SymbolKind.EnumMember,
    "modifier group": types.SymbolKind.Enum,
    "online store": types.SymbolKind.Namespace,
    "view": types.SymbolKind.Class,
    "feature group": types.SymbolKind.Struct,
    "feature": types.SymbolKind.Field,
    "source": types.SymbolKind.File,
    "column": types.SymbolKind.Field,
}
"""What names of a sort are most like."""


def position_of(place: Place) -> types.Position:
    """A place as the protocol has it."""
    return types.Position(*place)


def range_of(counted: Counted, range_: Range) -> types.Range:
    """A range of a text as the protocol has it."""
    start, end = counted.places(range_)
    return types.Range(position_of(start), position_of(end))


def locations_of(found: Iterable[results.Location], shown: Shown) -> list[types.Location]:
    """Places of files, without those whose files have gone."""
    places = list(found)
    texts = {path: shown.counted(path) for path in {one.path for one in places}}
    return [
        types.Location(shown.uri(one.path), range_of(there, one.range))
        for one in places
        if (there := texts[one.path]) is not None
    ]


def text_edit_of(edit: TextEdit, counted: Counted) -> types.TextEdit:
    """One edit of a text."""
    return types.TextEdit(range_of(counted, edit.range), edit.text)


def workspace_edit_of(changes: Iterable[results.FileEdits], shown: Shown, *, versioned: bool) -> types.WorkspaceEdit:
    """Edits of files; `versioned` ones are refused by the client when a text has changed since."""
    made: dict[str, list[types.TextEdit]] = {}
    documents: list[types.TextDocumentEdit] = []
    creating: list[types.CreateFile] = []
    for one in changes:
        counted = shown.counted(one.path) or (Counted(Source(one.path, ""), "utf-16") if one.creates else None)
        if counted is None:
            continue
        if one.creates:
            creating.append(
                types.CreateFile(shown.uri(one.path), options=types.CreateFileOptions(ignore_if_exists=True))
            )
        edits = made[shown.uri(one.path)] = [text_edit_of(edit, counted) for edit in one.edits]
        named = types.OptionalVersionedTextDocumentIdentifier(shown.uri(one.path), shown.version(one.path))
        documents.append(types.TextDocumentEdit(named, list(edits)))
    return (
        types.WorkspaceEdit(document_changes=[*creating, *documents])
        if versioned
        else types.WorkspaceEdit(changes=made)
    )


def renameable_of(found: results.Renameable, counted: Counted) -> types.PrepareRenamePlaceholder:
    """A name that can be changed."""
    return types.PrepareRenamePlaceholder(range_of(counted, found.range), found.name)


def highlight_of(found: results.Highlight, counted: Counted) -> types.DocumentHighlight:
    """A place that names something: written where it is declared, read where it is used."""
    kind = types.DocumentHighlightKind.Write if found.declares else types.DocumentHighlightKind.Read
    return types.DocumentHighlight(range_of(counted, found.range), kind)


def named_of(found: Iterable[results.Named], shown: Shown) -> list[types.SymbolInformation]:
    """Names of a workspace, without those whose files have gone."""
    return [
        types.SymbolInformation(place, one.name, SORTS[one.sort], container_name=f"{one.sort} {one.scope}".strip())
        for one in found
        for place in locations_of([one.place], shown)
    ]


def hover_of(hover: results.Hover, counted: Counted) -> types.Hover:
    """What is shown beside a place."""
    return types.Hover(markdown(hover.markdown), range_of(counted, hover.range))


def hint_of(hint: results.InlayHint, counted: Counted) -> types.InlayHint:
    """A short text behind a place."""
    from trialrun.text import Position

    return types.InlayHint(
        position=position_of(counted.place(Position(hint.line, hint.column))),
        label=hint.text,
        tooltip=markdown(hint.markdown) if hint.markdown else None,
        padding_left=True,
    )


def lens_of(lens: results.CodeLens, counted: Counted, *, command: str, uri: str) -> types.CodeLens:
    """A line above a place; `command` is the client's own that runs a line for a text, empty where it has none."""
    does = types.Command(lens.title, "")
    if lens.command is not None and command:
        does = types.Command(lens.title, command, arguments=[list(lens.command), uri])
    return types.CodeLens(range_of(counted, lens.range), does)


def markdown(text: str) -> types.MarkupContent:
    """A text that is shown as Markdown."""
    return types.MarkupContent(types.MarkupKind.Markdown, text)
