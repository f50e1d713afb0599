"""`trialrun test`: play the scenarios of a workspace, and say what is not as they expect."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import merge
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.files import require_not_checked, require_replaceable, write_atomically
from trialrun.cli.options import default_request, limit_hints, unknown_path_as_usage
from trialrun.cli.output import print_note, write_utf8
from trialrun.cli.watch import watch
from trialrun.cli.workspace_options import page_layout, require_libraries, workspace_options
from trialrun.errors import INTERNAL_ERROR_EXIT, UsageError
from trialrun.outputs.test_report import (
    Aspect,
    PlayedScenario,
    aspects,
    format_coverage,
    format_scenario,
    format_summary,
    json_report,
    junit_report,
    run_scenarios,
)
from trialrun.report.code_frame import TextOutput
from trialrun.runtime.options import runtime_options
from trialrun.runtime.scenario.coverage import CoverageRecorder
from trialrun.workspace.catalog import both_catalogs, scenarios
from trialrun.workspace.relevant_diagnostics import needs_runtime
from trialrun.workspace.workspaces import workspaces

if TYPE_CHECKING:
    from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
    from trialrun.workspace import CheckRequest


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@click.option(
    "-k", "text", metavar="TEXT", help="Run only scenarios whose name or path contains TEXT (case-insensitive)."
)
@click.option("--junit", metavar="FILE", help="Also write a JUnit report to FILE.")
@click.option("--force", is_flag=True, help="Let --junit overwrite a file that is not a report.")
@click.option("--coverage", is_flag=True, help="Show what no scenario covers.")
@click.option("--watch", is_flag=True, help="Run again whenever a document of the workspace changes, until Ctrl-C.")
@click.option(
    "--at",
    metavar="TIME",
    help="Time for scenarios that do not set one: RFC 3339, or a date (midnight UTC). Default: the current time.",
)
@workspace_options
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Run the Scenario documents in files, folders or, without PATHS, the whole workspace.

    Each scenario runs in a store of its own; the workspace is not changed. Exit code 0: all scenarios passed; 1: a
    scenario failed or could not be run; 2: wrong usage or settings, or no scenario; 3: an internal error of trialrun.
    """

    def request() -> CheckRequest:
        return default_request(paths, {"at": options["at"], "isolated": options["isolated"]})

    def whole() -> CheckRequest:
        """The request for all of the workspaces that scenarios are played of."""
        made = request()
        try:
            roots = [part.root for part in _workspaces(made)]
        except UsageError:  # a path is gone, and may come back
            roots = []
        return replace(made, paths=roots if len(roots) > 1 else [])

    reports = [options["junit"]] if options["junit"] else []
    require_replaceable(reports, force=options["force"])
    if not options["watch"]:
        return _run_tests(request(), options)
    # what a scenario tests may stand anywhere, so a change anywhere counts, whichever scenarios were asked for
    return watch(whole, lambda _: _run_tests(request(), options), written=reports)


def _workspaces(request: CheckRequest) -> list[CheckRequest]:
    with unknown_path_as_usage():
        return workspaces(request)


def _run_tests(request: CheckRequest, options: dict[str, Any]) -> int:
    chosen = _select_scenarios(request, options["text"])
    settings = {part.profiles.settings.file: part.profiles.settings for part, _ in chosen}
    for hint in [hint for setting in settings.values() for hint in limit_hints(setting)]:
        print_note(hint)
    if any(needs_runtime(scenario.node) for _, scenarios in chosen for scenario in scenarios):
        require_libraries("running scenarios with rows", "runtime", "duckdb", "numpy")
    with_coverage = options["coverage"]
    tested = [
        TestedWorkspace(part, scenarios, *both_catalogs(part), CoverageRecorder(is_enabled=with_coverage))
        for part, scenarios in chosen
        if scenarios or with_coverage
    ]
    tests: list[PlayedScenario] = []
    running = _play(tested, tests)
    if options["output_format"] == "json":
        write_utf8(json_report(running, (lambda: _coverage(tested)) if with_coverage else None))
    else:
        page = TextOutput(lru_cache(maxsize=16)(request.source), *page_layout(options["color"]))
        for test in running:
            _print(format_scenario(test, page))
        _print([*([] if tests[-1].failures else [""]), *format_summary(tests, page)])
        if with_coverage:
            _print(format_coverage(_coverage(tested), page))
    if options["junit"]:
        require_not_checked([options["junit"]], {test.path for test in tests})
        write_atomically(options["junit"], junit_report(tests))
    if any(test.has_internal_error for test in tests):
        return INTERNAL_ERROR_EXIT
    return int(any(test.outcome != "passed" for test in tests))


def _select_scenarios(
    request: CheckRequest, text: str | None
) -> list[tuple[CheckRequest, list[DeclaredResource[Any]]]]:
    """The scenarios to play of each workspace that the paths lie in."""
    found = [(part, scenarios(part)) for part in _workspaces(request)]
    where = " in " + ", ".join(request.paths) if request.paths else " in the workspace"
    total = sum(len(declared) for _, declared in found)
    if not total:
        raise UsageError(f"there is no scenario{where}; write a document of kind: Scenario (trialrun docs scenarios)")
    if not text:
        return found
    wanted = text.casefold()
    chosen = [
        (part, [one for one in declared if wanted in f"{one.node.name or ''}\n{one.path}".casefold()])
        for part, declared in found
    ]
    if not any(declared for _, declared in chosen):
        raise UsageError(f'-k: none of the {total} scenarios{where} contains "{text}" in its name or path')
    return chosen


@dataclass(frozen=True, slots=True)
class TestedWorkspace:
    """A workspace, the scenarios of it that are played, and what these have exercised."""

    request: CheckRequest
    scenarios: Sequence[DeclaredResource[Any]]
    documents: Catalog
    brands: BrandCatalog
    seen: CoverageRecorder

    def run(self) -> Iterator[PlayedScenario]:
        """The scenarios as they end."""
        return run_scenarios(self.request, self.scenarios, self.documents, self.brands, self.seen)


def _play(tested: Sequence[TestedWorkspace], tests: list[PlayedScenario]) -> Iterator[PlayedScenario]:
    """The scenarios of all workspaces as they end, in the order of their paths; each is put into `tests` as well."""
    # of one workspace, nothing is played before the one before it is reported
    one = len(tested) == 1
    running = tested[0].run() if one else merge(*(part.run() for part in tested), key=lambda test: test.path)
    for test in running:
        tests.append(test)
        yield test


def _coverage(tested: Sequence[TestedWorkspace]) -> list[Aspect]:
    """How much of all workspaces was exercised: each aspect once."""
    found = [
        aspects(part.documents, part.brands, runtime_options(part.request.profiles.settings.runtime), part.seen)
        for part in tested
    ]
    summed = []
    for same in zip(*found, strict=True):
        gaps = [gap for aspect in same for gap in aspect.missing]
        if len(same) > 1:
            gaps.sort(key=lambda gap: (gap.path, gap.line, gap.name))
        total = sum(aspect.total for aspect in same)
        summed.append(Aspect(same[0].name, same[0].title, total, total - len(gaps), gaps))
    return summed


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()
