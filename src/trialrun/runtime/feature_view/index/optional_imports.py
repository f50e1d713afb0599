"""The doors to numpy and faiss, which the base install does not have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from trialrun.extras import needs_libraries
from trialrun.runtime.feature_view.index.interface import NotSearchable


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
