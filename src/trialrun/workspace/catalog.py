"""Catalogs of the documents of a workspace, for trial runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Range, SymbolicLocation, json_pointer
from trialrun.lint import positions
from trialrun.lint.file_result import MASKING_RULES
from trialrun.model.kinds import declared_kinds, may_hide_a_name, model_of
from trialrun.model.validate import validate
from trialrun.model.validated import ValidatedModel
from trialrun.model.wrapper import resources
from trialrun.parser import ParsedFile, parse
from trialrun.runtime.channel_config.layers import unapplied
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource, DeclaredStore, UndeclaredError
from trialrun.terraform import is_terraform_path
from trialrun.values.resource_name import last_id
from trialrun.working_folder import absolute_path
from trialrun.workspace.file_system import UnreadableFile
from trialrun.workspace.related_files import longest_verbatim_part

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.values.cel import Schema
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.discovery import DiscoveredFile


VIEW_KINDS = {
    "FeatureView": "views",
    "FeatureOnlineStore": "stores",
    "FeatureGroupTable": "groups",
    "Source": "sources",
}
BRAND_KINDS = {"Brand": "brands", "ChannelConfig": "configs", "Menu": "menus", "SessionSchema": "schemas"}
MAX_LOCATED = 16
"""Files that are kept parsed, for the places of what they declare."""
KindAndResource = tuple[str, DeclaredResource[Any]]


def catalog(request: CheckRequest) -> Catalog:
    """The catalog of views of the whole workspace, without invalid values."""
    return view_catalog(*_collect(request, VIEW_KINDS))


def brands(request: CheckRequest) -> BrandCatalog:
    """The brands of the whole workspace with their configs and menus."""
    return brand_catalog(*_collect(request, BRAND_KINDS), session_types(request))


def both_catalogs(request: CheckRequest) -> tuple[Catalog, BrandCatalog]:
    """Both catalogs of the whole workspace; every file is read once."""
    documents, troubled = _collect(request, {**VIEW_KINDS, **BRAND_KINDS})
    return view_catalog(documents, troubled), brand_catalog(documents, troubled, session_types(request))


def view_catalog(documents: Iterable[KindAndResource], troubled: Sequence[str] = ()) -> Catalog:
    """The catalog of the views among some documents; `troubled` are the paths of files that may hold unread ones."""
    return Catalog(**_by_name(documents, VIEW_KINDS), unreadable_paths=troubled)


def brand_catalog(
    documents: Iterable[KindAndResource], troubled: Sequence[str], schema_for: Callable[[str], Schema]
) -> BrandCatalog:
    """The catalog of the brands among some documents; `troubled` are the paths of files that may hold unread ones."""
    return BrandCatalog(**_by_name(documents, BRAND_KINDS), schema_for=schema_for, unreadable_paths=troubled)


def _by_name(documents: Iterable[KindAndResource], names: Mapping[str, str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in names.values()}
    for kind, resource in sorted(
        documents, key=lambda document: is_terraform_path(document[1].path)
    ):  # the first counts
        if kind in names:
            found[names[kind]].append(resource)
    return found


def _collect(request: CheckRequest, kinds: Collection[str]) -> tuple[list[KindAndResource], list[str]]:
    """The documents of some kinds, and the paths of files that may hold unread ones."""
    found: list[KindAndResource] = []
    troubled: list[str] = []
    for path, data, parsed in parsed_files(request, ()):
        ours = list(declared_resources_in(parsed, data, request, kinds)) if parsed else []
        found += ours
        if parsed is None or (parsed.errors and (ours or not parsed.documents)):
            troubled.append(path)
    return found, troubled


def session_types(request: CheckRequest) -> Callable[[str], Schema]:
    """The session types for the conditions of a file, the same as for the linter."""
    from trialrun.workspace.lint_files import FileLinter

    linter = FileLinter(request)
    sessions = linter.sessions
    linter.close()

    def types(path: str) -> Schema:
        return sessions.schemas_for(request.profiles.of(path).session_schema).types.schema

    return types


def scenarios(request: CheckRequest) -> list[DeclaredResource[Scenario]]:
    """The scenarios in the paths of a request, or in its whole workspace, sorted by path and document."""
    return [resource for _, resource in declared_resources(request, ("Scenario",), request.paths)]


def declared_resources(
    request: CheckRequest, kinds: Collection[str], paths: Sequence[str] = ()
) -> Iterator[KindAndResource]:
    """The documents of some kinds with their kind, in some paths or the whole workspace. Raises UnknownPath."""
    for _, data, parsed in parsed_files(request, paths):
        if parsed:
            yield from declared_resources_in(parsed, data, request, kinds)


def parsed_files(request: CheckRequest, paths: Sequence[str]) -> Iterator[tuple[str, bytes, ParsedFile | None]]:
    """Every file that may contain our documents: its path, its bytes and its content, None if it is unreadable."""
    files = request.files
    for file in files.find(paths):
        data = files.read(file)
        if isinstance(data, bytes):
            yield file.display_path, data, parse(data, file.display_path)
        elif isinstance(data, UnreadableFile):
            yield file.display_path, b"", None


def declared_resources_in(
    parsed: ParsedFile, data: bytes, request: CheckRequest, kinds: Collection[str]
) -> Iterator[KindAndResource]:
    """The documents of some kinds in a file of these bytes, each with its kind."""
    by_path = request.profiles.kind_by_glob(parsed.source.path)
    for document in parsed.documents:
        for kind, root, value in resources(document.value, by_path=by_path):
            if kind in kinds:
                fitted = validate(value, model_of(kind), root=root)
                fitted.share_equal_parts()
                yield kind, _declaration(fitted, data, parsed.source.path, document.index, json_pointer(root))


def _declaration(fitted: ValidatedModel, data: bytes, path: str, index: int, pointer: str) -> DeclaredResource[Any]:
    """A resource of a file; the file is parsed again when the locations of its parts are asked for."""

    def locate(place: SymbolicLocation) -> Range:
        parsed = _parsed_again(data, path)
        document = next(document for document in parsed.documents if document.index == index)
        return positions.range_of(parsed.source, positions.span_of(document, fitted.path(place), chars=place.chars))

    folder = os.path.dirname(absolute_path(path))
    return DeclaredResource(fitted.node, path, folder, index, locate, pointer)


@lru_cache(MAX_LOCATED)
def _parsed_again(data: bytes, path: str) -> ParsedFile:
    """The documents of a file with their places: of thousands of files, these would take most of the memory."""
    return parse(data, path)


def forget_places() -> None:
    """Keep no file parsed any more: its places are found again when they are asked for."""
    _parsed_again.cache_clear()


MAX_NAMES = 10
FileFilter = Callable[["DiscoveredFile", bytes], bool]


def load_store(request: CheckRequest, name: str) -> tuple[BrandCatalog, DeclaredStore]:
    """A store, and a catalog of all brands and the configs that the store and its brand name. Raises UndeclaredError.

    Every file is scanned, but only those are parsed that declare a brand, or contain or may hide one of the names.
    """
    reading, kind_of = _StoreReader(request), request.profiles.kind_by_glob

    def may_declare_brand(file: DiscoveredFile, data: bytes) -> bool:
        return "Brand" in declared_kinds(data, by_path=kind_of(file.display_path))

    def may_name_one(file: DiscoveredFile, data: bytes) -> bool:
        return any(part in data for part in parts) or may_hide_a_name(data)

    brands = list(reading.documents("Brand", may_declare_brand))
    try:
        store = BrandCatalog(brands=brands).store(name)
    except UndeclaredError as error:
        unread = f"; run trialrun check to see what cannot be read in {', '.join(reading.troubled[:MAX_NAMES])}"
        raise UndeclaredError(f"{error}{unread if reading.troubled else ''}", candidates=error.candidates) from error
    named = unapplied(store, BrandCatalog(brands=[store.brand]))  # without configs, all names are unapplied
    ids = {longest_verbatim_part(last_id(config.name)) for config in named}
    parts = [part.encode("utf-8", "surrogatepass") for part in sorted(ids)]
    configs = list(reading.documents("ChannelConfig", may_name_one))
    catalog = BrandCatalog(brands=brands, configs=configs, unreadable_paths=reading.troubled)
    return catalog, catalog.store(name)


class _StoreReader:
    """The files of a workspace, each parsed at most once; `troubled` are those that could not be fully read."""

    def __init__(self, request: CheckRequest) -> None:
        self._request, self._files = request, request.files
        self._parsed_files: dict[str, tuple[ParsedFile, bytes]] = {}
        self.troubled: list[str] = []

    def documents(self, kind: str, wanted: FileFilter) -> Iterator[DeclaredResource[Any]]:
        """The documents of a kind in the wanted files, sorted by path and document."""
        for discovered_file in self._files.find(()):
            parsed = self._parsed(discovered_file, wanted)
            ours = list(declared_resources_in(*parsed, self._request, (kind,))) if parsed else []
            if (
                parsed
                and any(error.rule in MASKING_RULES for error in parsed[0].errors)
                and discovered_file.display_path not in self.troubled
            ):
                self.troubled.append(discovered_file.display_path)
            yield from (our for _, our in ours)

    def _parsed(self, discovered_file: DiscoveredFile, wanted: FileFilter) -> tuple[ParsedFile, bytes] | None:
        data = self._files.read(discovered_file)
        if isinstance(data, UnreadableFile) and discovered_file.display_path not in self.troubled:
            self.troubled.append(discovered_file.display_path)
        if not isinstance(data, bytes) or not wanted(discovered_file, data):
            return None
        if discovered_file.display_path not in self._parsed_files:
            self._parsed_files[discovered_file.display_path] = parse(data, discovered_file.display_path), data
        return self._parsed_files[discovered_file.display_path]
