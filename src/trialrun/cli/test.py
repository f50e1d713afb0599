"""`trialrun test`: play the scenarios of a workspace, and say what is not as they expect."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import limit_hints, requested_plainly
from trialrun.cli.options import AT_HELP
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import note
from trialrun.cli.runtime_extra import require
from trialrun.cli.workspace_options import page, trial_options
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.model.scenario import Scenario
    from trialrun.report.test_report.interface import Aspect, Tested
    from trialrun.report.text_finding import Page
    from trialrun.runtime.declaration import Declared
    from trialrun.workspace import Request

FAULT_EXIT = 3
BASE = {"schedule", "resolve", "session"}
"""Steps that need nothing of the extra."""


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@click.option("-k", "text", metavar="TEXT", help="Play only scenarios whose name or path has TEXT, in any case.")
@click.option("--junit", metavar="FILE", help="Write a JUnit report to FILE as well.")
@click.option("--force", is_flag=True, help="Let --junit overwrite a file that is not a report.")
@click.option("--coverage", is_flag=True, help="Say what no scenario exercises.")
@click.option("--watch", is_flag=True, help="Play again whenever a document of the workspace changes, until Ctrl-C.")
@click.option("--at", metavar="TIME", help=f"For scenarios that set no clock. {AT_HELP}")
@trial_options
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Play the Scenario documents in files, folders or, without PATHS, the whole workspace.

    Each is played in a store of its own; nothing of the workspace is changed. Exit code 0: all scenarios passed; 1: one
    failed or could not be played; 2: wrong usage or settings, or no scenario; 3: a fault of trialrun.
    """
    request = partial(_request, paths, options)
    if options["junit"]:
        from trialrun.cli.report_file import require_replaceable

        require_replaceable([options["junit"]], force=options["force"])
    if not options["watch"]:
        return _tested(request(), options)
    from trialrun.cli.watch import watched

    # what a scenario tests may stand anywhere, so a change anywhere counts, whichever scenarios were asked for
    whole = partial(_whole, request)
    return watched(whole, lambda _: _tested(request(), options), written=[file for file in [options["junit"]] if file])


def _request(paths: Sequence[str], options: dict[str, Any]) -> Request:
    return requested_plainly(paths, {"at": options["at"], "isolated": options["isolated"]})


def _whole(request: partial[Request]) -> Request:
    """The request for all of the workspaces that scenarios are played of."""
    made = request()
    try:
        roots = [part.root for part in _workspaces(made)]
    except UsageError:  # a path is gone, and may come back
        return replace(made, paths=[])
    return replace(made, paths=roots if len(roots) > 1 else [])


def _workspaces(request: Request) -> list[Request]:
    from trialrun.workspace import UnknownPath
    from trialrun.workspace.workspaces import workspaces

    try:
        return workspaces(request)
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _tested(request: Request, options: dict[str, Any]) -> int:
    from trialrun.cli.test_workspaces import aspects_of, running, tested_workspaces

    chosen = _chosen(request, options["text"])
    settings = {part.profiles.settings.file: part.profiles.settings for part, _ in chosen}
    for hint in [hint for one in settings.values() for hint in limit_hints(one)]:
        note(hint)
    if any(_has_rows(one.node) for _, scenarios in chosen for one in scenarios):
        require("playing scenarios with rows", "duckdb", "numpy")
    workspaces = tested_workspaces(chosen, with_coverage=options["coverage"])
    told = partial(aspects_of, workspaces)
    tests: list[Tested] = []
    running_tests = _collected(running(workspaces), tests)
    if options["output_format"] == "json":
        _write_json(running_tests, told if options["coverage"] else None)
    else:
        _write_text(running_tests, request, tests, told, options)
    if options["junit"]:
        _write_junit(options["junit"], tests)
    return _exit_code(tests)


def _chosen(request: Request, text: str | None) -> list[tuple[Request, list[Declared[Any]]]]:
    """The scenarios to play of each workspace that the paths lie in."""
    from trialrun.workspace.catalog import scenarios

    found = [(part, scenarios(part)) for part in _workspaces(request)]
    where = " in " + ", ".join(request.paths) if request.paths else " in the workspace"
    count = sum(len(declared) for _, declared in found)
    if not count:
        raise UsageError(f"there is no scenario{where}; write a document of kind: Scenario, as docs/scenarios.md shows")
    if not text:
        return found
    chosen = [(part, [one for one in declared if _has(one, text.casefold())]) for part, declared in found]
    if not any(declared for _, declared in chosen):
        raise UsageError(f'-k: none of the {count} scenarios{where} has "{text}" in its name or path')
    return chosen


def _has(scenario: Declared[Any], text: str) -> bool:
    return text in f"{scenario.node.name or ''}\n{scenario.path}".casefold()


def _has_rows(scenario: Scenario) -> bool:
    """Whether a scenario syncs or serves, and does not only ask when syncs are, or what an agent does."""
    return bool(scenario.given) or any({*step.members("deed")} - BASE for step in scenario.steps or ())


def _collected(running: Iterator[Tested], tests: list[Tested]) -> Iterator[Tested]:
    """The scenarios as they end; each is put into `tests` as well."""
    for one in running:
        tests.append(one)
        yield one


def _write_json(running: Iterator[Tested], aspects: partial[list[Aspect]] | None) -> None:
    from trialrun.report.test_report.json import report

    write_utf8(report(running, aspects))


def _write_text(
    running: Iterator[Tested],
    request: Request,
    tests: Sequence[Tested],
    aspects: partial[list[Aspect]],
    options: dict[str, Any],
) -> None:
    from trialrun.report.test_report.text import coverage, scenario, summary

    lines = _page(request, options["color"])
    for one in running:
        _print(scenario(one, lines))
    _print([*([] if tests[-1].misses or tests[-1].findings else [""]), *summary(tests, lines)])
    if options["coverage"]:
        _print(coverage(aspects(), lines))


def _print(lines: Sequence[str] | Iterator[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def _page(request: Request, color: str) -> Page:
    from trialrun.report.text_finding import Page

    return Page(lru_cache(maxsize=16)(request.source), *page(color))


def _write_junit(file: str, tests: Sequence[Tested]) -> None:
    from trialrun.cli.atomic_output import write_whole
    from trialrun.cli.report_file import require_apart
    from trialrun.report.test_report.junit import report

    require_apart([file], {one.path for one in tests})
    write_whole(file, report(tests))


def _exit_code(tests: Sequence[Tested]) -> int:
    if any(one.faulty for one in tests):
        return FAULT_EXIT
    return int(any(one.outcome != "passed" for one in tests))
