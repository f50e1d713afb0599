"""Measures trialrun beside its peers: `python -m benchmarks.check`; prints a Markdown table and judges nothing.

Every figure is of whole processes that took turns in this very run. A ratio is ours divided by the other's: below 1,
ours is faster or smaller. `must` and `aim` are the greatest ratios that are good enough, and good.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import Written, corpus, write
from benchmarks.measure import Command, Run, interleaved, least, middle, run
from benchmarks.other_files import foreign
from benchmarks.schema import combined

ROOT = Path(__file__).resolve().parent.parent
CHECK = ("-m", "trialrun", "check", "--isolated", "--output-format", "concise")
UNITS = {"wall": "s", "cpu": "s CPU", "peak": "MiB"}
SEED = 1


@dataclass(frozen=True)
class Row:
    """One comparison: what is compared, by which measure, and the goals for the ratio."""

    title: str
    measure: str
    ours: Command
    other: Command
    must: float
    aim: float
    warm: bool = False


@dataclass(frozen=True)
class Missing:
    """A comparison that cannot be made here, and why."""

    title: str
    reason: str


@dataclass(frozen=True)
class Bench:
    """Where everything is: the corpora, the schema, and the environment of the programs."""

    folder: Path
    files: int
    ajv: str | None
    environment: dict[str, str]

    @property
    def schema(self) -> Path:
        """The exported schema of both kinds, for the peers that validate by one."""
        return self.folder / "schema.json"

    def python(self, *words: str) -> Command:
        """A run of this Python."""
        return Command((sys.executable, *words), self.folder, self.environment)

    def ours(self, *paths: str, cache: bool = False) -> Command:
        """A run of `trialrun check`."""
        return self.python(*CHECK, *(() if cache else ("--no-cache",)), *paths)

    def peer(self, *words: str) -> Command:
        """A run of another program."""
        return Command(words, self.folder, self.environment)


def prepare(bench: Bench, *, memory: bool) -> None:
    """Write the corpora and the schema."""
    write(bench.folder / "ours", corpus(bench.files, seed=SEED))
    write(bench.folder / "plain", (file for file in corpus(bench.files, seed=SEED) if _is_plain(file)))
    write(bench.folder / "foreign", (Written(*file) for file in foreign(5 * bench.files, seed=SEED)))
    one = next(
        file
        for file in corpus(bench.files, seed=SEED)
        if file.path.startswith("views/") and not file.rules and 90 <= file.content.count(b"\n") <= 110
    )
    (bench.folder / "one.yaml").write_bytes(one.content)
    shutil.copy(bench.folder / "one.yaml", bench.folder / "foreign" / "ours.yaml")
    if memory:
        write(bench.folder / "many", corpus(10 * bench.files, seed=SEED))
    schemas = {kind: _exported(bench, kind) for kind in ("FeatureView", "ChannelConfig")}
    bench.schema.write_text(json.dumps(combined(schemas)))


def _is_plain(file: Written) -> bool:
    """Whether a reader of single documents can read the file, so that it does its work on all it is given."""
    marked = file.content.startswith(b"\xef\xbb\xbf") or b"\n---" in file.content
    return not marked and not {"syntax-error", "duplicate-key"} & set(file.rules)


def _exported(bench: Bench, kind: str) -> object:
    words = (sys.executable, "-m", "trialrun", "schema", kind)
    done = subprocess.run(words, cwd=bench.folder, env=bench.environment, capture_output=True, check=True)
    return json.loads(done.stdout)


def chosen_rows(bench: Bench, only: Sequence[str], *, memory: bool) -> Iterator[Row | Missing]:
    """The comparisons, or those of them whose titles contain one of some texts."""
    return (row for row in rows(bench, memory=memory) if not only or any(text in row.title for text in only))


def rows(bench: Bench, *, memory: bool) -> Iterator[Row | Missing]:
    """The comparisons, in the order of the table."""
    ours, lower_bound = bench.ours("ours"), bench.python("-m", "benchmarks.lower_bound", "ours")
    yield from _against_check_jsonschema(bench, ours)
    yield from _against_yamllint(bench, ours)
    yield Row(f"{bench.files:,} files, the lower bound", "cpu", ours, lower_bound, must=1.4, aim=1.1)
    yield from _against_ajv(bench)
    warm = bench.ours("ours", cache=True)
    yield Row(f"{bench.files:,} files, cache warm, without cache", "wall", warm, ours, must=0.2, aim=0.1, warm=True)
    yield from _one_file(bench)
    read = bench.python("-m", "benchmarks.lower_bound", "--read", "foreign")
    title = f"{5 * bench.files:,} files of other kinds and one of ours, only reading"
    yield Row(title, "wall", bench.ours("foreign"), read, must=3.0, aim=1.5)
    if memory:
        many = bench.ours("many")
        yield Row(f"{10 * bench.files:,} files, {bench.files:,} files", "peak", many, ours, must=1.3, aim=1.05)


def _against_check_jsonschema(bench: Bench, ours: Command) -> Iterator[Row | Missing]:
    title = f"{bench.files:,} files, check-jsonschema"
    program = _beside("check-jsonschema")
    if program is None:
        yield Missing(title, "not installed")
        return
    paths = sorted(str(path.relative_to(bench.folder)) for path in (bench.folder / "ours").rglob("*.yaml"))
    theirs = bench.peer(program, "--schemafile", str(bench.schema), *paths)
    yield Row(title, "wall", ours, theirs, must=1 / 12, aim=1 / 25)


def _against_yamllint(bench: Bench, ours: Command) -> Iterator[Row | Missing]:
    title = f"{bench.files:,} files, yamllint"
    program = _beside("yamllint")
    if program is None:
        yield Missing(title, "not installed")
        return
    theirs = bench.peer(program, "-d", "relaxed", "-f", "parsable", "ours")
    yield Row(title, "wall", ours, theirs, must=1 / 25, aim=1 / 50)


def _one_file(bench: Bench) -> Iterator[Row | Missing]:
    """A fresh process on one file of about 100 lines: mostly what a program costs to start."""
    peers = {"check-jsonschema": ("--schemafile", str(bench.schema)), "yamllint": ("-d", "relaxed")}
    goals = {"check-jsonschema": (0.7, 0.5), "yamllint": (1.0, 0.7)}
    for name, options in peers.items():
        title, program, (must, aim) = f"one file of 100 lines, {name}", _beside(name), goals[name]
        if program is None:
            yield Missing(title, "not installed")
        else:
            theirs = bench.peer(program, *options, "one.yaml")
            yield Row(title, "wall", bench.ours("one.yaml"), theirs, must=must, aim=aim)


def _against_ajv(bench: Bench) -> Iterator[Row | Missing]:
    title = "the files that ajv-cli can read, ajv-cli"
    words = (bench.ajv,) if bench.ajv else ("npx", "--no-install", "ajv")
    if shutil.which(words[0]) is None or run(bench.peer(*words, "help")).exit != 0:
        yield Missing(title, "not installed; give its path with --ajv")
        return
    options = ("validate", "--spec=draft2020", "--strict=false", "-s", str(bench.schema), "-d", "plain/**/*.yaml")
    yield Row(title, "wall", bench.ours("plain"), bench.peer(*words, *options), must=1.0, aim=1 / 1.5)


def _beside(program: str) -> str | None:
    """A program of this Python's environment, or else of the path."""
    beside = Path(sys.executable).with_name(program)
    return str(beside) if beside.exists() else shutil.which(program)


def measured(row: Row, *, times: int) -> str:
    """Measure one comparison; the line of the table."""
    if row.warm:
        run(row.ours)
    ours, other = interleaved((row.ours, row.other), times=times, watch_memory=row.measure == "peak")
    ratio = middle(ours, row.measure) / middle(other, row.measure)
    best = least(ours, row.measure) / least(other, row.measure)
    cells = (row.title, UNITS[row.measure], _figure(ours, row), _figure(other, row), f"{ratio:.3f}", f"{best:.3f}")
    return _line(*cells, f"{row.must:.2g}", f"{row.aim:.2g}", _verdict(row, ratio, ours, other))


def _verdict(row: Row, ratio: float, ours: list[Run], other: list[Run]) -> str:
    """Met or missed; a program that ended otherwise than with 0 or 1 did not do its work, so nothing counts."""
    for whose, runs in (("ours", ours), ("other", other)):
        strange = {timing.exit for timing in runs} - {0, 1}
        if strange:
            return f"does not count: {whose} exits {min(strange)}"
    if ratio > row.must:
        return "missed"
    return "met, and the aim" if ratio <= row.aim else "met"


def _figure(runs: list[Run], row: Row) -> str:
    digits = 0 if row.measure == "peak" else 3
    return f"{middle(runs, row.measure):.{digits}f} ({least(runs, row.measure):.{digits}f})"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def table(bench: Bench, *, times: int, memory: bool, only: Sequence[str] = ()) -> Iterator[str]:
    """The lines of the Markdown table, each as soon as it is measured."""
    yield from table_head()
    for row in chosen_rows(bench, only, memory=memory):
        yield _line(row.title, row.reason, *["-"] * 7) if isinstance(row, Missing) else measured(row, times=times)


def table_head() -> Iterator[str]:
    """The first two lines of the table."""
    yield _line("ours against", "in", "ours: median (least)", "other", "ratio", "of the least", "must", "aim", "")
    yield _line(*["---"] * 9)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="size of the corpus (default 2000)")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    parser.add_argument("--ajv", help="path of ajv-cli (default: npx --no-install ajv)")
    parser.add_argument("--no-memory", action="store_true", help="leave out the corpus of ten times the size")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="rows with a text in their title")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        bench = Bench(Path(name), options.files, options.ajv, environment(Path(name)))
        try:
            prepare(bench, memory=not options.no_memory)
        except subprocess.CalledProcessError as failure:
            print(f"nothing measured: `trialrun schema` exits {failure.returncode}")
            return
        for line in table(bench, times=options.times, memory=not options.no_memory, only=options.only):
            print(line, flush=True)


def environment(folder: Path) -> dict[str, str]:
    """The environment of every program: this repository's code, a cache of its own, no colour."""
    own = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "XDG_CACHE_HOME": str(folder / ".cache"), "NO_COLOR": "1"}
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return inherited | own


if __name__ == "__main__":
    main()
