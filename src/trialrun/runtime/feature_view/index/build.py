"""Builds the index of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.optional_imports import need_numpy
from trialrun.runtime.feature_view.index.parameters import shape_of

if TYPE_CHECKING:
    from trialrun.model.feature_view import IndexConfig
    from trialrun.runtime.feature_view.index.interface import Vectors
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex


def build(vectors: Vectors, config: IndexConfig) -> VectorIndex:
    """The index of some vectors as a config asks for it.

    Raises NotSearchable where the config asks for none, or where what it needs is not installed.
    """
    shape = shape_of(config)
    need_numpy()
    from trialrun.runtime.feature_view.index.load_vectors import gathered
    from trialrun.runtime.feature_view.index.vector_index import index_over

    return index_over(shape, gathered(vectors, shape))
