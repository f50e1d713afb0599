"""`trialrun test`: play the scenarios of a workspace, and say what is not as they expect."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from heapq import merge
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import default_request, limit_hints
from trialrun.cli.exit_codes import INTERNAL_ERROR_EXIT
from trialrun.cli.files import require_not_checked, require_replaceable, write_atomically
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import print_note
from trialrun.cli.require_libraries import require_libraries
from trialrun.cli.watch import watch
from trialrun.cli.workspace_options import page_layout, workspace_options
from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.scenario_results import aspects, to_test_result
from trialrun.report.test_report import (
    CoverageAspect,
    ScenarioResult,
    format_coverage,
    format_scenario,
    format_summary,
    json_report,
    junit_report,
)
from trialrun.report.text_finding import TextOutput
from trialrun.runtime.options import runtime_options
from trialrun.runtime.scenario.coverage import CoverageRecorder
from trialrun.workspace import UnknownPath
from trialrun.workspace.catalog import both_catalogs, scenarios
from trialrun.workspace.run_scenarios import needs_runtime, run_scenarios
from trialrun.workspace.workspaces import workspaces

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
    request = partial(_request, paths, options)
    if options["junit"]:
        require_replaceable([options["junit"]], force=options["force"])
    if not options["watch"]:
        return _run_tests(request(), options)
    # what a scenario tests may stand anywhere, so a change anywhere counts, whichever scenarios were asked for
    whole = partial(_whole_workspaces, request)
    return watch(whole, lambda _: _run_tests(request(), options), written=[file for file in [options["junit"]] if file])


def _request(paths: Sequence[str], options: dict[str, Any]) -> CheckRequest:
    return default_request(paths, {"at": options["at"], "isolated": options["isolated"]})


def _whole_workspaces(request: partial[CheckRequest]) -> CheckRequest:
    """The request for all of the workspaces that scenarios are played of."""
    made = request()
    try:
        roots = [part.root for part in _workspaces(made)]
    except UsageError:  # a path is gone, and may come back
        return replace(made, paths=[])
    return replace(made, paths=roots if len(roots) > 1 else [])


def _workspaces(request: CheckRequest) -> list[CheckRequest]:
    try:
        return workspaces(request)
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _run_tests(request: CheckRequest, options: dict[str, Any]) -> int:
    chosen = _select_scenarios(request, options["text"])
    settings = {part.profiles.settings.file: part.profiles.settings for part, _ in chosen}
    for hint in [hint for setting in settings.values() for hint in limit_hints(setting)]:
        print_note(hint)
    if any(needs_runtime(scenario.node) for _, scenarios in chosen for scenario in scenarios):
        require_libraries("running scenarios with rows", "runtime", "duckdb", "numpy")
    workspaces = tested_workspaces(chosen, with_coverage=options["coverage"])
    aspects = partial(coverage_aspects, workspaces)
    tests: list[ScenarioResult] = []
    running_tests = _collect(run_tests(workspaces), tests)
    if options["output_format"] == "json":
        _write_json(running_tests, aspects if options["coverage"] else None)
    else:
        _write_text(running_tests, request, tests, aspects, options)
    if options["junit"]:
        _write_junit(options["junit"], tests)
    return _exit_code(tests)


def _select_scenarios(
    request: CheckRequest, text: str | None
) -> list[tuple[CheckRequest, list[DeclaredResource[Any]]]]:
    """The scenarios to play of each workspace that the paths lie in."""
    found = [(part, scenarios(part)) for part in _workspaces(request)]
    where = " in " + ", ".join(request.paths) if request.paths else " in the workspace"
    count = sum(len(declared) for _, declared in found)
    if not count:
        raise UsageError(f"there is no scenario{where}; write a document of kind: Scenario (trialrun docs scenarios)")
    if not text:
        return found
    chosen = [
        (part, [document for document in declared if _matches_text(document, text.casefold())])
        for part, declared in found
    ]
    if not any(declared for _, declared in chosen):
        raise UsageError(f'-k: none of the {count} scenarios{where} contains "{text}" in its name or path')
    return chosen


def _matches_text(scenario: DeclaredResource[Any], text: str) -> bool:
    return text in f"{scenario.node.name or ''}\n{scenario.path}".casefold()


def _collect(running: Iterator[ScenarioResult], tests: list[ScenarioResult]) -> Iterator[ScenarioResult]:
    """The scenarios as they end; each is put into `tests` as well."""
    for scenario_result in running:
        tests.append(scenario_result)
        yield scenario_result


def _write_json(running: Iterator[ScenarioResult], aspects: partial[list[CoverageAspect]] | None) -> None:
    write_utf8(json_report(running, aspects))


def _write_text(
    running: Iterator[ScenarioResult],
    request: CheckRequest,
    tests: Sequence[ScenarioResult],
    aspects: partial[list[CoverageAspect]],
    options: dict[str, Any],
) -> None:
    lines = _page(request, options["color"])
    for scenario_result in running:
        _print(format_scenario(scenario_result, lines))
    _print([*([] if tests[-1].failures or tests[-1].findings else [""]), *format_summary(tests, lines)])
    if options["coverage"]:
        _print(format_coverage(aspects(), lines))


def _print(lines: Sequence[str] | Iterator[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def _page(request: CheckRequest, color: str) -> TextOutput:
    return TextOutput(lru_cache(maxsize=16)(request.source), *page_layout(color))


def _write_junit(file: str, tests: Sequence[ScenarioResult]) -> None:
    require_not_checked([file], {test.path for test in tests})
    write_atomically(file, junit_report(tests))


def _exit_code(tests: Sequence[ScenarioResult]) -> int:
    if any(test.has_internal_error for test in tests):
        return INTERNAL_ERROR_EXIT
    return int(any(test.outcome != "passed" for test in tests))
