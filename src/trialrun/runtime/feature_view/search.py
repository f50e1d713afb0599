"""Nearest-neighbor search in a view: the indexes of its snapshots, a question, and the answer.

The index of a snapshot is made before that is served, and found again by its number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from trialrun.model.feature_view import FeatureView, IndexConfig
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.index.interface import (
    IndexParameters,
    NotSearchable,
    SearchRequest,
    index_parameters,
    require_numpy,
)
from trialrun.runtime.feature_view.store.guard import FILE_GUARD, StoreGuard
from trialrun.runtime.feature_view.store.interface import EntityId, NeverSynced, OnlineStore, Scan, Snapshot, Value

if TYPE_CHECKING:
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A neighbor with the values that are served for it, None where none were asked for."""

    id: EntityId
    distance: float
    values: Mapping[str, Value] | None = None


@dataclass(frozen=True)
class SearchResult:
    """The neighbors, nearest first; the recall where it was asked for; the assumption rows that applied."""

    neighbors: tuple[SearchHit, ...]
    recall: float | None = None
    assumptions: tuple[str, ...] = ()


def search(
    view: DeclaredResource[FeatureView], store: OnlineStore, indexes: SnapshotIndexes, question: SearchRequest
) -> SearchResult:
    """The nearest entities of a view's snapshot.

    Raises NeverSynced before the first sync, and NotSearchable where the view has no index, or the question does not
    fit it.
    """
    try:
        view_index_parameters(view.node)
        if not has_source(view.node):
            raise NotSearchable(
                "the view has no source, and only a sync builds an index; set a source, or fetch entities by their ids",
                steps=("embeddingColumn",),
            )
        name = view.node.name or ""
        while True:
            snapshot = store.snapshot(name)
            if snapshot is None:
                raise NeverSynced(f'"{name}" was never synced; sync it, and search again')
            try:
                answer = _search_index(indexes.load(view, snapshot), store, view.node, question)
            except NotSearchable:
                if store.snapshot(name) == snapshot:
                    raise
                continue
            if not question.returns_values or store.snapshot(name) == snapshot:
                return answer
    except NotSearchable as error:
        if error.steps and error.steps[0] != index_field(view.node):  # steps from the index config, now from the view
            error.steps = (index_field(view.node), *error.steps)
        raise


def _search_index(index: VectorIndex, store: OnlineStore, view: FeatureView, question: SearchRequest) -> SearchResult:
    if not len(index.ids) and next(iter(store.scan(view.name or "", [])), None):
        raise NotSearchable(
            "no served entity has a valid vector, so there is nothing to search; sync the view again, and read "
            "what it reports about the embeddings",
            steps=("embeddingColumn",),
        )
    if (question.entity is None) == (question.vector is None):
        raise NotSearchable("a search needs either an entity or a vector; give one of the two")
    query = question
    if question.entity is not None:
        query = replace(question, vector=index.vector(question.entity))
        if query.vector is None:
            entity_text = ", ".join(map(str, question.entity))
            raise NotSearchable(f'entity "{entity_text}" is not in the index; name a served entity with a valid vector')
    neighbors = index.search(query)
    recall = None
    if question.measures_recall:
        ids, nearest = {id for id, _ in neighbors}, index.search(query, exactly=True)
        recall = sum(id in ids for id, _ in nearest) / len(nearest) if nearest else 1.0
    values: list[Mapping[str, Value] | None] = [None] * len(neighbors)
    if question.returns_values:
        served = store.fetch(view.name or "", [id for id, _ in neighbors])
        values = [None if served_entity is None else served_entity.values for served_entity in served]
    hits = (SearchHit(*neighbor, value) for neighbor, value in zip(neighbors, values, strict=True))
    return SearchResult(tuple(hits), recall, _assumptions(index_config(view), question))


def _assumptions(config: IndexConfig | None, question: SearchRequest) -> tuple[str, ...]:
    if config is None:
        return ()
    distance = config.distanceMeasureType
    applied = {
        "search-precision": True,
        "search-distance": distance in (None, "DISTANCE_MEASURE_TYPE_UNSPECIFIED"),
        "search-algorithm": config.treeAhConfig is None and config.bruteForceConfig is None,
        "search-leaves": config.treeAhConfig is not None,
        "search-dimension": config.embeddingDimension is None,
        "search-zero-vectors": distance == "COSINE_DISTANCE",
        "search-itself": question.entity is not None,
        "search-filters": bool(question.strings or question.numbers),
        "search-crowding": question.per_crowding_attribute is not None,
    }
    return tuple(row for row, does_apply in applied.items() if does_apply)


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

    `remote_store` is a store that other machines sync: each index is made when it is asked for, of what is served.
    `guard` is asked before files are used; so all methods may raise StoreError.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        guard: StoreGuard = FILE_GUARD,
        remote_store: OnlineStore | None = None,
    ) -> None:
        self._folder, self._guard, self._remote_store = None if folder is None else Path(folder), guard, remote_store
        self._kept: dict[str, tuple[object, VectorIndex]] = {}

    def before_serving(self, view: DeclaredResource[FeatureView]) -> Callable[[int, Scan], None] | None:
        """What makes the index of a snapshot before it is served; None without one, and for a remote store."""
        if self._remote_store:
            return None
        try:
            shape = view_index_parameters(view.node)
        except NotSearchable:  # which a search will say; values are served nevertheless
            return None
        return lambda number, scan: self._make(view.node.name or "", shape, number, scan)

    def load(self, view: DeclaredResource[FeatureView], snapshot: Snapshot) -> VectorIndex:
        """The index of a snapshot, from memory where it is there. Raises NotSearchable."""
        shape, name, store = view_index_parameters(view.node), view.node.name or "", self._remote_store
        if store is None:
            index = self._loaded(name, snapshot.number)
            if index.shape != shape:
                raise NotSearchable(
                    "the index was built with another index config than the view has now; sync the view again",
                    steps=(index_field(view.node),),
                )
            return index
        number = _identity(snapshot)
        try:
            if (index := self._loaded(name, number)).shape == shape:
                return index
        except NotSearchable:  # it is made now
            pass
        self._make(name, shape, number, lambda columns: store.scan(name, columns))
        served = store.snapshot(name)
        if served is None or _identity(served) != number:
            raise NotSearchable("the view was synced while its index was built; search again")
        return self._loaded(name, number)

    def _make(self, name: str, shape: IndexParameters, number: int, scan: Scan) -> None:
        require_numpy()
        from trialrun.runtime.feature_view.index.vector_index import build_index

        index = build_index(scan([shape.embedding, *shape.columns]), shape)
        if self._folder is None:
            self._kept[name] = (number, index)
            return
        folder = self._folder_of(name)
        self._guard.claim()
        self._guard.refuse_links(folder)
        from trialrun.runtime.feature_view.index.vector_index import remove_old_indexes, save_index

        save_index(index, folder / str(number), key=self._guard.key())
        remove_old_indexes(folder, number)

    def _loaded(self, name: str, number: int) -> VectorIndex:
        mark, index = self._kept.get(name, (None, None))
        if self._folder is None:
            if index is None or mark != number:
                raise NotSearchable("there is no index of the served rows; sync the view again")
            return index
        place = self._folder_of(name) / str(number)
        require_numpy()
        from trialrun.runtime.feature_view.index.vector_index import index_identity, load_index

        identity = index_identity(place)
        if index is None or mark is None or mark != identity:
            self._guard.check()
            self._guard.refuse_links(place)
            index = load_index(place, key=self._guard.key())
            self._kept[name] = (identity, index)
        return index

    def _folder_of(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / sha256(name.encode()).hexdigest()[:20]


def _identity(snapshot: Snapshot) -> int:
    """A number that no other snapshot of a view has, also where the store was emptied and began anew."""
    return int(snapshot.synced_at.timestamp()) * 10**9 + snapshot.number
