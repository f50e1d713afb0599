"""Scenario results as JUnit XML: a suite for every file, a test case for every scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from trialrun.report.terminal_width import escape_controls
from trialrun.report.test_report.interface import Failure, ScenarioResult

SUITE = "trialrun"


def report(tests: Sequence[ScenarioResult]) -> Iterator[str]:
    """Write the suites; a case has one failure or error with all messages, since viewers show only the first."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="{SUITE}" {_counts(tests)}>\n'
    for path, group in groupby(tests, key=lambda scenario: scenario.path):
        cases = list(group)
        yield f'  <testsuite name="{_escape_xml(path)}" file="{_escape_xml(path)}" {_counts(cases)} skipped="0">\n'
        for case in cases:
            yield from _case(case)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _counts(tests: Sequence[ScenarioResult]) -> str:
    words = [test.outcome for test in tests]
    return f'tests="{len(words)}" failures="{words.count("failed")}" errors="{words.count("error")}"'


def _case(scenario: ScenarioResult) -> Iterator[str]:
    head = f'    <testcase name="{_escape_xml(scenario.name)}" classname="{_escape_xml(scenario.path)}"'
    if scenario.outcome == "passed":
        yield f"{head}/>\n"
        return
    problems = [*(_format_failure(miss, scenario) for miss in scenario.failures), *_format_findings(scenario)]
    element = "failure" if scenario.outcome == "failed" else "error"
    yield f"{head}>\n"
    yield f'      <{element} type="{scenario.outcome}" message="{_escape_xml(problems[0].splitlines()[0])}">'
    yield "\n".join(escape("\n".join(map(escape_controls, text.splitlines()))) for text in problems)
    yield f"</{element}>\n    </testcase>\n"


def _format_failure(miss: Failure, scenario: ScenarioResult) -> str:
    what = miss.got if miss.expected is None else f"expected {miss.expected}, got {miss.got}"
    start = miss.range.start
    return "\n".join([f"{scenario.path}:{start.line}:{start.column}: {what}", *(f"  {line}" for line in miss.trace)])


def _format_findings(scenario: ScenarioResult) -> Iterator[str]:
    for finding in scenario.findings:
        start = finding.range.start
        yield f"{finding.path}:{start.line}:{start.column}: {finding.severity.word} {finding.rule} {finding.message}"


def _escape_xml(text: str) -> str:
    return escape(escape_controls(text))
