"""The option `--access`, and the warning of files with tokens that others may read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from trialrun.server.access_file import AccessFile

ACCESS = click.option(
    "--access",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Turn access control on: this file of yours has callers by their tokens, and policies.",
)


def access_file(options: dict[str, Any]) -> AccessFile | None:
    """What the file of `--access` says, None without one. Raises UsageError."""
    file: Path | None = options["access"]
    if file is None:
        return None
    from trialrun.server.access_file import read_access_file

    content = read_access_file(file)
    if content.members:
        warn_of_readers(file, "--access")
    return content


def warn_of_readers(file: Path, option: str) -> None:
    """Say that others may read the tokens of a file, where they may."""
    if os.name == "posix" and file.stat().st_mode & 0o077:
        print(f"warning: {option}: other users may read {file}; run chmod 600 {file}", file=sys.stderr, flush=True)
