"""Which engine and store a command uses: by option, by the environment, or by an alias that the workspace names.

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
    from trialrun.runtime.options import EngineAddress

STORE = "TRIALRUN_STORE"
ENGINE, ENGINE_SECRET, ENGINE_ROOTS = "TRIALRUN_ENGINE", "TRIALRUN_ENGINE_SECRET", "TRIALRUN_ENGINE_ROOTS"


def store_address(given: str | None, settings: Settings, root: str, *, is_isolated: bool = False) -> str | None:
    """The address of the online store; None for the files of the workspace. Raises UsageError.

    `given` is that of `--store`: an address or an alias. So is that of the environment; a workspace has an alias only.
    """
    table = _table_of("store", STORE, given, settings, root, is_isolated)
    return None if table is None else str(table["address"])


def engine_address(
    given: str | None, settings: Settings, root: str, *, is_isolated: bool = False
) -> EngineAddress | None:
    """The engine that reads sources, with its secret; None for those of this machine. Raises UsageError."""
    from trialrun.lint.settings.formats import CHECKS
    from trialrun.runtime.options import EngineAddress
    from trialrun.values.amounts import parse_bytes

    table = _table_of("engine", ENGINE, given, settings, root, is_isolated)
    if table is None:
        return None
    if problem := CHECKS["engine-address"]("the engine", table["address"]):
        raise UsageError(problem)
    memory = (parse_bytes(table.get("memory", "1GB")) or 0) // 10**6
    return EngineAddress(
        table["address"],
        options=(("spark.executor.memory", f"{memory}m"),),
        python=table.get("python"),
        secret=os.environ.get(ENGINE_SECRET) or None,
        roots=(*table.get("roots", ()), *_roots_of_environment()),
    )


def _roots_of_environment() -> tuple[str, ...]:
    """The roots of TRIALRUN_ENGINE_ROOTS, which are divided by spaces. Raises UsageError."""
    from trialrun.lint.settings.formats import CHECKS

    roots = tuple(os.environ.get(ENGINE_ROOTS, "").split())
    if problem := next(filter(None, (CHECKS["engine-root"](ENGINE_ROOTS, root) for root in roots)), None):
        raise UsageError(problem)
    return roots


def _table_of(
    kind: str, variable: str, given: str | None, settings: Settings, root: str, is_isolated: bool
) -> Mapping[str, Any] | None:
    """What is known of an engine or a store: its address, or the table of the alias; None where none is named."""
    if given == "":
        raise UsageError(f"--{kind} is empty; write an address or an alias, or leave the option out")
    if named := given if given is not None else os.environ.get(variable):
        source = f"--{kind}" if given is not None else variable
        return {"address": named} if "://" in named else _table_of_alias(f"{kind}s", named, source, root, is_isolated)
    alias = settings.runtime.get(kind)
    if alias is None:
        return None
    from trialrun.display_path import display_path

    return _table_of_alias(f"{kind}s", alias, display_path(settings.file or settings.folder), root, is_isolated)


def _table_of_alias(table: str, alias: str, source: str, root: str, is_isolated: bool) -> Mapping[str, Any]:
    """What the user's settings say of an alias. Raises UsageError."""
    from trialrun.lint.settings.user import UserSettings, read_user_settings, user_settings_file

    settings = UserSettings() if is_isolated else read_user_settings(root)
    aliases: Mapping[str, Mapping[str, Any]] = getattr(settings, table)
    if alias in aliases:
        return aliases[alias]
    if is_isolated:
        raise UsageError(f'{source}: "{alias}" is an alias, and --isolated reads no settings; write an address')
    near = did_you_mean(alias, list(aliases))
    home = user_settings_file() or "your settings"
    raise UsageError(
        f'{source}: there is no alias "{alias}"{near or f"; add [{table}.{alias}] with its address to {home}"}'
    )
