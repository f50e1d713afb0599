"""Parses a settings file: validates every key and value, and reports all errors at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from trialrun.lint.settings.errors import SettingsText
from trialrun.lint.settings.settings import IgnoreTable, Override, Settings
from trialrun.lint.settings.validate import Validation

Content = Mapping[str, Any]


def settings_of(content: Content, file: str, text: str = "", prefix: tuple[str, ...] = ()) -> Settings:
    """The settings of a table, which is in `text` at `prefix`. Raises SettingsError with all errors."""
    validation, source = Validation(file), SettingsText(file, text, prefix)
    settings = _settings(validation.valid_content(content), source)
    if validation.problems:
        from trialrun.lint.settings.resolver import rule_problems

        raise source.error([*validation.problems, *rule_problems(settings)])
    return settings


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
