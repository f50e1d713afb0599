"""`trialrun check` of one file with and without the resident process, taking turns: wall time and CPU of the command.

python -m benchmarks.resident [--times 30]

The command is the installed one, with compiled bytecode, as users have it.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter

FILE = Path(__file__).parent.parent / "fixtures" / "valid" / "view-every-field.yaml"
MUST, AIM = 0.035, 0.02
Cost = tuple[float, float]


def measure(command: list[str], environment: Mapping[str, str]) -> Cost:
    """The wall time and the CPU time of a command; without the CPU of the resident process, which is not its child."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, costs: list[Cost]) -> None:
    """Print the least and the median of a kind of run."""
    wall, cpu = zip(*costs, strict=True)
    print(f"{name:<28} {min(wall):8.4f} {median(wall):8.4f} {min(cpu):8.4f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    times = parser.parse_args().times
    program = shutil.which("trialrun", path=str(Path(sys.executable).parent)) or "trialrun"
    with tempfile.TemporaryDirectory(prefix="tr-") as state:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        asking = kept | {"TRIALRUN_STATE_DIR": state, "TRIALRUN_CACHE_DIR": f"{state}/cache"}
        alone = asking | {"TRIALRUN_NO_DAEMON": "1"}
        file = shutil.copy(FILE, state)
        check = [program, "check", "--no-cache", file]
        kinds = {
            "python -c pass": ([sys.executable, "-c", "pass"], alone),
            "trialrun --version": ([program, "--version"], alone),
            "check, not resident": (check, alone),
            "check, resident": (check, asking),
        }
        subprocess.run([program, "daemon", "start"], env=asking, check=True, stdout=subprocess.DEVNULL)
        try:
            costs = [{name: measure(*kind) for name, kind in kinds.items()} for _ in range(times + 1)][1:]
        finally:
            subprocess.run([program, "daemon", "stop"], env=asking, check=True, stdout=subprocess.DEVNULL)
    print(f"{'seconds':<28} {'least':>8} {'median':>8} {'CPU':>8}")
    for name in kinds:
        report(name, [turn[name] for turn in costs])
    print(f"must {MUST}, aim {AIM} (resident, wall)")


if __name__ == "__main__":
    main()
