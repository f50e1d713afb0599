"""Tree-AH: leaves by k-means, 4 bits for each two elements, and lookup tables in registers (faiss: IVF, PQ fast scan).

It finds candidates; the exact search ranks them. One thread and a fixed seed: the same vectors make the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trialrun.runtime.feature_view.index.distance import (
    Floats,
    Mask,
    Positions,
    QueryVector,
    VectorSpace,
    rounding_error,
    row_norms,
    squared_norms,
)
from trialrun.runtime.feature_view.index.interface import Distance, import_faiss

MAX_LEAVES, MAX_SAMPLES = 16_384, 262_144
SAMPLES_PER_LEAF = 256
"""So many vectors for each leaf are enough to place it."""
MIN_SAMPLED_LEAVES = 256
"""As many vectors as for so many leaves are enough for the codes."""
MIN_CODED_DIMENSION, MIN_PAIRED_DIMENSION = 8, 64
"""Dimensions from which on elements are coded, and coded in pairs."""
SCAN_OF_ONE_QUERY = 11
"""faiss's number (`implem`) for scanning leaf after leaf into a reservoir; its own choice prepares for many queries."""
SEED, ROUNDS = 1234, 10
BLOCK_ROWS = 16_384

faiss = import_faiss()
_pointer = faiss.swig_ptr


@dataclass(frozen=True)
class TreeAhIndex:
    """A trained index of faiss that holds the codes of all vectors, by position; and how many leaves it has."""

    index: Any
    leaves: int
    distance: Distance

    def candidates(self, probe: QueryVector, count: int, leaves: int, live: Mask | None = None) -> Positions:
        """The positions of rows that are likely the nearest, at most so many, from the leaves nearest to the query."""
        query, found, unused = probe.vector, np.empty(count, np.int64), np.empty(count, np.float32)
        if self.distance == "COSINE_DISTANCE" and probe.length:
            query = query / probe.length
        if len(query) % 2:
            query = np.append(query, np.float32(0))
        selector = faiss.IDSelectorBitmap(np.packbits(live, bitorder="little")) if live is not None else None
        options = faiss.SearchParametersIVF(nprobe=leaves, sel=selector)
        self.index.search_c(1, _pointer(query), count, _pointer(unused), _pointer(found), options)
        return found if found.item(-1) >= 0 else found[found >= 0]

    def possible_neighbors(
        self, space: VectorSpace, probe: QueryVector, count: int, candidates: Positions
    ) -> Positions:
        """Those of the candidates that can be among the nearest, by distances in float32 that are computed in place."""
        estimates, dimension = np.empty(len(candidates), np.float32), len(probe.vector)
        is_l2 = self.distance == "SQUARED_L2_DISTANCE"
        compute = faiss.fvec_L2sqr_by_idx if is_l2 else faiss.fvec_inner_products_by_idx
        vector, rows = _pointer(probe.vector), _pointer(space.matrix)
        compute(_pointer(estimates), vector, rows, _pointer(candidates), dimension, 1, len(candidates))
        if self.distance == "COSINE_DISTANCE":
            estimates /= space.norms.take(candidates)
        share, ordered = 2 * rounding_error(dimension), estimates.copy()
        if is_l2:
            ordered.partition(count - 1)
            return candidates[estimates <= ordered.item(count - 1) * (1 + share)]
        ordered.partition(len(ordered) - count)
        off = share * probe.length * (1.0 if self.distance == "COSINE_DISTANCE" else space.longest)
        return candidates[estimates >= ordered.item(-count) - off]

    def write(self, path: Path) -> None:
        """Write the tree to a file."""
        faiss.write_index(self.index, str(path))


def read_tree(path: Path, space: VectorSpace) -> TreeAhIndex:
    """The tree of a file, over the vectors of a space. Raises RuntimeError where it cannot be read."""
    return _tree_of(faiss.read_index(str(path)), space.distance)


def train_tree(space: VectorSpace, leaf_size: int) -> TreeAhIndex:
    """The tree over the vectors of a space, with so many of them on a leaf."""
    rows, dimension = space.matrix.shape
    leaves = min(max(1, round(rows / leaf_size)), MAX_LEAVES)
    index = _untrained_index(space.distance, dimension + dimension % 2, leaves)
    # For dot products leaves are clustered by direction, since a leaf is chosen by its dot product with the query.
    is_dot = space.distance == "DOT_PRODUCT_DISTANCE"
    clustering = faiss.Clustering(index.d, leaves)
    clustering.seed, clustering.niter, clustering.spherical = SEED, ROUNDS, is_dot
    clustering.min_points_per_centroid = 1
    clustering.train(_sample(space, leaves, distance="COSINE_DISTANCE" if is_dot else None), index.quantizer)
    index.train(_sample(space, max(leaves, MIN_SAMPLED_LEAVES)))
    for start in range(0, rows, BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        index.add(_normalize_rows(space.distance, space.matrix[block], space.norms[block]))
    return _tree_of(index, space.distance)


def _untrained_index(distance: Distance, width: int, leaves: int) -> Any:
    """An index of faiss for vectors as `_normalize_rows` gives them.

    Vectors of length one are in the same order by dot products, whose lookup tables are computed faster, as by L2; but
    centers of leaves have other lengths, so that leaves are chosen by L2.
    """
    metric = faiss.METRIC_L2 if distance == "SQUARED_L2_DISTANCE" else faiss.METRIC_INNER_PRODUCT
    index = faiss.index_factory(width, f"IVF{leaves},{code_description(width)}", metric)
    if distance == "COSINE_DISTANCE":
        unused, by_distance = index.quantizer, faiss.IndexFlatL2(width)
        index.quantizer = by_distance
        by_distance.this.disown()  # the index owns it, as it did the other one
        unused.this.acquire()
    return index


def _tree_of(index: Any, distance: Distance) -> TreeAhIndex:
    """The tree of an index of faiss, set to the kind of scan that is the fastest for one query on one thread."""
    if hasattr(index, "implem"):  # an index of codes
        index.implem = SCAN_OF_ONE_QUERY
    return TreeAhIndex(index, index.nlist, distance)


def code_description(width: int) -> str:
    """How faiss codes vectors: 4 bits for two elements, for one where there are few; fewer still stay as they are."""
    if width < MIN_CODED_DIMENSION:
        return "Flat"
    return f"PQ{width if width < MIN_PAIRED_DIMENSION else width // 2}x4fs"


def _sample(space: VectorSpace, leaves: int, *, distance: Distance | None = None) -> Floats:
    """Vectors to train with, drawn by a fixed seed, as they are coded for a distance."""
    rows, wanted = len(space.matrix), min(leaves * SAMPLES_PER_LEAF, MAX_SAMPLES)
    if wanted >= rows:
        chosen = np.arange(rows)
    else:
        chosen = np.sort(np.random.default_rng(SEED).choice(rows, wanted, replace=False))
    vectors = space.matrix.take(chosen, axis=0)
    return _normalize_rows(distance or space.distance, vectors, row_norms(squared_norms(vectors)))


def _normalize_rows(distance: Distance, rows: Floats, norms: Floats) -> Floats:
    """Vectors as the tree sees them: of length one for cosines, and of an even dimension."""
    if distance == "COSINE_DISTANCE":
        rows = np.divide(rows, norms[:, None], out=np.zeros_like(rows), where=norms[:, None] > 0)
    if rows.shape[1] % 2:
        rows = np.pad(rows, ((0, 0), (0, 1)))
    return np.ascontiguousarray(rows, np.float32)
