"""What --fix does to files broken at random: `python -m benchmarks.broken_files --files 50000 --seed 1`.

Sound and broken files of all fixtures are broken further, as people break them: lines indented wrongly, repeated,
moved, joined or lost, keys of another place, values of another type, comments everywhere, other line breaks, merge
conflicts. Fixing may lose no line of a person: every comment and every word of a scalar stands there afterwards, but
for what a finding names. It may bring no finding of another rule, and doing it again may change nothing.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.line_breakers import BREAKERS
from benchmarks.random_source import Dice
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint.engine import Linter
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import default_selection
from trialrun.parser import parse
from trialrun.workspace.check import CheckResult
from trialrun.workspace.fix_loop import FixResult, fix_until_stable

NOW = datetime(2026, 11, 20, tzinfo=UTC)
FIXTURES = Path(__file__).parent.parent / "fixtures"
LARGEST = 4000
"""Characters of the files that are broken: larger ones are the same mistakes, only slower."""

WORDS = re.compile(r"\w+")
COMMENT = re.compile(r"(?:^|(?<=[\s,\[\]{}\"']))#[^\r\n]*")
ANCHOR = re.compile(r"(?<=[\s\[,])[*&]\w+")
OWN_FIELDS = frozenset({"readAppProfile", "read_app_profile"})
"""Fields of messages that only the service sets."""


@dataclass(frozen=True)
class BrokenFile:
    """A file, and by what it was broken."""

    path: str
    text: str
    by: tuple[str, ...]


@cache
def originals() -> tuple[tuple[str, str], ...]:
    """The fixtures to break, by their names."""
    files = sorted(path for path in FIXTURES.rglob("*") if path.suffix in (".yaml", ".json"))
    texts = ((path.name, path.read_bytes().decode("utf-8", "replace")) for path in files)
    return tuple((name, text) for name, text in texts if "\ufffd" not in text and 0 < len(text) <= LARGEST)


def broken_file(number: int, *, seed: int) -> BrokenFile:
    """A file drawn from the seed and its own number alone."""
    dice = Dice(f"broken/{seed}/{number}")
    name, text = dice.pick(originals())
    breakers = [dice.pick(BREAKERS) for _ in range(dice.number(1, 4))]
    for breaker in breakers:
        text = breaker(text, dice)
    return BrokenFile(name, text, tuple(breaker.__name__ for breaker in breakers))


@cache
def linter() -> Linter:
    """The default rules, with the session's types that ship with them."""
    return Linter(default_selection(), now=NOW, session_types=lambda: session_types([]))


@dataclass
class Fixing:
    """One file while it is fixed, with what was found on the way."""

    path: str
    data: bytes
    found: list[tuple[bytes, Sequence[Diagnostic]]]

    def run(self) -> FixResult:
        """Make the safe fixes."""
        return fix_until_stable(self._check, lambda path: self.data, unsafe=False)

    def _check(self, texts: Mapping[str, bytes]) -> CheckResult:
        data = texts.get(self.path, self.data)
        diagnostics = linter().lint(data, self.path).diagnostics
        self.found.append((data, diagnostics))
        return CheckResult(diagnostics=diagnostics)


def complaints(file: BrokenFile) -> tuple[int, list[str]]:
    """How many findings were fixed, and what is not as it must be."""
    data = file.text.encode("utf-8", "surrogatepass")
    fixing = Fixing(file.path, data, [])
    mending = fixing.run()
    if not mending.files:
        return 0, []
    after = mending.files[0].data
    wrong = [*lost(fixing, data, after), *brought(mending)]
    if Fixing(file.path, after, []).run().files:
        wrong.append("fixing it again changes it again")
    return mending.files[0].fixed, wrong


def lost(fixing: Fixing, data: bytes, after: bytes) -> Iterator[str]:
    """The comments, and the words of scalars that no finding with a safe fix names, that are gone."""
    before, left = data.decode("utf-8", "replace"), after.decode("utf-8", "replace")
    named: set[str] = set()
    for text, diagnostics in fixing.found:
        for diagnostic in diagnostics:
            if diagnostic.fix and diagnostic.fix.safe:
                named.update(words_named(diagnostic, text, fixing.path))
    for word in sorted((words(before) - words(left)).keys() - named):
        yield f"lost: {word}"
    if not fixing.path.endswith(".json"):
        for comment, times in sorted(Counter(comment.strip() for comment in COMMENT.findall(before)).items()):
            if "trialrun:" not in comment and left.count(comment) < times:
                yield f"lost: {comment}"


def words(text: str) -> Counter[str]:
    """The words of a text, but for the names of anchors, which say nothing that their values do not."""
    return Counter(WORDS.findall(ANCHOR.sub("", text)))


def words_named(one: Diagnostic, data: bytes, path: str) -> Iterator[str]:
    """The words at a finding; of a field that only the service sets, its value too, with fields of its own alone."""
    tree = parse(data, path)
    source = tree.source
    yield from WORDS.findall(source.text[source.offset(one.range.start) : source.offset(one.range.end)])
    document = next((each for each in tree.documents if each.index == one.document), None)
    if document is None or one.rule not in ("output-only-field", "duplicate-item", "unspecified-enum-value"):
        return
    steps = [step.replace("~1", "/").replace("~0", "~") for step in one.pointer.split("/")[1:]]
    if one.rule == "duplicate-item" and not steps[-1].isdigit():
        steps.pop()
    yield from _words_of(_value_at(document.value, steps), anything=one.rule == "duplicate-item")
    yield from WORDS.findall(steps[-1])


def _words_of(value: Any, *, anything: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, entry in value.items():
            if anything or key in OWN_FIELDS or key == "rule":
                yield from WORDS.findall(key)
                yield from _words_of(entry, anything=anything)
    elif isinstance(value, list):
        for entry in value:
            yield from _words_of(entry, anything=anything)
    elif value is not None:
        text = value if isinstance(value, str) else str(value).lower()
        yield from WORDS.findall(text)
        if isinstance(value, int):
            yield f"0{text}"  # as 012 is written, which reads as 12


def _value_at(value: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def brought(mending: FixResult) -> Iterator[str]:
    """The rules that find more errors than before."""
    before, after = (
        Counter(diagnostic.rule for diagnostic in outcome.diagnostics if diagnostic.severity is Severity.ERROR)
        for outcome in (mending.before, mending.after)
    )
    for rule in sorted(after - before):
        yield f"brought: {rule}"


def judged(numbers: tuple[int, int, int]) -> tuple[int, int, list[str]]:
    """Fix the files from one number up to another, of a seed: how many were fixed, findings, and complaints."""
    first, last, seed = numbers
    files, findings, told = 0, 0, []
    for number in range(first, last):
        file = broken_file(number, seed=seed)
        fixed, wrong = complaints(file)
        files += fixed > 0
        findings += fixed
        told += [f"{number} {file.path} ({', '.join(file.by)}): {each}" for each in wrong]
    return files, findings, told


def main() -> None:
    """Break and fix the files that the command line asks for, and print the counts."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.broken_files", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--files", type=int, default=5000, help="files to break (default 5000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (default 0)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other files (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    end, step = options.first + options.files, 100
    parts = [(at, min(at + step, end), options.seed) for at in range(options.first, end, step)]
    files = findings = wrong = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for some, more, told in pool.map(judged, parts):
            files, findings = files + some, findings + more
            wrong += len({each.split(" ")[0] for each in told})
            for each in told:
                print(each, flush=True)
    print(
        f"{options.files} broken files, {findings} findings fixed in {files} of them; {wrong} files not as they must be"
    )


if __name__ == "__main__":
    main()
