"""Counts the instructions of five runs: `python -m benchmarks.instructions`; exits with 1 where one has become slower.

Instructions in user space, by valgrind, are the same however busy the machine is, so that a change of some per cent is
seen. They are compared with the counts kept in `instructions.json` for exactly this Python, machine and libraries;
for any other combination they are printed, and the comparison is skipped. After a change that was meant,
`--keep WHY` keeps the new counts, with the reason. `pytest -m exhaustive tests/test_instructions.py` compares too.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.corpus import corpus, write

ROOT = Path(__file__).resolve().parent.parent
KEPT = Path(__file__).with_suffix(".json")
LIBRARIES = (
    "PyYAML", "cel-expr-python", "click", "pathspec", "protobuf", "pydantic", "pydantic-core", "setuptools", "tzdata",
)  # fmt: skip
"""What a check imports, and setuptools, of which every start of Python runs a line."""
TOLERANCE = 0.03
"""Counts that differ by no more are equal."""
ADVICE = 'slower by more than 3 %; if that is meant, say why: python -m benchmarks.instructions --keep "WHY"'
FILES = 200
SEED = 1
NO_FILE = "--callgrind-out-file=/dev/null"
COUNTED = re.compile(r"Collected : (\d+)")
CHECK = ("check", "--isolated", "--output-format", "concise", "--jobs", "1")
RUNS: Mapping[str, tuple[str, ...]] = {
    "version": ("--version",),
    "one view": (*CHECK, "--no-cache", "view.yaml"),
    "one config": (*CHECK, "--no-cache", "config.yaml"),
    f"{FILES} files": (*CHECK, "--no-cache", "files"),
    "cache hit": (*CHECK, "view.yaml"),
}


@dataclass(frozen=True)
class Comparison:
    """The instructions of a run, and those that are kept for it, if any."""

    run: str
    count: int
    kept: int | None

    @property
    def ratio(self) -> float | None:
        """How many times as many as are kept."""
        return self.count / self.kept if self.kept else None

    @property
    def is_slower(self) -> bool:
        """Whether the run needs more than what is kept and tolerated."""
        return self.ratio is not None and self.ratio > 1 + TOLERANCE

    @property
    def verdict(self) -> str:
        """The comparison in a word."""
        if self.ratio is None:
            return "not kept"
        return "slower" if self.is_slower else "faster" if self.ratio < 1 - TOLERANCE else "equal"


def combination() -> dict[str, str]:
    """What the counts depend on besides our code: Python, the machine and the libraries."""
    here = {"python": " ".join(sys.version.split()), "machine": f"{platform.machine()} {platform.libc_ver()[1]}"}
    for library in LIBRARIES:
        try:
            here[library] = version(library)
        except PackageNotFoundError:
            here[library] = "not installed"
    return here


def prepare(folder: Path) -> None:
    """Write a view of about 100 lines, a config with conditions, and the corpus; nothing of the first two is wrong."""
    files = list(corpus(FILES, seed=SEED))
    for name, top, part, lines in (
        ("view", "views/", b"", range(90, 111)),
        ("config", "channels/", b"conditionExpression", range(100, 301)),
    ):
        sound = (file for file in files if file.path.startswith(top) and part in file.content and not file.rules)
        (folder / f"{name}.yaml").write_bytes(
            next(file.content for file in sound if file.content.count(b"\n") in lines)
        )
    write(folder / "files", iter(files))


def count(run: str, folder: Path) -> int:
    """The instructions of a run, which runs once before, so that bytecode and the cache are written."""
    environment = {
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": "/usr/bin:/bin",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT / "src"),
        "TRIALRUN_CACHE_DIR": str(folder / "cache"),
    }
    words, valgrind = (sys.executable, "-m", "trialrun", *RUNS[run]), ("valgrind", "--tool=callgrind", NO_FILE)
    for command in (words, words, (*valgrind, *words)):
        counted = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    found = COUNTED.search(counted.stderr)
    if found is None or counted.returncode not in (0, 1):
        raise RuntimeError(f"{run}: exits with {counted.returncode}: {counted.stderr[-300:]}")
    return int(found[1])


def kept_counts(entries: list[dict[str, object]], here: Mapping[str, str]) -> dict[str, int]:
    """The counts kept for a combination; empty where none are."""
    counts = next((entry["counts"] for entry in entries if entry["combination"] == here), {})
    assert isinstance(counts, dict)
    return counts


def compare(runs: Iterable[str], kept: Mapping[str, int]) -> list[Comparison]:
    """Count some runs, and compare them with what is kept."""
    with tempfile.TemporaryDirectory(prefix="trialrun-instructions-") as name:
        prepare(Path(name))
        return [Comparison(run, count(run, Path(name)), kept.get(run)) for run in runs]


def kept_entries() -> list[dict[str, object]]:
    """The counts of all combinations."""
    entries: list[dict[str, object]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return entries


def reason_to_skip(here: Mapping[str, str]) -> str:
    """Why nothing is compared where no counts are kept."""
    return "no counts are kept for " + ", ".join(f"{name} {text}" for name, text in here.items())


def table(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """The lines of the Markdown table."""
    yield "| run | million instructions | kept | ratio | |"
    yield "|---|---|---|---|---|"
    for compared in comparisons:
        kept = f"{compared.kept / 1e6:.1f}" if compared.kept else "-"
        ratio = f"{compared.ratio:.3f}" if compared.ratio else "-"
        yield f"| {compared.run} | {compared.count / 1e6:.1f} | {kept} | {ratio} | {compared.verdict} |"


def with_counts(
    entries: list[dict[str, object]], here: Mapping[str, str], counts: Mapping[str, int], why: str
) -> list[dict[str, object]]:
    """The entries with new counts for a combination, and why they are what they are."""
    others = [entry for entry in entries if entry["combination"] != here]
    return [*others, {"combination": dict(here), "counts": dict(counts), "why": why}]


def main() -> int:
    """Count, compare and say what is slower; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--keep", metavar="WHY", help="keep these counts, and why they differ from those before")
    parser.add_argument("--only", action="append", choices=RUNS, help="one of the runs; may be repeated")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed (apt-get install valgrind)")
        return 0
    here, entries = combination(), kept_entries()
    kept = kept_counts(entries, here)
    compared = compare(options.only or RUNS, kept)
    print("\n".join(table(compared)), flush=True)
    if options.keep:
        counts = kept | {comparison.run: comparison.count for comparison in compared}
        KEPT.write_text(json.dumps(with_counts(entries, here, counts, options.keep), indent=2) + "\n", encoding="utf-8")
        return 0
    if not kept:
        print(f"skipped: {reason_to_skip(here)}")
    is_slower = any(comparison.is_slower for comparison in compared)
    if is_slower:
        print(ADVICE)
    return int(is_slower)


if __name__ == "__main__":
    sys.exit(main())
