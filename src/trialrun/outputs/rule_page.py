"""Documentation of a rule for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.report.color import painter, severity_style

if TYPE_CHECKING:
    from trialrun.lint.rule import Rule

TITLES = {"good": "Good", "bad": "Bad", "fixed": "Fixed"}


def rule_page(rule: Rule, *, color: bool) -> Iterator[str]:
    """The rule's law, its reasons, what it rests on, and its examples with arrows at their findings."""
    from trialrun.lint.rule_docs import parse_docs
    from trialrun.report.terminal_width import escape_lines

    paint = painter(color=color)
    docs = parse_docs(escape_lines(rule.doc, with_colors=False))  # that of a policy is text of the repository
    state = "" if rule.on else ", off by default"
    yield f"{paint(rule.id, 'rule')}  {paint(rule.severity.word, severity_style(rule.severity))}{state}\n\n"
    yield f"{docs.summary}\n"
    for text in (docs.why, docs.specification):
        if text:
            yield f"\n{text}\n"
    for example in docs.examples:
        model = f", as {example.model}" if example.model else ""
        yield f"\n{paint(TITLES[example.kind] + model, 'place')}\n\n"
        for line, arrows in example.annotated():
            comments = paint("".join(f"  # <- {arrow}" for arrow in arrows), "related")
            yield f"    {line}{comments}\n" if line or comments else "\n"
    if rule.options:
        yield "\nSettings: " + ", ".join(f"{name} ({value or 'unset'})" for name, value in rule.options.items()) + "\n"
