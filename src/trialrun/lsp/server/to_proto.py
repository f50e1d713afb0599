"""Conversion of results to the types of the protocol, with positions in the encoding of the client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trialrun.diagnostic import Diagnostic, Range, Severity, TextEdit
from trialrun.lsp import results
from trialrun.lsp.server import feature_types, kinds, types
from trialrun.lsp.server.position_encoding import PositionMapper, ProtocolPosition
from trialrun.lsp.server.text_documents import DisplayPaths
from trialrun.text import Position, Source

SEVERITIES = {
    Severity.ERROR: kinds.DiagnosticSeverity.Error,
    Severity.WARNING: kinds.DiagnosticSeverity.Warning,
    Severity.NOTE: kinds.DiagnosticSeverity.Information,
}
DEPRECATED = frozenset({"deprecated-field", "deprecated-time-zone"})
UNNECESSARY = frozenset(
    {
        "empty-sync-config",
        "expired-suppression",
        "frequency-never-used",
        "output-only-field",
        "rag-source-scheduled",
        "shadowed-channel-config",
        "skip-without-effect",
        "sync-without-source",
        "unreachable-upsell",
        "unused-channel-config",
        "unused-suppression",
        "useless-modifier-limit",
    }
)
"""Rules about parts without effect, which an editor fades."""
SYMBOL_KINDS = {
    "upsell": kinds.SymbolKind.Object,
    "session type": kinds.SymbolKind.Class,
    "session variable": kinds.SymbolKind.Variable,
    "session field": kinds.SymbolKind.Field,
    "config": kinds.SymbolKind.Module,
    "brand": kinds.SymbolKind.Namespace,
    "store": kinds.SymbolKind.Object,
    "binding": kinds.SymbolKind.Key,
    "item": kinds.SymbolKind.Constant,
    "modifier": kinds.SymbolKind.EnumMember,
    "modifier group": kinds.SymbolKind.Enum,
    "daypart": kinds.SymbolKind.Event,
    "online store": kinds.SymbolKind.Namespace,
    "view": kinds.SymbolKind.Class,
    "feature group": kinds.SymbolKind.Struct,
    "feature": kinds.SymbolKind.Field,
    "source": kinds.SymbolKind.File,
    "column": kinds.SymbolKind.Field,
}
"""The symbol kind of each kind of name."""


def position_of(position: ProtocolPosition) -> types.Position:
    """A position."""
    return types.Position(*position)


def range_of(mapper: PositionMapper, range_: Range) -> types.Range:
    """A range."""
    start, end = mapper.range_to_protocol(range_)
    return types.Range(position_of(start), position_of(end))


def locations_of(locations: Iterable[results.Location], paths: DisplayPaths) -> list[types.Location]:
    """Locations, without those of removed files."""
    present = list(locations)
    texts = {path: paths.mapper(path) for path in {location.path for location in present}}
    return [
        types.Location(paths.uri(location.path), range_of(mapper, location.range))
        for location in present
        if (mapper := texts[location.path]) is not None
    ]


def text_edit_of(edit: TextEdit, mapper: PositionMapper) -> types.TextEdit:
    """A text edit."""
    return types.TextEdit(range_of(mapper, edit.range), edit.text)


def workspace_edit_of(
    changes: Iterable[results.FileEdits], paths: DisplayPaths, *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of files; the client refuses `versioned` ones if a text has changed since."""
    edits_by_uri: dict[str, list[types.TextEdit]] = {}
    documents: list[types.TextDocumentEdit] = []
    created: list[types.CreateFile] = []
    for file in changes:
        mapper = paths.mapper(file.path) or (PositionMapper(Source(file.path, ""), "utf-16") if file.creates else None)
        if mapper is None:
            continue
        if file.creates:
            created.append(
                types.CreateFile(paths.uri(file.path), options=types.CreateFileOptions(ignore_if_exists=True))
            )
        edits = edits_by_uri[paths.uri(file.path)] = [text_edit_of(edit, mapper) for edit in file.edits]
        identifier = types.OptionalVersionedTextDocumentIdentifier(paths.uri(file.path), paths.version(file.path))
        documents.append(types.TextDocumentEdit(identifier, list(edits)))
    return (
        types.WorkspaceEdit(document_changes=[*created, *documents])
        if versioned
        else types.WorkspaceEdit(changes=edits_by_uri)
    )


def prepare_rename_of(name: results.RenameTarget, mapper: PositionMapper) -> feature_types.PrepareRenamePlaceholder:
    """A name that can be renamed."""
    return feature_types.PrepareRenamePlaceholder(range_of(mapper, name.range), name.name)


def workspace_symbols_of(
    symbols: Iterable[results.WorkspaceSymbol], paths: DisplayPaths
) -> list[feature_types.SymbolInformation]:
    """Symbols of a workspace, without those of removed files."""
    return [
        feature_types.SymbolInformation(
            location, symbol.name, SYMBOL_KINDS[symbol.kind], container_name=f"{symbol.kind} {symbol.scope}".strip()
        )
        for symbol in symbols
        for location in locations_of([symbol.location], paths)
    ]


def hover_of(hover: results.Hover, mapper: PositionMapper) -> feature_types.Hover:
    """A hover."""
    return feature_types.Hover(markdown(hover.markdown), range_of(mapper, hover.range))


def inlay_hint_of(hint: results.InlayHint, mapper: PositionMapper) -> feature_types.InlayHint:
    """An inlay hint."""
    return feature_types.InlayHint(
        position=position_of(mapper.to_protocol(Position(hint.line, hint.column))),
        label=hint.text,
        tooltip=markdown(hint.markdown) if hint.markdown else None,
        padding_left=True,
    )


def code_lens_of(lens: results.CodeLens, mapper: PositionMapper, *, command: str, uri: str) -> feature_types.CodeLens:
    """A code lens; `command` is the command of the client that runs a command line, empty if it has none."""
    lens_command = types.Command(lens.title, "")
    if lens.command is not None and command:
        lens_command = types.Command(lens.title, command, arguments=[list(lens.command), uri])
    return feature_types.CodeLens(range_of(mapper, lens.range), lens_command)


def diagnostic_of(
    diagnostic: Diagnostic, mapper: PositionMapper, paths: DisplayPaths, link: str | None
) -> types.Diagnostic:
    """A diagnostic, with the link to its rule's page; its fingerprint is returned with code action requests."""
    return types.Diagnostic(
        range=range_of(mapper, diagnostic.range),
        message=diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\n{diagnostic.help}",
        severity=SEVERITIES[diagnostic.severity],
        code=diagnostic.rule,
        code_description=None if link is None else types.CodeDescription(link),
        source="trialrun",
        tags=list(_tags(diagnostic.rule)) or None,
        related_information=list(_related(diagnostic, mapper, paths)) or None,
        data={"fingerprint": diagnostic.fingerprint},
    )


def _tags(rule: str) -> Iterator[int]:
    if rule in DEPRECATED:
        yield kinds.DiagnosticTag.Deprecated
    if rule in UNNECESSARY:
        yield kinds.DiagnosticTag.Unnecessary


def _related(
    diagnostic: Diagnostic, mapper: PositionMapper, paths: DisplayPaths
) -> Iterator[types.DiagnosticRelatedInformation]:
    for related in diagnostic.related:
        related_mapper = mapper if related.path == diagnostic.path else paths.mapper(related.path)
        if related_mapper is not None:
            location = types.Location(paths.uri(related.path), range_of(related_mapper, related.range))
            yield types.DiagnosticRelatedInformation(location, related.message)


def markdown(text: str) -> types.MarkupContent:
    """Markdown content."""
    return types.MarkupContent("markdown", text)
