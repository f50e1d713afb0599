"""Finds and reads settings: `trialrun.toml`, or `[tool.trialrun]` in `pyproject.toml`; the nearest file wins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trialrun.display_path import display_path
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lint.settings.settings import Settings

if TYPE_CHECKING:
    from trialrun.lint.settings.parse_settings import Validate

MOST_BYTES = 2**20
"""Maximum size of a settings file."""


def read_settings(root: str, validate: Validate | None = None) -> Settings:
    """The settings of the workspace at `root`: the nearest file upward, without merging. Raises UsageError.

    `validate` is told the content of the file and "settings", and may know that it is valid.
    """
    folder = root
    while True:
        for name, table in (("trialrun.toml", ()), ("pyproject.toml", ("tool", "trialrun"))):
            file = os.path.join(folder, name)
            read = _table(file, table)
            if read is not None:
                from trialrun.lint.settings.parse_settings import settings_of

                return settings_of(*read, table, validate)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def _table(file: str, keys: tuple[str, ...]) -> tuple[Mapping[str, Any], str, str] | None:
    """The settings table in a file, with its path and text; None if there is none.

    Raises UsageError if it is not a table.
    """
    try:
        data = read_file(file, MOST_BYTES, named_in=os.path.dirname(file))
    except FileNotFoundError:
        return None
    except OSError as error:
        if not os.path.lexists(file):  # in a folder without permission, which is reported as a finding
            return None
        raise UsageError(f"{display_path(file)}: {os_error_reason(error)}") from error
    if len(data) > MOST_BYTES:
        raise UsageError(f"{display_path(file)}: it has more than {MOST_BYTES:,} bytes; settings are shorter")
    if keys and b"trialrun" not in data:
        return None
    content: Any = _toml(data, file)
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    if content is not None and not isinstance(content, Mapping):
        raise UsageError(f"{display_path(file)}: {'.'.join(keys)} must be a table; write [{'.'.join(keys)}]")
    return None if content is None else (content, file, data.decode("utf-8"))


def _toml(data: bytes, file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "; settings are TOML 1.0"
        if b"[[" in data and b"ignore]]" in data and "ignore" in str(error):
            hint = "; call the tables [[suppress]], and leave ignore to the names of rules"
        raise UsageError(f"{display_path(file)}: {error}{hint}") from error
    except RecursionError as error:
        raise UsageError(f"{display_path(file)}: it nests too deeply to be read") from error
