"""Throw damaged files at the linter: `python tests/fuzz/harness.py --inputs 100000 --seed 1`.

Every input is a fixture that was mutated: bytes flipped, inserted, deleted, lines shuffled, parts of other fixtures
spliced in, scalars exchanged for hostile ones. An input fails when the linter raises, tells a fault of ours, places a
finding outside the text, takes longer than the time limit, or answers differently the second time. Failing inputs are
written to `--keep`.
"""

import argparse
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.file_result import FileResult
from trialrun.lint.registry import ids
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.parser import parse

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
SECONDS = 20
SCALARS = [
    b"null",
    b"~",
    b"{}",
    b"[]",
    b"''",
    b'""',
    b"no",
    b"012",
    b"1e400",
    b"-0",
    b".nan",
    b"9" * 5000,
    b"!x y",
    b"*a",
    b"&a b",
    b"|\n",
    b">-\n",
    b"\t",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x8d\x94",
    b"\xc2\x85",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"<<: *a",
    b"- - - -",
    b"{{ x }}",
    b"${X}",
    b"'",
    b'"',
    b"\\ud800",
    b"\\x",
    b"#",
    b": ",
    b"? a",
    b"---\n",
    b"...\n",
    b"%YAML 1.1\n",
    b"[" * 300,
    b"{a: " * 150,
    b"CRON_TZ= ",
    b"*/0 * * * *",
    b"0 0 31 2 *",
    b"en-UK",
    b"a.b.c(",
    b"1 + ",
    b"!" * 40,
    b"order.items.exists(i, i.",
    b"'a' in ",
    b"A" * 3000,
    b"projects//locations",
    b"2026-02-30T25:61:61Z",
    b"-1",
    b"1.5",
    b"true",
]


@dataclass(frozen=True)
class Failure:
    """An input that the linter did not take well."""

    number: int
    data: bytes
    why: str


def corpus() -> list[tuple[str, bytes]]:
    """The ending and the bytes of every fixture."""
    files = sorted(path for path in FIXTURES.rglob("*") if path.suffix in {".yaml", ".yml", ".json"})
    return [(path.suffix, path.read_bytes()) for path in files]


def mutated(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    """The data with one to six mutations."""
    for _ in range(choose.randint(1, 6)):
        data = choose.choice(MUTATIONS)(data, others, choose)
    return data[:200_000]


def _flip(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    if not data:
        return data
    at = choose.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1 :]


def _insert(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    at = choose.randint(0, len(data))
    return data[:at] + choose.choice(SCALARS) + data[at:]


def _delete(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    at = choose.randint(0, len(data))
    return data[:at] + data[at + choose.choice([1, 1, 2, 5, 20, 100]) :]


def _exchange(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    key, colon, _ = lines[at].partition(b":")
    lines[at] = key + colon + b" " + choose.choice(SCALARS)
    return b"\n".join(lines)


def _shuffle(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = choose.randrange(len(lines)), choose.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _repeat(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    return b"\n".join([*lines[:at], *[lines[at]] * choose.choice([2, 3, 50]), *lines[at + 1 :]])


def _indent(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    lines[at] = choose.choice([b" ", b"  ", b"\t", b"- "]) + lines[at]
    return b"\n".join(lines)


def _splice(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    other = choose.choice(others)
    at, start = choose.randint(0, len(data)), choose.randint(0, len(other))
    return data[:at] + other[start : start + choose.randint(1, 400)] + data[at:]


def _cut(data: bytes, others: list[bytes], choose: random.Random) -> bytes:
    return data[: choose.randint(0, len(data))]


MUTATIONS = (_flip, _insert, _delete, _exchange, _exchange, _shuffle, _repeat, _indent, _splice, _cut)


def linter() -> Linter:
    """A linter with every rule there is, those that are off by default as well."""
    return Linter(Selection(frozenset(ids())), now=EXAMPLE_TIME, session_types=lambda: session_types(()))


def failures(inputs: int, seed: int) -> Iterator[Failure]:
    """The inputs that fail, of so many that a seed makes."""
    files, choose, lints = corpus(), random.Random(seed), linter()
    others = [data for _, data in files]
    for number in range(inputs):
        ending, data = choose.choice(files)
        data = mutated(data, others, choose)
        why = reason_to_fail(lints, data, f"input{ending}", twice=number % 20 == 0)
        if why:
            yield Failure(number, data, why)


def reason_to_fail(lints: Linter, data: bytes, path: str, *, twice: bool) -> str:
    """Why an input fails, empty when the linter takes it well."""
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(SECONDS)
    try:
        report = lints.lint(data, path, is_explicit=True)
        again = lints.lint(data, path, is_explicit=True) if twice else report
    except Exception as error:  # noqa: BLE001 - any exception is what the harness looks for
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    if report.has_internal_error:
        return next(diagnostic.message for diagnostic in report.diagnostics if diagnostic.rule == "internal-error")
    if again.diagnostics != report.diagnostics:
        return "the second answer differs"
    return _misplaced(report, data, path)


def _misplaced(report: FileResult, data: bytes, path: str) -> str:
    source = parse(data, path).source
    for diagnostic in report.diagnostics:
        start, end = diagnostic.range.start, diagnostic.range.end
        inside = end.line <= len(source.line_starts)
        if not (inside and 0 <= source.offset(start) <= source.offset(end) <= len(source.text)):
            return f"{diagnostic.rule} is placed at {start} to {end}, outside the text"
    return ""


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"longer than {SECONDS} s")


def main() -> int:
    """Run the harness; 1 when an input fails."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--inputs", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    told = options.parse_args()
    start, failed = time.monotonic(), 0
    for failure in failures(told.inputs, told.seed):
        failed += 1
        told.keep.mkdir(exist_ok=True)
        (told.keep / f"{told.seed}-{failure.number}").write_bytes(failure.data)
        print(f"{told.seed}-{failure.number}: {failure.why}")
    print(f"{told.inputs} inputs in {time.monotonic() - start:.0f} s, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
