"""Options that several commands share."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trialrun.cli.option import Option
from trialrun.errors import UsageError

if TYPE_CHECKING:
    import click

DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
AT_HELP = "Time to use as now: RFC 3339, or a date (midnight UTC). Default: the current time."

ALLOWED_FOLDERS = "trialrun.given-folders"


def _allow(context: click.Context, option: click.Parameter, folders: tuple[str, ...]) -> None:
    from trialrun.guarded_path import allow_folder

    for folder in folders:
        if not os.path.exists(folder):
            raise UsageError(f"--allow-path: there is no folder {folder}")
        allow_folder(folder)
    context.meta[ALLOWED_FOLDERS] = folders


def allowed_folder_options() -> tuple[str, ...]:
    """The folders of --allow-path, as they were written for the command that runs."""
    import click

    folders: tuple[str, ...] = click.get_current_context().meta.get(ALLOWED_FOLDERS, ())
    return folders


ALLOW_PATH: Option = Option(
    "--allow-path",
    multiple=True,
    metavar="FOLDER",
    callback=_allow,
    help="Let documents and settings use files in this folder outside the repository; may be repeated.",
)

COLOR: Option = Option(
    "--color",
    choices=("auto", "always", "never"),
    default="auto",
    show_default=True,
    help="Use colors; auto: where the output is a terminal.",
)
TEXT_OR_JSON: Option = Option(
    "--output-format", choices=("text", "json"), default="text", show_default=True, help="For people, or for programs."
)


def require_working_folder() -> None:
    """Raise UsageError where the working directory, which paths are relative to, is no more."""
    try:
        os.getcwd()
    except OSError as error:
        raise UsageError("the working directory is gone; change to one that exists") from error


def parse_time(text: str | None) -> datetime:
    """The time of `--at`, to the microsecond, in UTC; now without one. Raises UsageError."""
    if text is None:
        return datetime.now(UTC)
    from trialrun.values import timestamp

    try:
        read = timestamp.parse(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text)
    except ValueError as error:
        raise UsageError(f"--at: {error}") from error
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds, microseconds=read.nanos // 1000)
