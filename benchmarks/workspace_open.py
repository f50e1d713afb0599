"""How long an editor waits while a large workspace opens: `python -m benchmarks.workspace_open`.

A workspace of the corpus, with one file open. While everything is linted, judged and read ahead, a question about the
open file is asked again and again, each after the answer to the one before and a pause; the longest that one took is
told. Beside it: the time from the start to the findings of the open file, that of `trialrun check FILE`, and the memory
of the process that lints once it has nothing left to do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.corpus import corpus, write
from trialrun.lsp.ipc.messages import Diagnostics, ForClient, Options, Progress, ShowMessage
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor

SEED = 1
PAUSE = 0.02
LIMIT = 600
MUST = 100.0
"""Milliseconds that a question may wait."""


class Opening:
    """A worker on its way from its start to where nothing is left to do."""

    def __init__(self, folder: Path, file: Path) -> None:
        self.begun = time.perf_counter()
        self.found = threading.Event()
        self.done = threading.Event()
        self.supervisor = AnalysisSupervisor(self._take)
        self.supervisor.initialize(str(folder), Options(cache=False))
        self._file = str(file)
        self.supervisor.set_text(self._file, file.read_bytes(), 1)

    def _take(self, _: AnalysisSupervisor, message: ForClient) -> None:
        match message:
            case Diagnostics():
                self.found.set()
            case ShowMessage(_, text):
                print(text, file=sys.stderr)
            case Progress(0):
                self.done.set()

    def since(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self.begun) * 1000

    def asked(self, name: str, *arguments: object, **named: object) -> float:
        """Milliseconds that a question takes."""
        begin = time.perf_counter()
        self.supervisor.request(name, self._file, *arguments, **named).result(LIMIT)
        return (time.perf_counter() - begin) * 1000

    def idle(self) -> bool:
        """Whether the process does nothing; Linux alone tells."""
        before = self._ticks()
        time.sleep(0.3)
        return self._ticks() == before

    def _ticks(self) -> int:
        return sum(
            map(int, Path(f"/proc/{self.supervisor.process_id}/stat").read_text().rpartition(")")[2].split()[11:13])
        )

    def memory(self) -> float:
        """The memory of its process in MB; Linux alone tells it so."""
        pages = int(Path(f"/proc/{self.supervisor.process_id}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def waited(opening: Opening, *, until: threading.Event, least: float) -> Iterator[float]:
    """How long each question took, asked until something is done, and for so many seconds at least."""
    end = time.perf_counter() + least
    while not until.is_set() or time.perf_counter() < end:
        yield opening.asked("document_symbols")
        time.sleep(PAUSE)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.workspace_open", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--files", type=int, default=2000, help="files of the workspace (default 2000)")
    parser.add_argument(
        "--ahead", type=float, default=15, help="seconds of questions after the last finding (default 15)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name).resolve()
        written = write(folder, corpus(options.files, seed=SEED))
        _measure(folder, folder / written[len(written) // 2].path, options)


def _measure(folder: Path, file: Path, options: argparse.Namespace) -> None:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "trialrun", "check", "--no-cache", str(file)]
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    checked = (time.perf_counter() - begin) * 1000
    opening = Opening(folder, file)
    try:
        opening.found.wait(LIMIT)
        print(f"{options.files} files; first findings {opening.since():.0f} ms after the start, check {checked:.0f} ms")
        times = list(waited(opening, until=opening.done, least=0))
        print(f"all linted and judged after {opening.since():.0f} ms; {_told(times)}")
        times = list(waited(opening, until=opening.done, least=options.ahead))
        print(f"while texts are read ahead: {_told(times)}")
        while not opening.idle():
            continue
        print(f"memory {opening.memory():.0f} MB")
        _first(opening, file)
    finally:
        opening.supervisor.stop()


def _told(times: list[float]) -> str:
    return f"{len(times)} questions, median {median(times):.1f} ms, longest {max(times):.0f} ms (must {MUST:.0f})"


def _first(opening: Opening, file: Path) -> None:
    """The first question of each sort, once nothing is left to do."""
    text = file.read_text(encoding="utf-8-sig")
    at, end = text.index("name:") + 7, len(text)
    asked = {
        "hover": (at,),
        "completion": (at,),
        "inlay_hint": (0, end),
        "code_lens": (),
        "goto_definition": (at,),
        "references": (at,),
        "code_action": (0, end),
    }
    for name, arguments in asked.items():
        named = {"with_declarations": True} if name == "references" else {}
        first = opening.asked(name, *arguments, **named)
        print(f"first {name} {first:.0f} ms, again {opening.asked(name, *arguments, **named):.0f} ms")


if __name__ == "__main__":
    main()
