"""The settings of a workspace: `trialrun.toml`, or `[tool.trialrun]` in `pyproject.toml`; the nearest wins whole."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from trialrun.diagnostic import Severity
from trialrun.lint import catalogue
from trialrun.lint.selection import OFF_BY_DEFAULT, Selection
from trialrun.model.kinds import KINDS
from trialrun.record import dataclass
from trialrun.usage import UsageError, did_you_mean

SEVERITIES = {severity.word: severity for severity in Severity}
OPTIONS = {"min-sync-interval": (int, str), "system-label-prefix": (str,)}
"""The options that rules read, and the types that their values may have."""
KEYS = ("select", "ignore", "exclude", "severity", "kinds", "options")


@dataclass(frozen=True)
class Settings:
    """What a settings file says; `file` is None where there is none and the defaults hold."""

    file: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def selection(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Selection:
        """The rules that run: those of the command line where it selects any, else those of the settings.

        Raises UsageError for a rule that does not exist.
        """
        severities = {rule: SEVERITIES[word] for rule, word in self.severity.items() if word != "off"}
        chosen = select or self.select
        rules = expanded(chosen, "select") if chosen else set(catalogue.ids()) - OFF_BY_DEFAULT
        if not chosen:
            rules |= set(severities)
        rules -= {rule for rule, word in self.severity.items() if word == "off"} if not select else set()
        rules -= expanded((*self.ignore, *ignore) if not select else ignore, "ignore")
        return Selection(frozenset(rules), severities, self.options)


def expanded(names: Iterable[str], option: str) -> set[str]:
    """The rule ids that names of rules and groups stand for; `all` is every rule. Raises UsageError."""
    rules: set[str] = set()
    files = catalogue.files()
    for name in names:
        group = {rule for rule, (of, _) in files.items() if name in (of, of.replace("_", "-"), "all")}
        if not group and name not in files:
            known = [*files, *catalogue.GROUPS, "all"]
            raise UsageError(f'{option}: there is no rule "{name}"{did_you_mean(name, known)}')
        rules |= group or {name}
    return rules


def read_settings(root: str) -> Settings:
    """The settings of the workspace at `root`: the nearest file upward wins whole. Raises UsageError."""
    folder = root
    while True:
        for name, table in (("trialrun.toml", ()), ("pyproject.toml", ("tool", "trialrun"))):
            file = os.path.join(folder, name)
            content = _table(file, table)
            if content is not None:
                return settings_of(content, file)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def _table(file: str, keys: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        with open(file, "rb") as stream:
            data = stream.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from error
    if keys and b"trialrun" not in data:
        return None
    content: Any = _toml(data, file)
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content if isinstance(content, Mapping) else None


def _toml(data: bytes, file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{file}: it nests too deeply to be read") from error


def settings_of(content: Mapping[str, Any], file: str) -> Settings:
    """The settings that a table says; every key and value is checked. Raises UsageError."""
    for key in content:
        if key not in KEYS:
            raise UsageError(f'{file}: there is no setting "{key}"{did_you_mean(key, KEYS)}')
    severity, kinds, options = (_table_of(content.get(key, {}), key, file) for key in ("severity", "kinds", "options"))
    _check_severities(severity, file)
    _check_options(options, file)
    for glob, kind in kinds.items():
        if kind not in KINDS:
            raise UsageError(f'{file}: kinds: "{glob}" has no known kind "{kind}"{did_you_mean(str(kind), KINDS)}')
    found = Settings(
        file,
        select=_texts(content, "select", file),
        ignore=_texts(content, "ignore", file),
        exclude=_texts(content, "exclude", file),
        severity=severity,
        kinds=kinds,
        options=options,
    )
    found.selection()
    return found


def _texts(content: Mapping[str, Any], key: str, file: str) -> tuple[str, ...]:
    value = content.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{file}: {key} is a list of texts")
    return tuple(value)


def _table_of(value: Any, key: str, file: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{file}: {key} is a table")
    return value


def _check_severities(table: Mapping[str, Any], file: str) -> None:
    words = [*SEVERITIES, "off"]
    for rule, word in table.items():
        if rule not in catalogue.files():
            raise UsageError(f'{file}: severity: there is no rule "{rule}"{did_you_mean(rule, catalogue.ids())}')
        if word not in words:
            raise UsageError(f'{file}: severity: {rule} is "{word}"; use one of {", ".join(words)}')


def _check_options(table: Mapping[str, Any], file: str) -> None:
    for name, value in table.items():
        if name not in OPTIONS:
            raise UsageError(f'{file}: options: there is no option "{name}"{did_you_mean(name, OPTIONS)}')
        if not isinstance(value, OPTIONS[name]) or isinstance(value, bool):
            types = " or ".join({int: "a number", str: "a text"}[one] for one in OPTIONS[name])
            raise UsageError(f"{file}: options: {name} is {types}")
    if "min-sync-interval" in table:
        from trialrun.values import duration

        try:
            duration.minutes(table["min-sync-interval"])
        except ValueError as error:
            raise UsageError(f"{file}: options: min-sync-interval: {error}") from error


def kind_by_glob(kinds: Mapping[str, str], path: str) -> str | None:
    """The kind that the first matching glob of the settings gives to a file."""
    return next((kind for glob, kind in kinds.items() if _pattern(glob).fullmatch(path)), None)


def _pattern(glob: str) -> re.Pattern[str]:
    """A glob as a pattern: `*` and `?` stay within a folder, `**` crosses folders."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts))
