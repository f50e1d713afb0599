"""Files made to take long, linted at a size and at twice that: `python -m benchmarks.hostile`.

The files are made of the examples of every rule, of every list and every text of the models, and of texts and
workspaces by hand. Each is checked in a process of its own, whose CPU time is told; where twice the size takes much
more than twice the time, or a finding takes long, the line is marked.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile_pages import Case, long_cases, many_cases, page_cases
from benchmarks.hostile_texts import text_cases, workspace_cases
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest, check

SORTS: dict[str, Callable[[], Iterator[Case]]] = {
    "texts": text_cases,
    "workspaces": workspace_cases,
    "many": many_cases,
    "long": long_cases,
    "pages": page_cases,
}
STEEP, SLOW, SUSPICIOUS = 2.6, 0.5, 1.0
"""How much more time twice the size may take, where it takes so many seconds; and the milliseconds of a finding."""


class Took(NamedTuple):
    """What a check took: seconds of CPU, None where it was ended; how many findings, and most of which rules."""

    seconds: float | None
    findings: int
    rules: str


def took(texts: Mapping[str, str], limit: int) -> Took:
    """Check files in a process of its own, which is ended after so many seconds of CPU."""
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name).resolve()
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", errors="surrogatepass")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            os.write(writer, json.dumps(_checked(folder, [*texts])).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        return Took(*json.loads(said)) if said else Took(None, 0, "")


def _checked(folder: Path, paths: list[str]) -> Took:
    os.chdir(folder)
    begin = time.process_time()
    named = paths if len(paths) == 1 else []
    found = check(CheckRequest(str(folder), datetime.now(UTC), Profiles(Settings()), paths=named, jobs=1, cache=False))
    seconds = time.process_time() - begin
    rules = Counter(diagnostic.rule for diagnostic in found.diagnostics).most_common(2)
    return Took(seconds, len(found.diagnostics), ", ".join(rule for rule, _ in rules))


def told(case: Case, size: int, limit: int) -> str:
    """A row of the table for a case: the time of twice the size, that by the size, and what a finding takes."""
    once, twice = took(case.make(size), limit), took(case.make(2 * size), limit)
    if once.seconds is None or twice.seconds is None:
        return f"| {case.name} | over {limit} s | | | | **slow** |"
    ratio = twice.seconds / max(once.seconds, 0.001)
    each = 1000 * twice.seconds / max(twice.findings, 1)
    is_steep = twice.seconds > SLOW and ratio > STEEP
    is_slow = twice.seconds > SLOW and twice.findings > size and each > SUSPICIOUS
    mark = "**steep**" if is_steep else "**slow**" if is_slow else ""
    return f"| {case.name} | {twice.seconds:.2f} | {ratio:.2f} | {twice.findings} | {each:.2f} | {mark} |"


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="only cases with one of these in their names")
    parser.add_argument("--sort", choices=SORTS, action="append", help="only these files (default all)")
    parser.add_argument("--size", type=int, default=2500, help="items of the smaller file (default 2500)")
    parser.add_argument("--length", type=int, default=250_000, help="characters of the smaller text (default 250000)")
    parser.add_argument(
        "--limit", type=int, default=30, help="seconds of CPU after which a check is ended (default 30)"
    )
    options = parser.parse_args()
    took({"warm.yaml": "kind: FeatureView\n"}, options.limit)
    print("| file | s CPU | by half of it | findings | ms each | |\n|---|---|---|---|---|---|")
    for sort in options.sort or SORTS:
        for case in SORTS[sort]():
            if not options.names or any(name in case.name for name in options.names):
                print(told(case, options.length if case.is_long_text else options.size, options.limit))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
