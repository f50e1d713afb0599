"""Results of scenarios as reports show them, and what the scenarios exercised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.report.test_report import CoverageAspect, Failure, ScenarioResult, UncoveredItem

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder
    from trialrun.workspace.run_scenarios import ScenarioRun


def to_test_result(played: ScenarioRun) -> ScenarioResult:
    """A scenario and how it ended; one that the linter has errors in, or where we failed, is in error."""
    scenario, outcome = played.scenario, played.outcome
    name, line = scenario.node.name or "a scenario without a name", scenario.line("name")
    if outcome is not None:
        misses = tuple(
            Failure(failure.range, failure.expected, failure.got, failure.trace) for failure in outcome.failures
        )
        return ScenarioResult(name, scenario.path, line, outcome.status, misses)
    if played.fault is None:
        return ScenarioResult(name, scenario.path, line, "error", findings=played.errors)
    got = f"this scenario failed because of a bug in trialrun ({played.fault}); please report it with the file"
    miss = Failure(scenario.locate(scenario.node.location("name")), None, got)
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
