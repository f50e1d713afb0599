"""`trialrun rules diff`: what an upgrade to another edition would newly report on this repository."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import check_request, request_options
from trialrun.cli.options import TEXT_OR_JSON
from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.workspace.edition_diff import EditionDiff


@click.command("diff")
@click.argument("edition")
@request_options
@TEXT_OR_JSON
def command(edition: str, output_format: str, **options: Any) -> int:
    """Show what the default rules of EDITION would newly report here.

    The current edition is the one in the settings, else the newest; workspaces inside this one use their own.
    """
    from trialrun.lint import editions
    from trialrun.workspace.edition_diff import edition_diff

    if edition not in editions.ADDED:
        raise UsageError(f'there is no edition "{edition}"; use one of {", ".join(editions.ADDED)}')
    found = edition_diff(check_request((), options, with_baselines=True), edition)
    if output_format == "json":
        write_utf8(_object(found))
    else:
        sys.stdout.writelines(_lines(found))
    return 0


def _lines(found: EditionDiff) -> Iterator[str]:
    from trialrun.report.terminal_width import escape_controls

    yield f"from edition {found.before} to {found.after}\n"
    for folder, edition in found.other_editions.items():
        yield f"in {escape_controls(folder)} from edition {edition}\n"
    counts = Counter(diagnostic.rule for diagnostic in found.diagnostics)
    width = max(map(len, (*found.added, *found.removed)), default=0)
    for rule in found.added:
        yield f"  + {rule:<{width}}  {_pluralize(counts[rule])}\n"
    for rule in found.removed:
        yield f"  - {rule}\n"
    if not found.added and not found.removed:
        yield "  the same rules\n"
    for diagnostic in found.diagnostics:
        start = diagnostic.range.start
        where = f"{escape_controls(diagnostic.path)}:{start.line}:{start.column}"
        yield f"{where}: {diagnostic.severity.word} {diagnostic.rule} {escape_controls(diagnostic.message)}\n"
    yield f"{_pluralize(len(found.diagnostics))} would be new\n"


def _object(found: EditionDiff) -> Iterator[str]:
    content = {
        "version": 1,
        "from": found.before,
        "to": found.after,
        "added": found.added,
        "removed": found.removed,
        "nested": [{"path": path, "edition": edition} for path, edition in sorted(found.other_editions.items())],
        "diagnostics": [
            {
                "rule": diagnostic.rule,
                "severity": diagnostic.severity.word,
                "message": diagnostic.message,
                "path": diagnostic.path,
                "line": diagnostic.range.start.line,
                "column": diagnostic.range.start.column,
                "fingerprint": diagnostic.fingerprint,
            }
            for diagnostic in found.diagnostics
        ],
    }
    yield json.dumps(content, indent=1) + "\n"


def _pluralize(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"
