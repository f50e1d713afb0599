"""What a settings file may say: every key and every value is checked when it is read."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import date
from typing import Any

from trialrun.diagnostic import Severity
from trialrun.lint import catalogue, editions
from trialrun.model.kinds import KINDS
from trialrun.record import dataclass
from trialrun.usage import UsageError, did_you_mean, system_reason

SEVERITIES = {severity.word: severity for severity in Severity}
OPTIONS = {"min-sync-interval": (int, str), "sync-herd-size": (int,), "system-label-prefix": (str,)}
"""The options that rules read, and the types that their values may have."""
OF_PATHS = ("select", "ignore", "severity", "options", "session-schema")
"""The settings that can be given for some paths alone."""
KEYS = ("edition", *OF_PATHS, "policies", "exclude", "kinds", "baseline", "runtime", "overrides")


@dataclass(frozen=True)
class Override:
    """Settings for the paths that one of the globs matches, on top of those above it."""

    paths: tuple[str, ...]
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    session_schema: str | None = None


@dataclass(frozen=True)
class IgnoreTable:
    """A suppression in the settings: findings of `rules` at or below `pointer`, in the files that a glob matches."""

    path: str
    rules: tuple[str, ...]
    pointer: str = ""
    reason: str = ""
    until: str | None = None


@dataclass(frozen=True)
class Settings:
    """What a settings file says; `file` is None where there is none and the defaults hold.

    Paths and globs speak of paths from the folder of the file, with `/`. `runtime` is for trial runs, not for rules.
    """

    file: str | None = None
    edition: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    session_schema: str | None = None
    policies: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    runtime: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    ignore_tables: tuple[IgnoreTable, ...] = ()

    @property
    def folder(self) -> str:
        """The folder that paths are told from: that of the file, else the working directory."""
        return os.path.dirname(self.file) if self.file else os.getcwd()

    @property
    def baseline_file(self) -> str | None:
        """The whole path of the baseline."""
        return None if self.baseline is None else os.path.join(self.folder, self.baseline)


def settings_of(content: Mapping[str, Any], file: str) -> Settings:
    """The settings that a table says. Raises UsageError, which names the file and the key."""
    _Table(content, "", file).only(KEYS)
    table = _Table(content, "", file)
    rules = [one for one in table.items("ignore") if not isinstance(one, Mapping)]
    return Settings(
        file,
        edition=_edition(table),
        select=table.texts("select"),
        ignore=table.with_value("ignore", rules).texts("ignore"),
        severity=_severities(table),
        options=_options(table),
        session_schema=_session_schema(table),
        policies=table.texts("policies"),
        exclude=table.texts("exclude"),
        kinds=_kinds(table),
        baseline=table.text("baseline"),
        runtime=_runtime(table),
        overrides=tuple(_override(one) for one in table.tables("overrides")),
        ignore_tables=tuple(
            _ignore_table(_Table(one, f"ignore[{number}]", file))
            for number, one in enumerate(table.items("ignore"))
            if isinstance(one, Mapping)
        ),
    )


@dataclass(frozen=True)
class _Table:
    """A table of the settings; `name` is how messages call it."""

    content: Mapping[str, Any]
    name: str
    file: str

    def only(self, known: Collection[str]) -> None:
        """Refuse keys that there are not."""
        for key in self.content:
            if key not in known:
                raise self.error(f'there is no setting "{key}"{did_you_mean(key, known)}')

    def error(self, text: str) -> UsageError:
        """An error that names the file and the table."""
        return UsageError(f"{self.file}: {self.name + ': ' if self.name else ''}{text}")

    def with_value(self, key: str, value: Any) -> _Table:
        """The same with another value of a key."""
        return _Table({**self.content, key: value}, self.name, self.file)

    def text(self, key: str) -> str | None:
        """A text that need not be there."""
        value = self.content.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.error(f"{key} is a text")
        if value and "\0" in value:
            raise self.error(f"{key} has a NUL in it; take it out")
        return value

    def items(self, key: str) -> list[Any]:
        """A list that need not be there."""
        value = self.content.get(key, [])
        if not isinstance(value, list):
            raise self.error(f"{key} is a list of texts")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts that need not be there."""
        if not all(isinstance(item, str) for item in self.items(key)):
            raise self.error(f"{key} is a list of texts")
        return tuple(self.items(key))

    def table(self, key: str) -> _Table:
        """A table inside this one."""
        value = self.content.get(key, {})
        if not isinstance(value, Mapping):
            raise self.error(f"{key} is a table")
        return _Table(value, f"{self.name}.{key}" if self.name else key, self.file)

    def tables(self, key: str) -> list[_Table]:
        """A list of tables inside this one."""
        values = self.content.get(key, [])
        if not isinstance(values, list) or not all(isinstance(one, Mapping) for one in values):
            raise self.error(f"{key} is a list of tables; write [[{key}]]")
        return [_Table(one, f"{key}[{number}]", self.file) for number, one in enumerate(values)]


def _edition(table: _Table) -> str | None:
    edition = table.text("edition")
    if edition is not None and edition not in editions.ADDED:
        raise table.error(f'there is no edition "{edition}"; use one of {", ".join(editions.ADDED)}')
    return edition


def _override(table: _Table) -> Override:
    table.only(("paths", *OF_PATHS))
    if not table.texts("paths"):
        raise table.error('paths is missing; list the globs that it holds for, such as "legacy/**"')
    return Override(
        table.texts("paths"),
        select=table.texts("select"),
        ignore=table.texts("ignore"),
        severity=_severities(table),
        options=_options(table),
        session_schema=_session_schema(table),
    )


def _ignore_table(table: _Table) -> IgnoreTable:
    table.only(("path", "pointer", "rule", "reason", "until"))
    rules = table.texts("rule") if isinstance(table.content.get("rule"), list) else (table.text("rule"),)
    path, pointer = table.text("path"), table.content.get("pointer", "")
    if not path or not all(rules) or not rules:
        raise table.error("path and rule are needed: the glob of the files, and the id of the rule")
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise table.error('pointer is a JSON Pointer, such as "/syncConfig/cron"')
    return IgnoreTable(path, tuple(rule for rule in rules if rule), pointer, table.text("reason") or "", _date(table))


def _date(table: _Table) -> str | None:
    """The text of `until`, which TOML may also write as a date of its own."""
    until = table.content.get("until")
    return until.isoformat() if isinstance(until, date) else table.text("until")


def _session_schema(table: _Table) -> str | None:
    """The file that declares the session's types, by its whole path."""
    name = table.text("session-schema")
    if name is None:
        return None
    file = os.path.join(os.path.dirname(table.file), name)
    try:
        with open(file, "rb") as stream:
            data = stream.read()
    except FileNotFoundError as error:
        raise table.error(f"session-schema: there is no file {name}") from error
    except OSError as error:
        raise table.error(f"session-schema: {name} cannot be read: {system_reason(error)}") from error
    if b"SessionSchema" not in data and b"\x00" not in data:
        raise table.error(f"session-schema: {name} has no SessionSchema document; name a file that has one")
    return os.path.normpath(file)


def _severities(table: _Table) -> Mapping[str, str]:
    severities = table.table("severity")
    words = [*SEVERITIES, "off"]
    for rule, word in severities.content.items():
        if word not in words:
            raise severities.error(f'{rule} is "{word}"; use one of {", ".join(words)}')
    return severities.content


def _kinds(table: _Table) -> Mapping[str, str]:
    kinds = table.table("kinds")
    for glob, kind in kinds.content.items():
        if kind not in KINDS:
            raise kinds.error(f'"{glob}" has no known kind "{kind}"{did_you_mean(str(kind), KINDS)}')
    return kinds.content


def _options(table: _Table) -> Mapping[str, Any]:
    options = table.table("options")
    for name, value in options.content.items():
        if name not in OPTIONS:
            raise options.error(f'there is no option "{name}"{did_you_mean(name, OPTIONS)}')
        if not isinstance(value, OPTIONS[name]) or isinstance(value, bool):
            types = " or ".join({int: "a number", str: "a text"}[one] for one in OPTIONS[name])
            raise options.error(f"{name} is {types}")
    if "min-sync-interval" in options.content:
        from trialrun.values import duration

        try:
            duration.minutes(options.content["min-sync-interval"])
        except ValueError as error:
            raise options.error(f"min-sync-interval: {error}") from error
    return options.content


def _runtime(table: _Table) -> Mapping[str, Any]:
    runtime = table.table("runtime")
    if runtime.content:
        from trialrun.lint.settings.trial_runs import refusal

        problem = refusal(runtime.content)
        if problem:
            raise runtime.error(problem)
    return runtime.content


def unknown_rules(settings: Settings, policies: Collection[str]) -> list[tuple[str, str]]:
    """Each name in `severity` or an `[[ignore]]` table with the setting it stands in, where no rule is called so."""
    known = {*catalogue.ids(), *policies}
    tables = [("severity", settings.severity)]
    tables += [(f"overrides[{at}].severity", one.severity) for at, one in enumerate(settings.overrides)]
    told = [(where, rule) for where, table in tables for rule in table]
    told += [("ignore", rule) for one in settings.ignore_tables for rule in one.rules]
    return [(where, rule) for where, rule in told if rule not in known]
