"""Search in shards beside one index: `python -m benchmarks.sharded_search`.

The vectors are those of `benchmarks.vectors`: a mixture of Gaussians with `--clusters` centers and a spread. Both
indexes are built from the same rows by processes of their own, whose wall time, CPU and memory (of the whole tree of
processes) are those of the table. Queries are asked of one index and of the shards in turns, in blocks of 10 queries;
a time is the median over the blocks, a ratio the median of the blocks' ratios; CPU is that of all processes that
search. Exact search is compared neighbor by neighbor, with filters and crowding; recall is measured against it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import Command, Run, run
from trialrun.model.feature_view import IndexConfig, TreeAHConfig
from trialrun.runtime.feature_view.index import sharded
from trialrun.runtime.feature_view.index.build import build_index
from trialrun.runtime.feature_view.index.interface import NumericFilter, Query, Vectors
from trialrun.runtime.feature_view.index.parameters import index_parameters
from trialrun.runtime.feature_view.index.persist import save_index
from trialrun.runtime.feature_view.index.shard import Sharding
from trialrun.runtime.feature_view.index.shard_build import build_sharded_index
from trialrun.runtime.feature_view.index.sharded import load_any_index

NEIGHBORS, BLOCK, BLOCK_ROWS = 10, 10, 16_384
CONFIG = IndexConfig(
    embeddingColumn="e",
    distanceMeasureType="SQUARED_L2_DISTANCE",
    treeAhConfig=TreeAHConfig(),
    filterColumns=["share"],
    crowdingColumn="group",
)


def write_vectors(options: argparse.Namespace, folder: Path) -> Any:
    """Write the vectors to a file, block by block; the queries."""
    dice = np.random.default_rng(options.seed)
    centers = dice.normal(size=(options.clusters, options.dimension))

    def drawn(rows: int) -> Any:
        chosen = centers[dice.integers(0, options.clusters, rows)]
        return (chosen + options.spread * dice.normal(size=chosen.shape)).astype(np.float32)

    with open(folder / "vectors.f32", "wb") as file:
        for start in range(0, options.rows, BLOCK_ROWS):
            drawn(min(BLOCK_ROWS, options.rows - start)).tofile(file)
    return drawn(options.queries)


def rows(file: Path, dimension: int) -> Iterator[tuple[object, ...]]:
    """The rows of an index: the id, the vector, a share from 0 to 1, and one of a thousand groups."""
    with open(file, "rb") as stream:
        number = 0
        while len(block := np.fromfile(stream, np.float32, BLOCK_ROWS * dimension)):
            for vector in block.reshape(-1, dimension):
                yield (number,), vector, number * 7919 % 1000 / 1000, number * 104_729 % 1000
                number += 1


def build(options: argparse.Namespace, folder: Path) -> None:
    """Build one index, or one of several shards, in a folder."""
    vectors = Vectors(("share", "group"), rows(folder / "vectors.f32", options.dimension))
    if options.build == 1:
        save_index(build_index(vectors, CONFIG), folder / "1")
    else:
        sharding = Sharding(options.build, options.workers)
        build_sharded_index(vectors, index_parameters(CONFIG), folder / str(options.build), sharding=sharding)


def measured_build(options: argparse.Namespace, folder: Path, shards: int) -> Run:
    """What building takes."""
    words = [sys.executable, "-m", "benchmarks.sharded_search", "--build", str(shards), "--folder", str(folder)]
    numbers = ["--dimension", str(options.dimension), "--workers", str(options.workers)]
    return run(Command([*words, *numbers], Path.cwd(), os.environ), watch_memory=True)


def taking_turns(
    engines: Sequence[Callable[[Query], Any]], queries: Sequence[Query], processes: Sequence[Sequence[int]]
) -> tuple[list[list[float]], list[list[float]]]:
    """The milliseconds of a query, of each engine in each block; and those of the CPU of its processes."""
    taken: list[list[float]] = [[] for _ in engines]
    worked: list[list[float]] = [[] for _ in engines]
    for first in range(0, len(queries), BLOCK):
        block = queries[first : first + BLOCK]
        for number, engine in enumerate(engines):
            before, start = cpu_time(processes[number]), time.perf_counter()
            for query in block:
                engine(query)
            taken[number].append((time.perf_counter() - start) / len(block) * 1000)
            worked[number].append((cpu_time(processes[number]) - before) / len(block) * 1000)
    return taken, worked


def cpu_time(pids: Sequence[int]) -> float:
    """The seconds of CPU that processes have had, to the nanosecond."""
    files = (file for pid in pids for file in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def recall(index: Any, queries: Sequence[Query], true: Sequence[Any]) -> float:
    """The share of the true neighbors that an index finds."""
    pairs = zip((index.search(query) for query in queries), true, strict=True)
    return sum(len({hit.id for hit in found} & {hit.id for hit in hits}) for found, hits in pairs) / sum(map(len, true))


def own_memory(pids: Sequence[int]) -> float:
    """The MiB that processes have for themselves; vectors, which are mapped from files, are not among them."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def compare(one: Any, shards: Any, vectors: Any, name: str, times: int, pids: Sequence[int]) -> None:
    """Print what the table says of one way to search shards, by some processes."""
    plain = [Query(vector, NEIGHBORS) for vector in vectors]
    true = [one.search(query, exactly=True) for query in plain]
    further = [Query(vector, NEIGHBORS, per_crowding_attribute=1) for vector in vectors[:20]]
    further += [Query(vector, NEIGHBORS, numbers=(NumericFilter("share", "LESS", 0.3),)) for vector in vectors[20:40]]
    equal = sum(shards.search(query, exactly=True) == hits for query, hits in zip(plain, true, strict=True))
    equal += sum(shards.search(query, exactly=True) == one.search(query, exactly=True) for query in further)
    print(f"| exact search, {name} | equal answers | {equal} of {len(plain) + len(further)} |", flush=True)
    found = recall(one, plain, true), recall(shards, plain, true)
    print(f"| tree, {name} | recall@{NEIGHBORS}: one index, shards | {found[0]:.4f}, {found[1]:.4f} |", flush=True)
    for title, exactly, queries in (("tree", False, plain * times), ("exact search", True, plain[:50])):
        taken, worked = taking_turns(
            [lambda query, exactly=exactly, of=of: of.search(query, exactly=exactly) for of in (one, shards)],
            queries,
            ([os.getpid()], pids),
        )
        for measure, (own, other) in (("ms", taken), ("ms of CPU", worked)):
            ratio = median(second / first for first, second in zip(own, other, strict=True))
            least = min(other) / min(own)
            figures = f"{median(own):.2f}, {median(other):.2f}, {ratio:.2f} ({least:.2f})"
            print(f"| {title}, {name} | {measure}: one index, shards, ratio (of the least) | {figures} |", flush=True)


def report(options: argparse.Namespace, folder: Path) -> None:
    """Build both and compare them."""
    vectors = write_vectors(options, folder)
    print("| what | measure | figures |\n|---|---|---|", flush=True)
    for shards in (1, options.shards):
        built = measured_build(options, folder, shards)
        figures = f"{built.wall:.0f} s, {built.cpu:.0f} s, {built.peak:,.0f} MiB"
        print(f"| build, {shards} shard{'s'[: shards > 1]} | wall, CPU, memory | {figures} |", flush=True)
    before = own_memory([os.getpid()])
    one = load_any_index(folder / "1", sharding=Sharding())
    after = own_memory([os.getpid()])
    print(f"| loaded, one index | own memory | {after - before:,.0f} MiB |", flush=True)
    sharded.MIN_BYTES_FOR_PROCESSES = 0
    for name, in_processes in (("in process", False), ("processes", True)):
        before = own_memory([os.getpid()])
        sharding = Sharding(options.shards, options.workers, in_processes=in_processes)
        shards: Any = load_any_index(folder / str(options.shards), sharding=sharding)
        pids = [os.getpid(), *(shards._searcher.pids if in_processes else ())]
        print(f"| loaded, {name} | own memory | {own_memory(pids) - before:,.0f} MiB |", flush=True)
        compare(one, shards, vectors, name, options.times, pids)
        shards.close()


def main() -> None:
    """Print a Markdown table."""
    description = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sharded_search", description=description)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--times", type=int, default=3, help="how often all queries are timed (default 3)")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--workers", type=int, default=0, help="processes; one for each core when unset")
    parser.add_argument("--build", type=int, help="only build an index of so many shards in --folder")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.build:
        build(options, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        report(options, Path(folder))


if __name__ == "__main__":
    main()
