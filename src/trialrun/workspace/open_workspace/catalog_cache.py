"""Catalogs of an open workspace, updated when texts change."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol
from weakref import ref

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint import positions
from trialrun.parser import parse
from trialrun.runtime.declaration import DeclaredResource
from trialrun.working_folder import absolute_path
from trialrun.workspace.catalog import BRAND_KINDS, VIEW_KINDS, KindAndResource, brand_catalog, view_catalog

if TYPE_CHECKING:
    from trialrun.runtime.declaration import BrandCatalog, Catalog
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace.workspace_file import ResourceInFile, WorkspaceFile


@dataclass(frozen=True, slots=True)
class _OfText:
    """The documents declared in a text, each with its kind; and whether a part could not be read."""

    declared: tuple[KindAndResource, ...]
    is_troubled: bool


@dataclass(frozen=True, eq=False)
class _Known:
    """Both catalogs at a revision of the workspace, and the documents of each text."""

    revision: int
    texts: dict[str, _OfText]
    views: Catalog
    brands: BrandCatalog


@dataclass
class CatalogState:
    """The catalogs of an open workspace, and prefetched documents; empty until they are needed.

    `prefetched` are the documents of texts, each at a revision of the workspace; None for unrelated files.
    """

    known: _Known | None = None
    prefetched: dict[str, tuple[int, _OfText | None]] = field(default_factory=dict)


class Texts(Protocol):
    """The texts of an open workspace, with the state of its catalogs."""

    catalogs: CatalogState
    revision: int
    report_activity: Callable[[str | None], None]

    @property
    def paths(self) -> Set[str]: ...
    def changed_at(self, path: str) -> int: ...
    def changed_after(self, revision: int) -> set[str]: ...
    def file_signatures(self) -> dict[str, object]: ...
    def session_types(self, path: str) -> Schema: ...
    def workspace_file(self, path: str) -> WorkspaceFile | None: ...
    def workspace_files(self, paths: Collection[str] | None = None) -> Iterator[WorkspaceFile]: ...


def views(live: Texts) -> Catalog:
    """The views of the workspace with their sources; only changed texts are parsed again."""
    return _known_texts(live).views


def brands(live: Texts) -> BrandCatalog:
    """The brands of the workspace with their configs and menus; only changed texts are parsed again."""
    return _known_texts(live).brands


def last_known_brands(live: Texts) -> BrandCatalog | None:
    """The brands at the time of the last request; None if there was none."""
    known = live.catalogs.known
    return None if known is None else known.brands


def outdated_paths(live: Texts) -> set[str]:
    """The paths of texts that have changed since they were read for the catalogs."""
    known, ahead = live.catalogs.known, live.catalogs.prefetched
    paths = live.paths & live.changed_after(known.revision) if known else live.paths
    return {path for path in paths if path not in ahead or live.changed_at(path) > ahead[path][0]}


def prefetch(live: Texts, path: str) -> WorkspaceFile | None:
    """Read the documents of a text before the catalogs need them; returns the text, if there is one."""
    reading = next(live.workspace_files([path]), None)
    live.catalogs.prefetched[path] = live.revision, _of_text(live, reading) if reading else None
    return reading


def transfer(live: Texts, other: Texts) -> None:
    """Copy what was read of texts that are identical in another workspace."""
    state, live.catalogs = live.catalogs, CatalogState()
    ahead = state.prefetched
    if known := state.known:
        ahead = {path: (known.revision, text) for path, text in known.texts.items()}
    before, after = live.file_signatures(), other.file_signatures()
    other.catalogs.prefetched = {
        path: (other.revision, entry)
        for path, (at, entry) in ahead.items()
        if live.changed_at(path) <= at and before.get(path) == after.get(path)
    }


def _known_texts(live: Texts) -> _Known:
    known = live.catalogs.known
    if known is None:
        known = live.catalogs.known = _build_known(live, _texts(live, live.paths))
    elif known.revision != live.revision:
        known = live.catalogs.known = _again(live, known)
    return known


def _texts(live: Texts, paths: Set[str]) -> dict[str, _OfText]:
    """The documents of some texts; those that were not prefetched are read now.

    Texts read so far are kept if the request is cancelled.
    """
    ahead = live.catalogs.prefetched
    fresh = {path for path, (at, _) in ahead.items() if live.changed_at(path) <= at}
    for reading in live.workspace_files(paths - fresh):
        ahead[reading.path] = live.revision, _of_text(live, reading)
        fresh.add(reading.path)
    live.catalogs.prefetched = {}
    known = fresh & paths
    return {path: entry for path, (_, entry) in ahead.items() if path in known and entry is not None}


def _again(live: Texts, known: _Known) -> _Known:
    """The catalogs after changes of some texts; an unaffected catalog stays, with everything cached in it."""
    changed = live.changed_after(known.revision)
    new = _texts(live, changed & live.paths)
    old = {path: known.texts[path] for path in changed & known.texts.keys()}
    rest = {path: text for path, text in known.texts.items() if path not in changed}
    made = _build_known(live, rest | new)
    texts = [*old.values(), *new.values()]
    kinds = {kind for text in texts for kind, _ in text.declared}
    is_troubled = any(text.is_troubled for text in texts)
    return replace(
        made,
        views=made.views if is_troubled or kinds & VIEW_KINDS.keys() else known.views,
        brands=made.brands if is_troubled or kinds & BRAND_KINDS.keys() else known.brands,
    )


def _of_text(live: Texts, reading: WorkspaceFile) -> _OfText:
    live.report_activity(reading.path)
    troubled = bool(reading.parsed.errors) and bool(reading.resources or not reading.parsed.documents)
    declared = tuple(_declared(live, reading))
    live.report_activity(None)
    return _OfText(declared, troubled)


def _build_known(live: Texts, texts: dict[str, _OfText]) -> _Known:
    documents = [document for path in sorted(texts) for document in texts[path].declared]
    troubled = [path for path in sorted(texts) if texts[path].is_troubled]
    return _Known(
        live.revision, texts, view_catalog(documents, troubled), brand_catalog(documents, troubled, _types(live))
    )


def _declared(live: Texts, reading: WorkspaceFile) -> Iterator[KindAndResource]:
    """The documents of a text, each with its kind."""
    folder = os.path.dirname(absolute_path(reading.path))
    for part in reading.resources:
        if part.kind in VIEW_KINDS or part.kind in BRAND_KINDS:
            index, locate = part.document.index, _locating(live, reading, part)
            pointer = json_pointer(part.root)
            yield part.kind, DeclaredResource(part.model.node, reading.path, folder, index, locate, pointer)


def _locating(live: Texts, reading: WorkspaceFile, part: ResourceInFile) -> Callable[[SymbolicLocation], Range]:
    """A function that locates parts of a model; it parses the text again instead of keeping the tree."""
    data, path, index, fitted = reading.data, reading.path, part.document.index, part.model
    source = ref(live)

    def locate(place: SymbolicLocation) -> Range:
        live = source()
        reading = live.workspace_file(path) if live else None
        parsed = reading.parsed if reading and reading.data == data else parse(data, path)
        document = next(document for document in parsed.documents if document.index == index)
        return positions.range_of(parsed.source, positions.span_of(document, fitted.path(place), chars=place.chars))

    return locate


def _types(live: Texts) -> Callable[[str], Schema]:
    """A function that returns the session types of a workspace, without keeping a reference to it."""
    source = ref(live)

    def types(path: str) -> Schema:
        live = source()
        if live is None:
            raise LookupError(path)
        return live.session_types(path)

    return types
