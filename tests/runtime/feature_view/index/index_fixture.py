"""What the tests of indexes build: rows as tuples, and the config by its fields."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from trialrun.model.feature_view import IndexConfig
from trialrun.model.validate import validate
from trialrun.runtime.feature_view.index.interface import SearchRequest, index_parameters
from trialrun.runtime.feature_view.index.vector_index import VectorIndex, build_index
from trialrun.runtime.feature_view.store.interface import EntityId

L2, COSINE, DOT = "SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE"
Row = tuple[object, ...]


def config(**fields: Any) -> IndexConfig:
    """An IndexConfig over the column e, exact and by the squared distance unless the fields say otherwise."""
    algorithm = {} if "treeAhConfig" in fields else {"bruteForceConfig": {}}
    node = validate({"embeddingColumn": "e", "distanceMeasureType": L2, **algorithm, **fields}, IndexConfig).node
    assert isinstance(node, IndexConfig)
    return node


def index(rows: Iterable[Row], *, columns: Sequence[str] = (), **fields: Any) -> VectorIndex:
    """The index of rows: a number as the entity id, the vector, then the columns, which are filter columns."""
    of = config(**({"filterColumns": [*columns]} | fields))
    return build_index((((id,), *values) for id, *values in rows), index_parameters(of))


def plain(vectors: Sequence[Sequence[float]], **fields: Any) -> VectorIndex:
    """The index of vectors whose entity ids are 0, 1, 2…"""
    return index(enumerate(vectors), **fields)


def ids_of(neighbors: Sequence[tuple[tuple[object, ...], float]]) -> list[object]:
    """The entity ids, which are of one column."""
    return [id for (id,), _ in neighbors]


def near(of: VectorIndex, vector: Sequence[float], count: int = 10, **further: Any) -> list[object]:
    """The entity ids of the neighbors of a vector."""
    return ids_of(of.search(SearchRequest(vector, count, **further)))


def distance(measure: str, one: Sequence[float], other: Sequence[float]) -> float:
    """The distance as the specification defines it, by plain loops."""
    dot = math.fsum(a * b for a, b in zip(one, other, strict=True))
    if measure == L2:
        return math.fsum((a - b) ** 2 for a, b in zip(one, other, strict=True))
    if measure == DOT:
        return -dot
    lengths = math.sqrt(math.fsum(a * a for a in one) * math.fsum(b * b for b in other))
    return 1 - dot / lengths if lengths else 1.0


def naive(
    measure: str, vectors: Sequence[Sequence[float]], query: Sequence[float], count: int
) -> list[tuple[EntityId, float]]:
    """The neighbors by looking at every vector, nearest first, then by entity id."""
    pairs = sorted((distance(measure, vector, query), id) for id, vector in enumerate(vectors))
    return [((id,), one) for one, id in pairs[:count]]
