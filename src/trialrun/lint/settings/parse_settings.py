"""Parses the content of a settings file: validates it and reports all errors at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from trialrun.errors import os_error_reason
from trialrun.guarded_path import read_file
from trialrun.lint.settings.lines import Problem, SettingsText
from trialrun.lint.settings.resolver import rule_problems
from trialrun.lint.settings.settings import IgnoreTable, Override, Settings

Content = Mapping[str, Any]
Validate = Callable[[dict[str, Any], str], tuple[dict[str, Any], list[Problem]]]
MAX_DEPTH = 8
"""The most levels of tables, lists and values in settings."""
MAX_SCHEMA_BYTES = 16 * 2**20
"""The size limit of a session schema, the same as for any document."""


def settings_of(
    content: Content, file: str, text: str = "", prefix: tuple[str, ...] = (), validate: Validate | None = None
) -> Settings:
    """The settings of a table, which is in `text` at `prefix`. Raises SettingsError with all errors."""
    if validate is None:
        from trialrun.lint.settings.validate import validate as validate_by_model

        validate = validate_by_model
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
            Override(_texts(table, "paths"), **_of_paths(table, source.file)) for table in content.get("overrides", ())
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
