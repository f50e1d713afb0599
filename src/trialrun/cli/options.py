"""Options of commands as data, which click reads, and plain command lines, which are read without importing click."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.errors import UsageError

if TYPE_CHECKING:
    import click

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
        read = timestamp.parse(f"{text}T00:00:00Z" if DATE.fullmatch(text) else text)
    except ValueError as error:
        raise UsageError(f"--at: {error}") from error
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds, microseconds=read.nanos // 1000)


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
    """The formats of `--output-format FORMAT[=FILE]` with their files, None for standard output; text by default.

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
        outputs.append((name, file or None))
    if sum(file is None for _, file in outputs) > 1:
        raise UsageError("--output-format: only one format can go to standard output; write the others to FORMAT=FILE")
    files = [os.path.abspath(file) for _, file in outputs if file]
    for file in files:
        if files.count(file) > 1:
            raise UsageError(f"--output-format: two formats cannot write to the same file {file}; give each its own")
    return outputs
