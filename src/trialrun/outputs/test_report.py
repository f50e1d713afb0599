"""Results of scenarios, and their reports: text, JSON and JUnit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field, InstanceOf, PlainSerializer, TypeAdapter
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.diagnostic import Diagnostic, Range
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
from trialrun.report.json import VERSION, json_text
from trialrun.report.junit import SUITE, XML_HEAD, escape_xml, format_diagnostic
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.serialization import FilePath, Hidden, LineNumber, omits
from trialrun.workspace.relevant_diagnostics import documents_of_scenario, errors_of, is_about, scenario_options

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.workspace.check_request import CheckRequest

Outcome = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met."""

    range: Annotated[
        InstanceOf[Range],
        PlainSerializer(lambda range: range.start.line, return_type=LineNumber),
        Field(serialization_alias="line"),
    ]
    expected: Annotated[str | None, Field(description="null if the scenario could not run")]
    got: str
    trace: Sequence[str]
    """The steps so far, one line each; none where the failures before have 100,000 lines."""
    path: Annotated[
        str,
        PlainSerializer(lambda path: path, return_type=FilePath),
        Field(description="if it differs from that of the scenario"),
    ] = ""
    finding: Annotated[InstanceOf[Diagnostic] | None, Hidden] = None
    """The error of the linter that prevented the run."""


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """A scenario and its outcome."""

    name: str
    path: FilePath
    line: LineNumber
    outcome: Outcome
    failures: Sequence[Annotated[Failure, omits("path")]]
    has_internal_error: Annotated[bool, Hidden] = False

    @property
    def was_played(self) -> bool:
        """Whether neither an error of the linter nor one of ours prevented it."""
        return not self.has_internal_error and not any(failure.finding for failure in self.failures)


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Something that no scenario exercises."""

    name: str
    path: FilePath
    line: LineNumber


@dataclass(frozen=True, slots=True)
class Aspect:
    """One aspect of coverage."""

    name: Annotated[str, Hidden]
    title: Annotated[str, Hidden]
    total: int
    covered: int
    missing: Sequence[Uncovered]


class Tests(TypedDict):
    """`trialrun test --output-format json`."""

    version: Literal[1]
    scenarios: list[PlayedScenario]
    coverage: NotRequired[Annotated[dict[str, Aspect], Field(description="only with --coverage")]]


def run_scenarios(
    request: CheckRequest,
    chosen: Sequence[DeclaredResource[Scenario]],
    documents: Catalog,
    brands: BrandCatalog,
    seen: CoverageRecorder,
) -> Iterator[PlayedScenario]:
    """Run scenarios over the documents of a workspace; yields each when it has ended.

    One is in error if the linter finds errors in a document that it uses, or if we fail.
    """
    from trialrun.runtime.scenario.runner import play, status_of  # heavy, and most plans have no scenario to run

    behind = [documents_of_scenario(scenario, documents, brands, request) for scenario in chosen]
    used = {(document.path, document.document, document.pointer): document for group in behind for document in group}
    errors = errors_of(request, list(used.values()))
    options = scenario_options(request)
    for scenario, group in zip(chosen, behind, strict=True):
        name, path, line = scenario.node.name or "a scenario without a name", scenario.path, scenario.line("name")
        if found := [error for error in errors if any(is_about(error, document) for document in group)]:
            yield PlayedScenario(name, path, line, "error", [_linter_failure(error, path) for error in found])
            continue
        try:
            missed = play(scenario, documents, brands, now=request.now, options=options, recorder=seen)
        except Exception as error:  # noqa: BLE001 - an internal error in one scenario does not hide the others
            fault = f"this scenario failed because of a bug in trialrun ({type(error).__name__}: {error})"
            place = scenario.locate(scenario.node.location("name"))
            failures = [Failure(place, None, f"{fault}; please report it with the file", ())]
            yield PlayedScenario(name, path, line, "error", failures, has_internal_error=True)
            continue
        failures = [Failure(miss.range, miss.expected, miss.got, miss.trace) for miss in missed]
        yield PlayedScenario(name, path, line, status_of(missed), failures)


def _linter_failure(error: Diagnostic, path: str) -> Failure:
    """An error that prevents a scenario in a file at a path."""
    other = "" if error.path == path else error.path
    return Failure(error.range, None, f"{error.rule}: {error.message}", (), other, error)


def aspects(documents: Catalog, brands: BrandCatalog, options: Options, seen: CoverageRecorder) -> list[Aspect]:
    """How much of a workspace was exercised."""
    from trialrun.runtime.scenario.coverage import ASPECTS, measure_coverage

    return [
        Aspect(
            aspect,
            ASPECTS[aspect],
            total,
            total - len(missing),
            [Uncovered(gap.name, gap.document.path, gap.line) for gap in missing],
        )
        for aspect, total, missing in measure_coverage(documents, brands, options, seen)
    ]


def json_report(tests: Iterable[PlayedScenario], coverage: Callable[[], Sequence[Aspect]] | None) -> Iterator[str]:
    """Write one object with a line for every scenario; `coverage` is called after all scenarios."""
    yield f'{{"version": {VERSION},\n "scenarios": ['
    separator = "\n  "
    for test in tests:
        yield separator + json_text(scenario_object(test))
        separator = ",\n  "
    yield "]"
    if coverage is not None:
        yield f',\n "coverage": {json_text({aspect.name: aspect_object(aspect) for aspect in coverage()})}'
    yield "}\n"


def scenario_object(scenario: PlayedScenario) -> dict[str, Any]:
    """The object of a scenario; a failure has a path if that is not the scenario's."""
    written: dict[str, Any] = TypeAdapter(PlayedScenario).dump_python(scenario, by_alias=True)
    return written


def aspect_object(aspect: Aspect) -> dict[str, Any]:
    """The object of an aspect of coverage."""
    written: dict[str, Any] = TypeAdapter(Aspect).dump_python(aspect)
    return written


def junit_report(tests: Sequence[PlayedScenario]) -> Iterator[str]:
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


def _counts(tests: Sequence[PlayedScenario]) -> str:
    words = [test.outcome for test in tests]
    return f'tests="{len(words)}" failures="{words.count("failed")}" errors="{words.count("error")}"'


def _junit_case(scenario: PlayedScenario) -> Iterator[str]:
    head = f'    <testcase name="{escape_xml(scenario.name)}" classname="{escape_xml(scenario.path)}"'
    if scenario.outcome == "passed":
        yield f"{head}/>\n"
        return
    problems = []
    for miss in scenario.failures:
        if miss.finding:
            problems.append(format_diagnostic(miss.finding))
            continue
        start, what = (
            miss.range.start,
            miss.got if miss.expected is None else f"expected {miss.expected}, got {miss.got}",
        )
        where = f"{scenario.path}:{start.line}:{start.column}"
        problems.append("\n".join([f"{where}: {what}", *(f"  {line}" for line in miss.trace)]))
    element = "failure" if scenario.outcome == "failed" else "error"
    yield f"{head}>\n"
    yield f'      <{element} type="{scenario.outcome}" message="{escape_xml(problems[0].splitlines()[0])}">'
    yield "\n".join(escape_xml(line) for text in problems for line in text.splitlines())
    yield f"</{element}>\n    </testcase>\n"


STYLES: dict[str, Style] = {"passed": "clean", "failed": "error", "error": "error"}
INDENT = 8
MAX_INLINE_LENGTH = 100
"""Maximum length of a text next to an arrow; longer ones are on separate lines."""


def format_scenario(scenario: PlayedScenario, page: TextOutput) -> Iterator[str]:
    """The lines of a scenario: its outcome and name, and its failures."""
    first, *others = wrap_text(escape_controls(scenario.name), first=page.width - INDENT, rest=page.width - INDENT)
    yield f"{page.paint(f'{scenario.outcome:<{INDENT - 1}}', STYLES[scenario.outcome])} {first}".rstrip()
    yield from (" " * INDENT + line for line in others)
    last_trace: Sequence[str] = ()
    for miss in scenario.failures:
        if miss.finding:
            yield from format_finding(miss.finding, page)
        else:
            yield from _format_failure(miss, scenario, page, last_trace=last_trace)
        yield ""
        last_trace = miss.trace


def _format_failure(
    miss: Failure, scenario: PlayedScenario, page: TextOutput, *, last_trace: Sequence[str]
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


def format_summary(tests: Sequence[PlayedScenario], page: TextOutput) -> Iterator[str]:
    """The number of scenarios by outcome."""
    words = [test.outcome for test in tests]
    counts = (("failed", "failed"), ("error", "in error"), ("passed", "passed"))
    counts_text = ", ".join(f"{words.count(word)} {label}" for word, label in counts if word in words)
    style: Style = "clean" if set(words) == {"passed"} else "error"
    line = f"{pluralize(len(words), 'scenario')}: {counts_text}"
    yield from (page.paint(part, style) for part in wrap_text(line, first=page.width, rest=page.width))


def format_coverage(aspects: Sequence[Aspect], page: TextOutput) -> Iterator[str]:
    """How much of each sort of thing is exercised, and what is not."""
    for aspect in filter(lambda aspect: aspect.total, aspects):
        yield ""
        line = f"{aspect.covered} of {aspect.total} {aspect.title}"
        yield from (page.paint(part, "rule") for part in wrap_text(line, first=page.width, rest=page.width))
        for gap in aspect.missing:
            yield from _format_uncovered(gap, page)


def _format_uncovered(gap: Uncovered, page: TextOutput) -> Iterator[str]:
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
