"""Options of commands as data, which click reads, and plain command lines, which are read without importing click.

Commands that check files share `SHARED_OPTIONS`, and the request that these make.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.cli.output import ClosedInput, print_note
from trialrun.errors import UsageError, os_error_reason
from trialrun.working_folder import display_path

if TYPE_CHECKING:
    import click

    from trialrun.lint.settings import Settings
    from trialrun.workspace import CheckRequest

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option of a command; as a decorator it gives click's option to a command.

    `minimum` makes it a whole number. `callback` is called by click, which then keeps the value from the command.
    """

    name: str
    help: str | None = None
    metavar: str | None = None
    is_flag: bool = False
    multiple: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    default: str | int | None = None
    show_default: bool = False
    callback: Callable[[click.Context, click.Parameter, tuple[str, ...]], None] | None = None

    @property
    def parameter(self) -> str:
        """The name of the value among the arguments of the command."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def unset(self) -> str | int | bool | tuple[str, ...] | None:
        """The value where a command line does not have the option."""
        return () if self.multiple else False if self.is_flag else self.default

    def __call__(self, command: Command) -> Command:
        """Give the option to a command of click."""
        import click

        further: dict[str, Any] = {"multiple": True} if self.multiple else {}
        if self.is_flag:
            further["is_flag"] = True  # False would let the option stand without its value
        if self.choices or self.minimum is not None:
            further["type"] = click.Choice(self.choices) if self.choices else click.IntRange(min=self.minimum)
        if self.default is not None:
            further |= {"default": self.default, "show_default": self.show_default}
        if self.callback is not None:
            further |= {"callback": self.callback, "expose_value": False}
        return click.option(self.name, metavar=self.metavar, help=self.help, **further)(command)


def give_options(*options: Option) -> Callable[[Command], Command]:
    """Give a command of click some options, in this order."""

    def give(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return give


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

AT: Option = Option("--at", metavar="TIME", help=AT_HELP)
JOBS: Option = Option("--jobs", minimum=0, default=0, help="Number of worker processes; 0 uses all cores.")
ISOLATED: Option = Option("--isolated", is_flag=True, help="Do not read settings files.")
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
FORCE: Option = Option("--force", is_flag=True, help="Let FORMAT=FILE overwrite a file that is not a report.")


def output_formats(formats: Iterable[str]) -> Option:
    """The option of a command that writes reports in several formats; `parse_outputs` reads it."""
    help = f"One of {', '.join(formats)}; =FILE writes to a file; may be repeated."
    return Option("--output-format", multiple=True, metavar="FORMAT[=FILE]", help=help)


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
        return timestamp.parse(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text).to_datetime()
    except ValueError as error:
        raise UsageError(f"--at: {error}") from error


COMPLETION_VARIABLE = "_TRIALRUN_COMPLETE"
"""Set by a shell that asks click which words could come next."""
MAX_DIGITS = 9


def plain_arguments(
    arguments: Sequence[str], options: Sequence[Option]
) -> tuple[tuple[str, ...], dict[str, Any]] | None:
    """The paths and the values of the options of a command; None for a command line that click has to read."""
    if COMPLETION_VARIABLE in os.environ or file_like_an_option(arguments):
        return None
    by_name = {option.name: option for option in options}
    values = {option.parameter: option.unset for option in options if option.callback is None}
    paths: list[str] = []
    words = iter(arguments)
    for word in words:
        if not word.startswith("-") or word == "-":
            paths.append(word)
            continue
        name, equals, text = word.partition("=")
        option = by_name.get(name)
        if option is None or not _set(values, option, text if equals else None, words):
            return None
    return (tuple(paths), values) if all(paths) else None


def _set(values: dict[str, Any], option: Option, text: str | None, words: Iterator[str]) -> bool:
    """Take an option; whether its value is one that needs no click."""
    if option.callback is not None or (option.is_flag and text is not None):
        return False
    if option.is_flag:
        values[option.parameter] = True
        return True
    if text is None:
        text = next(words, "-")
    return not text.startswith("-") and _set_value(values, option, text)


def _set_value(values: dict[str, Any], option: Option, text: str) -> bool:
    value: str | int = text
    if option.minimum is not None:
        if not re.fullmatch("[0-9]+", text) or len(text) > MAX_DIGITS or int(text) < option.minimum:
            return False
        value = int(text)
    if option.choices and text not in option.choices:
        return False
    values[option.parameter] = (*values[option.parameter], value) if option.multiple else value
    return True


def file_like_an_option(arguments: Sequence[str]) -> str | None:
    """With --discovered, the first argument before `--` that looks like an option and is the name of a file."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--discovered" not in options:
        return None
    named = (argument for argument in options if argument.startswith("-") and argument != "-")
    return next((argument for argument in named if os.path.lexists(argument)), None)


def parse_outputs(given: Sequence[str], formats: Iterable[str]) -> list[tuple[str, str | None]]:
    """The formats of `--output-format FORMAT[=FILE]` with their files, None for standard output, or `-`; else text.

    Raises UsageError for a format that is not among `formats`, and where two write to one place.
    """
    formats = list(formats)
    outputs: list[tuple[str, str | None]] = []
    for one in given or ("text",):
        name, equals, file = one.partition("=")
        if name not in formats:
            from trialrun.values.suggest import did_you_mean

            raise UsageError(
                f'--output-format: there is no format "{name}"{did_you_mean(name, formats)}; '
                f"choose one of {', '.join(formats)}"
            )
        if equals and not file:
            raise UsageError(
                f"--output-format: {one} has no file name; write {name}=FILE, or {name} for standard output"
            )
        outputs.append((name, None if file in ("", "-") else file))
    if sum(file is None for _, file in outputs) > 1:
        raise UsageError("--output-format: only one format can go to standard output; write the others to FORMAT=FILE")
    files = [os.path.abspath(file) for _, file in outputs if file]
    for file in files:
        if files.count(file) > 1:
            raise UsageError(f"--output-format: two formats cannot write to the same file {file}; give each its own")
    return outputs


NO_CACHE: Option = Option("--no-cache", is_flag=True, help="Do not read or write the cache.")
SHARED_OPTIONS = (
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
request_options = give_options(*SHARED_OPTIONS)
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
