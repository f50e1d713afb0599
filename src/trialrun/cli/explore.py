"""`trialrun explore STORE`: many random sessions at a store, and what is surprising in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import count
from math import isnan
from shlex import quote
from typing import Any

import click
from click.core import ParameterSource

from trialrun.cli.explore_text import Sheet, explore_text
from trialrun.cli.files import save_scenario, scenario_file_name
from trialrun.cli.options import AT, JOBS
from trialrun.cli.output import print_note, show_diagnostics, write_utf8
from trialrun.cli.progress import Progress
from trialrun.cli.stores import StoreResult, report_store_errors, stores_to_try
from trialrun.cli.workspace_options import access_options, page_layout, require_libraries, workspace_options
from trialrun.errors import INTERRUPTED_EXIT, UsageError, os_error_reason
from trialrun.outputs.explore import SEVERITIES, Explored, build_explored, explore_object, explored_stores_object
from trialrun.outputs.scenarios import play_example, scenario_document
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.explore.simulated_customer import DEFAULT_PROFILE, CustomerProfile
from trialrun.runtime.channel_config.menu import unpriced_items
from trialrun.values.language_tag import canonicalize, check
from trialrun.values.timestamp import format_timestamp
from trialrun.workspace.parallel_sessions import play_sessions
from trialrun.workspace.store_dry_run import StoreDryRun

DECIDED_SESSIONS = 1000
"""The sessions for shares and other surprises, where it is decided of all upsells whether they are offered."""
PROFILE_OPTIONS = {
    "accept": "Probability that an offer is accepted.",
    "decline": "Probability that an offer is declined; the others are ignored.",
    "add": "Probability that an item is ordered in a turn, and after it another.",
    "remove": "Probability that an item is removed from the order.",
    "quantity": "Probability that the quantity of an item changes.",
    "say": "Probability that a customer uses an ambiguous term.",
    "speak": "Probability that a customer switches to another language.",
    "foreign": "Probability that a session starts in a random language.",
    "state": "Probability that a value that a condition reads is set before the first turn.",
    "finish": "Probability that the order is completed early.",
}


def profile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for each habit."""
    for name, sentence in reversed(PROFILE_OPTIONS.items()):
        usual = getattr(DEFAULT_PROFILE, name)
        option = click.option(
            f"--{name}", type=click.FloatRange(0, 1), default=usual, show_default=True, metavar="SHARE", help=sentence
        )
        command = option(command)
    return command


@click.command("explore")
@click.argument("store", required=False, metavar="[STORE]")
@click.option("--all-stores", is_flag=True, help="Explore all stores; those with equal configurations once.")
@click.option("--sessions", type=click.IntRange(min=1), default=10_000, show_default=True, help="Number of sessions.")
@click.option(
    "--turns", type=click.IntRange(min=1), default=8, show_default=True, help="Maximum number of turns per session."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@AT
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="TAG",
    help="Additional language that customers speak; may be repeated.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note")),
    default="error",
    show_default=True,
    help="Lowest severity that makes the exit code 1.",
)
@click.option(
    "--save-scenarios",
    "scenario_folder",
    metavar="FOLDER",
    help="Write each session that demonstrates something as a Scenario into this folder.",
)
@JOBS
@click.option("--prove", is_flag=True, help="Prove what is never offered, and search only for what is not decided.")
@profile_options
@workspace_options
def command(store: str | None, all_stores: bool, **options: Any) -> int:
    """Run random sessions at a store and report unexpected behavior.

    A STORE is a resource name or the end of one, such as its id; --all-stores explores all. error: a condition fails;
    warning: probably unintended, such as an upsell that is never offered; note: possibly intended. Each is shown with
    the shortest session that demonstrates it. Exit code 1: something at or above --fail-on was reported. Ctrl-C stops
    the search, reports what was found so far and exits with 130.
    """
    habits = _customer_profile(options)
    for tag in options["languages"]:
        if canonicalize(tag) is None:
            raise UsageError(f'--language "{tag}": {check(tag)[0].message}')
    if options["prove"]:
        require_libraries("--prove", "prove", "z3")
    if all_stores == (store is not None):
        raise UsageError("give either a STORE or --all-stores")
    explored: list[StoreResult[Explored]] = []
    is_whole = True
    with Progress() as progress:
        for place in stores_to_try([] if store is None else [store], options):
            explored.append(place)
            if errors := place.trial.errors():
                place.errors = errors
            else:
                is_whole = _explore(place, habits, options, progress)
            if not is_whole:
                break
    if store is not None and explored[0].errors:
        return report_store_errors(explored[0].trial, explored[0].errors, options)
    if options["output_format"] == "json":
        write_utf8([json_text(_report_object(explored, options, one=store is not None)), "\n"])
    else:
        _write_text(explored, options)
    if options["scenario_folder"] is not None:
        sys.stdout.flush()
        files = _save_scenarios(explored, options["scenario_folder"])
        written = f"{pluralize(len(files), 'scenario')} written to {options['scenario_folder']}"
        print_note(f"{written}; trialrun test plays them")
    if not is_whole:
        return INTERRUPTED_EXIT
    failing = SEVERITIES[: SEVERITIES.index(options["fail_on"]) + 1]
    surprises = [surprise for place in explored if place.result for surprise in place.result.surprises]
    failed = any(surprise.severity in failing for surprise in surprises)
    return int(failed or any(place.errors for place in explored))


def _customer_profile(options: dict[str, Any]) -> CustomerProfile:
    habits = CustomerProfile(**{field.name: options[field.name] for field in fields(CustomerProfile)})
    for name in PROFILE_OPTIONS:
        if isnan(options[name]):
            raise UsageError(f"--{name}: nan is not a probability; use a value from 0 to 1")
    if habits.accept + habits.decline > 1:
        answers = f"--accept {habits.accept:g} and --decline {habits.decline:g}"
        raise UsageError(f"{answers} add up to more than 1; lower one of them")
    return habits


def _explore(
    place: StoreResult[Explored], habits: CustomerProfile, options: dict[str, Any], progress: Progress
) -> bool:
    """Explore a store, and make the sessions short that show something; False where Ctrl-C ended either."""
    trial, wanted = place.trial, options["sessions"]
    search = Search(
        trial.active_config,
        trial.menu,
        trial.catalog.schema_for,
        begin=trial.now,
        seed=options["seed"],
        turns=options["turns"],
        habits=habits,
        languages=options["languages"],
    )
    is_whole = True
    progress.set_title(place.title)
    is_default = click.get_current_context().get_parameter_source("sessions") is ParameterSource.DEFAULT
    if options["prove"] and _prove(trial, search) and is_default:
        wanted = DECIDED_SESSIONS
    try:
        for done in play_sessions(search, wanted, jobs=options["jobs"]):
            progress(done, wanted)
    except KeyboardInterrupt:
        is_whole = False
    progress.set_title("shortest sessions")
    try:
        for done in search.shorten():
            progress(done, len(search.seen) + len(search.near_miss_reasons))
    except KeyboardInterrupt:  # some are left as they were
        is_whole = False
    place.result = build_explored(search, wanted, _replay_command(place.title, search, wanted, options))
    return is_whole


def _prove(trial: StoreDryRun, search: Search) -> bool:
    """Tell a search what is proved of the upsells. Whether all are decided."""
    from trialrun.prove.replay import Stage
    from trialrun.prove.store import prove_offers

    stage = Stage(trial.active_config, trial.menu, trial.catalog.schema_for, trial.now)
    return prove_offers(search, stage, unpriced_items(trial.menu, trial.catalog.menus))


def _replay_command(title: str, search: Search, wanted: int, options: dict[str, Any]) -> list[str]:
    """The command that plays the same sessions again, in parts that stay together."""
    changed = [name for name in PROFILE_OPTIONS if options[name] != getattr(DEFAULT_PROFILE, name)]
    return [
        f"trialrun explore {quote(title)}",
        f"--sessions {search.statistics.sessions or wanted}",
        f"--turns {options['turns']}",
        f"--seed {search.simulation.seed}",
        f"--at {format_timestamp(search.simulation.begin)}",
        *(f"--language {quote(tag)}" for tag in options["languages"]),
        *(f"--{name} {options[name]}" for name in changed),
        *(["--prove"] if options["prove"] else []),
        *([] if options["fail_on"] == "error" else [f"--fail-on {options['fail_on']}"]),
        *access_options(options),
    ]


def _report_object(explored: Sequence[StoreResult[Explored]], options: dict[str, Any], *, one: bool) -> dict[str, Any]:
    access = access_options(options)
    if one and explored[0].result:
        return explore_object(explored[0].result, access)
    return explored_stores_object([(place.titles, place.errors, place.result) for place in explored], access)


def _write_text(explored: Sequence[StoreResult[Explored]], options: dict[str, Any]) -> None:
    width, paint = page_layout(options["color"])
    access = access_options(options)
    for number, place in enumerate(explored):
        sys.stdout.write("\n" if number else "")
        if found := place.result:
            sheet, is_last = Sheet(place.title, width, paint, access), place is explored[-1]
            sys.stdout.writelines(explore_text(found, sheet, equal=place.titles[1:], is_last=is_last))
        else:
            sys.stdout.write(f"{paint(place.title, 'rule')}  not explored: its documents have errors\n")
        sys.stdout.flush()
        if place.errors:
            show_diagnostics(place.errors, place.trial.request.source, color=options["color"])


def _save_scenarios(explored: Sequence[StoreResult[Explored]], folder: str) -> list[str]:
    """Write a Scenario file for each session that shows something; the files. Raises UsageError."""
    files: list[str] = []
    for place in explored:
        if place.result is None:
            continue
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder} cannot be created: {os_error_reason(error)}") from error
        for surprise in place.result.surprises:
            if surprise.example is not None:
                stem, ending = os.path.splitext(os.path.join(folder, scenario_file_name(surprise.message)))
                names = (f"{stem}-{number}{ending}" if number > 1 else f"{stem}{ending}" for number in count(1))
                files.append(next(name for name in names if name not in files))
                session, settings, turns = play_example(surprise.example, place.trial)
                language = surprise.example.recording.language
                document = scenario_document(
                    surprise.message, place.trial, session, turns, language=language, settings=settings
                )
                save_scenario(files[-1], document)
    return files
