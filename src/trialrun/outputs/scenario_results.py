"""What `test` prints as JSON, and the results of scenarios as the reports of them take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import FilePath, LineNumber
from trialrun.report import test_report
from trialrun.report.test_report import CoverageAspect, ScenarioResult, UncoveredItem

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.workspace.run_scenarios import ScenarioRun


class Failure(TypedDict):
    """An expectation that was not met."""

    line: LineNumber
    expected: Annotated[str | None, Field(description="null if the scenario could not run")]
    got: str
    trace: list[str]
    path: NotRequired[Annotated[FilePath, Field(description="if it differs from that of the scenario")]]


class PlayedScenario(TypedDict):
    """A scenario and its outcome."""

    name: str
    path: FilePath
    line: LineNumber
    outcome: Literal["passed", "failed", "error"]
    failures: list[Failure]


class Uncovered(TypedDict):
    """Something that no scenario exercises."""

    name: str
    path: FilePath
    line: LineNumber


class Aspect(TypedDict):
    """One aspect of coverage."""

    total: int
    covered: int
    missing: list[Uncovered]


class Tests(TypedDict):
    """`trialrun test --output-format json`."""

    version: Literal[1]
    scenarios: list[PlayedScenario]
    coverage: NotRequired[Annotated[dict[str, Aspect], Field(description="only with --coverage")]]


def to_test_result(played: ScenarioRun) -> ScenarioResult:
    """A scenario and how it ended; one that the linter has errors in, or where we failed, is in error."""
    scenario, outcome = played.scenario, played.outcome
    name, line = scenario.node.name or "a scenario without a name", scenario.line("name")
    if outcome is not None:
        misses = tuple(
            test_report.Failure(failure.range, failure.expected, failure.got, failure.trace)
            for failure in outcome.failures
        )
        return ScenarioResult(name, scenario.path, line, outcome.status, misses)
    if played.fault is None:
        return ScenarioResult(name, scenario.path, line, "error", findings=played.errors)
    got = f"this scenario failed because of a bug in trialrun ({played.fault}); please report it with the file"
    miss = test_report.Failure(scenario.locate(scenario.node.location("name")), None, got)
    return ScenarioResult(name, scenario.path, line, "error", (miss,), has_internal_error=True)


def aspects(documents: Catalog, brands: BrandCatalog, options: Options, seen: CoverageRecorder) -> list[CoverageAspect]:
    """How much of a workspace was exercised."""
    from trialrun.runtime.scenario.coverage import ASPECTS, measure_coverage

    return [
        CoverageAspect(
            aspect, ASPECTS[aspect], total, [UncoveredItem(gap.name, gap.document.path, gap.line) for gap in missing]
        )
        for aspect, total, missing in measure_coverage(documents, brands, options, seen)
    ]
