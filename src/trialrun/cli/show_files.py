"""`check --show-files`: every file that a check would look at, with the kinds of its documents or why it has none."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.cli.output import write_utf8
from trialrun.report.terminal_width import escape_controls, width

if TYPE_CHECKING:
    from trialrun.workspace import CheckRequest
    from trialrun.workspace.listed_files import ListedFile

GAP = 2
MAX_PATH_WIDTH = 60
"""The cells of the column of paths; what follows a longer path begins after it."""


def show_files(request: CheckRequest, *, output_format: str) -> int:
    """Print the files of a request; the exit code."""
    from trialrun.workspace.listed_files import listed_files

    files = list(listed_files(request))
    if output_format == "json":
        write_utf8(_object(files))
    else:
        sys.stdout.writelines(_lines(files))
    return 0


def _lines(files: Sequence[ListedFile]) -> Iterator[str]:
    column = max((width(file.path) for file in files if width(file.path) <= MAX_PATH_WIDTH), default=0) + GAP
    for file in files:
        path = escape_controls(file.path)
        yield f"{path}{' ' * max(GAP, column - width(path))}{escape_controls(file.reason or ', '.join(file.kinds))}\n"
    if not files:
        yield "no files\n"


def _object(files: Sequence[ListedFile]) -> Iterator[str]:
    from trialrun.report.json_encoding import json_text

    yield '{"version": 1,\n "files": ['
    objects = ({"path": file.path, "kinds": list(file.kinds), "reason": file.reason or None} for file in files)
    yield ",".join(f"\n  {json_text(object_)}" for object_ in objects)
    yield "]}\n"
