"""Description of a declared name: where it is declared, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lsp.describe.declaration_summary import SUMMARIES, DeclarationSummary, of_column
from trialrun.lsp.describe.markdown import code, plain
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.lsp.symbols.occurrence import Occurrence
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.open_workspace import OpenWorkspace

MAX_DECLARATIONS = 3
KIND_PHRASES = {
    "brand": "a brand",
    "binding": "a config application rule",
    "item": "an item of the menu",
    "modifier": "a modifier of the menu",
    "modifier group": "a modifier group of the menu",
    "daypart": "a daypart of the menu",
    "online store": "an online store",
    "view": "a feature view",
    "feature group": "a feature group",
    "feature": "a feature",
    "source": "a source",
    "column": "a column",
    "upsell": "an upsell",
}
"""Phrases for kinds of names; configs and stores are described by where they apply, words of a condition by types."""
OF_SESSION = ("session type", "session variable", "session field")
DECLARED_IN: Mapping[str, str] = {
    **dict.fromkeys(("brand", "binding"), "brands"),
    **dict.fromkeys(("item", "modifier", "modifier group", "daypart"), "menus"),
    **dict.fromkeys(OF_SESSION, "schemas"),
    **dict.fromkeys(("feature group", "feature"), "groups"),
    **dict.fromkeys(("source", "column"), "sources"),
    "online store": "stores",
    "view": "views",
    "upsell": "configs",
}
"""By kind, the documents of a catalog that declare such names: other files are not read during a request."""


def declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """The declarations of a name with their locations; empty if nothing declares it."""
    if occurrence.kind not in KIND_PHRASES:
        return
    declarations = list(
        filter(
            None,
            (_entry(workspace, declaration, occurrence.text) for declaration in _declarations(workspace, occurrence)),
        )
    )
    for entry in declarations[:MAX_DECLARATIONS]:
        facts = list(SUMMARIES[occurrence.kind](entry))
        name = occurrence.text if occurrence.kind == "source" else last_id(occurrence.text)
        first = f"{code(name)}: {_first(occurrence.kind, entry)}, {code(f'{entry.file}:{entry.line}')}"
        yield "\n".join([first, *(["", *facts] if facts else [])])
    if len(declarations) > MAX_DECLARATIONS:
        yield f"{len(declarations)} declarations have this name."


def schema_declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """Where the SessionSchema declares a name of a condition, with the comment next to it."""
    from trialrun.lsp.describe.comment import trailing_comment
    from trialrun.lsp.symbols.index import location_of

    if occurrence.kind not in OF_SESSION:
        return
    for declaration in _declarations(workspace, occurrence)[:1]:
        place, file = location_of(workspace, declaration), workspace.workspace_file(declaration.path)
        if place and file:
            remark = trailing_comment(file, place.range.start.line)
            at = code(f"{declaration.path}:{place.range.start.line}")
            yield f"Declared at {at}{f': {plain(remark)}' if remark else '.'}"


def _declarations(workspace: OpenWorkspace, occurrence: Occurrence) -> list[Occurrence]:
    """The declarations of a name, from the documents that may declare it."""
    from trialrun.lsp.symbols.index import occurrences
    from trialrun.lsp.symbols.resolve import NameResolver, lookup_key
    from trialrun.workspace.open_workspace.catalog_cache import brands, views

    where = DECLARED_IN[occurrence.kind]
    of_views = where in ("groups", "sources", "stores", "views")
    documents: Sequence[DeclaredResource[Any]] = getattr(views(workspace) if of_views else brands(workspace), where)
    files = workspace.workspace_files({document.path for document in documents})
    named = (occurrence for file in files for occurrence in occurrences(workspace, file) if occurrence.declares)
    return list(
        NameResolver(declaration for declaration in named if lookup_key(declaration) == lookup_key(occurrence)).resolve(
            occurrence
        )
    )


def _first(kind: str, entry: DeclarationSummary) -> str:
    """The first line of the description of a declaration."""
    if kind == "column":
        return (
            f"{plain(of_column(entry.said))}, {KIND_PHRASES[kind]} of {code(str(entry.at(entry.path[:-2]).get('uri')))}"
        )
    return KIND_PHRASES[kind]


def _entry(workspace: OpenWorkspace, occurrence: Occurrence, asked: str) -> DeclarationSummary | None:
    from trialrun.lsp.symbols.index import location_of

    file, place = workspace.workspace_file(occurrence.path), location_of(workspace, occurrence)
    parts = [part for part in file.resources if part.document.index == occurrence.document] if file else []
    part = next((part for part in parts if occurrence.entry[: len(part.root)] == part.root), None)
    return (
        DeclarationSummary(workspace, part, occurrence.entry, place.range.start.line, occurrence.path, asked)
        if part and place
        else None
    )
