"""Index of the names of an open workspace, collected from the files that may have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from trialrun.lsp.results import Location
from trialrun.lsp.symbols.collect import collect_occurrences
from trialrun.lsp.symbols.occurrence import RESOURCE_KINDS, NameKind, NameResolver, Occurrence, lookup_key
from trialrun.lsp.symbols.text_references import ResolutionContext
from trialrun.parser import Document
from trialrun.text import Span
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

State = tuple[int, int, Any]
ByKey = dict[tuple[NameKind, str], list[Occurrence]]

_words = re.compile(r"[^\s'\\]+").findall


class SymbolIndex:
    """The occurrences in each file of a workspace, with what they were collected from."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[State, tuple[Occurrence, ...], ByKey]] = {}


def occurrences(workspace: OpenWorkspace, file: WorkspaceFile) -> tuple[Occurrence, ...]:
    """The names that one text declares and uses."""
    return _collect_occurrences(workspace, file)[1]


def _collect_occurrences(workspace: OpenWorkspace, file: WorkspaceFile) -> tuple[State, tuple[Occurrence, ...], ByKey]:
    known = workspace.feature_state(SymbolIndex).files
    context = ResolutionContext(workspace, file.path)
    state = _state(workspace, file, context)
    of_file = known.get(file.path)
    if of_file is None or of_file[0] != state:
        workspace.report_activity(file.path)
        occurrences = tuple(
            occurrence for part in file.resources for occurrence in collect_occurrences(part, file.path, context)
        )
        workspace.report_activity(None)
        by_key: ByKey = {}
        for occurrence in occurrences:
            by_key.setdefault(lookup_key(occurrence), []).append(occurrence)
        of_file = known[file.path] = (state, occurrences, by_key)
    return of_file


def _state(workspace: OpenWorkspace, file: WorkspaceFile, context: ResolutionContext) -> State:
    """The state that the names of a text depend on: its bytes, session types, and menus for sessions."""
    has_sessions = b"cenario" in file.data or file.kind_by_path == "Scenario"  # must not need the syntax tree
    return hash(file.data), hash(context.types), (brands(workspace), views(workspace)) if has_sessions else None


def occurrence_at(workspace: OpenWorkspace, path: str, offset: int) -> Occurrence | None:
    """The name at an offset; of several, the shortest."""
    file = workspace.workspace_file(path)
    node_at_offset = file.node_at(offset) if file else None
    if file is None or node_at_offset is None:
        return None
    there = node_at_offset.document.index, node_at_offset.path, node_at_offset.is_key
    here = [
        occurrence
        for occurrence in occurrences(workspace, file)
        if (occurrence.document, occurrence.steps, occurrence.at_key) == there
    ]
    spans = [(_span(node_at_offset.document, occurrence), occurrence) for occurrence in here]
    around = [(span.end - span.start, at) for at, (span, _) in enumerate(spans) if span.start <= offset <= span.end]
    return spans[min(around)[1]][1] if around else None


def location_of(workspace: OpenWorkspace, occurrence: Occurrence) -> Location | None:
    """The location of an occurrence; None if the file has changed since."""
    file = workspace.workspace_file(occurrence.path)
    documents = file.parsed.documents if file else []
    document = next((document for document in documents if document.index == occurrence.document), None)
    if file is None or document is None:
        return None
    return Location(occurrence.path, file.range(_span(document, occurrence)))


def declarations(workspace: OpenWorkspace, occurrence: Occurrence) -> list[Occurrence]:
    """The declarations of a name."""
    return list(_meaning(workspace, occurrence).resolve(occurrence))


def find_references(workspace: OpenWorkspace, target: Occurrence) -> list[Occurrence]:
    """All references to the declarations of a name, by any of their names or ids; to the name itself if undeclared."""
    meaning = _meaning(workspace, target)
    things = {occurrence.thing for occurrence in meaning.resolve(target)}
    if not things:
        return [
            occurrence
            for occurrence in meaning.occurrences
            if not meaning.resolve(occurrence) and _is_alike(target, occurrence)
        ]
    names = {
        lookup_key(occurrence): occurrence
        for path in {thing[0] for thing in things}
        for occurrence in _of(workspace, path, things)
    }
    reachable: dict[Occurrence, None] = {}
    for name in names.values():
        of_name = _meaning(workspace, name)
        reachable.update(
            dict.fromkeys(
                occurrence
                for occurrence in of_name.occurrences
                if things & {to.thing for to in of_name.resolve(occurrence)}
            )
        )
    return list(reachable)


def _is_alike(occurrence: Occurrence, other: Occurrence) -> bool:
    return other.scope == occurrence.scope and (
        not occurrence.within or bool(set(occurrence.within) & set(other.within))
    )


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


def _of(workspace: OpenWorkspace, path: str, things: Collection[object]) -> Iterable[Occurrence]:
    file = workspace.workspace_file(path)
    return (
        [
            occurrence
            for occurrence in occurrences(workspace, file)
            if occurrence.declares and occurrence.thing in things
        ]
        if file
        else []
    )


def _meaning(workspace: OpenWorkspace, target: Occurrence) -> NameResolver:
    """All occurrences that share the lookup key of one."""
    key = lookup_key(target)
    may_contain = content_filter(last_id(target.text) if target.kind in RESOURCE_KINDS else target.text)
    files = (file for file in workspace.workspace_files() if may_contain(file.data))
    return NameResolver(
        occurrence for file in files for occurrence in _collect_occurrences(workspace, file)[2].get(key, ())
    )


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
