"""The online store and the index beside what they are built on: `python -m benchmarks.store fetch|search`.

`fetch` loads entities and fetches them by id, one at a time and by the hundred, in turns with the bare statement of
SQLite on the same file. `search` asks an index by trees, in turns with an HNSW graph of faiss, on one thread, over a
mixture of Gaussians whose clusters are apart at a spread of 0.5 and touch at 1; numpy finds the true neighbors.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
TYPES = ("DOUBLE", "DOUBLE", "DOUBLE", "INT64", "STRING")
BATCH, NEIGHBORS, BLOCK = 100, 10, 25
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
Work = Callable[[int], object]


def in_turns(works: Sequence[Work], count: int, *, block: int = 1) -> list[list[float]]:
    """The microseconds of each work at each number, in blocks; who begins changes, as the first finds cold caches."""
    taken: list[list[float]] = [[] for _ in works]
    for turn, first in enumerate(range(0, count, block)):
        for place in range(len(works)):
            number = (place + turn) % len(works)
            start = time.perf_counter()
            for at in range(first, first + block):
                works[number](at)
            taken[number].append((time.perf_counter() - start) / block * 1e6)
    return taken


def fetch(options: argparse.Namespace) -> None:
    """Print how long a fetch takes beside the statement."""
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, RowLoad
    from trialrun.runtime.feature_view.store.sqlite import SqliteStore

    columns = tuple(Column(f"f{at}", TYPES[at % len(TYPES)]) for at in range(20))  # type: ignore[arg-type]

    def row(number: int) -> tuple[object, ...]:
        values = (number / 3, number / 7, -float(number), number, f"region {number % 50}")
        return f"user_{number:08}", number, *(values * 4)

    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as folder:
        store = SqliteStore(folder)
        load = RowLoad(
            RowLayout((Column("user_id", "STRING"),), columns),
            [row(number) for number in range(options.rows)],
            datetime(2026, 1, 1, tzinfo=UTC),
            lambda: None,
        )
        for what in ("first load", "the same again, compared"):
            start = time.process_time()
            store.load(VIEW, load)
            print(f"{what}: {options.rows / (time.process_time() - start):,.0f} entities a second of CPU", flush=True)
        (file,) = Path(folder).glob("*.db")
        connection = sqlite3.connect(file, isolation_level=None)
        dice, names = random.Random(2), ", ".join(["k0", "m0", *(f"f{at}" for at in range(20))])
        ids: list[EntityId] = [(f"user_{dice.randrange(options.rows):08}",) for _ in range(options.queries * BATCH)]
        for size in (1, BATCH):
            statement = f"SELECT {names} FROM rows WHERE k0 IN ({', '.join('?' * size)})"

            def ours(at: int, size: int = size) -> object:
                return store.fetch(VIEW, ids[at * size : (at + 1) * size])

            def bare(at: int, size: int = size, statement: str = statement) -> object:
                return connection.execute(statement, [id[0] for id in ids[at * size : (at + 1) * size]]).fetchall()

            mine, other = (sorted(some) for some in in_turns((ours, bare), options.queries))
            places = (("p50", len(mine) // 2), ("p99", len(mine) * 99 // 100))
            told = [f"{name} {mine[at]:.1f} µs, {mine[at] / other[at]:.2f} times" for name, at in places]
            print(f"{size} of {options.rows:,} entities, beside SQLite: {'; '.join(told)} (must 1.5, 2)", flush=True)


def search(options: argparse.Namespace) -> None:
    """Print a table: each distance and spread."""
    if ONE_THREAD.items() - os.environ.items():  # numpy reads them when it is imported
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.store", *sys.argv[1:]], os.environ | ONE_THREAD)
    import numpy as np

    heads = ("distance", "spread", "recall@10", "µs", "by HNSW (its recall)", "recall, 1 % kept")
    print(f"| {' | '.join(heads)} |\n" + "|---" * len(heads) + "|")
    for spread in (0.5, 1.0):
        dice = np.random.default_rng(options.seed)
        centers = dice.normal(size=(1000, 128))
        drawn = centers[dice.integers(0, 1000, options.rows + options.queries)]
        drawn = (drawn + spread * dice.normal(size=drawn.shape)).astype(np.float32)
        for distance in ("SQUARED_L2_DISTANCE", "COSINE_DISTANCE", "DOT_PRODUCT_DISTANCE"):
            cells = search_row(distance, drawn[: options.rows], drawn[options.rows :], dice.random(options.rows))
            print(f"| {distance.removesuffix('_DISTANCE')} | {spread} | {cells} |", flush=True)


def search_row(distance: Any, vectors: Any, asked: Any, shares: Any) -> str:
    """The cells of a distance; `shares` is the column that a filter compares."""
    import faiss
    import numpy as np

    from trialrun.model.feature_view import IndexConfig, TreeAHConfig
    from trialrun.runtime.feature_view.index.interface import NumericFilter, SearchRequest, index_parameters
    from trialrun.runtime.feature_view.index.vector_index import build_index

    def built() -> Any:
        columns = {"embeddingColumn": "e", "filterColumns": ["share"], "distanceMeasureType": distance}
        config = IndexConfig(**columns, treeAhConfig=TreeAHConfig())
        rows = (((id,), *pair) for id, pair in enumerate(zip(vectors, shares.tolist(), strict=True)))
        return build_index(rows, index_parameters(config))

    def true_neighbors(live: Any) -> list[set[int]]:
        rows = vectors[live].astype(np.float64)
        if distance == "COSINE_DISTANCE":
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        squares = (rows * rows).sum(axis=1) if distance == "SQUARED_L2_DISTANCE" else 0.0
        nearest = (np.argsort(squares - 2 * (rows @ query))[:NEIGHBORS] for query in asked.astype(np.float64))
        return [set(live[places].tolist()) for places in nearest]

    def graph_of(kept: Any, asked: Any) -> Callable[[int], Any]:
        if distance == "COSINE_DISTANCE":
            kept, asked = (some / np.linalg.norm(some, axis=1, keepdims=True) for some in (kept, asked))
        metric = faiss.METRIC_L2 if distance == "SQUARED_L2_DISTANCE" else faiss.METRIC_INNER_PRODUCT
        graph = faiss.IndexHNSWFlat(vectors.shape[1], 32, metric)
        graph.hnsw.efSearch = 96
        graph.add(kept)
        return lambda at: graph.search(asked[at % len(asked)][None], NEIGHBORS)[1][0].tolist()

    tree = built()
    by_graph = graph_of(vectors, asked)
    plain = [SearchRequest(vector, NEIGHBORS) for vector in asked]
    few = [SearchRequest(vector, NEIGHBORS, numbers=(NumericFilter("share", "LESS", 0.01),)) for vector in asked]

    def ours(at: int) -> Any:
        return tree.search(plain[at % len(plain)])

    everything, some = true_neighbors(np.arange(len(vectors))), true_neighbors(np.flatnonzero(shares < 0.01))
    found = _recall([[id for (id,), _ in ours(at)] for at in range(len(plain))], everything)
    of_graph = _recall([by_graph(at) for at in range(len(plain))], everything)
    filtered = _recall([[id for (id,), _ in tree.search(query)] for query in few], some)
    mine, other = map(median, in_turns((ours, by_graph), 8 * len(plain), block=BLOCK))
    return f"{found:.4f} | {mine:.0f} | {mine / other:.2f} ({of_graph:.4f}) | {filtered:.4f}"


def _recall(answers: Sequence[Sequence[int]], true: Sequence[set[int]]) -> float:
    """The share of the true neighbors that the answers have."""
    return sum(len({*answer} & ids) for answer, ids in zip(answers, true, strict=True)) / sum(map(len, true))


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("fetch", "search"))
    parser.add_argument("--rows", type=int, help="entities (default 1,000,000) or vectors (100,000)")
    parser.add_argument("--queries", type=int, help="default 20,000 and 200")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    is_fetch = options.what == "fetch"
    options.rows = options.rows or (1_000_000 if is_fetch else 100_000)
    options.queries = options.queries or (20_000 if is_fetch else 200)
    (fetch if is_fetch else search)(options)


if __name__ == "__main__":
    main()
