"""`trialrun suppressions`: what is suppressed, why, for how long, and whether it still has to be."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from trialrun.cli.options import TEXT_OR_JSON, check_request, request_options, unknown_path_as_usage
from trialrun.cli.output import write_utf8
from trialrun.git import line_dates
from trialrun.outputs.checks import Suppression, SuppressionCounts, Suppressions, suppressions_object
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, terminal_columns, wrap_text
from trialrun.workspace import check

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
    request = check_request(paths, options)
    with unknown_path_as_usage():
        outcome = check(request)
    # those that name rules; `check` tells the comments that were only meant to be some
    statuses = [status for status in outcome.suppression_statuses if status.rules]
    statuses.sort(key=lambda status: (status.path, status.line))
    born = line_dates((status.path, status.line) for status in statuses)
    found = suppressions_object(statuses, born, request.now.date())
    if output_format == "json":
        write_utf8([json.dumps(found, indent=1, ensure_ascii=True), "\n"])
    else:
        sys.stdout.writelines(_text(found, terminal_columns(sys.stdout, os.environ)))
    return 0


def _text(found: Suppressions, width: int) -> Iterator[str]:
    for entry in found["suppressions"]:
        title = f"{escape_controls(entry['path'])}:{entry['line']}  {escape_controls(', '.join(entry['rules']))}"
        yield from _block(title, width, "", INDENT * 2)
        days = pluralize(entry["days"] or 0, "day")
        remarks = [
            f"covers {entry['covers']}",
            f"owner {entry['owner']}" if entry["owner"] else "",
            f"since {entry['since']} ({days})" if entry["since"] else "",
            f"until {entry['until']}" if entry["until"] else "",
        ]
        for line in (entry["reason"], ", ".join(filter(None, remarks)), *_effect(entry)):
            if line:
                yield from _block(escape_controls(line), width, INDENT, INDENT)
        yield "\n"
    yield "\n".join(wrap_text(_summary(found["summary"]), first=width, rest=width)) + "\n"


def _block(text: str, width: int, first: str, rest: str) -> Iterator[str]:
    for number, line in enumerate(wrap_text(text, first=width - len(first), rest=width - len(rest))):
        yield f"{rest if number else first}{line}\n"


def _effect(entry: Suppression) -> Iterator[str]:
    """What a suppression silences, and what is wrong with it."""
    if entry["expired"]:
        yield "has expired: it suppresses nothing"
        return
    yield f"suppresses {pluralize(entry['silenced'], 'finding')}"
    if entry["unused"]:
        yield f"unused: {', '.join(entry['unused'])}"
    if entry["unknown"]:
        yield f"no such rule: {', '.join(entry['unknown'])}"


def _summary(counts: SuppressionCounts) -> str:
    total = counts["suppressions"]
    aside = ", ".join(f"{number} {word}" for word, number in counts.items() if number and word != "suppressions")
    return (pluralize(total, "suppression") + (f" ({aside})" if aside else "")) if total else "no suppressions"
