"""Reports of scenario results: text, JSON and JUnit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any, Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.report.code_frame import (
    Annotation,
    TextOutput,
    clamp_range,
    format_finding,
    location_line,
    note_lines,
    render_frame,
)
from trialrun.report.color import Style
from trialrun.report.json import VERSION
from trialrun.report.json_encoding import json_text
from trialrun.report.junit import SUITE, XML_HEAD, escape_xml, format_diagnostic
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text

Outcome = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that is not met; if `expected` is None, an error of the scenario.

    `trace` are the steps so far, one line each.
    """

    range: Range
    expected: str | None
    got: str
    trace: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of a scenario; `findings` are linter errors that prevented the run.

    `has_internal_error` means that the failure is an internal error.
    """

    name: str
    path: str
    line: int
    outcome: Outcome
    failures: Sequence[Failure] = ()
    findings: Sequence[Diagnostic] = ()
    has_internal_error: bool = False


@dataclass(frozen=True, slots=True)
class UncoveredItem:
    """Something that no scenario exercises, with the location of its declaration."""

    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CoverageAspect:
    """Coverage of one kind of thing; `description` names it."""

    name: str
    description: str
    total: int
    uncovered: Sequence[UncoveredItem] = field(default_factory=list)

    @property
    def covered(self) -> int:
        """The number of exercised things."""
        return self.total - len(self.uncovered)


def json_report(
    tests: Iterable[ScenarioResult], coverage: Callable[[], Sequence[CoverageAspect]] | None
) -> Iterator[str]:
    """Write one object with a line for every scenario; `coverage` is called after all scenarios.

    `expected` is null if a scenario could not be run; `got` then has the error.
    """
    yield f'{{"version": {VERSION},\n "scenarios": ['
    separator = "\n  "
    for test in tests:
        yield separator + json_text(scenario_object(test))
        separator = ",\n  "
    yield "]"
    if coverage is not None:
        yield f',\n "coverage": {json_text({aspect.name: aspect_object(aspect) for aspect in coverage()})}'
    yield "}\n"


def scenario_object(scenario: ScenarioResult) -> dict[str, Any]:
    """The object of a scenario and how it ended: what is not as expected, and what the linter finds in its documents.

    A finding has its rule, and its path if that is another file.
    """
    failures: list[dict[str, Any]] = [
        {"line": miss.range.start.line, "expected": miss.expected, "got": miss.got, "trace": list(miss.trace)}
        for miss in scenario.failures
    ]
    for finding in scenario.findings:
        elsewhere = {"path": finding.path} if finding.path != scenario.path else {}
        got = f"{finding.rule}: {finding.message}"
        failures.append({"line": finding.range.start.line, "expected": None, "got": got, "trace": [], **elsewhere})
    return {
        "name": scenario.name,
        "path": scenario.path,
        "line": scenario.line,
        "outcome": scenario.outcome,
        "failures": failures,
    }


def aspect_object(aspect: CoverageAspect) -> dict[str, Any]:
    """The object of one kind of thing that scenarios exercise."""
    gaps = [{"name": gap.name, "path": gap.path, "line": gap.line} for gap in aspect.uncovered]
    return {"total": aspect.total, "covered": aspect.covered, "missing": gaps}


def junit_report(tests: Sequence[ScenarioResult]) -> Iterator[str]:
    """Write a suite for every file with a case for every scenario.

    A case has one failure or error with all messages, since viewers show only the first.
    """
    yield XML_HEAD
    yield f'<testsuites name="{SUITE}" {_counts(tests)}>\n'
    for path, group in groupby(tests, key=lambda scenario: scenario.path):
        cases, file = list(group), escape_xml(path)
        yield f'  <testsuite name="{file}" file="{file}" {_counts(cases)} skipped="0">\n'
        for case in cases:
            yield from _junit_case(case)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _counts(tests: Sequence[ScenarioResult]) -> str:
    words = [test.outcome for test in tests]
    return f'tests="{len(words)}" failures="{words.count("failed")}" errors="{words.count("error")}"'


def _junit_case(scenario: ScenarioResult) -> Iterator[str]:
    head = f'    <testcase name="{escape_xml(scenario.name)}" classname="{escape_xml(scenario.path)}"'
    if scenario.outcome == "passed":
        yield f"{head}/>\n"
        return
    problems = []
    for miss in scenario.failures:
        start, what = (
            miss.range.start,
            miss.got if miss.expected is None else f"expected {miss.expected}, got {miss.got}",
        )
        where = f"{scenario.path}:{start.line}:{start.column}"
        problems.append("\n".join([f"{where}: {what}", *(f"  {line}" for line in miss.trace)]))
    problems += map(format_diagnostic, scenario.findings)
    element = "failure" if scenario.outcome == "failed" else "error"
    yield f"{head}>\n"
    yield f'      <{element} type="{scenario.outcome}" message="{escape_xml(problems[0].splitlines()[0])}">'
    yield "\n".join(escape_xml(line) for text in problems for line in text.splitlines())
    yield f"</{element}>\n    </testcase>\n"


STYLES: dict[str, Style] = {"passed": "clean", "failed": "error", "error": "error"}
INDENT = 8
MAX_INLINE_LENGTH = 100
"""Maximum length of a text next to an arrow; longer ones are on separate lines."""


def format_scenario(scenario: ScenarioResult, page: TextOutput) -> Iterator[str]:
    """The lines of a scenario: its outcome and name, and its failures."""
    first, *others = wrap_text(escape_controls(scenario.name), first=page.width - INDENT, rest=page.width - INDENT)
    yield f"{page.paint(f'{scenario.outcome:<{INDENT - 1}}', STYLES[scenario.outcome])} {first}".rstrip()
    yield from (" " * INDENT + line for line in others)
    last_trace: Sequence[str] = ()
    for miss in scenario.failures:
        yield from _format_failure(miss, scenario, page, last_trace=last_trace)
        yield ""
        last_trace = miss.trace
    for finding in scenario.findings:
        yield from format_finding(finding, page)
        yield ""


def _format_failure(
    miss: Failure, scenario: ScenarioResult, page: TextOutput, *, last_trace: Sequence[str]
) -> Iterator[str]:
    """An unmet expectation, with the part of its trace that is not in `last_trace`."""
    trace = miss.trace[len(last_trace) :]
    source = page.sources(scenario.path)
    place = clamp_range(source, miss.range) if source else None
    digits = len(str((place or miss.range).end.line))
    got = miss.got if miss.expected is None else f"got {miss.got}"
    beside = got if place and place.start.line == place.end.line and len(got) <= MAX_INLINE_LENGTH else ""
    yield location_line("-->", scenario.path, miss.range.start, digits, page)
    if source and place:
        yield from render_frame(
            source, [Annotation(place, "error", beside)], digits=digits, width=page.width, paint=page.paint
        )
    if source and place and (miss.expected is not None or trace or not beside):
        yield page.paint(" " * digits + " |", "gutter")
    if not beside:
        yield from note_lines("wrong" if miss.expected is None else "got", miss.got, digits, page)
    if miss.expected is not None:
        yield from note_lines("expected", miss.expected, digits, page)
    if trace:
        yield from note_lines("trace", "\n".join(trace), digits, page)


def format_summary(tests: Sequence[ScenarioResult], page: TextOutput) -> Iterator[str]:
    """The number of scenarios by outcome."""
    words = [test.outcome for test in tests]
    counts = (("failed", "failed"), ("error", "in error"), ("passed", "passed"))
    counts_text = ", ".join(f"{words.count(word)} {label}" for word, label in counts if word in words)
    style: Style = "clean" if set(words) == {"passed"} else "error"
    line = f"{pluralize(len(words), 'scenario')}: {counts_text}"
    yield from (page.paint(part, style) for part in wrap_text(line, first=page.width, rest=page.width))


def format_coverage(aspects: Sequence[CoverageAspect], page: TextOutput) -> Iterator[str]:
    """How much of each sort of thing is exercised, and what is not."""
    for aspect in filter(lambda aspect: aspect.total, aspects):
        yield ""
        line = f"{aspect.covered} of {aspect.total} {aspect.description}"
        yield from (page.paint(part, "rule") for part in wrap_text(line, first=page.width, rest=page.width))
        for gap in aspect.uncovered:
            yield from _format_uncovered(gap, page)


def _format_uncovered(gap: UncoveredItem, page: TextOutput) -> Iterator[str]:
    """What is not exercised, and where it is declared: beside it where there is room."""
    where = f"{escape_controls(gap.path)}:{gap.line}"
    name = escape_controls(gap.name)
    if 2 + width_of(name) + 2 + width_of(where) <= page.width:
        yield f"  {name}  {page.paint(where, 'place')}"
        return
    first, *others = wrap_text(name, first=page.width - 2, rest=page.width - 4)
    yield f"  {first}"
    yield from (f"    {line}" for line in others)
    yield f"    {page.paint(where, 'place')}"
