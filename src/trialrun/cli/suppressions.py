"""`trialrun suppressions`: what is suppressed, why, for how long, and whether it still has to be."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import check_request, request_options
from trialrun.cli.options import TEXT_OR_JSON
from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError
from trialrun.outputs.checks import count_suppressions, suppression_object
from trialrun.report.terminal_width import escape_controls, terminal_columns
from trialrun.report.wrap import wrap_text

if TYPE_CHECKING:
    from trialrun.lint.suppression.suppressor import SuppressionStatus
    from trialrun.workspace import CheckRequest

INDENT = "  "


@click.command("suppressions")
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@TEXT_OR_JSON
@request_options
def command(paths: tuple[str, ...], output_format: str, **options: Any) -> int:
    """List the suppressions in files, folders or, without PATHS, the whole workspace, and in its settings.

    Each is shown with its rules, what it covers, its reason, owner, age (from git) and expiry, and whether it still
    suppresses anything.
    """
    from trialrun.workspace.git_blame import line_dates

    request = check_request(paths, options)
    standings = sorted(_suppression_statuses(request), key=lambda status: (status.path, status.line))
    born = line_dates((standing.path, standing.line) for standing in standings)
    if output_format == "json":
        write_utf8(_json(standings, born, request.now.date()))
    else:
        sys.stdout.writelines(_text(standings, born, request.now.date(), terminal_columns(sys.stdout, os.environ)))
    return 0


def _suppression_statuses(request: CheckRequest) -> list[SuppressionStatus]:
    """The suppressions that name rules; `check` tells the comments that were only meant to be some."""
    from trialrun.workspace import UnknownPath, check

    try:
        outcome = check(request)
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error
    return [status for status in outcome.suppression_statuses if status.rules]


DateAdded = Mapping[tuple[str, int], date]
"""The day on which the line of a path was last changed."""


def _text(standings: Sequence[SuppressionStatus], born: DateAdded, today: date, width: int) -> Iterator[str]:
    for standing in standings:
        yield from _block(
            f"{escape_controls(standing.path)}:{standing.line}  {escape_controls(', '.join(standing.rules))}",
            width,
            "",
            INDENT * 2,
        )
        age = _age(born.get((standing.path, standing.line)), today)
        remarks = [
            f"owner {standing.owner}" if standing.owner else "",
            age,
            f"until {standing.until}" if standing.until else "",
        ]
        state = ", ".join(filter(None, [f"covers {standing.covers}", *remarks]))
        for line in (standing.reason, state, *_describe_status(standing)):
            if line:
                yield from _block(escape_controls(line), width, INDENT, INDENT)
        yield "\n"
    yield "\n".join(wrap_text(_summary(standings), first=width, rest=width)) + "\n"


def _block(text: str, width: int, first: str, rest: str) -> Iterator[str]:
    for number, line in enumerate(wrap_text(text, first=width - len(first), rest=width - len(rest))):
        yield f"{rest if number else first}{line}\n"


def _age(born: date | None, today: date) -> str:
    if born is None:
        return ""
    old = max((today - born).days, 0)
    return f"since {born} ({old} day{'' if old == 1 else 's'})"


def _describe_status(suppression_status: SuppressionStatus) -> Iterator[str]:
    """How it does: what it silences, and what is wrong with it."""
    if suppression_status.expired:
        yield "has expired: it suppresses nothing"
        return
    yield f"suppresses {suppression_status.silenced} finding{'' if suppression_status.silenced == 1 else 's'}"
    if suppression_status.unused:
        yield f"unused: {', '.join(suppression_status.unused)}"
    if suppression_status.unknown:
        yield f"no such rule: {', '.join(suppression_status.unknown)}"


def _summary(standings: Sequence[SuppressionStatus]) -> str:
    counts = count_suppressions(standings)
    if not standings:
        return "no suppressions"
    all_of_them = f"{len(standings)} suppression{'' if len(standings) == 1 else 's'}"
    aside = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    return f"{all_of_them} ({aside})" if aside else all_of_them


def _json(standings: Sequence[SuppressionStatus], born: DateAdded, today: date) -> Iterator[str]:
    listed = [suppression_object(standing, born.get((standing.path, standing.line)), today) for standing in standings]
    summary = {"suppressions": len(standings), **count_suppressions(standings)}
    yield json.dumps({"version": 1, "suppressions": listed, "summary": summary}, indent=1, ensure_ascii=True) + "\n"
