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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.random_source import Dice
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint.engine import Linter
from trialrun.lint.rule import session_types
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


_key = re.compile(r"^( *(?:- +)*)([A-Za-z_]\w*):(?=[ \r\n]|$)")
_value = re.compile(r"(:[ ]+)([^\s#&*|>\[{\"'][^#\r\n]*?)(?=[ ]*(?:#|\r|\n|$))")
SERVICE_FIELDS = ("createTime", "updateTime", "kvStoreMetadata", "state", "configApplicationRules", "satisfiesPzs")
SERVICE_VALUES = (
    ' "2026-05-01T08:00:00Z"', " 2026-05-01T08:00:00Z", "", " ACTIVE", " true", " {readAppProfile: serving}",
    "\n{indent}  readAppProfile: serving", " []", "\n{indent}- rule: summer", " |- # noted\n{indent}  text",
)  # fmt: skip
SLIPS = (
    "5/15 * * * *", "@daily", "CRON_TZ=US/Eastern 0 3 * * 7", "0 9 * * * Europe/Berlin", "iw", "EN-us", "no", "012",
    '"true"', "1", "2.0", "TONE_UNSPECIFIED", "DISTANCE_MEASURE_TYPE_UNSPECIFIED", "!order.closed", "!x", "null", "",
    "[a, a]", "[]", "{}", "{a: b}", "|- # kept\n{indent}    5", "&a b", "*a", "'it''s'", "2026-01-02", "1_000",
)  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True) or [""]


def _some_line(lines: list[str], dice: Dice) -> int:
    return dice.number(0, len(lines) - 1)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def indent_line(text: str, dice: Dice) -> str:
    """One line, or several, further in or out."""
    lines = _lines(text)
    at, by = _some_line(lines, dice), dice.pick((-4, -2, -2, -1, 1, 2, 2, 4))
    for number in range(at, min(at + dice.pick((1, 1, 2, 5)), len(lines))):
        line = lines[number]
        lines[number] = " " * by + line if by > 0 else line[min(-by, len(_indent(line))) :]
    return "".join(lines)


def repeat_line(text: str, dice: Dice) -> str:
    """One line, or several, twice."""
    lines = _lines(text)
    at, count = _some_line(lines, dice), dice.pick((1, 1, 2, 4))
    return "".join([*lines[: at + count], *lines[at : at + count], *lines[at + count :]])


def move_lines(text: str, dice: Dice) -> str:
    """Lines that end up elsewhere."""
    lines = _lines(text)
    at, count = _some_line(lines, dice), dice.pick((1, 2, 3))
    moved = lines[at : at + count]
    del lines[at : at + count]
    to = dice.number(0, len(lines))
    return "".join([*lines[:to], *moved, *lines[to:]])


def drop_line(text: str, dice: Dice) -> str:
    """A line that is lost."""
    lines = _lines(text)
    del lines[_some_line(lines, dice)]
    return "".join(lines)


def drop_sign(text: str, dice: Dice) -> str:
    """A sign that is lost, such as a colon or a quote."""
    signs = [at for at, sign in enumerate(text) if sign in ":\"'[]{},-"]
    if not signs:
        return text
    at = dice.pick(signs)
    return text[:at] + text[at + 1 :]


def comment_line(text: str, dice: Dice) -> str:
    """Comments at ends of lines, and on lines of their own."""
    lines = _lines(text)
    for _ in range(dice.number(1, 8)):
        at, word = _some_line(lines, dice), f"# remark {dice.number(1000, 9999)}"
        body = lines[at].rstrip("\r\n")
        if dice.chance(0.5):
            lines[at] = f"{body}  {word}{lines[at][len(body) :]}"
        else:
            lines.insert(at, f"{_indent(lines[at])}{word}\n")
    return "".join(lines)


def service_field(text: str, dice: Dice) -> str:
    """A field that only the service sets, somewhere; lines below it may become its own."""
    lines = _lines(text)
    at = _some_line(lines, dice)
    indent = dice.pick(("", "", "", _indent(lines[at])))
    name, value = dice.pick(SERVICE_FIELDS), dice.pick(SERVICE_VALUES).replace("{indent}", indent)
    lines.insert(at, f"{indent}{name}:{value}\n")
    return "".join(lines)


def other_value(text: str, dice: Dice) -> str:
    """Another value in place of a plain one."""
    found = list(_value.finditer(text))
    if not found:
        return text
    match = dice.pick(found)
    line = text[text.rfind("\n", 0, match.start()) + 1 :]
    slip = dice.pick(SLIPS).replace("{indent}", _indent(line))
    return text[: match.start(2)] + slip + text[match.end(2) :]


def other_key(text: str, dice: Dice) -> str:
    """A key in its other spelling, or in one that is wrong."""
    lines = _lines(text)
    keyed = [at for at, line in enumerate(lines) if _key.match(line)]
    if not keyed:
        return text
    at = dice.pick(keyed)
    snake = dice.chance(0.7)

    def spelled(match: re.Match[str]) -> str:
        key = match[2]
        other = re.sub("[A-Z]", lambda sign: f"_{sign[0].lower()}", key) if snake else key[:-1]
        return f"{match[1]}{other}:"

    lines[at] = _key.sub(spelled, lines[at])
    return "".join(lines)


def list_as_scalar(text: str, dice: Dice) -> str:
    """The first item of a list in brackets alone, or repeated."""
    found = list(re.finditer(r"\[([^\[\]{},\r\n]+)((?:,[^\[\]{}\r\n]*)?)\]", text))
    if not found:
        return text
    match = dice.pick(found)
    new = match[1] if dice.chance(0.5) else f"[{match[1]}, {match[1]}{match[2]}]"
    return text[: match.start()] + new + text[match.end() :]


def other_breaks(text: str, dice: Dice) -> str:
    """Other line breaks, or none at the end."""
    if dice.chance(0.3):
        return text.rstrip("\r\n")
    return text.replace("\r\n", "\n").replace("\n", dice.pick(("\r\n", "\r\n", "\r")))


def merge_conflict(text: str, dice: Dice) -> str:
    """A merge conflict around some lines."""
    lines = _lines(text)
    at = _some_line(lines, dice)
    ours = lines[at : at + dice.pick((1, 2))]
    theirs = [line.replace("a", "o", 1) for line in ours]
    conflict = ["<<<<<<< HEAD\n", *ours, "=======\n", *theirs, ">>>>>>> main\n"]
    return "".join([*lines[:at], *conflict, *lines[at + len(ours) :]])


BREAKERS: tuple[Callable[[str, Dice], str], ...] = (
    indent_line, indent_line, repeat_line, repeat_line, move_lines, drop_line, drop_sign, comment_line, comment_line,
    service_field, service_field, other_value, other_value, other_value, other_key, list_as_scalar, other_breaks,
    merge_conflict,
)  # fmt: skip


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
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=5000, help="files to break (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other files (default 1)")
    options = parser.parse_args()
    files, findings, told = judged((0, options.files, options.seed))
    print(*told, sep="\n")
    print(f"{options.files} broken files, {findings} findings fixed in {files} of them; {len(told)} complaints")


if __name__ == "__main__":
    main()
