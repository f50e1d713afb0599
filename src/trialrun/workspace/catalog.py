"""The documents of a workspace that its trial runs go by, as the runtime asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Inside, Place, Range, json_pointer
from trialrun.lint import positions
from trialrun.model.kinds import model_of
from trialrun.model.validate import Fitted, fit
from trialrun.model.wrapper import resources
from trialrun.parser import Document, Tree, read
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.declaration import Catalog, Declared
from trialrun.workspace.read_file import Unread

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.values.cel import Schema
    from trialrun.workspace.check import Request

OF_VIEWS = {
    "FeatureView": "views",
    "FeatureOnlineStore": "stores",
    "FeatureGroupTable": "groups",
    "Source": "sources",
}
OF_BRANDS = {"Brand": "brands", "ChannelConfig": "configs", "Menu": "menus", "SessionSchema": "schemas"}


def catalog(request: Request) -> Catalog:
    """The catalog of the whole workspace of a request; what fits no model is left out of the documents."""
    found, troubled = _found(request, OF_VIEWS)
    return Catalog(**found, troubled=troubled)


def brands(request: Request) -> BrandCatalog:
    """The brands of the whole workspace of a request, with their configs and menus."""
    found, troubled = _found(request, OF_BRANDS)
    return BrandCatalog(**found, types=_types(request), troubled=troubled)


def everything(request: Request) -> tuple[Catalog, BrandCatalog]:
    """Both catalogs of the whole workspace, with every file read once."""
    found, troubled = _found(request, {**OF_VIEWS, **OF_BRANDS})
    of_views = {name: found[name] for name in OF_VIEWS.values()}
    of_brands = {name: found[name] for name in OF_BRANDS.values()}
    return Catalog(**of_views, troubled=troubled), BrandCatalog(**of_brands, types=_types(request), troubled=troubled)


def _found(request: Request, kinds: Mapping[str, str]) -> tuple[dict[str, list[Any]], list[str]]:
    """The documents of some kinds by the names of these, and the paths of files that may have more of them."""
    found: dict[str, list[Any]] = {name: [] for name in kinds.values()}
    troubled: list[str] = []
    for path, tree in _trees(request, ()):
        ours = list(declared_in(tree, request, kinds)) if tree else []
        for kind, one in ours:
            found[kinds[kind]].append(one)
        if tree is None or (tree.troubles and (ours or not tree.documents)):
            troubled.append(path)
    return found, troubled


def _types(request: Request) -> Callable[[str], Schema]:
    """The types that the conditions of a file may read: those that the linter checks them against."""
    sessions = request.linting().sessions

    def types(path: str) -> Schema:
        return sessions.of(request.profiles.of(path).session_schema).types.schema

    return types


def scenarios(request: Request) -> list[Declared[Scenario]]:
    """The scenarios in the paths of a request, or in its whole workspace, in the order of path and document."""
    return [one for _, one in declared(request, ("Scenario",), request.paths)]


def declared(
    request: Request, kinds: Collection[str], paths: Sequence[str] = ()
) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of some kinds, each with its kind, in some paths or in the whole workspace. Raises UnknownPath."""
    for _, tree in _trees(request, paths):
        if tree:
            yield from declared_in(tree, request, kinds)


def _trees(request: Request, paths: Sequence[str]) -> Iterator[tuple[str, Tree | None]]:
    """Every file that may have something of ours: its path, and what was read of it, None where nothing could be."""
    files = request.files
    for one in files.found(paths):
        data = files.read(one)
        if isinstance(data, bytes):
            yield one.shown, read(data, one.shown)
        elif isinstance(data, Unread):
            yield one.shown, None


def declared_in(tree: Tree, request: Request, kinds: Collection[str]) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of some kinds in a file, each with its kind."""
    by_path = request.profiles.kind_by_glob(tree.source.path)
    for document in tree.documents:
        for kind, root, value in resources(document.value, by_path=by_path):
            if kind in kinds:
                fitted = fit(value, model_of(kind), root=root)
                yield kind, declaration(fitted, tree, document, json_pointer(root))


def declaration(fitted: Fitted, tree: Tree, document: Document, pointer: str) -> Declared[Any]:
    """A resource of a file with the places of its parts."""
    path = tree.source.path

    def locate(place: Place) -> Range:
        chars = place.chars if isinstance(place, Inside) else None
        return positions.range_of(tree.source, positions.span_at(document, fitted.path(place), chars=chars))

    folder = os.path.dirname(os.path.abspath(path))
    return Declared(fitted.node, path, folder, document.index, locate, pointer)
