"""What an index is to be like: an IndexConfig with what it leaves open decided (docs/assumptions.md, Search)."""

from __future__ import annotations

from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.model.feature_view import DEFAULT_LEAF_NODE_EMBEDDING_COUNT, IndexConfig
from trialrun.runtime.feature_view.index.interface import NotSearchable

Distance = Literal["SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE"]


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
    return IndexParameters(
        config.embeddingColumn,
        tuple(config.filterColumns or ()),
        config.crowdingColumn or None,
        _distance(config),
        _leaf_size(config),
        config.embeddingDimension,
    )


def _distance(config: IndexConfig) -> Distance:
    match config.distanceMeasureType:
        case None | "DISTANCE_MEASURE_TYPE_UNSPECIFIED":
            return "DOT_PRODUCT_DISTANCE"
        case distance:
            return distance


def _leaf_size(config: IndexConfig) -> int | None:
    if config.treeAhConfig is None:
        return None
    return int(config.treeAhConfig.leafNodeEmbeddingCount or DEFAULT_LEAF_NODE_EMBEDDING_COUNT)
