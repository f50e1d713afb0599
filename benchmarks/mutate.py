"""What mutation tests of configurations cost: `python -m benchmarks.mutate`.

100 changes of the example workspace, each played on the scenarios that use the changed document, against one run of
its scenarios. Wall time of whole processes, the two taking turns; the median of `--times`.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "fixtures" / "workspaces" / "burger-brand"
MUST, AIM = 60.0, 30.0


def seconds(arguments: Sequence[str]) -> float:
    """The wall time of a run of `trialrun test` in the example workspace."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "trialrun", "test", *arguments], cwd=EXAMPLE, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    runs = [(seconds(["--mutate", "--sample", str(options.sample)]), seconds([])) for _ in range(options.times)]
    mutated, alone = (statistics.median(times) for times in zip(*runs, strict=True))
    print("| changes | s | must | aim | scenarios alone, s |\n|---|---|---|---|---|")
    print(f"| {options.sample} | {mutated:.1f} | {MUST:.0f} | {AIM:.0f} | {alone:.1f} |")


if __name__ == "__main__":
    main()
