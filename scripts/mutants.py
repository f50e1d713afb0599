"""Measure how many small mistakes in the program the tests notice: run them against mutants of `src` and `rules`.

python scripts/mutants.py --seed 1 --count 200

A mutant is the program with one line changed. It is killed when a test of its part fails or hangs; the tests that are
nearest to the changed file run first. Everything happens in a copy of the repository. The same seed gives the same
sample, as far as the lines are the same; a smaller count gives its beginning. Mutants that change nothing a test could
notice are listed in docs/decisions/tests.md, each with the reason, and are not run. `--from NUMBER` goes on with a
sample that was stopped, and `--matching TEXT` runs a mutant of the list again. A survivor takes the most time, since
all tests of its part run: `--stages 2` runs the nearest ones alone, so that some of the survivors that it lists are
killed by others.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from scripts.mutations import Mutation, changes_code, mutate, mutations  # noqa: E402
from scripts.nearest_tests import Arguments, test_stages  # noqa: E402

MUTATED = ("src", "rules")
EQUIVALENT = Path("docs/decisions/tests.md")
TEST_TIMEOUT = 60
"""Seconds that a test may take. A mutant that hangs is killed by it."""
STAGE_TIMEOUT = 900
"""Seconds that all tests of a stage may take, for a mutant that hangs where no test runs yet."""
MAX_MEMORY = 12 << 30
"""Bytes of address space of a process, for a mutant that would fill the memory; only Linux limits other processes."""
NO_TESTS = 5
"""The exit code of pytest when no test is selected."""
OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "-rfE", f"--timeout={TEST_TIMEOUT}")
CULPRIT = re.compile(r"^(?:FAILED|ERROR) (tests/.*?\.py(?:::\S*?(?:\[.*?\])?)?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A file below the root, and what changes in it."""

    path: str
    mutation: Mutation

    def __str__(self) -> str:
        original, mutated = self.mutation.original.strip(), self.mutation.mutated.strip()
        return f"{self.path}:{self.mutation.line}: {original} -> {mutated}"

    @property
    def listed(self) -> str:
        """How the page of equivalent mutants names it: without the line number, which changes often."""
        return f"`{self.path}`: `{self.mutation.original.strip()}` -> `{self.mutation.mutated.strip()}`"


def sample(root: Path, only: str, seed: int, count: int, matching: str = "") -> list[Mutant]:
    """The mutants of a seed: the order depends on each line alone, so that other changes leave most of the sample."""
    keyed: list[tuple[bytes, Mutant]] = []
    texts: dict[str, str] = {}
    for path in _mutated_files(root, only):
        texts[path] = (root / path).read_bytes().decode()
        seen: Counter[str] = Counter()
        for mutation in mutations(texts[path]):
            mutant = Mutant(path, mutation)
            seen[mutant.listed] += 1
            key = f"{seed}\0{mutant.listed}\0{seen[mutant.listed]}"
            keyed.append((hashlib.sha256(key.encode()).digest(), mutant))
    ordered = (mutant for _, mutant in sorted(keyed, key=lambda pair: pair[0]))
    chosen = (mutant for mutant in ordered if matching in str(mutant))
    real = (mutant for mutant in chosen if changes_code(texts[mutant.path], mutant.mutation))
    return [mutant for mutant, _ in zip(real, range(count), strict=False)]


def _mutated_files(root: Path, only: str) -> list[str]:
    files = (file.relative_to(root).as_posix() for top in MUTATED for file in (root / top).rglob("*.py"))
    return sorted(file for file in files if f"{file}/".startswith(f"{only.rstrip('/')}/" if only else ""))


def equivalent_mutants(root: Path) -> str:
    """The text of the page that lists mutants no test can notice."""
    page = root / EQUIVALENT
    return page.read_text(encoding="utf-8") if page.exists() else ""


def copy_repository(root: Path, folder: Path) -> None:
    """Make a repository with copies of all files that git tracks, or would if they were added.

    Tests rely on the repository: it is the boundary of what a check may read.
    """
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (root / name).is_symlink() or (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name, follow_symlinks=False)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)


class Copy:
    """A copy of the repository in which one mutant at a time is tested."""

    def __init__(self, root: Path, folder: Path, stages: int | None = None) -> None:
        self.root = folder / "repository"
        self.stages = stages
        self.scratch = folder / "scratch"
        self._failing: list[str] = []
        self._passing: set[tuple[str, ...]] = set()
        self._changes = 0
        copy_repository(root, self.root)

    def is_killed(self, mutant: Mutant) -> bool:
        """Whether a test that passes without the mutant fails with it, and does so a second time."""
        stages = test_stages(self.root, mutant.path)[: self.stages]
        return any(self._fails_by_mutant(stage, mutant) for stage in stages)

    def _fails_by_mutant(self, stage: Arguments, mutant: Mutant) -> bool:
        while tests := self._without_failing_files(stage):
            code, output = self._with_mutant(mutant, tests)
            if code in (0, NO_TESTS):
                return False
            culprits = tuple(CULPRIT.findall(output))
            if self._passes_without_mutant(culprits or tests):
                return any(
                    self._with_mutant(mutant, words)[0] not in (0, NO_TESTS) for words in (culprits, tests) if words
                )
            if not set(culprits) - set(self._failing):
                print(f"cannot run {' '.join(tests)}\n{output}", file=sys.stderr, flush=True)
                return False
            self._failing += {*culprits, *CULPRIT.findall(self._run_tests(tests, "--maxfail=0")[1])} - {*self._failing}
        return False

    def _without_failing_files(self, stage: Arguments) -> Arguments:
        """The arguments of a stage without files that cannot be imported; none if there is nothing else."""
        tests = tuple(word for word in stage if word not in self._failing)
        return tests if any(word.startswith("tests/") for word in tests) else ()

    def _with_mutant(self, mutant: Mutant, stage: Arguments) -> tuple[int, str]:
        text = (self.root / mutant.path).read_bytes().decode()
        self._write(mutant.path, mutate(text, mutant.mutation))
        try:
            return self._run_tests(stage)
        finally:
            self._write(mutant.path, text)

    def _write(self, path: str, text: str) -> None:
        """Write a file with a time of its own: Python knows compiled files by time and size, and has seen others."""
        file = self.root / path
        self._changes += 1
        file.write_bytes(text.encode())
        time = file.stat().st_mtime + self._changes
        os.utime(file, (time, time))

    def _passes_without_mutant(self, tests: Arguments) -> bool:
        if tests not in self._passing and self._run_tests(tests)[0] in (0, NO_TESTS):
            self._passing.add(tests)
        return tests in self._passing

    def _run_tests(self, tests: Arguments, *options: str) -> tuple[int, str]:
        """The exit code of pytest, and what it printed."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        failing = (f"--deselect={test}" for test in self._failing)
        words = [sys.executable, "-m", "pytest", *OPTIONS, *options, *failing, *tests]
        with tempfile.TemporaryFile() as output:
            code = _exit_code(words, self.root, self._environment(), output.fileno())
            output.seek(0)
            return code, output.read().decode(errors="replace")

    def _environment(self) -> dict[str, str]:
        """The environment of the tests: generated cases are always the same, and the user's folders are left alone."""
        own = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(self.scratch))
        return os.environ | own | {"CI": "true", "PYTHONPATH": str(self.root / "src")}


def _exit_code(words: list[str], folder: Path, environment: dict[str, str], output: int) -> int:
    """Run a program with all that it starts in a group of its own, which is ended with it."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    _limit_memory(process.pid)
    try:
        return process.wait(STAGE_TIMEOUT)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL
    finally:
        _end_group(process)


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()


def survivors(root: Path, mutants: dict[int, Mutant], jobs: int, stages: int | None = None) -> Iterator[Mutant]:
    """Test mutants in copies of the repository, as many at a time as there are jobs, and yield those not killed.

    The keys are the numbers of the mutants in the sample. Of the groups of tests that a mutant meets, only the nearest
    `stages` are run, all where it is None.
    """
    with tempfile.TemporaryDirectory(prefix="trialrun-mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(jobs):
            copies.put(Copy(root, Path(folder) / str(number), stages))

        def is_killed(number: int, mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                killed = copy.is_killed(mutant)
            finally:
                copies.put(copy)
            verdict = "killed" if killed else f"survived: {mutant}"
            print(f"{number} of {max(mutants)}: {verdict}", file=sys.stderr, flush=True)
            return killed

        for mutant, killed in zip(mutants.values(), pool.map(is_killed, mutants, mutants.values()), strict=True):
            if not killed:
                yield mutant


def summary(total: int, survived: int, equivalent: int) -> str:
    """The totals, for people."""
    share = (total - survived - equivalent) / total if total else 1.0
    text = f"{total - survived - equivalent} of {total} mutants killed ({share:.1%}), {survived} survived"
    return f"{text}, {equivalent} equivalent ({EQUIVALENT.as_posix()})"


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command and return its exit code."""
    options = _options(arguments)
    mutants = sample(root, options.only, options.seed, options.count, options.matching)[options.start - 1 :]
    page = equivalent_mutants(root)
    tested = {number: mutant for number, mutant in enumerate(mutants, options.start) if mutant.listed not in page}
    if options.list:
        _print_all(mutants)
        return 0
    survived = 0
    for mutant in survivors(root, tested, options.jobs, options.stages):
        survived += 1
        print(mutant, flush=True)
    print(summary(len(mutants), survived, len(mutants) - len(tested)))
    killed = len(tested) - survived
    return 0 if killed >= options.at_least * len(mutants) else 1


def _print_all(mutants: Iterable[Mutant]) -> None:
    for mutant in mutants:
        print(mutant)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="which sample to take (default: 1)")
    parser.add_argument("--count", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument(
        "--from", type=int, default=1, dest="start", metavar="NUMBER", help="the first mutant to test (default: 1)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many to test at a time (default: 1)")
    parser.add_argument(
        "--only", default="", metavar="PATH", help="mutants of this file or folder, such as src/trialrun/fix"
    )
    parser.add_argument(
        "--matching",
        default="",
        metavar="TEXT",
        help="mutants with this text in their line of the list, such as '-> pass'",
    )
    parser.add_argument(
        "--stages", type=int, metavar="NUMBER", help="run only so many of the nearest groups of tests (default: all)"
    )
    parser.add_argument("--list", action="store_true", help="show the mutants without running tests")
    parser.add_argument("--at-least", type=float, default=0.9, metavar="SHARE", help="exit with 1 below (default: 0.9)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
