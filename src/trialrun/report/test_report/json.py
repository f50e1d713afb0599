"""Scenario results for programs: one JSON object with a stable schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from trialrun.report.json_encoding import json_text
from trialrun.report.test_report.interface import CoverageAspect, Failure, ScenarioResult

VERSION = 1


def report(tests: Iterable[ScenarioResult], coverage: Callable[[], Sequence[CoverageAspect]] | None) -> Iterator[str]:
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
    """The object of a scenario and how it ended."""
    failures = [*map(_failure, scenario.failures), *_findings(scenario)]
    return {
        "name": scenario.name,
        "path": scenario.path,
        "line": scenario.line,
        "outcome": scenario.outcome,
        "failures": failures,
    }


def _failure(miss: Failure) -> dict[str, Any]:
    return {"line": miss.range.start.line, "expected": miss.expected, "got": miss.got, "trace": list(miss.trace)}


def _findings(scenario: ScenarioResult) -> Iterator[dict[str, Any]]:
    """The linter findings with their rules, and their paths if they are in other files."""
    for finding in scenario.findings:
        got = f"{finding.rule}: {finding.message}"
        elsewhere = {"path": finding.path} if finding.path != scenario.path else {}
        yield {"line": finding.range.start.line, "expected": None, "got": got, "trace": [], **elsewhere}


def aspect_object(aspect: CoverageAspect) -> dict[str, Any]:
    """The object of one kind of thing that scenarios exercise."""
    gaps = [{"name": gap.name, "path": gap.path, "line": gap.line} for gap in aspect.uncovered]
    return {"total": aspect.total, "covered": aspect.covered, "missing": gaps}
