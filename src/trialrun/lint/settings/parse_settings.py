"""A settings file read: every key and every value is checked, and everything that is wrong is reported at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from typing import Any

from trialrun.errors import did_you_mean, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lint import editions, registry
from trialrun.lint.settings.globs import problem_of
from trialrun.lint.settings.schema import (
    KEYS,
    OF_OVERRIDES,
    OF_SUPPRESSIONS,
    OPTIONS,
    SEVERITIES,
    IgnoreTable,
    Override,
    Settings,
)
from trialrun.lint.settings.tables import SettingsText, Table, WrongValue
from trialrun.model.kinds import KINDS

LEAST: Mapping[str, int] = {"sync-herd-size": 1}
"""The least value of options that are numbers."""
MOST_BYTES = 16 * 2**20
"""The size of a file that declares the session's types, as that of any document."""


def settings_of(content: Mapping[str, Any], file: str, text: str = "", prefix: tuple[str, ...] = ()) -> Settings:
    """The settings of a table, which stands in `text` at `prefix`. Raises SettingsError for all that is wrong."""
    table, source = Table(content, file), SettingsText(file, text, prefix)
    settings = _read(table, source)
    if table.problems:
        from trialrun.lint.settings.resolver import rule_problems

        raise source.error([*table.problems, *rule_problems(settings)])
    return settings


def _read(table: Table, source: SettingsText) -> Settings:
    table.only(KEYS, lambda key: _belongs(key, ()))
    former = _former_tables(table)
    suppressions = [*table.tables("suppress"), *former]
    rules = [one for one in _items(table, "ignore") if not isinstance(one, Mapping)]
    names = Table({**table.content, "ignore": rules}, table.file, (), table.problems)
    return Settings(
        table.file,
        edition=table.tried(_edition, None),
        select=table.texts("select"),
        ignore=names.texts("ignore"),
        severity=_severities(table),
        options=_options(table),
        session_schema=table.tried(_session_schema, None),
        policies=table.texts("policies"),
        exclude=_globs(table, "exclude"),
        kinds=_kinds(table),
        baseline=table.text("baseline"),
        runtime=_runtime(table),
        overrides=tuple(_override(one) for one in table.tables("overrides")),
        ignore_tables=tuple(one for one in map(_suppression, suppressions) if one),
        hints=tuple(f"{source.where(one.path)}: [[ignore]] is called [[suppress]] now; rename it" for one in former),
        text=source,
    )


def _items(table: Table, key: str) -> list[Any]:
    value = table.content.get(key, [])
    if isinstance(value, list):
        return value
    table.report(key, f"{key} is a list of texts")
    return []


def _former_tables(table: Table) -> list[Table]:
    """The `[[ignore]]` tables, as `[[suppress]]` was called, in a list that may have names of rules as well."""
    value = table.content.get("ignore")
    items = value if isinstance(value, list) else []
    tables = [one for one in items if isinstance(one, Mapping)]
    return [Table(one, table.file, ("ignore", number), table.problems) for number, one in enumerate(tables)]


def _belongs(key: str, here: tuple[str, ...]) -> str:
    """In which other table a key is a setting, for a message; nothing where it is one in none."""
    from trialrun.lint.settings.runtime import KEYS as OF_TRIAL_RUNS

    homes: list[tuple[tuple[str, ...], Mapping[str, str] | tuple[str, ...]]] = [
        (("options",), tuple(OPTIONS)),
        (("runtime",), OF_TRIAL_RUNS),
        ((), KEYS),
        (("severity",), tuple(registry.ids())),
        (("overrides",), OF_OVERRIDES),
        (("suppress",), OF_SUPPRESSIONS),
    ]
    home = next((where for where, keys in homes if where != here and key in keys), None)
    if home is None:
        return ""
    if not home:
        return "; it belongs at the top of the settings, before any table"
    word = f"[[{home[0]}]]" if home[0] in ("overrides", "suppress") else f"[{home[0]}]"
    return f"; it belongs in {word}"


def _globs(table: Table, key: str) -> tuple[str, ...]:
    """A list of globs, of which each is a pattern."""
    globs = table.texts(key)
    for glob in globs:
        if problem := problem_of(glob):
            table.report(key, f"{key}: {problem}", glob)
    return globs


def _edition(table: Table) -> str | None:
    edition = table.text("edition")
    if edition is not None and edition not in editions.ADDED:
        raise WrongValue("edition", f'there is no edition "{edition}"; use one of {", ".join(editions.ADDED)}')
    return edition


def _override(table: Table) -> Override:
    table.only(OF_OVERRIDES, lambda key: _belongs(key, ("overrides",)))
    if not table.texts("paths"):
        table.report("paths", 'paths is missing; list the globs that it holds for, such as "legacy/**"')
    return Override(
        _globs(table, "paths"),
        select=table.texts("select"),
        ignore=table.texts("ignore"),
        severity=_severities(table),
        options=_options(table),
        session_schema=table.tried(_session_schema, None),
    )


def _suppression(table: Table) -> IgnoreTable | None:
    """A suppression; None where it names no file or no rule, which is reported."""
    table.only(OF_SUPPRESSIONS, lambda key: _belongs(key, ("suppress",)))
    rules = table.texts("rule") if isinstance(table.content.get("rule"), list) else (table.text("rule"),)
    path, pointer = table.text("path"), table.content.get("pointer", "")
    if not path or not all(rules) or not rules:
        table.report("", "path and rule are needed: the glob of the files, and the id of the rule")
        return None
    if problem := problem_of(path):
        table.report("path", problem, path)
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        table.report("pointer", 'pointer is a JSON Pointer, such as "/syncConfig/cron"')
    key, number = str(table.path[0]), int(table.path[1])
    named = tuple(rule for rule in rules if rule)
    return IgnoreTable(path, named, str(pointer), table.text("reason") or "", _date(table), key, number)


def _date(table: Table) -> str | None:
    """The text of `until`, which TOML may also write as a date of its own."""
    until = table.content.get("until")
    return until.isoformat() if isinstance(until, date) else table.text("until")


def _session_schema(table: Table) -> str | None:
    """The file that declares the session's types, by its whole path."""
    key = "session-schema"
    name = table.text(key)
    if name is None:
        return None
    file = os.path.join(os.path.dirname(table.file), name)
    try:
        data = read_file(file, MOST_BYTES, named_in=os.path.dirname(table.file))
    except FileNotFoundError as error:
        raise WrongValue(key, f"session-schema: there is no file {name}") from error
    except OSError as error:
        raise WrongValue(key, f"session-schema: {name} cannot be read: {os_error_reason(error)}") from error
    if b"SessionSchema" not in data and b"\x00" not in data:
        raise WrongValue(key, f"session-schema: {name} has no SessionSchema document; name a file that has one")
    return os.path.normpath(file)


def _severities(table: Table) -> Mapping[str, str]:
    severities = table.table("severity")
    words = [*SEVERITIES, "off"]
    for rule, word in severities.content.items():
        if rule in OPTIONS:
            severities.report(rule, f"{rule} is no rule{_belongs(rule, ('severity',))}")
        elif word not in words:
            severities.report(rule, f'{rule} is "{word}"; use one of {", ".join(words)}')
    return {rule: word for rule, word in severities.content.items() if word in words and rule not in OPTIONS}


def _kinds(table: Table) -> Mapping[str, str]:
    kinds = table.table("kinds")
    for glob, kind in kinds.content.items():
        if problem := problem_of(glob):
            kinds.report(glob, problem)
        if kind not in KINDS:
            kinds.report(glob, f'"{glob}" has no known kind "{kind}"{did_you_mean(str(kind), KINDS)}')
    return kinds.content


def _options(table: Table) -> Mapping[str, Any]:
    options = table.table("options")
    for name, value in options.content.items():
        if name not in OPTIONS:
            belongs = _belongs(name, ("options",))
            options.report(name, f'there is no option "{name}"{belongs or did_you_mean(name, OPTIONS)}')
        elif problem := _option_problem(name, value):
            options.report(name, problem)
    return options.content


def _option_problem(name: str, value: object) -> str | None:
    """What is wrong with the value of an option, None where nothing is."""
    if not isinstance(value, OPTIONS[name]) or isinstance(value, bool):
        types = " or ".join({int: "a number", str: "a text", list: "a list of texts"}[one] for one in OPTIONS[name])
        return f"{name} is {types}"
    if name in LEAST and isinstance(value, int) and value < LEAST[name]:
        return f"{name} is {value}; write {LEAST[name]} or more"
    if name == "min-sync-interval" and isinstance(value, int | str):
        return _interval_problem(value)
    if name == "cel-extensions" and isinstance(value, list):
        return next(filter(None, map(_extension_problem, value)), None)
    return _prefix_problem(str(value)) if name == "system-label-prefix" else None


def _interval_problem(value: int | str) -> str | None:
    from trialrun.values import duration

    try:
        duration.parse_minutes(value)
    except ValueError as error:
        return f"min-sync-interval: {error}"
    return None


def _extension_problem(library: object) -> str | None:
    from trialrun.values.cel.extensions import EXTENSIONS

    if library in EXTENSIONS:
        return None
    near = did_you_mean(str(library), EXTENSIONS) or f"; use some of {', '.join(EXTENSIONS)}"
    return f'cel-extensions: CEL has no extension "{library}"{near}'


def _prefix_problem(value: str) -> str | None:
    if value.rstrip("/").strip() == value.rstrip("/") != "":
        return None
    return f'system-label-prefix is "{value}"; write the text before the slash of such keys, or take the option out'


def _runtime(table: Table) -> Mapping[str, Any]:
    runtime = table.table("runtime")
    if runtime.content:
        from trialrun.lint.settings.runtime import KEYS as KNOWN
        from trialrun.lint.settings.runtime import refusal

        for key, value in runtime.content.items():
            belongs = "" if key in KNOWN else _belongs(key, ("runtime",))
            problem = f'there is no setting "{key}"{belongs}' if belongs else refusal({key: value})
            if problem:
                runtime.report(key, problem)
    return runtime.content
