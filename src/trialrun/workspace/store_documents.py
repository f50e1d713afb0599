"""Loads the documents of one store; other files of the workspace are only scanned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lint.file_result import MASKING_RULES
from trialrun.runtime.channel_config.catalog import BrandCatalog, DeclaredStore
from trialrun.runtime.channel_config.layers import unapplied
from trialrun.runtime.declaration import UndeclaredError
from trialrun.values.resource_name import last_id
from trialrun.workspace.catalog import declared_resources_in
from trialrun.workspace.kind_scan import declared_kinds, may_hide_a_name
from trialrun.workspace.read_file import UnreadableFile
from trialrun.workspace.related_files import longest_verbatim_part

if TYPE_CHECKING:
    from trialrun.parser import ParsedFile
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.discovery import DiscoveredFile

MAX_NAMES = 10
FileFilter = Callable[["DiscoveredFile", bytes], bool]


def load_store(request: CheckRequest, name: str) -> tuple[BrandCatalog, DeclaredStore]:
    """A store, and a catalog of all brands and the configs that the store and its brand name. Raises UndeclaredError.

    Every file is scanned, but only those are parsed that declare a brand, or contain or may hide one of the names.
    """
    reading = _StoreReader(request)
    brands = list(reading.documents("Brand", lambda found, data: "Brand" in _kinds(request, found, data)))
    try:
        store = BrandCatalog(brands=brands).store(name)
    except UndeclaredError as error:
        unread = f"; run trialrun check to see what cannot be read in {', '.join(reading.troubled[:MAX_NAMES])}"
        raise UndeclaredError(f"{error}{unread if reading.troubled else ''}", candidates=error.candidates) from error
    named = unapplied(store, BrandCatalog(brands=[store.brand]))  # without configs, all names are unapplied
    parts = sorted(
        {
            longest_verbatim_part(last_id(unapplied_config.name)).encode("utf-8", "surrogatepass")
            for unapplied_config in named
        }
    )
    configs = list(reading.documents("ChannelConfig", lambda found, data: _may_have(data, parts)))
    catalog = BrandCatalog(brands=brands, configs=configs, unreadable_paths=reading.troubled)
    return catalog, catalog.store(name)


def _kinds(request: CheckRequest, discovered_file: DiscoveredFile, data: bytes) -> set[str]:
    return declared_kinds(data, by_path=request.profiles.kind_by_glob(discovered_file.display_path))


def _may_have(data: bytes, parts: Sequence[bytes]) -> bool:
    return any(part in data for part in parts) or may_hide_a_name(data)


class _StoreReader:
    """The files of a workspace, each parsed at most once; `troubled` are those that could not be fully read."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._trees: dict[str, ParsedFile] = {}
        self.troubled: list[str] = []

    def documents(self, kind: str, wanted: FileFilter) -> Iterator[DeclaredResource[Any]]:
        """The documents of a kind in the wanted files, sorted by path and document."""
        for discovered_file in self._request.files.find(()):
            tree = self._tree(discovered_file, wanted)
            ours = list(declared_resources_in(tree, self._request, (kind,))) if tree else []
            if (
                tree
                and any(error.rule in MASKING_RULES for error in tree.errors)
                and discovered_file.display_path not in self.troubled
            ):
                self.troubled.append(discovered_file.display_path)
            yield from (our for _, our in ours)

    def _tree(self, discovered_file: DiscoveredFile, wanted: FileFilter) -> ParsedFile | None:
        from trialrun.parser import parse

        data = self._request.files.read(discovered_file)
        if isinstance(data, UnreadableFile) and discovered_file.display_path not in self.troubled:
            self.troubled.append(discovered_file.display_path)
        if not isinstance(data, bytes) or not wanted(discovered_file, data):
            return None
        if discovered_file.display_path not in self._trees:
            self._trees[discovered_file.display_path] = parse(data, discovered_file.display_path)
        return self._trees[discovered_file.display_path]
