"""All rules in a list: for people, and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import parse_docs


def as_table(rules: Sequence[Rule]) -> Iterator[str]:
    """A line for each rule, group by group."""
    width = max((len(rule.id) for rule in rules), default=0)
    group = ""
    for rule in rules:
        if rule.group != group:
            yield ("\n" if group else "") + f"{rule.group}\n"
            group = rule.group
        state = "" if rule.on else " (off)"
        yield f"  {rule.id:<{width}}  {rule.severity.word:<7}  {parse_docs(rule.doc).summary}{state}\n"


def as_json(rules: Sequence[Rule]) -> Iterator[str]:
    """One object."""
    listed = [
        {
            "id": rule.id,
            "group": rule.group,
            "severity": rule.severity.word,
            "default": rule.on,
            "law": parse_docs(rule.doc).summary,
            "specification": " ".join(parse_docs(rule.doc).specification.split()),
            "options": dict(rule.options),
        }
        for rule in rules
    ]
    yield json.dumps({"version": 1, "rules": listed}, indent=1, ensure_ascii=False) + "\n"
