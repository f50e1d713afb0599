"""Whole processes, measured from outside and compared in turns: wall time, CPU time and memory, with all they start."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Command:
    """A program to measure: its words, and where it runs; `prepare` is called before each run and is not measured."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    prepare: Callable[[], object] | None = None


@dataclass(frozen=True)
class Run:
    """One run: seconds of wall time, seconds of CPU with all children, MiB of memory at the peak, the exit code."""

    wall: float
    cpu: float
    peak: float
    exit: int


def run(command: Command, *, watch_memory: bool = False) -> Run:
    """Run a program to its end; its output is thrown away.

    Memory is the greatest resident set of any one of its processes; with `watch_memory` it is the greatest sum over
    the whole tree of processes, shared pages divided among those that share them (Linux; looked at every 50 ms).
    """
    if command.prepare is not None:
        command.prepare()
    start = time.perf_counter()
    process = subprocess.Popen(
        command.words,
        cwd=command.folder,
        env=dict(command.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    watcher = _Watcher(process.pid) if watch_memory else None
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = max(usage.ru_maxrss / 1024, watcher.stop() if watcher else 0.0)
    return Run(wall, usage.ru_utime + usage.ru_stime, peak, process.returncode)


def cpu_seconds(process: int) -> float:
    """The processor time that another process has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Comparison:
    """Ours beside another program, by one measure of `Run`; the ratio may be `must` at most, and `aim` is good.

    Without another program, the goals are of the figure itself; with a `reason`, it cannot be made here.
    """

    title: str
    measure: str
    ours: Command
    other: Command | None = None
    must: float = 0
    aim: float = 0
    reason: str = ""


def compare(comparison: Comparison, *, times: int) -> str:
    """The line of the table: medians, with the least in brackets; a program that exits otherwise than 0 or 1 fails."""
    if comparison.reason:
        return f"| {comparison.title} | {comparison.reason} | | | | |"
    commands = [command for command in (comparison.ours, comparison.other) if command]
    runs = interleaved(commands, times=times, watch_memory=comparison.measure == "peak")
    figures = [[getattr(run, comparison.measure) for run in of_one] for of_one in runs]
    shown = [f"{median(some):.3f} ({min(some):.3f})" for some in figures]
    ratios = [f(figures[0]) / f(figures[1]) if len(figures) > 1 else 0.0 for f in (median, min)]
    judged = ratios[0] or median(figures[0])
    verdict = "missed" if judged > comparison.must else "met, and the aim" if judged <= comparison.aim else "met"
    if not comparison.must:
        verdict = ""
    strange = [run.exit for of_one in runs for run in of_one if run.exit not in (0, 1)]
    if strange:
        verdict = f"does not count: exits {strange[0]}"
    cells = (shown[0], shown[1] if len(shown) > 1 else "", f"{ratios[0]:.3f} ({ratios[1]:.3f})" if ratios[0] else "")
    unit = {"wall": "s", "cpu": "s CPU", "peak": "MiB"}[comparison.measure]
    goals = f"{comparison.must:.3g} | {comparison.aim:.3g}" if comparison.must else "|"
    return f"| {comparison.title} | {unit} | {' | '.join(cells)} | {goals} | {verdict} |"


HEAD = "| ours against | in | ours: median (least) | other | ratio (of the least) | must | aim | |\n" + "|---" * 8 + "|"


def interleaved(commands: Sequence[Command], *, times: int, watch_memory: bool = False) -> list[list[Run]]:
    """The runs of each command: first all of them once, then all again, so that a slow minute slows all alike."""
    rounds = [[run(command, watch_memory=watch_memory) for command in commands] for _ in range(times)]
    return [list(runs) for runs in zip(*rounds, strict=True)]


class _Watcher:
    """Looks at the memory of a process and its descendants until it is stopped."""

    def __init__(self, root: int) -> None:
        self.root, self.peak, self.done = root, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def stop(self) -> float:
        """The greatest sum seen, in MiB."""
        self.done.set()
        self.thread.join()
        return self.peak

    def _watch(self) -> None:
        while not self.done.wait(POLL_SECONDS):
            self.peak = max(self.peak, memory_of_tree(self.root))


def memory_of_tree(root: int) -> float:
    """The memory of a process and its descendants in MiB, shared pages divided among those that share them."""
    return sum(_share_of_memory(process) for process in _tree(root))


def _tree(root: int) -> list[int]:
    """A process and its descendants, as far as /proc shows them."""
    found = [root]
    for process in found:
        try:
            lists = [children.read_text() for children in Path(f"/proc/{process}/task").glob("*/children")]
        except OSError:  # ended between two looks
            continue
        found += [int(child) for text in lists for child in text.split()]
    return found


def _share_of_memory(process: int) -> float:
    """The proportional share of one process, in MiB; nothing where /proc does not tell."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    line = next((line for line in text.splitlines() if line.startswith("Pss:")), "Pss: 0 kB")
    return int(line.split()[1]) / 1024
