"""`trialrun prove [STORE…]`: which upsells are never offered, proved, or the shortest session that offers each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.explore_text import Sheet, example_text, text_lines
from trialrun.cli.files import require_replaceable, write_atomically
from trialrun.cli.options import ALLOW_PATH, AT, COLOR, ISOLATED, NO_CACHE, parse_outputs
from trialrun.cli.output import show_diagnostics, write_utf8
from trialrun.cli.progress import Progress
from trialrun.cli.proof_cache import ProofCache
from trialrun.cli.stores import StoreResult, stores_to_try
from trialrun.cli.workspace_options import access_options, require_libraries
from trialrun.diagnostic import Diagnostic, RelatedLocation, Severity
from trialrun.errors import UsageError
from trialrun.outputs.prove import proved_object
from trialrun.prove.replay import Stage
from trialrun.report.color import painter, use_color
from trialrun.report.interface import Run, Summary, load_report
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, terminal_columns
from trialrun.runtime.channel_config.menu import unpriced_items
from trialrun.version import HOME_PAGE, __version__
from trialrun.workspace.cache_store import CacheStore

if TYPE_CHECKING:
    from trialrun.prove.verdict import Answer
    from trialrun.report.color import Paint, Style
    from trialrun.workspace.store_dry_run import StoreDryRun

FORMATS = ("text", "json", "sarif")
LEVELS = ("error", "warning", "note", "never")
WORDS = {"never": "proved", "possible": "possible", "unknown": "unknown"}
STYLES: dict[str | None, Style] = {"error": "error", "warning": "warning", "note": "note", None: "clean"}


@click.command("prove")
@click.argument("stores", nargs=-1, metavar="[STORE]...")
@click.option("--all-stores", is_flag=True, help="Prove it of all stores; of those with equal configurations once.")
@click.option("--condition", metavar="CEL", help="Ask about this condition instead of those of the upsells.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    default="error",
    show_default=True,
    help="Lowest severity that makes the exit code 1.",
)
@click.option(
    "--output-format",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"One of {', '.join(FORMATS)}; =FILE writes to a file; may be repeated.",
)
@click.option("--force", is_flag=True, help="Let FORMAT=FILE overwrite a file that is not a report.")
@NO_CACHE
@AT
@ISOLATED
@ALLOW_PATH
@COLOR
def command(stores: tuple[str, ...], all_stores: bool, condition: str | None, **options: Any) -> int:
    """Prove which upsells are never offered, or show the session that offers them.

    A STORE is a resource name or the end of one, such as its id; --all-stores takes all. A proof holds for all orders
    of the menu and all sessions within the bounds that are printed. What is possible was played as a session, with the
    command that plays it again. error: a condition can fail; warning: never true or never offered; note: a part of a
    condition changes nothing, or something is not decided. Exit code 1: something at or above --fail-on was reported.
    """
    outputs = parse_outputs(options["output_format"], FORMATS)
    if files := [file for _, file in outputs if file]:
        require_replaceable(files, force=options["force"])
    if all_stores == bool(stores):
        raise UsageError("give either STOREs or --all-stores")
    require_libraries("prove", "prove", "z3")
    places: list[StoreResult[list[Answer]]] = list(stores_to_try(stores, options))
    cache = ProofCache(None if options["no_cache"] else CacheStore())
    with Progress("prove") as progress:
        for number, place in enumerate(places):
            progress.set_title(place.title)
            progress(number, len(places))
            place.errors = place.trial.errors()
            if not place.errors:
                place.result = _answers(place.trial, condition, cache, options)
    for name, file in outputs:
        _write(name, file, places, options)
    for place in places:
        show_diagnostics(place.errors, place.trial.request.source, color=options["color"])
    failing = LEVELS[: LEVELS.index(options["fail_on"]) + 1] if options["fail_on"] != "never" else ()
    failed = any(answer.severity in failing for place in places for answer in place.result or ())
    return int(failed or any(place.errors for place in places))


def _answers(trial: StoreDryRun, condition: str | None, cache: ProofCache, options: dict[str, Any]) -> list[Answer]:
    """What is proved at a store; without --at, of sessions from the start of the day (UTC) on."""
    begin = trial.now if options["at"] else trial.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    stage = Stage(trial.active_config, trial.menu, trial.catalog.schema_for, begin)
    unpriced = unpriced_items(trial.menu, trial.catalog.menus)

    def prove() -> Iterable[Answer]:
        from trialrun.prove.store import StoreProof

        proof = StoreProof(stage, unpriced)
        return proof.answers() if condition is None else proof.answers_about(condition)

    try:
        return cache.answers(stage, unpriced, condition, prove)
    except ValueError as error:
        raise UsageError(f"--condition: {error}") from None


def _write(name: str, file: str | None, places: Sequence[StoreResult[list[Answer]]], options: dict[str, Any]) -> None:
    if name == "json":
        groups = [(place.titles, place.result or (), place.errors) for place in places]
        parts: Iterator[str] = iter([json_text(proved_object(groups, access_options(options))), "\n"])
    elif name == "sarif":
        parts = load_report("sarif")(_run(places))
    else:
        color = use_color("never" if file else options["color"], sys.stdout, os.environ)
        width = terminal_columns(sys.stdout, os.environ)
        parts = _text(places, width, painter(color=color), access_options(options))
    if file:
        write_atomically(file, parts)
    elif name == "text":
        sys.stdout.writelines(parts)
    else:
        write_utf8(parts)


def _run(places: Sequence[StoreResult[list[Answer]]]) -> Run:
    """What is found as diagnostics; of stores that are not equal, each of them once."""
    found = {
        diagnostic: None
        for place in places
        for diagnostic in (*place.errors, *map(_diagnostic, place.result or ()))
        if diagnostic
    }
    diagnostics = sorted(found, key=lambda one: one.sort_key)
    sources = places[0].trial.request.source if places else lambda path: None
    return Run(diagnostics, sources, Summary(), __version__, home=HOME_PAGE)


def _diagnostic(answer: Answer) -> Diagnostic | None:
    origin = answer.origin
    if answer.severity is None or origin is None:
        return None
    rule = "not-decided" if answer.verdict == "unknown" else f"proved-{answer.question}"
    related = tuple(RelatedLocation(text, place.path, place.range) for text, place in answer.related)
    severity = Severity[answer.severity.upper()]
    return Diagnostic(
        rule, severity, answer.message, origin.path, origin.range, origin.config.document, related=related
    )


def _text(
    places: Sequence[StoreResult[list[Answer]]], width: int, paint: Paint, access: Sequence[str]
) -> Iterator[str]:
    for number, place in enumerate(places):
        yield "\n" if number else ""
        sheet = Sheet(place.title, width, paint, access)
        title = escape_controls(place.title)
        if place.result is None:
            yield from text_lines(f"{title}  nothing is proved: its documents have errors", sheet, None, name=title)
            continue
        counts = [sum(answer.verdict == verdict for answer in place.result) for verdict in WORDS]
        upsells = len({answer.upsell for answer in place.result})
        summary = f"{counts[0]} proved, {counts[1]} possible, {counts[2]} unknown"
        yield from text_lines(f"{title}  {pluralize(upsells, 'upsell')}: {summary}", sheet, "gutter", name=title)
        if equal := place.titles[1:]:
            yield from text_lines(f"the same at {escape_controls(', '.join(equal))}", sheet, "gutter", indent="  ")
        for answer in place.result:
            if answer.question == "offered" or answer.severity:
                yield from _answer_text(answer, sheet)
        premises = dict.fromkeys(text for answer in place.result for text in answer.premises)
        if premises:
            yield "\n"
            yield from text_lines(f"within: {'; '.join(premises)}", sheet, "gutter")


def _answer_text(answer: Answer, sheet: Sheet) -> Iterator[str]:
    word = WORDS[answer.verdict]
    yield "\n"
    head = f"{word}  {escape_controls(answer.message)}"
    lines = list(text_lines(head, sheet, None))
    yield sheet.paint(word, STYLES[answer.severity]) + lines[0][len(word) :]
    yield from lines[1:]
    for text, origin in (("", answer.origin), *answer.related):
        if origin:
            place = escape_controls(f"{origin.path}:{origin.line}{f', {text}' if text else ''}")
            yield from text_lines(place, sheet, "place", indent="  ")
    for part in answer.parts:
        yield from text_lines(escape_controls(f"not understood: {part.text}: {part.reason}"), sheet, None, indent="  ")
    if answer.example:
        yield from example_text(answer.example, sheet)
