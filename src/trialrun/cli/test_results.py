"""What was played, as reports of scenarios take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.report.test_report.interface import Aspect, Gap, Miss, Tested

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Catalog
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage_recorder import Seen
    from trialrun.workspace.run_scenarios import Played


def tested(played: Played) -> Tested:
    """A scenario and how it ended; one that the linter has errors in, or where we failed, is in error."""
    scenario, outcome = played.scenario, played.outcome
    name, line = scenario.node.name or "a scenario without a name", scenario.line("name")
    if outcome is not None:
        misses = tuple(Miss(one.range, one.expected, one.got, one.trace) for one in outcome.failures)
        return Tested(name, scenario.path, line, outcome.word, misses)
    if played.fault is None:
        return Tested(name, scenario.path, line, "error", findings=played.errors)
    got = f"playing this scenario failed, and the fault is ours ({played.fault}); please report it with the file"
    miss = Miss(scenario.locate(scenario.node.at("name")), None, got)
    return Tested(name, scenario.path, line, "error", (miss,), faulty=True)


def aspects(documents: Catalog, brands: BrandCatalog, options: Options, seen: Seen) -> list[Aspect]:
    """How much of a workspace was exercised."""
    from trialrun.runtime.scenario.coverage import coverage

    return [
        Aspect(one.aspect, one.words, one.total, [Gap(gap.name, gap.path, gap.line) for gap in one.missing])
        for one in coverage(documents, brands, options, seen)
    ]
