"""Measures `check --since` in a repository with few changes: `python -m benchmarks.since`; prints one line.

Beside it, in turns: linting the changed files alone, and walking and reading all files. The ratio is that of
`--since` to the sum of the two.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from benchmarks.check import CHECK, SEED, Bench, environment
from benchmarks.corpus import corpus, write
from benchmarks.measure import interleaved, least, middle

CHANGED = 5
MUST = 1.5


def prepare(folder: Path, files: int) -> list[str]:
    """Commit the corpus and change a few of its files; their paths.

    Each gets another name and a mistake, so that what files say of each other has changed too.
    """
    write(folder, corpus(files, seed=SEED))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message", "corpus")
    sound = [file for file in corpus(files, seed=SEED) if not file.rules and b"\nname: projects/" in file.content]
    changed = sound[:: len(sound) // CHANGED][:CHANGED]
    for file in changed:
        text = file.content.replace(b"\nname: projects/", b"\nname: projects/x", 1)
        (folder / file.path).write_bytes(text + b"\nnoSuchField: 1\n")
    return [file.path for file in changed]


def git(folder: Path, *words: str) -> None:
    """Run a command of git."""
    subprocess.run(["git", "-C", str(folder), *words], check=True)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.since", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="size of the corpus (default 2000)")
    parser.add_argument("--times", type=int, default=7, help="runs of each program (default 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name) / "repository"
        changed = prepare(folder, options.files)
        bench = Bench(folder, options.files, None, environment(Path(name)))
        since = bench.python(*CHECK, "--no-cache", "--since", "HEAD")
        alone = bench.python(*CHECK, "--no-cache", "--ignore", "workspace", *changed)
        walk = bench.python("-m", "benchmarks.lower_bound", "--read", ".")
        runs = interleaved((since, alone, walk), times=options.times)
        for figure in (middle, least):
            ours, five, reading = (figure(run, "wall") for run in runs)
            ratio = ours / (five + reading)
            rest = f"{CHANGED} files alone {five:.3f} s, the walk {reading:.3f} s"
            print(f"{figure.__name__}: since {ours:.3f} s, {rest}: {ratio:.2f} (must {MUST})")


if __name__ == "__main__":
    main()
