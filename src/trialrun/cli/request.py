"""What commands that check files share: their options, and the request that these make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trialrun.cli.options import AT_HELP, moment, require_folder
from trialrun.usage import UsageError, system_reason

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.text import Source
    from trialrun.workspace import Request

Command = TypeVar("Command", bound=Callable[..., Any])
OPTIONS = (
    click.option("--select", multiple=True, metavar="RULE", help="Run only these rules or groups; may be repeated."),
    click.option("--ignore", multiple=True, metavar="RULE", help="Leave out these rules or groups; may be repeated."),
    click.option(
        "--policies",
        multiple=True,
        metavar="PACK|PATH",
        help="Check these policies as well: a shipped pack, a file or a folder; may be repeated.",
    ),
    click.option("--jobs", type=click.IntRange(min=0), default=0, help="Processes to work with; all cores when 0."),
    click.option("--no-cache", is_flag=True, help="Neither look verdicts up nor keep them."),
    click.option("--at", metavar="TIME", help=AT_HELP),
    click.option("--isolated", is_flag=True, help="Read no settings file."),
)

OF_CHECKS = {"at": None, "select": (), "ignore": (), "policies": (), "jobs": 0, "no_cache": False}
"""What commands that check files may choose, as it is where nothing is chosen."""


def request_options(command: Command) -> Command:
    """Give a command the options that `requested` reads."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def requested(paths: Sequence[str], options: dict[str, Any]) -> Request:
    """The request of a command: paths, `-` for standard input, and what its options say. Raises UsageError."""
    require_folder()
    from trialrun.lint.settings import Profiles, Settings, read_settings
    from trialrun.workspace import Request, workspace_root

    stdin = _standard_input(paths, options.get("stdin_filename"))
    stdin_name = options.get("stdin_filename") or "stdin.yaml"
    named = [stdin_name if path == "-" else path for path in paths]
    root = workspace_root(_start(named))
    settings = Settings() if options["isolated"] else read_settings(root)
    return Request(
        root=root,
        now=moment(options["at"]),
        profiles=Profiles(settings, _listed(options["select"]), _listed(options["ignore"]), options["policies"]),
        paths=[] if [os.path.abspath(path) for path in named] == [root] else named,
        as_found=options.get("discovered", False),
        overlay={} if stdin is None else {os.path.abspath(stdin_name): stdin},
        jobs=options["jobs"],
        cache=not options["no_cache"],
    )


def requested_plainly(paths: Sequence[str], options: dict[str, Any]) -> Request:
    """The request of a command that has a clock and settings, and no other choice of how files are checked."""
    return requested(paths, {**OF_CHECKS, **options})


def source_of(request: Request, path: str) -> Source | None:
    """The text of a file that a finding speaks of, None where it cannot be read any more."""
    from trialrun.tree import source

    data = request.files.bytes_of(path)
    return None if data is None else source(data, path)


def with_baseline(request: Request, file: str | None) -> Request:
    """The request with the baseline of a file, else with that of the settings. Raises UsageError."""
    file = file or request.profiles.settings.baseline_file
    return request if file is None else replace(request, baseline=baseline_in(file))


def baseline_in(file: str) -> Baseline:
    """The baseline that a file has. Raises UsageError."""
    from trialrun.lint.baseline import NotABaseline, read_baseline

    try:
        with open(file, encoding="utf-8") as stream:
            return read_baseline(stream.read())
    except FileNotFoundError as error:
        raise UsageError(f"there is no baseline {file}; write it with trialrun baseline write {file}") from error
    except OSError as error:
        raise UsageError(f"the baseline {file} cannot be read: {system_reason(error)}") from error
    except (NotABaseline, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is no baseline: {error}") from error


def _standard_input(paths: Sequence[str], name: str | None) -> bytes | None:
    if "-" not in paths:
        if name:
            raise UsageError("--stdin-filename goes with the path -; add it")
        return None
    if len(paths) > 1:
        raise UsageError("- stands alone; check standard input and files in two runs")
    return sys.stdin.buffer.read()


def _start(paths: Sequence[str]) -> str:
    """Where to look for the workspace from: the first path, or the folder that a file is in."""
    if not paths:
        return os.getcwd()
    return paths[0] if os.path.isdir(paths[0]) else os.path.dirname(os.path.abspath(paths[0]))


def _listed(names: Sequence[str]) -> list[str]:
    return [name.strip() for given in names for name in given.split(",") if name.strip()]
