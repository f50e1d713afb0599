"""The scenarios of one or several workspaces, each played under its own settings and told in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import TYPE_CHECKING, Any

from trialrun.cli.test_results import aspects, tested
from trialrun.lazy_dataclass import dataclass
from trialrun.report.test_report.interface import Aspect
from trialrun.runtime.scenario.coverage_recorder import Seen
from trialrun.workspace.catalog import everything
from trialrun.workspace.dry_run import options
from trialrun.workspace.run_scenarios import played

if TYPE_CHECKING:
    from trialrun.report.test_report.interface import Tested
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog, Declared
    from trialrun.workspace import Request


@dataclass(frozen=True, slots=True)
class TestedWorkspace:
    """A workspace, the scenarios of it that are played, and what these have exercised."""

    request: Request
    scenarios: Sequence[Declared[Any]]
    documents: Catalog
    brands: BrandCatalog
    seen: Seen

    def running(self) -> Iterator[Tested]:
        """The scenarios as they end."""
        yield from map(tested, played(self.request, self.scenarios, self.documents, self.brands, self.seen))

    def aspects(self) -> list[Aspect]:
        """How much of the workspace was exercised."""
        return aspects(self.documents, self.brands, options(self.request.profiles.settings.runtime), self.seen)


def tested_workspaces(
    chosen: Sequence[tuple[Request, Sequence[Declared[Any]]]], *, with_coverage: bool
) -> list[TestedWorkspace]:
    """The workspaces of chosen scenarios; those without any count only where coverage is asked for."""
    return [
        TestedWorkspace(request, scenarios, *everything(request), Seen(is_asked=with_coverage))
        for request, scenarios in chosen
        if scenarios or with_coverage
    ]


def running(workspaces: Sequence[TestedWorkspace]) -> Iterator[Tested]:
    """The scenarios of all workspaces as they end, in the order of their paths."""
    if len(workspaces) == 1:  # nothing is played before the one before it is told
        return workspaces[0].running()
    return merge(*(one.running() for one in workspaces), key=lambda scenario: scenario.path)


def aspects_of(workspaces: Sequence[TestedWorkspace]) -> list[Aspect]:
    """How much of all workspaces was exercised: each aspect once."""
    found = [one.aspects() for one in workspaces]
    return [_sum(same) for same in zip(*found, strict=True)]


def _sum(same: Sequence[Aspect]) -> Aspect:
    gaps = [gap for one in same for gap in one.gaps]
    if len(same) > 1:
        gaps.sort(key=lambda gap: (gap.path, gap.line, gap.name))
    return Aspect(same[0].name, same[0].words, sum(one.total for one in same), gaps)
