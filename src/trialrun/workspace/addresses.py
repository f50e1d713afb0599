"""Which store a command uses: that of its option, of the environment, or of an alias that the workspace names.

An address is the user's alone: a repository can name an alias, and what it stands for is in the user's own settings. So
no repository can make the program connect to anything.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trialrun.errors import UsageError
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.lint.settings import Settings

STORE = "TRIALRUN_STORE"


def store_address(given: str | None, settings: Settings, root: str, *, is_isolated: bool = False) -> str | None:
    """The address of the online store; None for the files of the workspace. Raises UsageError.

    `given` is that of `--store`: an address or an alias. So is that of the environment; a workspace has an alias only.
    """
    if named := given if given is not None else os.environ.get(STORE):
        source = "--store" if given is not None else STORE
        return named if "://" in named else _address_of("stores", named, source, root, is_isolated)
    alias = settings.runtime.get("store")
    if alias is None:
        return None
    from trialrun.display_path import display_path

    return _address_of("stores", alias, display_path(settings.file or settings.folder), root, is_isolated)


def _address_of(table: str, alias: str, source: str, root: str, is_isolated: bool) -> str:
    """The address that an alias stands for in the user's settings. Raises UsageError."""
    from trialrun.lint.settings.user import UserSettings, read_user_settings, user_settings_file

    settings = UserSettings() if is_isolated else read_user_settings(root)
    aliases: Mapping[str, Mapping[str, Any]] = getattr(settings, table)
    if alias in aliases:
        return str(aliases[alias]["address"])
    if is_isolated:
        raise UsageError(f'{source}: "{alias}" is an alias, and --isolated reads no settings; write an address')
    near = did_you_mean(alias, list(aliases))
    home = user_settings_file() or "your settings"
    raise UsageError(
        f'{source}: there is no alias "{alias}"{near or f"; add [{table}.{alias}] with its address to {home}"}'
    )
