"""The documents that one store goes by, out of a workspace whose other files are only looked through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lint.file_result import HIDE_OTHERS
from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
from trialrun.runtime.channel_config.layers import unapplied
from trialrun.runtime.declaration import NotDeclared
from trialrun.values.resource_name import last_id
from trialrun.workspace.catalog import declared_in
from trialrun.workspace.kind_scan import declared_kinds, may_hide_a_name
from trialrun.workspace.read_file import Unread
from trialrun.workspace.related_files import unbroken

if TYPE_CHECKING:
    from trialrun.parser import Tree
    from trialrun.runtime.declaration import Declared
    from trialrun.workspace.check import Request
    from trialrun.workspace.discovery import Found

MOST_NAMES = 10
Wanted = Callable[["Found", bytes], bool]


def one_store(request: Request, name: str) -> tuple[BrandCatalog, StoreOfBrand]:
    """A store, and a catalog of all brands and of the configs that the store and its brand name. Raises NotDeclared.

    Every file is read and only the few that may matter are parsed: those that declare a brand, and those that have one
    of the names in them, or may hide it.
    """
    reading = _Reading(request)
    brands = list(reading.documents("Brand", lambda found, data: "Brand" in _kinds(request, found, data)))
    try:
        store = BrandCatalog(brands=brands).store(name)
    except NotDeclared as error:
        unread = f"; trialrun check says what cannot be read in {', '.join(reading.troubled[:MOST_NAMES])}"
        raise NotDeclared(f"{error}{unread if reading.troubled else ''}", known=error.known) from error
    named = unapplied(store, BrandCatalog(brands=[store.brand]))  # without configs, these are all that are named
    parts = sorted({unbroken(last_id(one.name)).encode("utf-8", "surrogatepass") for one in named})
    configs = list(reading.documents("ChannelConfig", lambda found, data: _may_have(data, parts)))
    catalog = BrandCatalog(brands=brands, configs=configs, troubled=reading.troubled)
    return catalog, catalog.store(name)


def _kinds(request: Request, found: Found, data: bytes) -> set[str]:
    return declared_kinds(data, by_path=request.profiles.kind_by_glob(found.shown))


def _may_have(data: bytes, parts: Sequence[bytes]) -> bool:
    return any(part in data for part in parts) or may_hide_a_name(data)


class _Reading:
    """The files of a workspace, each parsed at most once; `troubled` are the paths of which a part was not read."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._trees: dict[str, Tree] = {}
        self.troubled: list[str] = []

    def documents(self, kind: str, wanted: Wanted) -> Iterator[Declared[Any]]:
        """The documents of a kind in the files that are wanted, in the order of path and document."""
        for found in self._request.files.found(()):
            tree = self._tree(found, wanted)
            ours = list(declared_in(tree, self._request, (kind,))) if tree else []
            if tree and any(one.rule in HIDE_OTHERS for one in tree.troubles) and found.shown not in self.troubled:
                self.troubled.append(found.shown)
            yield from (one for _, one in ours)

    def _tree(self, found: Found, wanted: Wanted) -> Tree | None:
        from trialrun.parser import read

        data = self._request.files.read(found)
        if isinstance(data, Unread) and found.shown not in self.troubled:
            self.troubled.append(found.shown)
        if not isinstance(data, bytes) or not wanted(found, data):
            return None
        if found.shown not in self._trees:
            self._trees[found.shown] = read(data, found.shown)
        return self._trees[found.shown]
