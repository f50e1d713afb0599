"""Compare the tests that a run of pytest skipped with those that are expected, so that none is skipped by accident.

    python scripts/skips.py fast|rest OUTPUT [--some]

OUTPUT is what `pytest -rs` printed. `.ci/skips.txt` says which reasons are expected, and when. With --some only a part
of the tests was run, so that an expected reason may be absent.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
SKIPPED = re.compile(r"^SKIPPED \[\d+\] (\S+?:\d+): (.*)$", re.MULTILINE)


def problems(output: str, table: str, run: str, *, is_whole: bool = True) -> Iterator[str]:
    """What was skipped without need, and what is expected to be skipped and was not."""
    skipped = SKIPPED.findall(output)
    expected = [(when, pattern) for row, when, pattern in read_rows(table) if row == run and holds(when)]
    for place, reason in skipped:
        if not any(fits(reason, pattern) for _, pattern in expected):
            yield f"{place} was skipped, which is not expected here: {reason}"
    for when, pattern in expected:
        is_required = is_whole and when != "sometimes"
        if is_required and not any(fits(reason, pattern) for _, reason in skipped):
            yield f"nothing was skipped ({when}), and .ci/skips.txt expects: {pattern}"


def read_rows(table: str) -> Iterator[tuple[str, str, str]]:
    for line in table.splitlines():
        if line and not line.startswith("#"):
            run, when, pattern = (cell.strip() for cell in line.split("|", 2))
            yield run, when, pattern


def fits(reason: str, pattern: str) -> bool:
    """Whether a reason is a pattern, in which only * is special; reasons have brackets."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), reason) is not None


def holds(when: str) -> bool:
    """Whether it is so on this machine."""
    word, _, thing = when.partition(" ")
    match word:
        case "sometimes":
            return True
        case "root":
            return hasattr(os, "geteuid") and os.geteuid() == 0
        case "without":
            return not (shutil.which(thing) or has_package(thing) or (ROOT / thing).exists())
        case _:
            raise ValueError(f".ci/skips.txt: {when} is none of without THING, root and sometimes")


def has_package(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:  # of what it is in, or it is a path
        return False


def main(run: str, output: str, *options: str) -> int:
    table = (ROOT / ".ci" / "skips.txt").read_text(encoding="utf-8")
    found = [*problems(Path(output).read_text(encoding="utf-8"), table, run, is_whole="--some" not in options)]
    sys.stderr.writelines(f"skips: {problem}\n" for problem in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
