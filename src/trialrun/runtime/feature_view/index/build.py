"""Builds the index of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.optional_imports import require_numpy
from trialrun.runtime.feature_view.index.parameters import index_parameters

if TYPE_CHECKING:
    from trialrun.model.feature_view import IndexConfig
    from trialrun.runtime.feature_view.index.interface import Vectors
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex


def build_index(vectors: Vectors, config: IndexConfig) -> VectorIndex:
    """The index of some vectors as a config asks for it.

    Raises NotSearchable where the config asks for none, or where what it needs is not installed.
    """
    shape = index_parameters(config)
    require_numpy()
    from trialrun.runtime.feature_view.index.load_vectors import load_vectors
    from trialrun.runtime.feature_view.index.vector_index import build_vector_index

    return build_vector_index(shape, load_vectors(vectors, shape))
