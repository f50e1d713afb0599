"""Measures checks of changed files whose conditions are known: `python -m benchmarks.known_conditions`.

A check of the corpus fills a cache. Then a line is added to each file, and the new files are checked with a copy of
that cache and with an empty one, taking turns: of the first, only the conditions are known. `--older FOLDER` compares
with the sources of an older version as well, which know nothing of conditions. CPU time is compared, which depends less
on the load of the machine. Prints a Markdown table and judges nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.check import CHECK, SEED, Bench, Row, environment, measured, table_head
from benchmarks.corpus import corpus, write
from benchmarks.measure import Command, run

CHANGE = b"# changed\n"
CONFIG = (120, 180)
"""The fewest and the most lines of the ChannelConfig that is checked alone."""


def prepare(bench: Bench) -> None:
    """Write the corpus, once as it is and once changed, one of its files that has conditions, and the cache."""
    files = list(corpus(bench.files, seed=SEED))
    changed = [replace(file, content=file.content + CHANGE) for file in files]
    write(bench.folder / "ours", iter(files))
    write(bench.folder / "changed", iter(changed))
    config = next(
        file.content
        for file in changed
        if b"conditionExpression" in file.content
        and not file.rules
        and CONFIG[0] <= file.content.count(b"\n") <= CONFIG[1]
    )
    (bench.folder / "config.yaml").write_bytes(config)
    filled = _check(bench, "ours", cache="filled")
    run(filled)


def rows(bench: Bench, jobs: int | None, older: Path | None) -> Iterator[Row]:
    """The comparisons, in the order of the table."""
    title = f"{bench.files} changed files with known conditions"
    known, new = (_check(bench, "changed", cache=cache, jobs=jobs) for cache in ("known", "new"))
    yield Row(f"{title}, with new ones", "cpu", known, new, must=0.95, aim=0.85)
    if older is not None:
        path = f"{older / 'src'}{os.pathsep}{older}"
        past = replace(new, environment={**new.environment, "PYTHONPATH": path})
        yield Row(f"{title}, the older version", "cpu", known, past, must=0.7, aim=0.5)
    known, new = (_check(bench, "config.yaml", cache=cache) for cache in ("known", "new"))
    yield Row("one ChannelConfig with known conditions, with new ones", "cpu", known, new, must=0.9, aim=0.75)


def _check(bench: Bench, path: str, *, cache: str, jobs: int | None = None) -> Command:
    """A check with a cache: `known` is a copy of the filled one, made for each run, and `new` an empty one."""
    folder = bench.folder / f"cache-{cache}"

    def renew() -> None:
        if cache == "filled":
            return
        shutil.rmtree(folder, ignore_errors=True)
        if cache == "known":
            shutil.copytree(bench.folder / "cache-filled", folder)

    options = () if jobs is None else ("--jobs", str(jobs))
    words = bench.python(*CHECK, *options, path)
    return replace(words, environment={**words.environment, "TRIALRUN_CACHE_DIR": str(folder)}, prepare=renew)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.known_conditions", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--files", type=int, default=2000, help="size of the corpus (default 2000)")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    parser.add_argument("--jobs", type=int, help="processes of each check (default: one for each core)")
    parser.add_argument("--older", type=Path, help="a folder with the sources of an older version")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        bench = Bench(Path(name), options.files, None, environment(Path(name)))
        prepare(bench)
        for line in table_head():
            print(line)
        for row in rows(bench, options.jobs, options.older):
            print(measured(row, times=options.times), flush=True)


if __name__ == "__main__":
    main()
