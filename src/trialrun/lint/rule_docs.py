"""Parses the docstring of a rule: summary, reasons, basis and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Literal

from trialrun.lazy_dataclass import dataclass

HEADING = re.compile(r"^(Good|Bad|Fixed)((?:, [^:\n]+)*):[ \t]*$", re.MULTILINE)
ARROW = re.compile(r"[ \t]*(?:#|//)[ \t]*(?:line (\d+) )?<-[ \t]*(.*)$", re.MULTILINE)
SPECIFICATION = re.compile(r"^(Specification|Basis): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """A finding that a bad example must have: it starts on `line`, from 1, and its message contains `text`."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """An example in the documentation of a rule.

    `model` is the message type of the text, None for a whole file; `file` is the file name; `options` are options of
    the rule; `bytes_escaped` means that the text has Python escapes for bytes.
    """

    kind: Literal["good", "bad", "fixed"]
    text: str
    expected: tuple[ExpectedFinding, ...]
    model: str | None = None
    file: str = "example.yaml"
    options: tuple[tuple[str, str], ...] = ()
    bytes_escaped: bool = False

    @property
    def data(self) -> bytes:
        """The bytes of the example."""
        if self.bytes_escaped:
            return self.text.rstrip("\n").encode().decode("unicode_escape").encode("latin-1")
        return self.text.encode()

    def annotated(self) -> Iterator[tuple[str, list[str]]]:
        """Every line with the texts of its arrows."""
        lines = self.text.rstrip("\n").split("\n")
        for number, line in enumerate(lines, start=1):
            yield line, [arrow.text for arrow in self.expected if min(arrow.line, len(lines)) == number]


@dataclass(frozen=True, slots=True)
class RuleDocs:
    """The documentation of a rule; `summary` is its first sentence, `specification` its basis."""

    summary: str
    why: str
    specification: str
    examples: tuple[Example, ...]

    def of_kind(self, sort: str) -> list[Example]:
        """The good, bad or fixed examples."""
        return [example for example in self.examples if example.kind == sort]


def parse_docs(doc: str) -> RuleDocs:
    """Parse a docstring; missing parts are empty."""
    doc = dedent(doc).strip() + "\n"
    first = HEADING.search(doc)
    prose = doc[: first.start()] if first else doc
    law, _, rest = prose.partition("\n\n")
    rests = SPECIFICATION.search(rest)
    why = rest[: rests.start()] if rests else rest
    specification = rest[rests.start() :] if rests else ""
    return RuleDocs(" ".join(law.split()), why.strip(), specification.strip(), tuple(_examples(doc)))


def _examples(doc: str) -> Iterator[Example]:
    headings = list(HEADING.finditer(doc))
    ends = [*(following.start() for following in headings[1:]), len(doc)]
    for heading, end in zip(headings, ends, strict=False):  # a page without examples has an end all the same
        block = doc[heading.end() : end]
        yield _example(heading, dedent(block).strip("\n") + "\n")


def _example(heading: re.Match[str], text: str) -> Example:
    details = [part.strip() for part in heading[2].split(", ") if part.strip()]
    model = next((part[3:] for part in details if part.startswith("as ")), None)
    file = next((part[6:] for part in details if part.startswith("named ")), "example.yaml")
    options = tuple(_option(part[5:]) for part in details if part.startswith("with "))
    arrows = tuple(_expected_findings(text))
    sort: Literal["good", "bad", "fixed"] = heading[1].lower()  # type: ignore[assignment]
    return Example(sort, ARROW.sub("", text), arrows, model, file, options, "escaped" in details)


def _option(text: str) -> tuple[str, str]:
    name, _, value = text.partition(" = ")
    return name.strip(), value.strip()


def _expected_findings(text: str) -> Iterator[ExpectedFinding]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := ARROW.search(line):
            yield ExpectedFinding(int(match[1]) if match[1] else number, match[2].strip())
