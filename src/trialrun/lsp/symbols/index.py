"""Index of the names of an open workspace, collected by message and field from the files that may have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.lsp.symbols.occurrence import (
    RESOURCE_KINDS,
    NameField,
    NameKind,
    NameResolver,
    Occurrence,
    lookup_key,
    name_fields,
)
from trialrun.lsp.symbols.text_references import ResolutionContext, has_embedded_names, inside
from trialrun.model.node import Node, message_fields
from trialrun.parser import Document
from trialrun.text import Span
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

GROUPED: Final = {
    "modifier": ("name", "displayName", "semanticName", "id", "modifierGroupName", "modifierGroupId"),
    "feature": ("featureGroupId",),
}
"""The fields that name the group of a modifier or feature, in its own message or the enclosing one."""

_PARENTS: Final[dict[str, tuple[NameKind, str]]] = {
    "ChannelConfig": ("brand", "/channelConfigs/"),
    "FeatureView": ("online store", "/featureViews/"),
}


def collect_occurrences(part: ResourceInFile, path: str, context: ResolutionContext) -> Iterator[Occurrence]:
    """The names in a resource, unordered; `context` resolves the names in its texts."""
    scope = scope_of(part.model.node)
    waiting: list[tuple[Node, Node | None]] = [(part.model.node, None)]
    while waiting:
        node, around = waiting.pop()
        for field in _fields_with_names(node, around):
            yield from _in_field(part, path, node, field, scope, _within(node, around, field))
        if has_embedded_names(node):
            yield from inside(part, path, node, context, scope)
        if type(node).__name__ == "SessionStep":
            continue  # turns may be in a table, so `inside` has read them with the step
        for name, listed, _ in message_fields(type(node)):
            value = getattr(node, name)
            inner = value or () if listed else [value]
            waiting.extend((child, node) for child in inner if child is not None)
    kind, collection = _PARENTS.get(type(part.model.node).__name__, ("brand", ""))
    parent = (getattr(part.model.node, "name", None) or "").rpartition(collection)[0] if collection else ""
    if parent:
        steps = part.model.path(SymbolicLocation(part.model.node, ("name",)))
        yield Occurrence(kind, parent, path, part.document.index, steps, chars=(0, len(parent)))


def _in_field(
    part: ResourceInFile, path: str, node: Node, field: NameField, scope: str, within: tuple[str, ...]
) -> Iterator[Occurrence]:
    """The names in a field; of the name of a resource the id at its end, since what is before it names the parent."""
    value = getattr(node, field.field)
    entry = part.model.path(SymbolicLocation(node)) if field.declares else ()
    has_parent = field.declares and field.kind in ("config", "view")
    for index, text in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(text, str) and text:
            steps = part.model.path(
                SymbolicLocation(node, (field.field, *((index,) if isinstance(value, list) else ())))
            )
            chars = (text.rindex("/") + 1, len(text)) if has_parent and "/" in text else None
            yield Occurrence(
                *(field.kind, text, path, part.document.index, steps, field.declares, field.forms),
                *(scope, within, entry, chars),
            )


def _fields_with_names(node: Any, around: Any) -> tuple[NameField, ...]:
    """The fields of a message that contain names.

    For a feature without a column, the id is the column; the columns of a registry view are its features.
    """
    model: type[Node] = type(node)
    name, fields = model.__name__, name_fields(model)
    if name == "Column" and type(around).__name__ != "Source":
        return (NameField("name", "column"),)
    if name == "RegisteredFeature" and node.column:
        return tuple(field for field in fields if field.field == "column" or field.declares)
    if name == "IndexConfig" and getattr(around, "featureRegistrySource", None):
        return tuple(NameField(field.field, "feature") for field in fields)
    return fields


def _within(node: Any, around: Any, field: NameField) -> tuple[str, ...]:
    """The table of a column, or the names of the group of a modifier or feature."""
    if field.kind == "column":
        view = around if type(around).__name__ == "FeatureView" else None
        table = (view.warehouseSource or view.ragSource) if view else around
        return ((node.uri if "uri" in vars(node) else getattr(table, "uri", None)) or "",)
    if type(node).__name__ == "IndexConfig":
        groups = around.featureRegistrySource.featureGroups or ()
        return tuple(dict.fromkeys(group.featureGroupId for group in groups if group.featureGroupId))
    holder = node if type(node).__name__ in ("SuggestedModifierGroup", "TargetModifier", "FeatureGroup") else around
    if field.kind not in GROUPED or type(holder).__name__ in ("CelUpsell", "UpsellConfig"):
        return ()
    values = vars(holder) if holder is not None else {}  # a model takes long to say that it has no such field
    found = (values.get(name) for name in GROUPED[field.kind])
    return tuple(dict.fromkeys(name for name in found if isinstance(name, str) and name))


def scope_of(resource: Any) -> str:
    """The brand or project that a resource belongs to."""
    match type(resource).__name__:
        case "ChannelConfig":
            return (resource.name or "").rpartition("/channelConfigs/")[0]
        case "Brand":
            return resource.name or ""
        case "Menu":
            return resource.brand or ""
        case "FeatureGroupTable":
            return str(resource.projectNumber or "")
        case "FeatureView":
            registry = resource.featureRegistrySource
            return str((registry and registry.projectNumber) or "")
    return ""


State = tuple[int, int, Any]
"""What the names of a text depend on: its bytes, the session types, and the menus and views for sessions."""
ByKey = dict[tuple[NameKind, str], list[Occurrence]]

_words = re.compile(r"[^\s'\\]+").findall


class SymbolIndex:
    """The occurrences in each file of a workspace, with what they were collected from."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[State, tuple[Occurrence, ...], ByKey]] = {}

    def of_file(self, workspace: OpenWorkspace, file: WorkspaceFile) -> tuple[State, tuple[Occurrence, ...], ByKey]:
        """The state of a file, its occurrences, and these by the names that they share."""
        context, of_file = ResolutionContext(workspace, file.path), self.files.get(file.path)
        has_sessions = b"cenario" in file.data or file.kind_by_path == "Scenario"  # must not need the syntax tree
        menus = (brands(workspace), views(workspace)) if has_sessions else None
        state = hash(file.data), hash(context.types), menus
        if of_file is None or of_file[0] != state:
            workspace.report_activity(file.path)
            found = tuple(one for part in file.resources for one in collect_occurrences(part, file.path, context))
            workspace.report_activity(None)
            by_key: ByKey = {}
            for one in found:
                by_key.setdefault(lookup_key(one), []).append(one)
            of_file = self.files[file.path] = (state, found, by_key)
        return of_file


def occurrences(workspace: OpenWorkspace, file: WorkspaceFile) -> tuple[Occurrence, ...]:
    """The names that one text declares and uses."""
    return workspace.feature_state(SymbolIndex).of_file(workspace, file)[1]


def occurrence_at(workspace: OpenWorkspace, path: str, offset: int) -> Occurrence | None:
    """The name at an offset; of several, the shortest."""
    file = workspace.workspace_file(path)
    spot = file.node_at(offset) if file else None
    if file is None or spot is None:
        return None
    there = spot.document.index, spot.path, spot.is_key
    here = [one for one in occurrences(workspace, file) if (one.document, one.steps, one.at_key) == there]
    spans = [_span(spot.document, one) for one in here]
    around = [(span.end - span.start, at) for at, span in enumerate(spans) if span.start <= offset <= span.end]
    return here[min(around)[1]] if around else None


def range_of(workspace: OpenWorkspace, occurrence: Occurrence) -> Range | None:
    """The range of an occurrence in its file; None if the file has changed since."""
    file = workspace.workspace_file(occurrence.path)
    documents = file.parsed.documents if file else []
    document = next((document for document in documents if document.index == occurrence.document), None)
    if file is None or document is None:
        return None
    return file.range(_span(document, occurrence))


def declarations(workspace: OpenWorkspace, occurrence: Occurrence) -> list[Occurrence]:
    """The declarations of a name."""
    return list(_meaning(workspace, occurrence).resolve(occurrence))


def find_references(workspace: OpenWorkspace, target: Occurrence) -> list[Occurrence]:
    """All references to the declarations of a name, by any of their names or ids; to the name itself if undeclared."""
    meaning = _meaning(workspace, target)
    things = {declared.thing for declared in meaning.resolve(target)}
    if not things:
        within = set(target.within)

        def is_alike(one: Occurrence) -> bool:
            return one.scope == target.scope and (not within or bool(within & set(one.within)))

        return [one for one in meaning.occurrences if not meaning.resolve(one) and is_alike(one)]
    files = filter(None, (workspace.workspace_file(path) for path in {thing[0] for thing in things}))
    declared = (one for file in files for one in occurrences(workspace, file) if one.declares and one.thing in things)
    reachable: dict[Occurrence, None] = {}
    for name in {lookup_key(one): one for one in declared}.values():
        of_name = _meaning(workspace, name)
        for one in of_name.occurrences:
            if things & {to.thing for to in of_name.resolve(one)}:
                reachable[one] = None
    return list(reachable)


def rename_set(workspace: OpenWorkspace, target: Occurrence) -> list[Occurrence]:
    """The occurrences that a rename must change: those of all its declarations, and of names tied to them."""
    meaning = _meaning(workspace, target)
    meant = set(meaning.resolve(target))
    while True:
        references = [occurrence for occurrence in meaning.occurrences if meant & set(meaning.resolve(occurrence))]
        wider = {to for occurrence in references for to in meaning.resolve(occurrence)}
        if wider <= meant:
            return list(references)
        meant |= wider


def _meaning(workspace: OpenWorkspace, target: Occurrence) -> NameResolver:
    """All occurrences that share the lookup key of one."""
    key = lookup_key(target)
    may_contain = content_filter(last_id(target.text) if target.kind in RESOURCE_KINDS else target.text)
    index, files = workspace.feature_state(SymbolIndex), workspace.workspace_files()
    by_key = (index.of_file(workspace, file)[2] for file in files if may_contain(file.data))
    return NameResolver(one for names in by_key for one in names.get(key, ()))


def content_filter(text: str) -> Callable[[bytes], bool]:
    """A filter for bytes that may contain a text, however it is quoted, escaped, folded or encoded."""
    words = [word.encode().lower() for word in _words(text) if word.isascii()]

    def may_contain(data: bytes) -> bool:
        lowered = data.lower()
        return all(word in lowered for word in words) or b"\\" in data or b"\0" in data

    return may_contain


def _span(document: Document, occurrence: Occurrence) -> Span:
    """The range of an occurrence, without quotes."""
    start, end = occurrence.chars or (0, len(occurrence.text))
    if occurrence.at_key:
        return document.key_text_span(occurrence.steps, start, end)
    return document.scalar_span(occurrence.steps, start, end)
