"""`trialrun settings`: every setting in effect, where each came from, and its default."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import limit_hints, note_other_owners
from trialrun.cli.options import ALLOW_PATH, ISOLATED, TEXT_OR_JSON, require_working_folder
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import print_note
from trialrun.display_path import display_path
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import editions, registry
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lint.settings.compiled import TABLES
from trialrun.lint.settings.user import UserSettings, read_user_settings
from trialrun.workspace import workspace_root
from trialrun.workspace.consent import allow_named_paths
from trialrun.workspace.unmatched_patterns import unmatched_globs

if TYPE_CHECKING:
    from trialrun.lint.settings import IgnoreTable
    from trialrun.lint.settings.keys import Key

DEFAULT = "default"


@dataclass(frozen=True)
class SettingRow:
    """A setting, its value, who gave it (a settings file, one of its overrides, or nobody), and its default."""

    key: str
    value: Any
    origin: str
    default: Any = None


@click.command("settings")
@click.argument("path", default=".", type=click.Path(readable=False))
@ISOLATED
@ALLOW_PATH
@TEXT_OR_JSON
def command(path: str, isolated: bool, output_format: str) -> int:
    """Show the effective settings for PATH, a folder or a file, with their defaults and where each comes from."""
    require_working_folder()
    root = workspace_root(path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))
    allow_named_paths(root, (path,), is_isolated=isolated)
    profiles = Profiles(Settings() if isolated else read_settings(root))
    shown = display_path(path)
    file = None if os.path.isdir(path) else shown
    rows = [_with_display_path(row, profiles) for row in _rows(profiles, file)]
    if not file:
        rows += _user_rows(UserSettings() if isolated else read_user_settings(root))
    rules = [_with_display_path(row, profiles) for row in _rules(profiles, shown)]
    if output_format == "json":
        write_utf8(_object(display_path(root), file, rows, rules))
    else:
        sys.stdout.writelines(_lines(display_path(root), file, rows, rules))
    sys.stdout.flush()
    settings = profiles.settings
    for message in (*settings.hints, *limit_hints(settings), *unmatched_globs(settings, root)):
        print_note(message)
    note_other_owners([root])
    return 0


def _with_display_path(row: SettingRow, profiles: Profiles) -> SettingRow:
    """The row with the settings file as a user would write it."""
    file = profiles.settings.file
    return replace(row, origin=row.origin.replace(file, display_path(file))) if file else row


def _rows(profiles: Profiles, file: str | None) -> Iterator[SettingRow]:
    """The settings except for the rules: of the workspace, or with the overrides of a file on top."""
    settings, keys = profiles.settings, TABLES["WorkspaceSettings"]
    origin = settings.file or DEFAULT
    overrides = profiles.overrides_of(file) if file else []
    yield SettingRow(
        "edition", settings.edition or editions.NEWEST, origin if settings.edition else DEFAULT, editions.NEWEST
    )
    for key in ("select", "ignore", "exclude", "policies", "baseline"):
        value = _as_data(getattr(settings, key))
        yield SettingRow(key, value, origin if value != keys[key].default else DEFAULT, keys[key].default)
    severities = [(origin, settings.severity), *((at, override.severity) for at, override in overrides)]
    yield from _entries("severity", severities, {}, profiles.severity_of)
    options = [(origin, settings.options), *((at, override.options) for at, override in overrides)]
    yield from _entries("options", options, TABLES["OptionSettings"])
    parameters = [
        (origin, settings.policy_parameters),
        *((at, override.policy_parameters) for at, override in overrides),
    ]
    yield from _parameter_rows(parameters, profiles)
    schemas = [(origin, settings.session_schema), *((at, override.session_schema) for at, override in overrides)]
    at, schema = next(((at, schema) for at, schema in reversed(schemas) if schema), (DEFAULT, None))
    yield SettingRow("session-schema", schema and display_path(schema), at)
    kind = profiles.kind_by_glob(file) if file else _as_data(settings.kinds)
    yield SettingRow("kind" if file else "kinds", kind, origin if kind else DEFAULT, None if file else {})
    if not file:
        levels = dict(settings.change_levels)
        yield SettingRow("change-levels", levels, origin if levels else DEFAULT, {})
        yield from _with_defaults("runtime", settings.runtime, origin, TABLES["RuntimeSettings"])
    if not file and settings.overrides:
        yield SettingRow("overrides", [list(override.paths) for override in settings.overrides], origin, [])
    if not file and settings.ignore_tables:
        yield SettingRow("suppress", [_suppression(table) for table in settings.ignore_tables], origin, [])


def _parameter_rows(layers: list[tuple[str, Any]], profiles: Profiles) -> Iterator[SettingRow]:
    """A row for each parameter of each policy in use; one for the table if there are none."""
    if not any(policy.parameters for policy in profiles.policies.all):
        yield SettingRow("policy-parameters", {}, DEFAULT, {})
    for policy in profiles.policies.all:
        defaults = {parameter.name: parameter.default for parameter in policy.parameters}
        given = {name: (value, at) for at, tables in layers for name, value in tables.get(policy.id, {}).items()}
        for name, default in defaults.items():
            value, at = given.get(name, (default, DEFAULT))
            yield SettingRow(f"policy-parameters.{policy.id}.{name}", value, at, default)


def _suppression(table: IgnoreTable) -> dict[str, Any]:
    """A table of suppressions as the file has it."""
    values = {"path": table.path, "pointer": table.pointer, "rule": list(table.rules)}
    return {**values, "reason": table.reason, "until": table.until}


def _user_rows(user: UserSettings) -> Iterator[SettingRow]:
    """The settings of the user."""
    origin = user.file or DEFAULT
    yield SettingRow("allow-paths", list(user.allow_paths), origin if user.allow_paths else DEFAULT, [])
    yield from _with_defaults("limits", user.limits, origin, TABLES["LimitSettings"])
    for alias in sorted(user.stores):
        yield SettingRow(f"stores.{alias}.address", user.stores[alias]["address"], origin)


def _with_defaults(table: str, given: Mapping[str, Any], origin: str, keys: Mapping[str, Key]) -> Iterator[SettingRow]:
    """A row for each key of a table, with the default where it is not given."""
    for name, key in keys.items():
        yield SettingRow(
            f"{table}.{name}", given.get(name, key.default), origin if name in given else DEFAULT, key.default
        )


def _entries(
    table: str,
    layers: list[tuple[str, Any]],
    keys: Mapping[str, Key],
    default_of: Callable[[str], Any] = lambda name: None,
) -> Iterator[SettingRow]:
    """A row for each entry of a table, as the last that gives it; one for the table where no entry is given."""
    given: dict[str, tuple[Any, str]] = {}
    for origin, entries in layers:
        given.update({name: (value, origin) for name, value in entries.items()})
    if not given:
        yield SettingRow(table, {}, DEFAULT, {})
    for name in sorted({*given, *keys}):
        default = keys[name].default if name in keys else default_of(name)
        value, origin = given.get(name, (default, DEFAULT))
        yield SettingRow(f"{table}.{name}", value, origin, default)


def _rules(profiles: Profiles, path: str) -> Iterator[SettingRow]:
    """Every rule, whether it runs, and who said so last."""
    every = [*registry.ids(), *profiles.policies.rules]
    steps = list(profiles.steps(path))
    origins: dict[str, str] = {}
    before: frozenset[str] | None = None
    for name, rules in steps:
        changed = every if before is None else rules ^ before
        origins.update(dict.fromkeys(changed, name))
        before = rules
    for rule in every:
        yield SettingRow(
            rule, "on" if rule in (before or ()) else "off", origins[rule], "on" if rule in steps[0][1] else "off"
        )


def _as_data(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if hasattr(value, "items") else value


def _object(root: str, file: str | None, rows: list[SettingRow], rules: list[SettingRow]) -> Iterator[str]:
    content = {
        "version": 1,
        "workspace": root,
        "file": file,
        "settings": {row.key: _entry(row) for row in rows},
        "rules": {row.key: _entry(row) for row in rules},
    }
    yield json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _entry(row: SettingRow) -> dict[str, Any]:
    return {"value": row.value, "from": row.origin, "default": row.default}


def _lines(root: str, file: str | None, rows: list[SettingRow], rules: list[SettingRow]) -> Iterator[str]:
    on = [row for row in rules if row.value == "on"]
    width = max(len(row.key) for row in rows)
    yield f"{'workspace':<{width}}  {root}\n"
    if file:
        yield f"{'file':<{width}}  {file}\n"
    tables = {row.key.partition(".")[0] for row in rows if "." in row.key}
    for row in rows:
        if row.key not in tables:
            yield f"{row.key:<{width}}  {_value(row.value)}{_default(row)}  ({row.origin})\n"
    yield f"{'rules':<{width}}  {len(on)} on, {len(rules) - len(on)} off\n"
    usual = {row.origin for row in rules if row.origin.startswith("edition")}
    for row in rules:
        if row.value == "off" or row.origin not in usual:
            yield f"{'':<{width}}  {row.key} {row.value}  ({row.origin})\n"


def _value(value: Any) -> str:
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


def _default(row: SettingRow) -> str:
    """The default of a setting that somebody gave another value."""
    return "" if row.origin == DEFAULT else f", default {_value(row.default)}"
