"""`trialrun explore STORE`: many random sessions at a store, and what is surprising in them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli import INTERRUPTED_EXIT
from trialrun.cli.options import AT_HELP, given_folders
from trialrun.cli.output import write_utf8
from trialrun.cli.store_lookup import refused, store_called, title_of_store
from trialrun.cli.workspace_options import page, trial_options
from trialrun.errors import UsageError
from trialrun.runtime.channel_config.explore.profile import DEFAULTS, Habits

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Exploration
    from trialrun.runtime.channel_config.explore.search import Search
    from trialrun.workspace.store_dry_run import StoreTrial

HABITS = {
    "accept": "How often an offer is accepted, a share from 0 to 1.",
    "decline": "How often an offer is declined; of the rest nothing is said.",
    "add": "How often something is ordered in a turn, and then once more.",
    "remove": "How often something is taken off the order.",
    "quantity": "How often it becomes more or fewer of something.",
    "say": "How often a customer term of the disambiguation is said.",
    "speak": "How often a customer goes on in another language.",
    "foreign": "How often a session begins in a language that is chosen at random.",
    "state": "How often a value that a condition reads is set before the first turn.",
    "finish": "How often the order is complete before the last turns.",
}
BELOW = {"error": ("error",), "warning": ("error", "warning"), "note": ("error", "warning", "note")}


def habit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for each habit."""
    for name, sentence in reversed(HABITS.items()):
        share = click.FloatRange(0, 1)
        usual = getattr(DEFAULTS, name)
        command = click.option(
            f"--{name}", type=share, default=usual, show_default=True, metavar="SHARE", help=sentence
        )(command)
    return command


@click.command("explore")
@click.argument("store", metavar="STORE")
@click.option("--sessions", type=click.IntRange(min=1), default=10_000, show_default=True, help="How many to play.")
@click.option("--turns", type=click.IntRange(min=1), default=8, show_default=True, help="The turns of one, at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="What all chance depends on.")
@click.option("--at", metavar="TIME", help=AT_HELP)
@click.option("--language", "languages", multiple=True, metavar="TAG", help="Customers speak this too; repeatable.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note")),
    default="error",
    show_default=True,
    help="The least surprise that makes the exit code 1.",
)
@habit_options
@trial_options
def command(store: str, **options: Any) -> int:
    """Play random sessions at a store and say what is surprising in them.

    A STORE is a resource name or the end of one, such as its id. An error is a condition that fails; a warning what
    is hardly meant, such as an upsell that is never offered; a note what may well be meant. Each is shown by the
    shortest session that shows it. Exit code 1: a surprise at or above --fail-on. Ctrl-C reports what was found so
    far and ends with 130.
    """
    habits = _habits(options)
    _check_languages(options["languages"])
    trial = store_called(store, options)
    if errors := trial.verdict():
        return refused(trial, errors, options)
    search = _search(trial, habits, options)
    is_whole = all([_played(search, title_of_store(trial), options["sessions"]), _shortened(search)])
    found = _found(search, options["sessions"])
    _tell(trial, found, options)
    if not is_whole:
        return INTERRUPTED_EXIT
    return int(any(one.weight in BELOW[options["fail_on"]] for one in found.surprises))


def _habits(options: dict[str, Any]) -> Habits:
    habits = Habits(**{one.name: options[one.name] for one in fields(Habits)})
    for name in HABITS:
        if isnan(options[name]):
            raise UsageError(f"--{name}: nan is no share; give one from 0 to 1")
    if habits.accept + habits.decline > 1:
        answers = f"--accept {habits.accept:g} and --decline {habits.decline:g}"
        raise UsageError(f"{answers} are more than all offers together; give shares that add up to 1 at most")
    return habits


def _check_languages(tags: tuple[str, ...]) -> None:
    from trialrun.values.language_tag import canonical, check

    for tag in tags:
        if canonical(tag) is None:
            raise UsageError(f'--language "{tag}": {check(tag)[0].message}')


def _search(trial: StoreTrial, habits: Habits, options: dict[str, Any]) -> Search:
    from trialrun.runtime.channel_config.explore.search import Search

    return Search(
        trial.in_force,
        trial.menu,
        trial.catalog.types,
        begin=trial.now,
        seed=options["seed"],
        turns=options["turns"],
        habits=habits,
        languages=options["languages"],
    )


def _played(search: Search, title: str, sessions: int) -> bool:
    """Play the sessions; False where Ctrl-C ended it."""
    from trialrun.cli.progress import Progress

    try:
        with Progress(title, wanted=True) as progress:
            for done in search.play(sessions):
                progress(done, sessions)
    except KeyboardInterrupt:
        return False
    return True


def _shortened(search: Search) -> bool:
    """Make the sessions short that show something; False where Ctrl-C left some as they were."""
    from trialrun.cli.progress import Progress

    try:
        with Progress("shortest sessions", wanted=True) as progress:
            for done in search.shorten():
                progress(done, len(search.seen) + len(search.missed))
    except KeyboardInterrupt:
        return False
    return True


def _found(search: Search, wanted: int) -> Exploration:
    from trialrun.runtime.channel_config.explore.report import exploration

    return exploration(search, wanted)


def _again(trial: StoreTrial, found: Exploration, options: dict[str, Any]) -> list[str]:
    """The command that plays the same sessions again, in parts that stay together."""
    from shlex import quote

    from trialrun.report.format_value import z_form

    habits = [f"--{name} {options[name]}" for name in HABITS if options[name] != getattr(DEFAULTS, name)]
    fails = "" if options["fail_on"] == "error" else f"--fail-on {options['fail_on']}"
    return [
        f"trialrun explore {quote(title_of_store(trial))}",
        f"--sessions {found.sessions or found.wanted}",
        f"--turns {options['turns']}",
        f"--seed {found.seed}",
        f"--at {z_form(found.begin)}",
        *(f"--language {quote(tag)}" for tag in options["languages"]),
        *habits,
        *([fails] if fails else []),
        *_access(options),
    ]


def _access(options: dict[str, Any]) -> list[str]:
    """The options that say which files are read, in parts that stay together."""
    from shlex import quote

    return [
        *(["--isolated"] if options["isolated"] else []),
        *(f"--allow-path {quote(folder)}" for folder in given_folders()),
    ]


def _tell(trial: StoreTrial, found: Exploration, options: dict[str, Any]) -> None:
    again, access = _again(trial, found, options), _access(options)
    if options["output_format"] == "json":
        from trialrun.outputs.explore import explore_object
        from trialrun.report.json_encoding import json_text

        write_utf8([json_text(explore_object(found, again, access)), "\n"])
        return
    from trialrun.cli.explore_text import explore_text

    sys.stdout.writelines(explore_text(title_of_store(trial), found, again, access, *page(options["color"])))
