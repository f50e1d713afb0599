"""What an edit costs in the process that lints for editors: `python -m benchmarks.editor`.

A workspace of the corpus, and its ChannelConfig that is nearest to 300 lines, open. An edit puts a letter into a random
place, or takes it out again; its time is from the text that is sent to the findings that come back, through the pipe,
with no pause between edits. Beside it, in turns: the same text linted in this process, by the open workspace alone. The
memory is that of the process after the first hundred edits, with all read ahead that questions may ask for, and after
many.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from queue import Queue
from statistics import quantiles

from benchmarks.corpus import corpus, write
from benchmarks.random_source import Dice
from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.ipc.messages import Diagnostics, ForClient, Options, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

SEED = 1
LINES = 300
LIMIT = 600
QUIET = 1.0
"""Seconds without work after which nothing is left, what is read ahead included."""
MUST, AIM = 25.0, 10.0
MUST_GROW = 1.2
EARLY = 100
LETTERS = "abcdefgh:-{ \n"


def edits(data: bytes, count: int) -> Iterator[bytes]:
    """The text after each of some edits, one of two taking back the one before."""
    dice = Dice(f"editor/{SEED}")
    for _ in range(count // 2):
        at = dice.number(0, len(data))
        yield data[:at] + dice.pick(LETTERS).encode() + data[at:]
        yield data


class AnalysisServer:
    """A worker whose findings are waited for, with one open file."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._found: Queue[int] = Queue()
        self._file = file
        self._version = 0
        self.supervisor = AnalysisSupervisor(self._take)
        self.supervisor.initialize(str(folder), Options(cache=False))

    def _take(self, _: AnalysisSupervisor, message: ForClient) -> None:
        if isinstance(message, Diagnostics) and message.file == str(self._file):
            self._found.put(message.version)
        elif isinstance(message, ShowMessage):
            print(message.message, file=sys.stderr)

    def findings_of(self, data: bytes) -> float:
        """Send a text and wait for its first findings; the milliseconds that took."""
        self._version += 1
        begin = time.perf_counter()
        self.supervisor.set_text(str(self._file), data, self._version, lint_immediately=False)
        while self._found.get(timeout=LIMIT) != self._version:
            continue
        return (time.perf_counter() - begin) * 1000

    def memory(self) -> float:
        """The memory of its process in MB, once it has nothing left to do; Linux alone tells it so."""
        before, now = -1, self._worked()
        while before != now:
            time.sleep(QUIET)
            before, now = now, self._worked()
        pages = int(Path(f"/proc/{self.supervisor.process_id}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def _worked(self) -> int:
        """How long its process has worked, in ticks of the system's clock."""
        told = Path(f"/proc/{self.supervisor.process_id}/stat").read_text().rpartition(")")[2].split()
        return int(told[11]) + int(told[12])


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editor", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=200, help="files of the workspace (default 200)")
    parser.add_argument("--edits", type=int, default=200, help="edits that are timed (default 200)")
    parser.add_argument("--many", type=int, default=10_000, help="edits after which memory is told (default 10000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name).resolve()
        written = write(folder, corpus(options.files, seed=SEED))
        file = min((folder / one.path for one in written), key=_distance)
        office = AnalysisServer(folder, file)
        try:
            _measure(office, folder, file, options)
        finally:
            office.supervisor.stop()


def _distance(file: Path) -> int:
    data = file.read_bytes()
    return abs(data.count(b"\n") - LINES) if b"ChannelConfig" in data or b"operationsConfig" in data else 10**6


def _measure(office: AnalysisServer, folder: Path, file: Path, options: argparse.Namespace) -> None:
    data = file.read_bytes()
    lines = data.count(b"\n")
    print(f"{options.files} files; {lines} lines, {len(data)} bytes edited")
    live = _opened(folder)
    early = _memory_after(office, data, EARLY)
    sent, alone = [], []
    for text in edits(data, options.edits):
        sent.append(office.findings_of(text))
        alone.append(_alone(live, file, text))
    for what, times in (("through the pipe", sent), ("the open workspace alone", alone)):
        print(f"{what}: median {quantiles(times, n=20)[9]:.1f} ms, 95 % {quantiles(times, n=20)[18]:.1f} ms")
    print(f"must {MUST:.0f} ms, aim {AIM:.0f} ms")
    late = _memory_after(office, data, options.many)
    print(f"memory: {early:.1f} MB after {EARLY} edits, {late:.1f} MB after {options.many} more")
    print(f"ratio {late / early:.2f}, must {MUST_GROW}")


def _opened(folder: Path) -> OpenWorkspace:
    os.chdir(folder)
    live = OpenWorkspace(CheckRequest(str(folder), datetime.now(UTC), Profiles(Settings()), jobs=1, cache=False))
    live.run_all_tasks()
    return live


def _alone(live: OpenWorkspace, file: Path, data: bytes) -> float:
    begin = time.perf_counter()
    live.set_overlay(str(file), data)
    live.diagnostics(str(file.relative_to(Path.cwd())))
    return (time.perf_counter() - begin) * 1000


def _memory_after(office: AnalysisServer, data: bytes, count: int) -> float:
    for text in edits(data, count):
        office.findings_of(text)
    return office.memory()


if __name__ == "__main__":
    main()
