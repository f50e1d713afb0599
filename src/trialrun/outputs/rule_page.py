"""The page of a rule, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.report.color import painter, severity_style

if TYPE_CHECKING:
    from trialrun.lint.rule import Rule

TITLES = {"good": "Good", "bad": "Bad", "fixed": "Fixed"}


def rule_page(rule: Rule, *, color: bool) -> Iterator[str]:
    """The rule's law, its reasons, what it rests on, and its examples with arrows at their findings."""
    from trialrun.lint.rule_docs import page

    paint = painter(color=color)
    shown = page(rule.doc)
    state = "" if rule.on else ", off by default"
    yield f"{paint(rule.id, 'rule')}  {paint(rule.severity.word, severity_style(rule.severity))}{state}\n\n"
    yield f"{shown.law}\n"
    for text in (shown.why, shown.specification):
        if text:
            yield f"\n{text}\n"
    for example in shown.examples:
        of = f", as {example.model}" if example.model else ""
        yield f"\n{paint(TITLES[example.sort] + of, 'place')}\n\n"
        for line, arrows in example.annotated():
            told = paint("".join(f"  # <- {arrow}" for arrow in arrows), "related")
            yield f"    {line}{told}\n" if line or told else "\n"
    if rule.options:
        yield "\nSettings: " + ", ".join(f"{name} ({value or 'unset'})" for name, value in rule.options.items()) + "\n"
