"""The documents of an open workspace that its trial runs use, as its texts stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Set
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

from trialrun.diagnostic import CharRange, Range, SymbolicLocation, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.parser import ParsedFile, parse
from trialrun.working_folder import absolute_path
from trialrun.workspace.catalog import BRAND_KINDS, VIEW_KINDS

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace.workspace_file import ResourceInFile, WorkspaceFile


@dataclass(frozen=True, slots=True)
class _OfText:
    """What a text declares, each document with the name of its kind in a catalog, and whether some was not read."""

    declared: tuple[tuple[str, DeclaredResource[Any]], ...]
    is_troubled: bool


@dataclass(frozen=True, eq=False)
class _Known:
    """Both catalogs as they were at a revision of the workspace, and what each text gave them."""

    revision: int
    texts: dict[str, _OfText]
    views: Catalog
    brands: BrandCatalog


@dataclass
class CatalogState:
    """The catalogs of an open workspace, and what was parsed ahead; empty until the catalogs are asked for.

    `prefetched` is what was parsed of texts before anybody asked, each at a revision of the workspace; None of one
    that is not ours.
    """

    known: _Known | None = None
    prefetched: dict[str, tuple[int, _OfText | None]] = field(default_factory=dict)


class Texts(Protocol):
    """The texts of an open workspace, with the state that is kept for its catalogs."""

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
    """The views of the workspace with what they are synced from; only texts that changed are read again."""
    return _known_texts(live).views


def brands(live: Texts) -> BrandCatalog:
    """The brands of the workspace with their configs and menus; only texts that changed are read again."""
    return _known_texts(live).brands


def last_known_brands(live: Texts) -> BrandCatalog | None:
    """The brands of the workspace as they were when they were last asked for; None if nobody did."""
    known = live.catalogs.known
    return None if known is None else known.brands


def share(live: Texts, copy: Texts) -> None:
    """Let a copy of a workspace begin with the catalogs of the other, where there are some."""
    copy.catalogs.known = live.catalogs.known


def outdated_paths(live: Texts) -> set[str]:
    """The paths of the texts that have not been read as they are now; the catalogs wait for these when asked for."""
    known, ahead = live.catalogs.known, live.catalogs.prefetched
    paths = live.paths & live.changed_after(known.revision) if known else live.paths
    return {path for path in paths if path not in ahead or live.changed_at(path) > ahead[path][0]}


def prefetch(live: Texts, path: str) -> WorkspaceFile | None:
    """Read what a text declares before the catalogs are asked for; the text, if there is one."""
    reading = next(live.workspace_files([path]), None)
    live.catalogs.prefetched[path] = live.revision, _of_text(live, reading) if reading else None
    return reading


def transfer(live: Texts, other: Texts) -> None:
    """Let another workspace have what was read of those texts that are the same there."""
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
    """What some texts declare; those of which nothing was read ahead, or that changed since, are read now.

    What is read stays read where a question is left halfway.
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
    """The catalogs where some texts have changed; one that these have no part in stays, with all that it remembers."""
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
        views=made.views if is_troubled or kinds & {*VIEW_KINDS.values()} else known.views,
        brands=made.brands if is_troubled or kinds & {*BRAND_KINDS.values()} else known.brands,
    )


def _of_text(live: Texts, reading: WorkspaceFile) -> _OfText:
    live.report_activity(reading.path)
    troubled = bool(reading.parsed.errors) and bool(reading.resources or not reading.parsed.documents)
    declared = tuple(_declared(live, reading))
    live.report_activity(None)
    return _OfText(declared, troubled)


def _build_known(live: Texts, texts: dict[str, _OfText]) -> _Known:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog

    found: dict[str, list[Any]] = {name: [] for name in (*VIEW_KINDS.values(), *BRAND_KINDS.values())}
    for path in sorted(texts):
        for kind, document in texts[path].declared:
            found[kind].append(document)
    troubled = [path for path in sorted(texts) if texts[path].is_troubled]
    of_views = {name: found[name] for name in VIEW_KINDS.values()}
    of_brands = {name: found[name] for name in BRAND_KINDS.values()}
    return _Known(
        live.revision,
        texts,
        Catalog(**of_views, unreadable_paths=troubled),
        BrandCatalog(**of_brands, schema_for=_types(live), unreadable_paths=troubled),
    )


def _declared(live: Texts, reading: WorkspaceFile) -> Iterator[tuple[str, DeclaredResource[Any]]]:
    """The documents of a text that a catalog has, each with the name of its kind there."""
    from trialrun.runtime.declaration import DeclaredResource

    names, folder = {**VIEW_KINDS, **BRAND_KINDS}, os.path.dirname(absolute_path(reading.path))
    for part in reading.resources:
        if part.kind in names:
            index, locate = part.document.index, _locating(live, reading, part)
            yield (
                names[part.kind],
                DeclaredResource(part.model.node, reading.path, folder, index, locate, json_pointer(part.root)),
            )


def _locating(live: Texts, reading: WorkspaceFile, part: ResourceInFile) -> Callable[[SymbolicLocation], Range]:
    """The way from a place of a model to its lines; the tree of the text is not kept for it, but read again."""
    data, path, index, fitted = reading.data, reading.path, part.document.index, part.model
    source = ref(live)

    def locate(place: SymbolicLocation) -> Range:
        tree = _tree(source(), path, data)
        document = next(document for document in tree.documents if document.index == index)
        chars = place.chars if isinstance(place, CharRange) else None
        return positions.range_of(tree.source, positions.span_of(document, fitted.path(place), chars=chars))

    return locate


def _tree(live: Texts | None, path: str, data: bytes) -> ParsedFile:
    reading = live.workspace_file(path) if live else None
    return reading.parsed if reading and reading.data == data else parse(data, path)


def _types(live: Texts) -> Callable[[str], Schema]:
    """The types that a workspace declares, without keeping it."""
    source = ref(live)

    def types(path: str) -> Schema:
        live = source()
        if live is None:
            raise LookupError(path)
        return live.session_types(path)

    return types
