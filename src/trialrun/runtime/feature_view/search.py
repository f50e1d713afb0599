"""Nearest-neighbor search in a view: the index of its snapshot, a question, and the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.direct_write import has_source
from trialrun.runtime.feature_view.index.interface import (
    Neighbor,
    NotSearchable,
    NumericFilter,
    Query,
    StringFilter,
)
from trialrun.runtime.feature_view.indexes import SnapshotIndexes, index_config, index_field, view_index_parameters
from trialrun.runtime.feature_view.store.interface import NeverSynced

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView, IndexConfig
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.index.interface import Index
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, Value

__all__ = ["SearchHit", "SearchRequest", "SearchResult", "SnapshotIndexes", "index_config", "search"]

DEFAULT_COUNT = 10


@dataclass(frozen=True)
class SearchRequest:
    """What to search in a view: the neighbors of an entity or of a vector, one of the two.

    `returns_values` asks for the values of each neighbor as they are served, `measures_recall` for the share of the
    true neighbors that the answer has. The rest is as in Query.
    """

    entity: EntityId | None = None
    vector: Sequence[float] | None = None
    count: int = DEFAULT_COUNT
    strings: tuple[StringFilter, ...] = ()
    numbers: tuple[NumericFilter, ...] = ()
    per_crowding_attribute: int | None = None
    leaves_fraction: float | None = None
    candidates: int | None = None
    returns_values: bool = False
    measures_recall: bool = False


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
    with _with_view_path(view.node):
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


def _search_index(index: Index, store: OnlineStore, view: FeatureView, question: SearchRequest) -> SearchResult:
    if not index.size and next(iter(store.scan(view.name or "", [])), None):
        raise NotSearchable(
            "no served entity has a valid vector, so there is nothing to search; sync the view again, and read "
            "what it reports about the embeddings",
            steps=("embeddingColumn",),
        )
    query = _query(index, question)
    neighbors = index.search(query)
    recall = _recall(neighbors, index.search(query, exactly=True)) if question.measures_recall else None
    values: list[Mapping[str, Value] | None] = [None] * len(neighbors)
    if question.returns_values:
        served = store.fetch(view.name or "", [neighbor.id for neighbor in neighbors])
        values = [None if served_entity is None else served_entity.values for served_entity in served]
    hits = (SearchHit(hit.id, hit.distance, value) for hit, value in zip(neighbors, values, strict=True))
    return SearchResult(tuple(hits), recall, _assumptions(index_config(view), question))


def _recall(neighbors: Sequence[Neighbor], true: Sequence[Neighbor]) -> float:
    ids = {neighbor.id for neighbor in neighbors}
    return sum(hit.id in ids for hit in true) / len(true) if true else 1.0


def _query(index: Index, question: SearchRequest) -> Query:
    return Query(
        _vector(index, question),
        question.count,
        question.strings,
        question.numbers,
        question.per_crowding_attribute,
        question.leaves_fraction,
        question.candidates,
    )


def _vector(index: Index, question: SearchRequest) -> Sequence[float]:
    if (question.entity is None) == (question.vector is None):
        raise NotSearchable("a search needs either an entity or a vector; give one of the two")
    if question.vector is not None:
        return question.vector
    assert question.entity is not None
    vector = index.vector(question.entity)
    if vector is None:
        entity_text = ", ".join(map(str, question.entity))
        raise NotSearchable(f'entity "{entity_text}" is not in the index; name a served entity with a valid vector')
    return vector


def _assumptions(config: IndexConfig | None, question: SearchRequest) -> tuple[str, ...]:
    """The ids of the rows of docs/assumptions.md that the answer rests on."""
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


@contextmanager
def _with_view_path(view: FeatureView) -> Iterator[None]:
    """Makes steps that lead from the index config lead from the view."""
    try:
        yield
    except NotSearchable as error:
        if error.steps and error.steps[0] != index_field(view):
            error.steps = (index_field(view), *error.steps)
        raise
