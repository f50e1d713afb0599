"""Vector search beside faiss used directly and beside exact search: `python -m benchmarks.vectors`.

The vectors are a mixture of Gaussians: `--clusters` centers, drawn with a standard deviation of 1 in each dimension,
and points around them with one of `--spread`. At a spread of 0.5 clusters are apart, at 1 they touch. Nothing is
normalized, and true neighbors are found by plain numpy in float64. Times are of CPU, on one thread, of single queries;
two engines take turns in blocks of 25 queries, and a ratio is the median over the blocks (in brackets: of the least).
Exact search, which empties the caches, has turns of its own with ours.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import faiss
import numpy as np

from trialrun.model.feature_view import BruteForceConfig, IndexConfig, TreeAHConfig
from trialrun.runtime.feature_view.index.interface import NumericFilter, Query, index_parameters
from trialrun.runtime.feature_view.index.tree import code_description
from trialrun.runtime.feature_view.index.vector_index import MIN_CANDIDATES, build_index, leaf_count

DISTANCES = ("SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE")
NEIGHBORS, BLOCK = 10, 25
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
HEAD = "| distance | spread | seed | recall@10 | us | faiss us | ratio | exact us | times as many | 1 % kept |"


@dataclass(frozen=True)
class Case:
    """Vectors and queries, the column that a filter compares, and what they were drawn with."""

    vectors: Any
    queries: Any
    shares: Any
    spread: float
    seed: int


def case(options: argparse.Namespace, spread: float, seed: int) -> Case:
    """The vectors of a seed."""
    dice = np.random.default_rng(seed)
    rows = options.rows + options.queries
    centers = dice.normal(size=(options.clusters, options.dimension))
    drawn = centers[dice.integers(0, options.clusters, rows)]
    drawn += spread * dice.normal(size=drawn.shape)
    vectors = drawn.astype(np.float32)
    return Case(vectors[: options.rows], vectors[options.rows :], dice.random(options.rows), spread, seed)


def true_neighbors(distance: str, of: Case, live: Any) -> list[set[int]]:
    """The nearest rows among the live ones, by the definition."""
    rows, queries = of.vectors[live].astype(np.float64), of.queries.astype(np.float64)
    if distance == "COSINE_DISTANCE":
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    squares = (rows * rows).sum(axis=1) if distance == "SQUARED_L2_DISTANCE" else 0.0
    found = (np.argpartition(squares - 2 * (rows @ query), NEIGHBORS)[:NEIGHBORS] for query in queries)
    return [set(live[file].tolist()) for file in found]


def ours(distance: Any, of: Case, **algorithm: Any) -> Any:
    """Our index of a case."""
    config = IndexConfig(embeddingColumn="e", filterColumns=["share"], distanceMeasureType=distance, **algorithm)
    pairs = zip(of.vectors, of.shares.tolist(), strict=True)
    rows = (((id,), vector, share) for id, (vector, share) in enumerate(pairs))
    return build_index(rows, index_parameters(config))


def by_faiss(distance: str, of: Case) -> Callable[[int], Any]:
    """The same kind of index, made and searched by faiss alone, with as many leaves searched and rows ranked again."""
    is_cosine, is_dot = distance == "COSINE_DISTANCE", distance == "DOT_PRODUCT_DISTANCE"
    vectors = of.vectors / np.linalg.norm(of.vectors, axis=1, keepdims=True) if is_cosine else of.vectors
    queries = of.queries / np.linalg.norm(of.queries, axis=1, keepdims=True) if is_cosine else of.queries
    leaves, width = round(len(vectors) / 1000), vectors.shape[1]
    metric = faiss.METRIC_INNER_PRODUCT if is_dot else faiss.METRIC_L2
    index = faiss.index_factory(width, f"IVF{leaves},{code_description(width)},RFlat", metric)
    index.train(vectors)
    index.add(vectors)
    searched = faiss.SearchParametersIVF(nprobe=leaf_count(leaves, None, 1.0, 1))
    factor = MIN_CANDIDATES // NEIGHBORS
    both = faiss.IndexRefineSearchParameters(k_factor=factor, base_index_params=searched)
    return lambda at: index.search(queries[at : at + 1], NEIGHBORS, params=both)


def taking_turns(engines: Sequence[Callable[[int], Any]], queries: int, times: int) -> list[list[float]]:
    """The microseconds of CPU of a query, of each engine in each block."""
    taken: list[list[float]] = [[] for _ in engines]
    for first in range(0, queries * times, BLOCK):
        for engine, found in zip(engines, taken, strict=True):
            start = time.process_time()
            for at in range(first, first + BLOCK):
                engine(at % queries)
            found.append((time.process_time() - start) / BLOCK * 1e6)
    return taken


def recall(answers: Sequence[Any], true: Sequence[set[int]]) -> float:
    """The share of the true neighbors that the answers have."""
    pairs = zip(answers, true, strict=True)
    return sum(len({one.id[0] for one in answer} & ids) for answer, ids in pairs) / sum(map(len, true))


def row(distance: str, of: Case, times: int) -> str:
    """A line of the table."""
    tree, exact = (
        ours(distance, of, treeAhConfig=TreeAHConfig()),
        ours(distance, of, bruteForceConfig=BruteForceConfig()),
    )
    plain = [Query(vector, NEIGHBORS) for vector in of.queries]
    narrow = [Query(vector, NEIGHBORS, numbers=(NumericFilter("share", "LESS", 0.01),)) for vector in of.queries]
    found = recall([tree.search(one) for one in plain], true_neighbors(distance, of, np.arange(len(of.vectors))))
    kept = recall([tree.search(one) for one in narrow], true_neighbors(distance, of, np.flatnonzero(of.shares < 0.01)))
    own, direct = taking_turns([lambda at: tree.search(plain[at]), by_faiss(distance, of)], len(plain), times)
    scanned, again = taking_turns(
        [lambda at: exact.search(plain[at]), lambda at: tree.search(plain[at])], len(plain), 1
    )
    ratio = f"{median(one / other for one, other in zip(own, direct, strict=True)):.2f} ({min(own) / min(direct):.2f})"
    more = median(one / other for one, other in zip(scanned, again, strict=True))
    name = distance.removesuffix("_DISTANCE")
    figures = f"{median(own):.0f} | {median(direct):.0f} | {ratio} | {median(scanned):.0f} | {more:.1f} | {kept:.4f}"
    return f"| {name} | {of.spread:g} | {of.seed} | {found:.4f} | {figures} |"


def main() -> None:
    """Print a Markdown table: each distance, spread and seed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--times", type=int, default=6, help="how often all queries are timed (default 6)")
    parser.add_argument("--spread", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    if ONE_THREAD.items() - os.environ.items():  # numpy reads them when it is imported
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.vectors", *sys.argv[1:]], os.environ | ONE_THREAD)
    print(HEAD + "\n" + "|---" * HEAD.count(" | ") + "|---|", flush=True)
    for spread in options.spread:
        for seed in options.seed:
            drawn = case(options, spread, seed)
            for distance in DISTANCES:
                print(row(distance, drawn, options.times), flush=True)


if __name__ == "__main__":
    main()
