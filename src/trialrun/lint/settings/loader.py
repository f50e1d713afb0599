"""Finds and reads settings: `trialrun.toml`, or `[tool.trialrun]` in `pyproject.toml`; the nearest file wins.

The user's own settings are another file: what this user allows to every repository, and no repository to itself.
"""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import Boundary, read_file
from trialrun.lint.settings.lines import Problem, SettingsText
from trialrun.lint.settings.resolver import IgnoreTable, Settings, rule_problems
from trialrun.working_folder import display_path, folder_and_parents, real_path

MOST_BYTES = 2**20
"""Maximum size of a settings file."""
MAX_DEPTH = 8
"""The most levels of tables, lists and values in settings."""
MAX_SCHEMA_BYTES = 16 * 2**20
"""The size limit of a session schema, the same as for any document."""
Content = Mapping[str, Any]
Validate = Callable[[dict[str, Any], str], tuple[dict[str, Any], list[Problem]]]


def validate_by_model(content: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    """Validate the content of a file of settings, "settings" or "user-settings", by its pydantic model."""
    from trialrun.lint.settings.validate import validate  # where pydantic is imported

    return validate(content, name)


def read_settings(root: str, validate: Validate = validate_by_model) -> Settings:
    """The settings of the workspace at `root`: the nearest file upward, without merging. Raises UsageError.

    `validate` is told the content of the file and "settings", and may know that it is valid.
    """
    for folder in folder_and_parents(root):
        for name, table in (("trialrun.toml", ()), ("pyproject.toml", ("tool", "trialrun"))):
            file = os.path.join(folder, name)
            read = _table(file, table)
            if read is not None:
                return settings_of(*read, table, validate)
    return Settings()


def _table(file: str, keys: tuple[str, ...]) -> tuple[Mapping[str, Any], str, str] | None:
    """The settings table in a file, with its path and text; None if there is none.

    Raises UsageError if it is not a table.
    """
    try:
        data = read_file(file, MOST_BYTES, named_in=os.path.dirname(file))
    except FileNotFoundError as error:
        if not keys and os.path.islink(file):
            raise UsageError(f"{display_path(file)}: it is a link to a file that is not there") from error
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
    except UnicodeDecodeError as error:
        raise UsageError(f"{display_path(file)}: it is not text in UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        hint = "; settings are TOML 1.0"
        if data.startswith(BOM_UTF8):
            hint = "; save it as UTF-8 without a byte order mark"
        elif b"[[" in data and b"ignore]]" in data and "ignore" in str(error):
            hint = "; call the tables [[suppress]], and leave ignore to the names of rules"
        raise UsageError(f"{display_path(file)}: {error}{hint}") from error
    except RecursionError as error:
        raise UsageError(f"{display_path(file)}: it nests too deeply to be read") from error


def settings_of(
    content: Content, file: str, text: str = "", prefix: tuple[str, ...] = (), validate: Validate = validate_by_model
) -> Settings:
    """The settings of a table, which is in `text` at `prefix`. Raises UsageError with all errors."""
    source = SettingsText(file, text, prefix)
    valid, problems = validate(with_integers(content), "settings")
    problems += _session_schema_problems(valid, os.path.dirname(file))
    settings = _settings(valid, source)
    if problems:
        raise source.error([*problems, *rule_problems(settings)])
    return settings


def with_integers(content: Any, depth: int = MAX_DEPTH) -> Any:
    """A copy of the content of a file, with integers for whole numbers, which are integers to JSON Schema, and so to
    editors. Values of parameters, and what nests deeper than settings do, are left as they are.
    """
    if not depth:
        return content
    if isinstance(content, dict):
        inner = {"policy-parameters": 2}
        return {key: with_integers(value, inner.get(key, depth - 1)) for key, value in content.items()}
    if isinstance(content, list):
        return [with_integers(item, depth - 1) for item in content]
    return int(content) if isinstance(content, float) and content.is_integer() else content


def _session_schema_problems(content: Content, folder: str) -> list[Problem]:
    """The errors of the files of SessionSchemas, which may change without the settings."""
    problems: list[Problem] = []
    for at, table in (
        ((), content),
        *((("overrides", at), table) for at, table in enumerate(content.get("overrides", ()))),
    ):
        name = table.get("session-schema")
        reason = None if name is None else _reason_against_session_schema(name, folder)
        if reason is not None:
            problems.append(Problem((*at, "session-schema"), f"session-schema: {reason}", name))
    return problems


def _reason_against_session_schema(name: str, folder: str) -> str | None:
    try:
        data = read_file(os.path.join(folder, name), MAX_SCHEMA_BYTES, named_in=folder)
    except FileNotFoundError:
        return f"there is no file {name}"
    except OSError as error:
        return f"{name} cannot be read: {os_error_reason(error)}"
    if b"SessionSchema" not in data and b"\x00" not in data:
        return f"{name} has no SessionSchema document; name a file that has one"
    return None


def _settings(content: Content, source: SettingsText) -> Settings:
    """The settings of validated content."""
    former = list(_suppressions("ignore", content))
    return Settings(
        source.file,
        edition=content.get("edition"),
        **_of_paths(content, source.file),
        policies=_texts(content, "policies"),
        exclude=_texts(content, "exclude"),
        kinds=content.get("kinds", {}),
        baseline=content.get("baseline"),
        runtime=content.get("runtime", {}),
        change_levels=content.get("change-levels", {}),
        overrides=tuple(
            Settings(source.file, paths=_texts(table, "paths"), **_of_paths(table, source.file))
            for table in content.get("overrides", ())
        ),
        ignore_tables=(*_suppressions("suppress", content), *former),
        hints=tuple(
            f"{source.where((table.key, table.number))}: [[ignore]] is called [[suppress]] now; rename it"
            for table in former
        ),
        text=source,
    )


def _of_paths(content: Content, file: str) -> dict[str, Any]:
    """The settings that can also be set for some paths."""
    schema = content.get("session-schema")
    return {
        "select": _texts(content, "select"),
        "ignore": _texts(content, "ignore"),
        "severity": content.get("severity", {}),
        "options": content.get("options", {}),
        "policy_parameters": content.get("policy-parameters", {}),
        "session_schema": schema and os.path.normpath(os.path.join(os.path.dirname(file), schema)),
    }


def _texts(content: Content, key: str) -> tuple[str, ...]:
    return tuple(item for item in content.get(key, ()) if isinstance(item, str))


def _suppressions(key: str, content: Content) -> Iterator[IgnoreTable]:
    """The tables of `suppress`, or of its old name `ignore`, without invalid ones."""
    tables = (item for item in content.get(key, ()) if isinstance(item, Mapping))
    for number, table in enumerate(tables):
        rule, until = table.get("rule"), table.get("until")
        if table.get("path") and rule:
            yield IgnoreTable(
                table["path"],
                (rule,) if isinstance(rule, str) else tuple(rule),
                table.get("pointer", ""),
                table.get("reason", ""),
                until.isoformat() if isinstance(until, date) else until,
                key,
                number,
            )


@dataclass(frozen=True)
class UserSettings:
    """Folders that documents may name files of, and limits of trial runs: `threads`, 0 for all cores, `memory-limit`.

    `file` is None if there is no such file; `engines` and `stores` have their tables by alias.
    """

    file: str | None = None
    allow_paths: tuple[str, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    engines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    stores: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def user_settings_file() -> str | None:
    """Where the user's settings stand or would stand: TRIALRUN_USER_SETTINGS, else in the user's folder for settings.

    None if a relative path is all that the environment says.
    """
    named = os.environ.get("TRIALRUN_USER_SETTINGS")
    if named is not None:
        return named if os.path.isabs(named) else None
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "trialrun", "settings.toml") if os.path.isabs(base) else None


def read_user_settings(root: str, validate: Validate = validate_by_model) -> UserSettings:
    """The settings of the user, none where their file lies inside of the workspace at `root`. Raises UsageError."""
    file = user_settings_file()
    if file is None or not os.path.lexists(file):
        return UserSettings()
    if Boundary((Boundary.around(root).folders[0], real_path(root))).contains(real_path(file)):
        return UserSettings()
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{file}: {os_error_reason(error)}") from error
    content, text = _toml(data, file), data.decode("utf-8")
    valid, problems = validate(with_integers(content), "user-settings")
    folders = tuple(map(os.path.expanduser, valid.get("allow-paths", ())))
    for name, folder in zip(valid.get("allow-paths", ()), folders, strict=True):
        if not os.path.isabs(folder):
            message = f'allow-paths must be an absolute path, or start with ~, not "{name}"'
            problems.append(Problem(("allow-paths",), message, name))
    if problems:
        raise SettingsText(file, text).error(problems)
    return UserSettings(file, folders, *(valid.get(table, {}) for table in ("limits", "engines", "stores")))
