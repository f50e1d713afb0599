"""Measures `trialrun resolve STORE` in a brand with many configs and stores: `python -m benchmarks.resolve`.

Beside it, in turns, linting the same files without a cache; whole processes. A ratio of 2 is a store that takes twice
as long to resolve as the workspace to lint.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.brands import brand, store_name
from benchmarks.check import SEED, Bench, Row, environment, measured, table_head
from benchmarks.corpus import write


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.resolve", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--configs", type=int, default=1000, help="how many configs (default 1000)")
    parser.add_argument("--stores", type=int, default=5000, help="how many stores (default 5000)")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name) / "brand"
        write(folder, brand(options.configs, options.stores, seed=SEED))
        bench = Bench(folder, options.configs, None, environment(Path(name)))
        lint = bench.ours(".")
        one = bench.python("-m", "trialrun", "resolve", store_name(options.stores // 2))
        all_stores = bench.python("-m", "trialrun", "resolve", "--all-stores")
        size = f"{options.configs} configs, {options.stores} stores"
        rows = [
            Row(f"one store of {size}, linting the same files", "wall", one, lint, must=2.0, aim=0.5),
            Row(f"all stores of {size}, linting the same files", "wall", all_stores, lint, must=4.0, aim=2.0),
        ]
        for line in table_head():
            print(line, flush=True)
        for row in rows:
            print(measured(row, times=options.times), flush=True)


if __name__ == "__main__":
    main()
