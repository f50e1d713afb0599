"""The doors to numpy and faiss, which the base install does not have."""

from __future__ import annotations

from importlib import import_module

from trialrun.runtime.feature_view.index.interface import NotSearchable


def need_numpy() -> None:
    """See that numpy is there, which every index needs. Raises NotSearchable."""
    _need("numpy", "vector search")


def need_faiss() -> None:
    """See that faiss is there, which only trees need. Raises NotSearchable."""
    _need("faiss", "a treeAhConfig over this many vectors")


def _need(library: str, what: str) -> None:
    try:
        import_module(library)
    except ImportError as error:
        raise NotSearchable(f"{what} needs {library}, which is not installed; install trialrun[runtime]") from error
