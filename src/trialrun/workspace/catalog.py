"""The documents of a workspace that its trial runs go by, as the runtime asks for them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Range, json_pointer
from trialrun.lint import placing
from trialrun.model.fit import Fitted, fit
from trialrun.model.kinds import kind_of, model_of
from trialrun.runtime.declared import Catalog, Declared
from trialrun.tree import Document, Tree, read
from trialrun.workspace.reading import Unread

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.workspace.check import Request

KINDS = {
    "FeatureView": "views",
    "FeatureOnlineStore": "stores",
    "FeatureGroupTable": "groups",
    "Source": "sources",
}


def catalog(request: Request) -> Catalog:
    """The catalog of the whole workspace of a request; what fits no model is left out of the documents."""
    found: dict[str, list[Any]] = {name: [] for name in KINDS.values()}
    troubled: list[str] = []
    for path, tree in _trees(request, ()):
        ours = list(_declared(tree, request, KINDS)) if tree else []
        for kind, one in ours:
            found[KINDS[kind]].append(one)
        if tree is None or (tree.troubles and (ours or not tree.documents)):
            troubled.append(path)
    return Catalog(**found, troubled=troubled)


def scenarios(request: Request) -> list[Declared[Scenario]]:
    """The scenarios in the paths of a request, or in its whole workspace, in the order of path and document."""
    return [one for _, one in declared(request, ("Scenario",), request.paths)]


def declared(
    request: Request, kinds: Collection[str], paths: Sequence[str] = ()
) -> Iterator[tuple[str, Declared[Any]]]:
    """The documents of some kinds, each with its kind, in some paths or in the whole workspace. Raises UnknownPath."""
    for _, tree in _trees(request, paths):
        if tree:
            yield from _declared(tree, request, kinds)


def _trees(request: Request, paths: Sequence[str]) -> Iterator[tuple[str, Tree | None]]:
    """Every file that may have something of ours: its path, and what was read of it, None where nothing could be."""
    files = request.files
    for one in files.found(paths):
        data = files.read(one)
        if isinstance(data, bytes):
            yield one.shown, read(data, one.shown)
        elif isinstance(data, Unread):
            yield one.shown, None


def _declared(tree: Tree, request: Request, kinds: Collection[str]) -> Iterator[tuple[str, Declared[Any]]]:
    by_path = request.profiles.kind_by_glob(tree.source.path)
    for document in tree.documents:
        listed = isinstance(document.value, list)
        for index, value in enumerate(document.value if listed else [document.value]):
            kind = kind_of(value, by_path=by_path)
            if kind is not None and kind in kinds:
                root = (index,) if listed else ()
                fitted = fit(value, model_of(kind), root=root)
                yield kind, _one(fitted, tree, document, json_pointer(root))


def _one(fitted: Fitted, tree: Tree, document: Document, pointer: str) -> Declared[Any]:
    path = tree.source.path

    def locate(place: Place) -> Range:
        return placing.range_of(tree.source, placing.span_at(document, fitted.path(place)))

    folder = os.path.dirname(os.path.abspath(path))
    return Declared(fitted.node, path, folder, document.index, locate, pointer)
