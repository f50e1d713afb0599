"""Runs the scenarios of one or several workspaces, each with its own settings, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.scenario_results import aspects, to_test_result
from trialrun.report.test_report import CoverageAspect, ScenarioResult
from trialrun.runtime.options import runtime_options
from trialrun.runtime.scenario.coverage import CoverageRecorder
from trialrun.workspace.catalog import both_catalogs
from trialrun.workspace.run_scenarios import run_scenarios

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, DeclaredResource
    from trialrun.workspace import CheckRequest


@dataclass(frozen=True, slots=True)
class TestedWorkspace:
    """A workspace, the scenarios of it that are played, and what these have exercised."""

    request: CheckRequest
    scenarios: Sequence[DeclaredResource[Any]]
    documents: Catalog
    brands: BrandCatalog
    seen: CoverageRecorder

    def run(self) -> Iterator[ScenarioResult]:
        """The scenarios as they end."""
        yield from map(
            to_test_result, run_scenarios(self.request, self.scenarios, self.documents, self.brands, self.seen)
        )

    def aspects(self) -> list[CoverageAspect]:
        """How much of the workspace was exercised."""
        return aspects(self.documents, self.brands, runtime_options(self.request.profiles.settings.runtime), self.seen)


def tested_workspaces(
    chosen: Sequence[tuple[CheckRequest, Sequence[DeclaredResource[Any]]]], *, with_coverage: bool
) -> list[TestedWorkspace]:
    """The workspaces of chosen scenarios; those without any count only where coverage is asked for."""
    return [
        TestedWorkspace(request, scenarios, *both_catalogs(request), CoverageRecorder(is_enabled=with_coverage))
        for request, scenarios in chosen
        if scenarios or with_coverage
    ]


def run_tests(workspaces: Sequence[TestedWorkspace]) -> Iterator[ScenarioResult]:
    """The scenarios of all workspaces as they end, in the order of their paths."""
    if len(workspaces) == 1:  # nothing is played before the one before it is reported
        return workspaces[0].run()
    return merge(*(workspace.run() for workspace in workspaces), key=lambda scenario: scenario.path)


def coverage_aspects(workspaces: Sequence[TestedWorkspace]) -> list[CoverageAspect]:
    """How much of all workspaces was exercised: each aspect once."""
    found = [workspace.aspects() for workspace in workspaces]
    return [_sum(same) for same in zip(*found, strict=True)]


def _sum(same: Sequence[CoverageAspect]) -> CoverageAspect:
    gaps = [gap for coverage_aspect in same for gap in coverage_aspect.uncovered]
    if len(same) > 1:
        gaps.sort(key=lambda gap: (gap.path, gap.line, gap.name))
    return CoverageAspect(
        same[0].name, same[0].description, sum(coverage_aspect.total for coverage_aspect in same), gaps
    )
