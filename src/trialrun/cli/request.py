"""What commands that check files share: their options, and the request that these make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trialrun.cli.options import ALLOW_PATH, AT_HELP, moment, require_folder
from trialrun.cli.output import ClosedInput
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
    ALLOW_PATH,
)

OF_CHECKS = {"at": None, "select": (), "ignore": (), "policies": (), "jobs": 0, "no_cache": False}
"""What commands that check files may choose, as it is where nothing is chosen."""


def request_options(command: Command) -> Command:
    """Give a command the options that `requested` reads."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def limit_hints(request: Request) -> list[str]:
    """What the settings of a workspace ask for above the limits of the user, which only a sync is given."""
    settings = request.profiles.settings
    if not {"memory-limit", "threads"} & settings.runtime.keys():
        return []
    from trialrun.runtime.limits import raised_limits, user_limits

    found = raised_limits(settings.runtime, user_limits(), "the limit of this user")
    return [f"{settings.file}: runtime: {problem}, which holds here; only sync takes more" for problem in found]


def requested(paths: Sequence[str], options: dict[str, Any], *, with_baselines: bool = False) -> Request:
    """The request of a command: paths, `-` for standard input, and what its options say. Raises UsageError.

    Each file is judged by the settings of its own workspace; `with_baselines` says that these may name baselines.
    """
    require_folder()
    from trialrun.workspace.consent import take_consent
    from trialrun.workspace.discovery import Roots

    stdin = _standard_input(paths, options.get("stdin_filename"))
    stdin_name = options.get("stdin_filename") or "stdin.yaml"
    named = [stdin_name if path == "-" else path for path in paths]
    roots = Roots().of_paths(named or [os.getcwd()])
    root = min(roots.values())
    for one in {root, *roots.values()}:
        of_root = [path for path in named if roots.get(path) == one]
        take_consent(one, (*of_root, *_paths_of_policies(options)), is_isolated=options["isolated"])
    _name_foreign_repositories({root, *roots.values()})
    opened = _workspace_at(options, with_baselines=with_baselines)
    return replace(
        opened(root),
        paths=[] if [os.path.abspath(path) for path in named] == [root] else named,
        as_found=options.get("discovered", False),
        overlay={} if stdin is None else {os.path.abspath(stdin_name): stdin},
        jobs=options["jobs"],
        cache=not options["no_cache"],
        workspace_at=opened,
    )


def _name_foreign_repositories(roots: set[str]) -> None:
    """Say in one line which repositories belong to another user, and how to trust them."""
    from trialrun.repository import ForeignRepository, find_repository

    found = {one for one in map(find_repository, sorted(roots)) if isinstance(one, ForeignRepository)}
    for advice in sorted(one.advice for one in found):
        print(f"note: files are listed without git, since {advice}", file=sys.stderr, flush=True)


def _workspace_at(options: dict[str, Any], *, with_baselines: bool) -> Callable[[str], Request]:
    """The way from the root of a workspace to a request under its settings, which are read once."""
    from trialrun.lint.settings import Profiles, Settings, read_settings
    from trialrun.workspace import Request

    known: dict[str, Request] = {}
    now = moment(options["at"])

    def opened(root: str) -> Request:
        if root not in known:
            settings = Settings() if options["isolated"] else read_settings(root)
            profiles = Profiles(settings, _listed(options["select"]), _listed(options["ignore"]), options["policies"])
            file = settings.baseline_file if with_baselines else None
            baseline = None if file is None else baseline_in(file, named_in=settings.folder)
            known[root] = Request(root, now, profiles, baseline=baseline)
        return known[root]

    return opened


def requested_plainly(paths: Sequence[str], options: dict[str, Any]) -> Request:
    """The request of a command that has a clock and settings, and no other choice of how files are checked."""
    return requested(paths, {**OF_CHECKS, **options})


def source_of(request: Request, path: str) -> Source | None:
    """The text of a file that a finding speaks of, None where it cannot be read any more."""
    from trialrun.tree import source

    data = request.files.bytes_of(path)
    return None if data is None else source(data, path)


def baseline_in(file: str, *, named_in: str | None = None) -> Baseline:
    """The baseline that a file has, which the user names, or the settings in a folder. Raises UsageError."""
    from trialrun.guarded_path import read_file
    from trialrun.lint.baseline import MOST_BYTES, NotABaseline, read_baseline

    folder = named_in or os.path.dirname(os.path.abspath(file))
    try:
        return read_baseline(read_file(file, MOST_BYTES, named_in=folder).decode("utf-8"))
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
    if isinstance(sys.stdin, ClosedInput):
        raise UsageError("standard input is closed, so - has nothing to check; pipe a file to it")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {system_reason(error)}") from error


def _paths_of_policies(options: dict[str, Any]) -> list[str]:
    """The files and folders of `--policies`; the names of packs are no paths."""
    return [name for name in options["policies"] if os.path.lexists(name)]


def _listed(names: Sequence[str]) -> list[str]:
    return [name.strip() for given in names for name in given.split(",") if name.strip()]
