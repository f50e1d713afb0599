"""Measures `trialrun plan`: `python -m benchmarks.plan`.

A repository without changes, by the clock; and a brand with some configs changed, beside `resolve --all-stores` of both
revisions, in turns; whole processes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.brands import brand
from benchmarks.check import SEED, Bench, environment
from benchmarks.corpus import Written, corpus, write
from benchmarks.measure import Command, interleaved, least, middle
from benchmarks.since import git

CHANGED = 5
MUST, AIM = 1.5, 1.0
MUST_WITHOUT_CHANGES, AIM_WITHOUT_CHANGES = 1.0, 0.5


def prepare(folder: Path, files: Sequence[Written]) -> None:
    """Commit some files."""
    write(folder, files)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message", "files")


def change(folder: Path, files: Sequence[Written]) -> None:
    """Change the same in some configs, one of each sort: those of the whole brand first."""
    by_sort = {file.path.split("/")[1]: file for file in files if file.path.startswith("channels/")}
    for file in list(by_sort.values())[:CHANGED]:
        text = file.content.replace(b"operationsConfig:\n", b"operationsConfig:\n  description: changed\n", 1)
        text = text.replace(b"maxUpsellOffers: ", b"maxUpsellOffers: 1", 1).replace(b" priority: 4", b" priority: 5", 1)
        (folder / file.path).write_bytes(text)


def without_changes(bench: Bench, times: int) -> str:
    """The time of a plan of nothing."""
    (runs,) = interleaved((bench.python("-m", "trialrun", "plan", "HEAD"),), times=times)
    seconds, fastest = middle(runs, "wall"), least(runs, "wall")
    title = f"plan of no change, {bench.files} files"
    return f"{title}: {seconds:.2f} s ({fastest:.2f} s); must {MUST_WITHOUT_CHANGES:g}, aim {AIM_WITHOUT_CHANGES:g}"


def with_changes(bench: Bench, times: int) -> str:
    """The time of a plan of some configs, by twice that of the effective configs of all stores."""
    commands: tuple[Command, ...] = (
        bench.python("-m", "trialrun", "plan", "HEAD", "--fail-on", "never"),
        bench.python("-m", "trialrun", "resolve", "--all-stores"),
    )
    plans, resolved = interleaved(commands, times=times)
    figures = [(figure(plans, "wall"), figure(resolved, "wall")) for figure in (middle, least)]
    ratios = [ours / (2 * other) for ours, other in figures]
    (ours, other), (fast, other_fast) = figures
    title = f"plan, {CHANGED} configs changed: {ours:.2f} s ({fast:.2f} s), resolve: {other:.2f} s ({other_fast:.2f} s)"
    return f"{title}; by twice resolve: {ratios[0]:.2f} ({ratios[1]:.2f}); must {MUST:g}, aim {AIM:g}"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="size of the corpus (default 2000)")
    parser.add_argument("--configs", type=int, default=1000, help="how many configs (default 1000)")
    parser.add_argument("--stores", type=int, default=5000, help="how many stores (default 5000)")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name) / "corpus"
        prepare(folder, list(corpus(options.files, seed=SEED)))
        print(without_changes(Bench(folder, options.files, None, environment(Path(name))), options.times), flush=True)
        folder, files = Path(name) / "brand", list(brand(options.configs, options.stores, seed=SEED))
        prepare(folder, files)
        change(folder, files)
        print(with_changes(Bench(folder, options.configs, None, environment(Path(name))), options.times), flush=True)


if __name__ == "__main__":
    main()
