"""The examples of a policy's page, run: what the page promises and the policy does not keep, and where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from trialrun.guarded_path import read_file
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.examples import broken_examples
from trialrun.lint.policy import Policies
from trialrun.lint.policy.packs import MOST_BYTES
from trialrun.lint.policy.policy import Policy
from trialrun.lint.rule_docs import HEADING, page
from trialrun.parser import Document, read


@dataclass(frozen=True, slots=True, order=True)
class Broken:
    """Something that a page does not keep, at a line of the policy's file."""

    line: int
    text: str


def trial(policy: Policy, policies: Policies) -> list[Broken]:
    """What the page of a policy does not keep; a page has something that the policy finds, and something it does not.

    Raises OSError where its file cannot be read any more.
    """
    rule, shown = policies.rules[policy.id], page(policy.doc)
    lacks: list[str] = []
    if not shown.of_sort("good"):
        lacks.append("its page has no good example; show under Good: what is fine")
    if not any(example.arrows for example in shown.of_sort("bad")):
        lacks.append("its page has no bad example with an arrow; show under Bad: what it finds, with # <- at the line")
    problems = list(broken_examples(rule, policies))
    lines = _lines_of_examples(policy) if problems else ()
    return [Broken(policy.line, text) for text in lacks] + [Broken(lines[at], text) for at, text in problems]


def _lines_of_examples(policy: Policy) -> Sequence[int]:
    """The line of the file on which each example of the page begins."""
    tree = read(read_file(policy.path, MOST_BYTES, named_in=os.path.dirname(policy.path)), policy.path)
    for document in tree.documents:
        if isinstance(document.value, dict) and document.value.get("id") == policy.id:
            return [tree.source.position(start).line for start in _starts(document)]
    return ()


def _starts(document: Document) -> Iterator[int]:
    for heading in HEADING.finditer(str(document.value["doc"])):
        yield document.inside(("doc",), heading.start(), heading.end()).start
