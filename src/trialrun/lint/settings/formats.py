"""Checks of the strings and numbers of settings, by the format that `trialrun.model.settings` gives them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from trialrun.errors import os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lint import editions
from trialrun.lint.settings.globs import problem_of
from trialrun.lint.settings.keys import TYPE_NAMES, Key

MIN_MEMORY, MAX_MEMORY = 64 * 10**6, 16 * 10**12
MAX_SCHEMA_BYTES = 16 * 2**20
"""The size limit of a session schema, the same as for any document."""
TYPES: Mapping[str, str] = {
    "memory": 'an amount of memory, such as "4GB"',
    "threads": "a number of threads; 0 means all cores",
    "pointer": 'a JSON Pointer, such as "/syncConfig/cron"',
    "folder": "a list of folders",
}
"""How messages describe values of a format whose type alone is too vague."""


def type_name(name: str, key: Key) -> str:
    """The type of a key as messages describe it: `a number or a string`."""
    return TYPES.get(key.format) or " or ".join(TYPE_NAMES[type_] for type_ in key.types).format(key=name)


def format_problem(name: str, value: object, key: Key, folder: str) -> str | None:
    """The error of a value of the right type, or None; paths are relative to `folder`."""
    check = CHECKS.get(key.format)
    if check is not None:
        return check(name, value, folder)
    return _limit_problem(name, value, key) if isinstance(value, int) else None


def _limit_problem(name: str, value: int, key: Key) -> str | None:
    if key.at_least is not None and value < key.at_least:
        return f"{name} must be {key.at_least} or more, not {value}"
    if key.at_most is not None and value > key.at_most:
        return f"{name} must be {key.at_most} or less, not {value}"
    return None


def _edition_problem(name: str, value: object, folder: str) -> str | None:
    if value in editions.ADDED:
        return None
    return f'there is no edition "{value}"; use one of {", ".join(editions.ADDED)}'


def _glob_problem(name: str, value: object, folder: str) -> str | None:
    problem = problem_of(str(value))
    return problem and (problem if name == value else f"{name}: {problem}")


def _kind_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.model.kinds import KINDS
    from trialrun.values.suggest import did_you_mean

    return None if value in KINDS else f'"{name}" has no known kind "{value}"{did_you_mean(str(value), KINDS)}'


def _change_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.documentation import changes
    from trialrun.values.suggest import did_you_mean

    if value in changes():
        return None
    near = did_you_mean(str(value), changes()) or "; trialrun docs changes lists them"
    return f'there is no kind of change "{value}"{near}'


def _interval_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.values import amounts

    try:
        amounts.parse_minutes(str(value))
    except ValueError as error:
        return f"{name}: {error}"
    return None


def _extension_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.values.cel.builtins import EXTENSIONS
    from trialrun.values.suggest import did_you_mean

    if value in EXTENSIONS:
        return None
    near = did_you_mean(str(value), EXTENSIONS) or f"; use any of {', '.join(EXTENSIONS)}"
    return f'{name}: CEL has no extension "{value}"{near}'


def _prefix_problem(name: str, value: object, folder: str) -> str | None:
    prefix = str(value).rstrip("/")
    if prefix.strip() == prefix != "":
        return None
    return f'{name} must be the text before the slash of such keys, not "{value}"; otherwise remove the option'


def _memory_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.values.amounts import format_bytes, parse_bytes

    size = parse_bytes(str(value))
    if size is None:
        return f"{name} must be {TYPES['memory']}"
    if not MIN_MEMORY <= size <= MAX_MEMORY:
        least, most = format_bytes(MIN_MEMORY), format_bytes(MAX_MEMORY)
        return f'{name} must be from {least} to {most}, such as "4GB", not "{value}"'
    return None


def _threads_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.lint.settings.compiled import TABLES

    most = TABLES["RuntimeSettings"]["threads"].at_most or 0
    if not isinstance(value, int) or value < 0:
        return f"{name} must be {TYPES['threads']}"
    return f"{name} must be at most {most}, or 0 for all cores, not {value}" if value > most else None


def _alias_problem(name: str, value: object, folder: str) -> str | None:
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", str(value), re.ASCII):
        return None
    if "://" in str(value):
        home = f"the address belongs in your own settings, under a table such as [{name}s.ALIAS]"
        return f"{name} must be an alias, not an address; {home}"
    return f'{name} must be an alias of letters, digits, - and _, not "{value}"'


def _engine_address_problem(name: str, value: object, folder: str) -> str | None:
    matched = re.fullmatch(r"spark://[^\s/@:\[\]?#;]+(?::([0-9]{1,5}))?", str(value), re.ASCII)
    if matched and 0 < int(matched[1] or 7077) < 2**16:
        return None
    return f"{name} must be the address of an engine, such as spark://HOST:PORT"


def _engine_root_problem(name: str, value: object, folder: str) -> str | None:
    from trialrun.values.remote_location import HostileLocation, has_password, parse_root

    try:
        root = parse_root(str(value))
    except HostileLocation as problem:
        return f"{name}: {problem}"
    return f"{name}: the URL has a password; executors have their own credentials" if has_password(root) else None


def _store_address_problem(name: str, value: object, folder: str) -> str | None:
    scheme, separator, rest = str(value).partition("://")
    if not separator or scheme not in ("redis", "rediss") or not rest:
        return f"{name} must be the address of a store, such as redis://HOST:PORT"
    if ":" in rest.rpartition("@")[0]:
        return f"{name} must have no password; set TRIALRUN_STORE_PASSWORD instead"
    return None


def _pointer_problem(name: str, value: object, folder: str) -> str | None:
    return f"{name} must be {TYPES['pointer']}" if value and not str(value).startswith("/") else None


def _folder_problem(name: str, value: object, folder: str) -> str | None:
    if os.path.isabs(os.path.expanduser(str(value))):
        return None
    return f'{name} must be an absolute path, or start with ~, not "{value}"'


def _session_schema_problem(name: str, value: object, folder: str) -> str | None:
    try:
        data = read_file(os.path.join(folder, str(value)), MAX_SCHEMA_BYTES, named_in=folder)
    except FileNotFoundError:
        return f"{name}: there is no file {value}"
    except OSError as error:
        return f"{name}: {value} cannot be read: {os_error_reason(error)}"
    if b"SessionSchema" not in data and b"\x00" not in data:
        return f"{name}: {value} has no SessionSchema document; name a file that has one"
    return None


def _parameters_problem(name: str, value: object, folder: str) -> str | None:
    if isinstance(value, Mapping):
        return None
    return f"{name} must be a table; write [policy-parameters.{name}]"


CHECKS: Mapping[str, Callable[[str, object, str], str | None]] = {
    "alias": _alias_problem,
    "change": _change_problem,
    "edition": _edition_problem,
    "glob": _glob_problem,
    "kind": _kind_problem,
    "interval": _interval_problem,
    "cel-extension": _extension_problem,
    "label-prefix": _prefix_problem,
    "memory": _memory_problem,
    "parameters": _parameters_problem,
    "threads": _threads_problem,
    "pointer": _pointer_problem,
    "folder": _folder_problem,
    "engine-address": _engine_address_problem,
    "engine-root": _engine_root_problem,
    "store-address": _store_address_problem,
    "session-schema": _session_schema_problem,
}
"""By format, the function that returns the error of a value; the other formats need the list of rules."""
