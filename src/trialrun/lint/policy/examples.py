"""Runs the examples in the documentation of a policy, and reports those that do not hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.examples import check_examples
from trialrun.lint.policy import Policies
from trialrun.lint.policy.packs import MAX_BYTES
from trialrun.lint.policy.policy import Policy
from trialrun.lint.rule_docs import HEADING, parse_docs
from trialrun.parser import Document, parse


@dataclass(frozen=True, slots=True, order=True)
class ExampleProblem:
    """An example that does not hold, at a line of the policy file."""

    line: int
    text: str


def check_policy_examples(policy: Policy, policies: Policies) -> list[ExampleProblem]:
    """The problems of the examples of a policy; there must be one with a finding and one without.

    Raises OSError if the policy file can no longer be read.
    """
    rule, shown = policies.rules[policy.id], parse_docs(policy.doc)
    lacks: list[str] = []
    if not shown.of_kind("good"):
        lacks.append("its page has no good example; show under Good: what is fine")
    if not any(example.expected for example in shown.of_kind("bad")):
        lacks.append("its page has no bad example with an arrow; show under Bad: what it finds, with # <- at the line")
    problems = list(check_examples(rule, policies))
    lines = _example_lines(policy) if problems else ()
    return [ExampleProblem(policy.line, text) for text in lacks] + [
        ExampleProblem(lines[at], text) for at, text in problems
    ]


def _example_lines(policy: Policy) -> Sequence[int]:
    """The line of the file at which each example starts."""
    tree = parse(read_file(policy.path, MAX_BYTES, named_in=os.path.dirname(policy.path)), policy.path)
    for document in tree.documents:
        if isinstance(document.value, dict) and document.value.get("id") == policy.id:
            return [tree.source.position(start).line for start in _example_offsets(document)]
    return ()


def _example_offsets(document: Document) -> Iterator[int]:
    for heading in HEADING.finditer(str(document.value["doc"])):
        yield document.scalar_span(("doc",), heading.start(), heading.end()).start
