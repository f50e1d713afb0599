"""What commands that check files share: their options, and the request that these make."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from trialrun.cli.options import (
    ALLOW_PATH,
    AT,
    ISOLATED,
    JOBS,
    Option,
    give_options,
    parse_time,
    require_working_folder,
)
from trialrun.cli.output import ClosedInput, print_note
from trialrun.errors import UsageError, os_error_reason
from trialrun.working_folder import display_path

if TYPE_CHECKING:
    from trialrun.lint.settings import Settings
    from trialrun.workspace import CheckRequest

NO_CACHE: Option = Option("--no-cache", is_flag=True, help="Do not read or write the cache.")
OPTIONS = (
    Option("--select", multiple=True, metavar="RULE", help="Run only these rules or groups; may be repeated."),
    Option("--ignore", multiple=True, metavar="RULE", help="Skip these rules or groups; may be repeated."),
    Option(
        "--policies",
        multiple=True,
        metavar="PACK|PATH",
        help="Also check these policies: a shipped pack, a file or a folder; may be repeated.",
    ),
    JOBS,
    NO_CACHE,
    AT,
    ISOLATED,
    ALLOW_PATH,
)
request_options = give_options(*OPTIONS)
"""Gives a command the options that `check_request` reads."""

DEFAULT_OPTIONS = {"at": None, "select": (), "ignore": (), "policies": (), "jobs": 0, "no_cache": False}
"""What commands that check files may choose, as it is where nothing is chosen."""


def limit_hints(settings: Settings) -> list[str]:
    """What the settings of a workspace ask for above the limits of the user, which only a sync is given."""
    if not {"memory-limit", "threads"} & settings.runtime.keys():
        return []
    from trialrun.runtime.options import exceeded_limits, user_limits

    found = exceeded_limits(settings.runtime, user_limits(), "the limit of this user")
    file = display_path(settings.file or settings.folder)
    return [f"{file}: runtime: {problem}, which applies to checks; only sync may use more" for problem in found]


def check_request(paths: Sequence[str], options: dict[str, Any], *, with_baselines: bool = False) -> CheckRequest:
    """The request of a command: paths, `-` for standard input, and what its options say. Raises UsageError.

    `with_baselines` says that the settings may name baselines.
    """
    require_working_folder()
    from trialrun.workspace.check_request import CheckOptions, open_request, workspace_roots

    stdin = _standard_input(paths, options.get("stdin_filename"))
    name = options.get("stdin_filename") or "stdin.yaml"
    choices = CheckOptions(
        parse_time(options["at"]),
        join_names(options["select"]),
        join_names(options["ignore"]),
        options["policies"],
        is_isolated=options["isolated"],
        with_baselines=with_baselines,
        as_discovered=options.get("discovered", False),
        jobs=options["jobs"],
        cache=not options["no_cache"],
        with_fixes=options.get("with_fixes", True),
    )
    named = [name if path == "-" else path for path in paths]
    roots = workspace_roots(named)
    request = open_request(named, choices, text=None if stdin is None else (name, stdin), roots=roots)
    note_other_owners({request.root, *roots.values()})
    return request


def note_other_owners(roots: Iterable[str]) -> None:
    """Say on standard error which repositories around workspaces belong to another user, and how to trust them."""
    from trialrun.workspace.discovery import ownership_notes

    for message in ownership_notes(roots):
        print_note(message)


@contextmanager
def unknown_path_as_usage() -> Iterator[None]:
    """Makes a path where nothing is a UsageError."""
    from trialrun.workspace import UnknownPath

    try:
        yield
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def default_request(paths: Sequence[str], options: dict[str, Any]) -> CheckRequest:
    """The request of a command that has a clock and settings, and no other choice of how files are checked."""
    return check_request(paths, {**DEFAULT_OPTIONS, **options})


def _standard_input(paths: Sequence[str], name: str | None) -> bytes | None:
    if "-" not in paths:
        if name:
            raise UsageError("--stdin-filename needs the path -; add it")
        return None
    if len(paths) > 1:
        raise UsageError("- cannot be combined with other paths; check standard input and files in two runs")
    if isinstance(sys.stdin, ClosedInput):
        raise UsageError("standard input is closed; pipe a file into it")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {os_error_reason(error)}") from error


def join_names(names: Sequence[str]) -> list[str]:
    """The names of an option that takes several, separated by commas or given again."""
    return [name.strip() for given in names for name in given.split(",") if name.strip()]
