"""Checks of the strings and numbers of settings, by the format that `trialrun.lint.settings.model` gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from trialrun.documentation import changes
from trialrun.lint import selection
from trialrun.lint.settings.globs import problem_of
from trialrun.model.kinds import KINDS
from trialrun.values import amounts
from trialrun.values.remote_location import HostileLocation, has_password, parse_root
from trialrun.values.suggest import did_you_mean

MIN_MEMORY, MAX_MEMORY = 64 * 10**6, 16 * 10**12
MOST_THREADS = 1024
MEMORY = 'an amount of memory, such as "4GB"'
POINTER = 'a JSON Pointer, such as "/syncConfig/cron"'


def _edition_problem(name: str, value: object) -> str | None:
    if value in selection.ADDED:
        return None
    return f'there is no edition "{value}"; use one of {", ".join(selection.ADDED)}'


def _glob_problem(name: str, value: object) -> str | None:
    problem = problem_of(str(value))
    return problem and (problem if name == value else f"{name}: {problem}")


def _kind_problem(name: str, value: object) -> str | None:
    return None if value in KINDS else f'"{name}" has no known kind "{value}"{did_you_mean(str(value), KINDS)}'


def _change_problem(name: str, value: object) -> str | None:
    if value in changes():
        return None
    near = did_you_mean(str(value), changes()) or "; trialrun docs changes lists them"
    return f'there is no kind of change "{value}"{near}'


def _interval_problem(name: str, value: object) -> str | None:
    try:
        amounts.parse_minutes(str(value))
    except ValueError as error:
        return f"{name}: {error}"
    return None


def _extension_problem(name: str, value: object) -> str | None:
    from trialrun.values.cel.builtins import EXTENSIONS

    if value in EXTENSIONS:
        return None
    near = did_you_mean(str(value), EXTENSIONS) or f"; use any of {', '.join(EXTENSIONS)}"
    return f'{name}: CEL has no extension "{value}"{near}'


def _prefix_problem(name: str, value: object) -> str | None:
    prefix = str(value).rstrip("/")
    if prefix.strip() == prefix != "":
        return None
    return f'{name} must be the text before the slash of such keys, not "{value}"; otherwise remove the option'


def _memory_problem(name: str, value: object) -> str | None:
    size = amounts.parse_bytes(str(value))
    if size is None:
        return f"{name} must be {MEMORY}"
    if not MIN_MEMORY <= size <= MAX_MEMORY:
        least, most = amounts.format_bytes(MIN_MEMORY), amounts.format_bytes(MAX_MEMORY)
        return f'{name} must be from {least} to {most}, such as "4GB", not "{value}"'
    return None


def _alias_problem(name: str, value: object) -> str | None:
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", str(value), re.ASCII):
        return None
    if "://" in str(value):
        home = f"the address belongs in your own settings, under a table such as [{name}s.ALIAS]"
        return f"{name} must be an alias, not an address; {home}"
    return f'{name} must be an alias of letters, digits, - and _, not "{value}"'


def _engine_address_problem(name: str, value: object) -> str | None:
    matched = re.fullmatch(r"spark://[^\s/@:\[\]?#;]+(?::([0-9]{1,5}))?", str(value), re.ASCII)
    if matched and 0 < int(matched[1] or 7077) < 2**16:
        return None
    return f"{name} must be the address of an engine, such as spark://HOST:PORT"


def _engine_root_problem(name: str, value: object) -> str | None:
    try:
        root = parse_root(str(value))
    except HostileLocation as problem:
        return f"{name}: {problem}"
    return f"{name}: the URL has a password; executors have their own credentials" if has_password(root) else None


def _store_address_problem(name: str, value: object) -> str | None:
    scheme, separator, rest = str(value).partition("://")
    if not separator or scheme not in ("redis", "rediss") or not rest:
        return f"{name} must be the address of a store, such as redis://HOST:PORT"
    if ":" in rest.rpartition("@")[0]:
        return f"{name} must have no password; set TRIALRUN_STORE_PASSWORD instead"
    return None


def _pointer_problem(name: str, value: object) -> str | None:
    return f"{name} must be {POINTER}" if value and not str(value).startswith("/") else None


CHECKS: Mapping[str, Callable[[str, object], str | None]] = {
    "alias": _alias_problem,
    "change": _change_problem,
    "edition": _edition_problem,
    "glob": _glob_problem,
    "kind": _kind_problem,
    "interval": _interval_problem,
    "cel-extension": _extension_problem,
    "label-prefix": _prefix_problem,
    "memory": _memory_problem,
    "pointer": _pointer_problem,
    "engine-address": _engine_address_problem,
    "engine-root": _engine_root_problem,
    "store-address": _store_address_problem,
}
"""By format, the function that returns the error of a value from its name; the other formats need the list of rules."""
