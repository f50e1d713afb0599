"""The docstring of a rule: summary, reasons, basis and examples, parsed, and as Markdown for help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Literal

from trialrun.lint.rule import Rule

HEADING = re.compile(r"^(Good|Bad|Fixed)((?:, [^:\n]+)*):[ \t]*$", re.MULTILINE)
ARROW = re.compile(r"[ \t]*(?:#|//)[ \t]*(?:line (\d+) )?<-[ \t]*(.*)$", re.MULTILINE)
SPECIFICATION = re.compile(r"^(Specification|Basis): ", re.MULTILINE)


ExpectedFinding = tuple[int, str]
"""A finding that a bad example must have: the line on which it starts, from 1, and a text of its message."""


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
            yield line, [text for at, text in self.expected if min(at, len(lines)) == number]


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
    settings = (part.removeprefix("with ").partition(" = ") for part in details if part.startswith("with "))
    options = tuple((name.strip(), value.strip()) for name, _, value in settings)
    arrows = tuple(_expected_findings(text))
    sort: Literal["good", "bad", "fixed"] = heading[1].lower()  # type: ignore[assignment]
    return Example(sort, ARROW.sub("", text), arrows, model, file, options, "escaped" in details)


def _expected_findings(text: str) -> Iterator[ExpectedFinding]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := ARROW.search(line):
            yield int(match[1]) if match[1] else number, match[2].strip()


SPANS = re.compile(r"(`[^`]+`)")
ITEM = re.compile(r"\n(?=- )")
SPECIAL = re.compile(r"[\\`*_\[\]<>#|~]")
TITLES = {"good": "Good", "bad": "Bad", "fixed": "Fixed"}


def rule_markdown(rule: Rule) -> str:
    """The summary, reasons, basis, and the examples as code blocks with arrows at their findings."""
    return "\n\n".join(_blocks(rule)) + "\n"


def prose_markdown(rule: Rule) -> Iterator[str]:
    """The paragraphs of the documentation without examples, summary first."""
    shown = parse_docs(rule.doc)
    yield _prose(shown.summary)
    for text in (shown.why, shown.specification):
        yield from (_prose(paragraph) for paragraph in text.split("\n\n") if paragraph.strip())


def first_example(rule: Rule) -> Iterator[str]:
    """The first bad example, with its fixed form if that follows."""
    examples = parse_docs(rule.doc).examples
    at = next((at for at, one in enumerate(examples) if one.kind == "bad"), None)
    if at is not None:
        yield from _example_markdown(examples[at])
        yield from (
            line
            for example in examples[at + 1 : at + 2]
            if example.kind == "fixed"
            for line in _example_markdown(example)
        )


def _blocks(rule: Rule) -> Iterator[str]:
    yield from prose_markdown(rule)
    shown = parse_docs(rule.doc)
    if rule.options:
        options = ", ".join(f"`{name}` ({value or 'unset'})" for name, value in rule.options.items())
        yield f"Settings: {options}"
    for example in shown.examples:
        yield from _example_markdown(example)


def _prose(text: str) -> str:
    """A paragraph or list item on one line with Markdown characters escaped, except for code in backticks."""
    if ITEM.search(text):
        return "\n".join(map(_prose, ITEM.split(text)))
    parts = SPANS.split(" ".join(text.split()))
    return "".join(part if SPANS.fullmatch(part) else SPECIAL.sub(r"\\\g<0>", part) for part in parts)


def _example_markdown(example: Example) -> Iterator[str]:
    of = f", as {example.model}" if example.model else ""
    yield f"**{TITLES[example.kind]}{of}**"
    language = "json" if example.file.endswith(".json") else "yaml"
    sign = "//" if language == "json" else "#"
    lines = "\n".join(
        line + "".join(f"  {sign} <- {arrow}" for arrow in arrows) for line, arrows in example.annotated()
    )
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", lines))])
    yield f"{fence}{language}\n{lines}\n{fence}"
