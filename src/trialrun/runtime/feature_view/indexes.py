"""The indexes of the snapshots of views: made before a snapshot is served, found again by its number."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.interface import NotSearchable, Vectors
from trialrun.runtime.feature_view.index.optional_imports import require_numpy
from trialrun.runtime.feature_view.index.parameters import IndexParameters, index_parameters
from trialrun.runtime.feature_view.index.persist import CONTENTS, PARTIAL_SUFFIX, load_index, save_index
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, StoreGuard

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, IndexConfig
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex
    from trialrun.runtime.feature_view.store.interface import OnlineStore, Scan, Snapshot


def index_config(view: FeatureView) -> IndexConfig | None:
    """The index config of a view: indexConfig, else the deprecated vectorSearchConfig."""
    return view.indexConfig or view.vectorSearchConfig


def index_field(view: FeatureView) -> str:
    """The field that the index config of a view stands in, or would."""
    return "vectorSearchConfig" if view.indexConfig is None and view.vectorSearchConfig is not None else "indexConfig"


def view_index_parameters(view: FeatureView) -> IndexParameters:
    """What the index of a view is to be like. Raises NotSearchable where it has none."""
    config = index_config(view)
    if config is None:
        raise NotSearchable("the view has no indexConfig; set one with an embeddingColumn, and sync the view")
    return index_parameters(config)


class SnapshotIndexes:
    """The indexes of the snapshots of views, in a folder, or only in memory where there is none.

    `guard` is asked before files are used; so all methods may raise StoreError.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, guard: StoreGuard = FILE_GUARD) -> None:
        self._folder, self._guard = None if folder is None else Path(folder), guard
        self._kept: dict[str, tuple[object, VectorIndex]] = {}

    def before_serving(self, view: DeclaredResource[FeatureView]) -> Callable[[int, Scan], None] | None:
        """What makes the index of a snapshot before it is served; None for a view that has no index."""
        try:
            shape = view_index_parameters(view.node)
        except NotSearchable:  # which a search will say; values are served nevertheless
            return None
        return lambda number, scan: self._make(view.node.name or "", shape, number, scan)

    def load(self, view: DeclaredResource[FeatureView], snapshot: Snapshot) -> VectorIndex:
        """The index of a snapshot, from memory where it is there. Raises NotSearchable."""
        shape = view_index_parameters(view.node)
        index = self._loaded(view.node.name or "", snapshot.number)
        if index.shape != shape:
            raise NotSearchable(
                "the index was built with another index config than the view has now; sync the view again",
                steps=(index_field(view.node),),
            )
        return index

    def _make(self, name: str, shape: IndexParameters, number: int, scan: Scan) -> None:
        require_numpy()
        from trialrun.runtime.feature_view.index.vector_index import build_index

        index = build_index(Vectors(shape.columns, scan([shape.embedding, *shape.columns])), shape)
        if self._folder is None:
            self._kept[name] = (number, index)
            return
        folder = self._place(name)
        self._guard.claim()
        self._guard.refuse_links(folder)
        save_index(index, folder / str(number), key=self._guard.key())
        _remove_old_indexes(folder, number)

    def _loaded(self, name: str, number: int) -> VectorIndex:
        mark, index = self._kept.get(name, (None, None))
        if self._folder is None:
            if index is None or mark != number:
                raise NotSearchable("there is no index of the served rows; sync the view again")
            return index
        place = self._place(name) / str(number)
        identity = _file_identity(place)
        if index is None or mark is None or mark != identity:
            self._guard.check()
            self._guard.refuse_links(place)
            index = load_index(place, key=self._guard.key())
            self._kept[name] = (identity, index)
        return index

    def _place(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / sha256(name.encode()).hexdigest()[:20]


class OnDemandIndexes(SnapshotIndexes):
    """The indexes of the snapshots of a store that other machines sync: each is made when it is asked for."""

    def __init__(self, store: OnlineStore, folder: str | os.PathLike[str] | None, *, guard: StoreGuard) -> None:
        super().__init__(folder, guard=guard)
        self._store = store

    def before_serving(self, view: DeclaredResource[FeatureView]) -> Callable[[int, Scan], None] | None:
        """Nothing: whoever syncs the view may never search it."""
        return None

    def load(self, view: DeclaredResource[FeatureView], snapshot: Snapshot) -> VectorIndex:
        """The index of a snapshot, made of what is served where there is none. Raises NotSearchable."""
        shape, name, number = view_index_parameters(view.node), view.node.name or "", _identity(snapshot)
        try:
            index = self._loaded(name, number)
            if index.shape == shape:
                return index
        except NotSearchable:  # it is made now
            pass
        self._make(name, shape, number, lambda columns: self._store.scan(name, columns))
        served = self._store.snapshot(name)
        if served is None or _identity(served) != number:
            raise NotSearchable("the view was synced while its index was built; search again")
        return self._loaded(name, number)


def _identity(snapshot: Snapshot) -> int:
    """A number that no other snapshot of a view has, also where the store was emptied and began anew."""
    return int(snapshot.synced_at.timestamp()) * 10**9 + snapshot.number


def _file_identity(place: Path) -> object:
    """What tells one written index from another of the same name; None where there is none."""
    try:
        status = (place / CONTENTS).lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _remove_old_indexes(folder: Path, number: int) -> None:
    """Remove the indexes before the one that is served now, which a reader may still be on, and what kills left."""
    numbers = [int(path.name) for path in folder.iterdir() if path.name.isdecimal()]
    before = max((candidate for candidate in numbers if candidate < number), default=number)
    for path in folder.iterdir():
        if path.name.endswith(PARTIAL_SUFFIX) or (path.name.isdecimal() and int(path.name) < before):
            shutil.rmtree(path, ignore_errors=True)
