"""The documentation of a rule as Markdown, for programs that show help for a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import Example, parse_docs

SPANS = re.compile(r"(`[^`]+`)")
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
        yield from _example(examples[at])
        yield from (
            line for example in examples[at + 1 : at + 2] if example.kind == "fixed" for line in _example(example)
        )


def _blocks(rule: Rule) -> Iterator[str]:
    yield from prose_markdown(rule)
    shown = parse_docs(rule.doc)
    if rule.options:
        options = ", ".join(f"`{name}` ({value or 'unset'})" for name, value in rule.options.items())
        yield f"Settings: {options}"
    for example in shown.examples:
        yield from _example(example)


def _prose(text: str) -> str:
    """A paragraph on one line with Markdown characters escaped, except for code in backticks."""
    parts = SPANS.split(" ".join(text.split()))
    return "".join(part if SPANS.fullmatch(part) else SPECIAL.sub(r"\\\g<0>", part) for part in parts)


def _example(example: Example) -> Iterator[str]:
    of = f", as {example.model}" if example.model else ""
    yield f"**{TITLES[example.kind]}{of}**"
    language = "json" if example.file.endswith(".json") else "yaml"
    sign = "//" if language == "json" else "#"
    lines = "\n".join(
        line + "".join(f"  {sign} <- {arrow}" for arrow in arrows) for line, arrows in example.annotated()
    )
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", lines))])
    yield f"{fence}{language}\n{lines}\n{fence}"
