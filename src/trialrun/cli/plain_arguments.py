"""Plain command lines, read without importing click: paths, and options in the long form.

Whatever else a command line has, click reads it: help, `--`, short and unknown options, values that look like options
or are wrong. So every message about a command line is click's, and what is read here is read as click would.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.cli.option import Option

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
