"""Scenario results as text: a line for each, failures at the lines of their expectations, and uncovered things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.report.code_frame import Annotation, clamp_range, render_frame
from trialrun.report.color import Style
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.report.terminal_width import width as width_of
from trialrun.report.test_report.interface import CoverageAspect, Failure, ScenarioResult, UncoveredItem
from trialrun.report.text_finding import TextOutput, format_finding, location_line, note_lines
from trialrun.report.wrap import wrap_text

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
    for aspect in (aspect for aspect in aspects if aspect.total):
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
