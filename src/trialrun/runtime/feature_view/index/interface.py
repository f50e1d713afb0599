"""What a vector index is to be like, and what it is asked.

What an IndexConfig leaves open is decided here (docs/assumptions.md, Search). numpy and faiss are imported through
here, since the base install does not have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from trialrun.extras import needs_libraries
from trialrun.model.feature_view import DEFAULT_LEAF_NODE_EMBEDDING_COUNT, IndexConfig

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId

Operator = Literal["LESS", "LESS_EQUAL", "EQUAL", "GREATER_EQUAL", "GREATER", "NOT_EQUAL"]
Distance = Literal["SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE"]


@dataclass(frozen=True, slots=True)
class StringFilter:
    """Keeps entities whose text, or one of whose texts, is allowed, and drops those of which one is denied.

    Without allowed tokens everything is allowed that is not denied.
    """

    column: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NumericFilter:
    """Keeps entities whose number compares so with a value; one without a number is dropped, and so is NaN."""

    column: str
    operator: Operator
    value: int | float


@dataclass(frozen=True)
class SearchRequest:
    """What to search: the neighbors of a `vector`, of the dimension of the index, or of an entity, one of the two.

    `count` is how many neighbors are wanted at most. `returns_values` asks for the values of each neighbor as they are
    served, `measures_recall` for the share of the true neighbors that the answer has.

    `per_crowding_attribute` is K: at most so many neighbors with one value of the crowding column. `leaves_fraction`
    overrides the fraction of leaves that is searched without a filter, from 0 to 1; `candidates` how many are ranked
    exactly, which are never fewer than `count`.
    """

    vector: Sequence[float] | None = None
    count: int = 10
    strings: tuple[StringFilter, ...] = ()
    numbers: tuple[NumericFilter, ...] = ()
    per_crowding_attribute: int | None = None
    leaves_fraction: float | None = None
    candidates: int | None = None
    entity: EntityId | None = None
    returns_values: bool = False
    measures_recall: bool = False


class NotSearchable(ValueError):
    """The query does not fit the index, or there is none; the message says what is wrong, then what to do.

    `steps` lead to the part of the index config that is to blame, or of the view in what `search` raises.
    """

    def __init__(self, message: str, *, steps: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.steps = tuple(steps)


@dataclass(frozen=True, slots=True)
class IndexParameters:
    """The columns, the distance and the algorithm of an index.

    `leaf_size` is how many embeddings a leaf of the tree has, None for the exact algorithm. `dimension` is None where
    the vectors decide it.
    """

    embedding: str
    filters: tuple[str, ...]
    crowding: str | None
    distance: Distance
    leaf_size: int | None
    dimension: int | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that queries look at beside the embedding, each once."""
        return tuple(dict.fromkeys((*self.filters, *([self.crowding] if self.crowding else []))))


def index_parameters(config: IndexConfig) -> IndexParameters:
    """The shape that a config asks for. Raises NotSearchable where it asks for none."""
    if not config.embeddingColumn:
        message = "the index config has no embeddingColumn; set it to the column of the vectors"
        raise NotSearchable(message, steps=("embeddingColumn",))
    if config.treeAhConfig is not None and config.bruteForceConfig is not None:
        raise NotSearchable("the index config has treeAhConfig and bruteForceConfig; keep one of them")
    distance, tree = config.distanceMeasureType, config.treeAhConfig
    if distance is None or distance == "DISTANCE_MEASURE_TYPE_UNSPECIFIED":
        distance = "DOT_PRODUCT_DISTANCE"
    return IndexParameters(
        config.embeddingColumn,
        tuple(config.filterColumns or ()),
        config.crowdingColumn or None,
        distance,
        None if tree is None else int(tree.leafNodeEmbeddingCount or DEFAULT_LEAF_NODE_EMBEDDING_COUNT),
        config.embeddingDimension,
    )


def require_numpy() -> None:
    """See that numpy is there, which every index needs. Raises NotSearchable."""
    _import_library("numpy", "vector search")


def import_faiss() -> Any:
    """The library faiss, which only trees need, set to one thread. Raises NotSearchable.

    It is untyped: its own types leave out what its Python side adds.
    """
    library = _import_library("faiss", "a treeAhConfig over so many vectors")
    library.omp_set_num_threads(1)
    return library


def _import_library(name: str, what: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise NotSearchable(needs_libraries(what, "runtime", name)) from error
