"""The examples of a rule's page, run: what a page promises and the rule does not keep."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.errors import did_you_mean
from trialrun.fix import applied
from trialrun.lint.engine import Linter
from trialrun.lint.fact_locations import FactPlaces
from trialrun.lint.file_result import Report
from trialrun.lint.policy import NONE, Policies
from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import Arrow, Example, page
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection, default_selection
from trialrun.lint.suppression.apply import silence
from trialrun.lint.suppression.suppressor import Terms
from trialrun.lint.workspace_rules import judge
from trialrun.parser import read

EXAMPLE_TIME = datetime(2026, 11, 20, tzinfo=UTC)
"""The clock under which examples run."""


def broken_promises(rule: Rule) -> Iterator[str]:
    """One sentence for each example that the rule does not keep, nothing for a page that is true."""
    examples = page(rule.doc).examples
    for at, problem in broken_examples(rule):
        yield f"{rule.id}, example {at + 1} ({examples[at].sort}): {problem}"


def broken_examples(rule: Rule, policies: Policies = NONE) -> Iterator[tuple[int, str]]:
    """What the rule, or one of some policies, does not keep, with the number of the example, from 0."""
    before: tuple[Example, list[Diagnostic]] | None = None
    for at, example in enumerate(page(rule.doc).examples):
        if example.sort == "fixed":
            yield from ((at, problem) for problem in _unfixed(example, before))
            continue
        if problem := _unreadable(example):
            yield at, problem
            continue
        found = findings(rule, example, policies)
        before = (example, found)
        yield from ((at, problem) for problem in _differences(example.arrows, found))


def _unreadable(example: Example) -> str | None:
    """Why an example cannot be run; None where it can."""
    from trialrun.lint.policy.types import kinds_by_message

    if example.model is not None and example.model not in kinds_by_message():
        return f'there is no message "{example.model}"{did_you_mean(example.model, kinds_by_message())}'
    try:
        example.data  # noqa: B018 - whether the bytes can be told
    except UnicodeError:
        return "its escapes are not those of bytes"
    return None


def findings(rule: Rule, example: Example, policies: Policies = NONE) -> list[Diagnostic]:
    """What the rule finds in an example."""
    return [one for one in lint(rule, example, policies).diagnostics if one.rule in (rule.id, "internal-error")]


def lint(rule: Rule, example: Example, policies: Policies = NONE) -> Report:
    """The report of an example, under the default rules, this one, and the example's options."""
    options = {name: _value(text) for name, text in example.options}
    selection = Selection(default_selection().rules | {rule.id}, {}, options, policies=policies)
    linter = Linter(selection, now=EXAMPLE_TIME, session=lambda: session_types(_declared(example)))
    if example.model:
        report = linter.lint_part(example.data, example.file, example.model)
    else:
        report = linter.lint(example.data, example.file, named=True)
        report.diagnostics += judge(report.facts, selection, FactPlaces(lambda path: example.data))
    terms = Terms(lambda path: selection, EXAMPLE_TIME.date(), True, frozenset({example.file}))
    report.diagnostics = silence(report.diagnostics, report.suppressions, terms).kept
    return report


def _value(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text


def _declared(example: Example) -> Iterator[dict[str, Any]]:
    if "SessionSchema" not in example.text:
        return
    for document in read(example.data, example.file).documents:
        if isinstance(document.value, dict) and document.value.get("kind") == "SessionSchema":
            yield document.value


def _differences(arrows: tuple[Arrow, ...], found: list[Diagnostic]) -> Iterator[str]:
    missing = list(arrows)
    for one in found:
        told = next((arrow for arrow in missing if _keeps(arrow, one)), None)
        if told is None:
            yield f'unexpected finding on line {one.range.start.line}: "{one.message}"'
        else:
            missing.remove(told)
    for arrow in missing:
        yield f'no finding on line {arrow.line} that says "{arrow.text}"'


def _keeps(arrow: Arrow, found: Diagnostic) -> bool:
    return arrow.line == found.range.start.line and arrow.text in found.message


def _unfixed(example: Example, before: tuple[Example, list[Diagnostic]] | None) -> Iterator[str]:
    if before is None:
        yield "there is no bad example before it"
        return
    bad, found = before
    fixes = [one.fix for one in found if one.fix is not None]
    if not fixes:
        yield "the bad example before it has no fix"
        return
    text = applied(read(bad.data, bad.file).source, fixes)
    if text.strip() != example.text.strip():
        yield f"the fixes give\n{text}"
