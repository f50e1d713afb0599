"""Catalogs of the documents of a workspace, for trial runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import CharRange, Range, SymbolicLocation, json_pointer
from trialrun.lint import positions
from trialrun.model.kinds import model_of
from trialrun.model.validate import ValidatedModel, validate
from trialrun.model.wrapper import resources
from trialrun.parser import Document, ParsedFile, parse
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.working_folder import absolute_path
from trialrun.workspace.read_file import UnreadableFile

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.values.cel import Schema
    from trialrun.workspace.check_request import CheckRequest

VIEW_KINDS = {
    "FeatureView": "views",
    "FeatureOnlineStore": "stores",
    "FeatureGroupTable": "groups",
    "Source": "sources",
}
BRAND_KINDS = {"Brand": "brands", "ChannelConfig": "configs", "Menu": "menus", "SessionSchema": "schemas"}


def catalog(request: CheckRequest) -> Catalog:
    """The catalog of views of the whole workspace, without invalid values."""
    documents, troubled = _collect(request, VIEW_KINDS)
    return Catalog(**documents, unreadable_paths=troubled)


def brands(request: CheckRequest) -> BrandCatalog:
    """The brands of the whole workspace with their configs and menus."""
    documents, troubled = _collect(request, BRAND_KINDS)
    return BrandCatalog(**documents, schema_for=session_types(request), unreadable_paths=troubled)


def both_catalogs(request: CheckRequest) -> tuple[Catalog, BrandCatalog]:
    """Both catalogs of the whole workspace; every file is read once."""
    documents, troubled = _collect(request, {**VIEW_KINDS, **BRAND_KINDS})
    of_views = {name: documents[name] for name in VIEW_KINDS.values()}
    of_brands = {name: documents[name] for name in BRAND_KINDS.values()}
    return Catalog(**of_views, unreadable_paths=troubled), BrandCatalog(
        **of_brands, schema_for=session_types(request), unreadable_paths=troubled
    )


def _collect(request: CheckRequest, kinds: Mapping[str, str]) -> tuple[dict[str, list[Any]], list[str]]:
    """The documents of some kinds, grouped by the given names, and the paths of files that may contain unread ones."""
    found: dict[str, list[Any]] = {name: [] for name in kinds.values()}
    troubled: list[str] = []
    for path, tree in parsed_files(request, ()):
        ours = list(declared_resources_in(tree, request, kinds)) if tree else []
        for kind, our in ours:
            found[kinds[kind]].append(our)
        if tree is None or (tree.errors and (ours or not tree.documents)):
            troubled.append(path)
    return found, troubled


def session_types(request: CheckRequest) -> Callable[[str], Schema]:
    """The session types for the conditions of a file, the same as for the linter."""
    from trialrun.workspace.lint_files import FileLinter

    sessions = FileLinter(request).sessions

    def types(path: str) -> Schema:
        return sessions.schemas_for(request.profiles.of(path).session_schema).types.schema

    return types


def scenarios(request: CheckRequest) -> list[DeclaredResource[Scenario]]:
    """The scenarios in the paths of a request, or in its whole workspace, sorted by path and document."""
    return [resource for _, resource in declared_resources(request, ("Scenario",), request.paths)]


def declared_resources(
    request: CheckRequest, kinds: Collection[str], paths: Sequence[str] = ()
) -> Iterator[tuple[str, DeclaredResource[Any]]]:
    """The documents of some kinds with their kind, in some paths or the whole workspace. Raises UnknownPath."""
    for _, tree in parsed_files(request, paths):
        if tree:
            yield from declared_resources_in(tree, request, kinds)


def parsed_files(request: CheckRequest, paths: Sequence[str]) -> Iterator[tuple[str, ParsedFile | None]]:
    """Every file that may contain our documents: its path and its content, None if it is unreadable."""
    files = request.files
    for file in files.find(paths):
        data = files.read(file)
        if isinstance(data, bytes):
            yield file.display_path, parse(data, file.display_path)
        elif isinstance(data, UnreadableFile):
            yield file.display_path, None


def declared_resources_in(
    tree: ParsedFile, request: CheckRequest, kinds: Collection[str]
) -> Iterator[tuple[str, DeclaredResource[Any]]]:
    """The documents of some kinds in a file, each with its kind."""
    by_path = request.profiles.kind_by_glob(tree.source.path)
    for document in tree.documents:
        for kind, root, value in resources(document.value, by_path=by_path):
            if kind in kinds:
                fitted = validate(value, model_of(kind), root=root)
                yield kind, declaration(fitted, tree, document, json_pointer(root))


def declaration(fitted: ValidatedModel, tree: ParsedFile, document: Document, pointer: str) -> DeclaredResource[Any]:
    """A resource of a file with the locations of its parts."""
    path = tree.source.path

    def locate(place: SymbolicLocation) -> Range:
        chars = place.chars if isinstance(place, CharRange) else None
        return positions.range_of(tree.source, positions.span_of(document, fitted.path(place), chars=chars))

    folder = os.path.dirname(absolute_path(path))
    return DeclaredResource(fitted.node, path, folder, document.index, locate, pointer)
