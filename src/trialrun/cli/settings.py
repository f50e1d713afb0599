"""`trialrun settings`: every setting in effect, where each came from, and its default."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import (
    ALLOW_PATH,
    ISOLATED,
    TEXT_OR_JSON,
    limit_hints,
    note_other_owners,
    require_working_folder,
)
from trialrun.cli.output import print_note, write_utf8
from trialrun.lint import registry, selection
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lint.settings.loader import UserSettings, read_user_settings
from trialrun.lint.settings.model import TABLES, WorkspaceSettings
from trialrun.outputs.checks import SettingInForce, SettingsInForce
from trialrun.working_folder import display_path
from trialrun.workspace import workspace_root
from trialrun.workspace.check_request import allow_named_paths
from trialrun.workspace.listed_files import unmatched_globs

if TYPE_CHECKING:
    from trialrun.lint.settings import IgnoreTable

DEFAULT = "default"


Row = tuple[str, SettingInForce]
"""A setting, its value, who gave it (a settings file, one of its overrides, or nobody), and its default."""


def _row(key: str, value: Any, origin: str, default: Any = None) -> Row:
    return key, {"value": value, "from": origin, "default": default}


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
    found: SettingsInForce = {
        "version": 1,
        "workspace": display_path(root),
        "file": file,
        "settings": _with_display_path(_rows(profiles, file), profiles),
        "rules": _with_display_path(_rules(profiles, shown), profiles),
    }
    if not file:
        found["settings"] |= dict(_user_rows(UserSettings() if isolated else read_user_settings(root)))
    if output_format == "json":
        write_utf8([json.dumps(found, indent=1, ensure_ascii=False), "\n"])
    else:
        sys.stdout.writelines(_lines(found))
    sys.stdout.flush()
    settings = profiles.settings
    for message in (*settings.hints, *limit_hints(settings), *unmatched_globs(settings, root)):
        print_note(message)
    note_other_owners([root])
    return 0


def _with_display_path(rows: Iterable[Row], profiles: Profiles) -> dict[str, SettingInForce]:
    """The rows by key, with the settings file as a user would write it."""
    file, found = profiles.settings.file, dict(rows)
    if file:
        for entry in found.values():
            entry["from"] = entry["from"].replace(file, display_path(file))
    return found


def _rows(profiles: Profiles, file: str | None) -> Iterator[Row]:
    """The settings except for the rules: of the workspace, or with the overrides of a file on top."""
    settings, defaults = profiles.settings, WorkspaceSettings.defaults()
    origin = settings.file or DEFAULT
    overrides = profiles.overrides_of(file) if file else []
    yield _row(
        "edition", settings.edition or selection.NEWEST, origin if settings.edition else DEFAULT, selection.NEWEST
    )
    for key in ("select", "ignore", "exclude", "policies", "baseline"):
        value = _as_data(getattr(settings, key))
        yield _row(key, value, origin if value != defaults[key] else DEFAULT, defaults[key])
    severities = [(origin, settings.severity), *((at, override.severity) for at, override in overrides)]
    yield from _entries("severity", severities, {}, profiles.severity_of)
    options = [(origin, settings.options), *((at, override.options) for at, override in overrides)]
    yield from _entries("options", options, TABLES["options"].defaults())
    parameters = [
        (origin, settings.policy_parameters),
        *((at, override.policy_parameters) for at, override in overrides),
    ]
    yield from _parameter_rows(parameters, profiles)
    schemas = [(origin, settings.session_schema), *((at, override.session_schema) for at, override in overrides)]
    at, schema = next(((at, schema) for at, schema in reversed(schemas) if schema), (DEFAULT, None))
    yield _row("session-schema", schema and display_path(schema), at)
    kind = profiles.kind_by_glob(file) if file else _as_data(settings.kinds)
    yield _row("kind" if file else "kinds", kind, origin if kind else DEFAULT, None if file else {})
    if not file:
        levels = dict(settings.change_levels)
        yield _row("change-levels", levels, origin if levels else DEFAULT, {})
        yield from _with_defaults("runtime", settings.runtime, origin, TABLES["runtime"].defaults())
    if not file and settings.overrides:
        yield _row("overrides", [list(override.paths) for override in settings.overrides], origin, [])
    if not file and settings.ignore_tables:
        yield _row("suppress", [_suppression(table) for table in settings.ignore_tables], origin, [])


def _parameter_rows(layers: list[tuple[str, Any]], profiles: Profiles) -> Iterator[Row]:
    """A row for each parameter of each policy in use; one for the table if there are none."""
    if not any(policy.parameters for policy in profiles.policies.all):
        yield _row("policy-parameters", {}, DEFAULT, {})
    for policy in profiles.policies.all:
        defaults = {parameter.name: parameter.default for parameter in policy.parameters}
        given = {name: (value, at) for at, tables in layers for name, value in tables.get(policy.id, {}).items()}
        for name, default in defaults.items():
            value, at = given.get(name, (default, DEFAULT))
            yield _row(f"policy-parameters.{policy.id}.{name}", value, at, default)


def _suppression(table: IgnoreTable) -> dict[str, Any]:
    """A table of suppressions as the file has it."""
    values = {"path": table.path, "pointer": table.pointer, "rule": list(table.rules)}
    return {**values, "reason": table.reason, "until": table.until}


def _user_rows(user: UserSettings) -> Iterator[Row]:
    """The settings of the user."""
    origin = user.file or DEFAULT
    yield _row("allow-paths", list(user.allow_paths), origin if user.allow_paths else DEFAULT, [])
    yield from _with_defaults("limits", user.limits, origin, TABLES["limits"].defaults())
    for alias in sorted(user.stores):
        yield _row(f"stores.{alias}.address", user.stores[alias]["address"], origin)


def _with_defaults(table: str, given: Mapping[str, Any], origin: str, defaults: Mapping[str, Any]) -> Iterator[Row]:
    """A row for each key of a table, with the default where it is not given."""
    for name, default in defaults.items():
        yield _row(f"{table}.{name}", given.get(name, default), origin if name in given else DEFAULT, default)


def _entries(
    table: str,
    layers: list[tuple[str, Any]],
    defaults: Mapping[str, Any],
    default_of: Callable[[str], Any] = lambda name: None,
) -> Iterator[Row]:
    """A row for each entry of a table, as the last that gives it; one for the table where no entry is given."""
    given: dict[str, tuple[Any, str]] = {}
    for origin, entries in layers:
        given.update({name: (value, origin) for name, value in entries.items()})
    if not given:
        yield _row(table, {}, DEFAULT, {})
    for name in sorted({*given, *defaults}):
        default = defaults[name] if name in defaults else default_of(name)
        value, origin = given.get(name, (default, DEFAULT))
        yield _row(f"{table}.{name}", value, origin, default)


def _rules(profiles: Profiles, path: str) -> Iterator[Row]:
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
        yield _row(
            rule, "on" if rule in (before or ()) else "off", origins[rule], "on" if rule in steps[0][1] else "off"
        )


def _as_data(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if hasattr(value, "items") else value


def _lines(found: SettingsInForce) -> Iterator[str]:
    settings, rules = found["settings"], found["rules"]
    on = sum(entry["value"] == "on" for entry in rules.values())
    width = max(map(len, settings))
    yield f"{'workspace':<{width}}  {found['workspace']}\n"
    if found["file"]:
        yield f"{'file':<{width}}  {found['file']}\n"
    tables = {key.partition(".")[0] for key in settings if "." in key}
    for key, entry in settings.items():
        if key not in tables:
            default = "" if entry["from"] == DEFAULT else f", default {_value(entry['default'])}"
            yield f"{key:<{width}}  {_value(entry['value'])}{default}  ({entry['from']})\n"
    yield f"{'rules':<{width}}  {on} on, {len(rules) - on} off\n"
    usual = {entry["from"] for entry in rules.values() if entry["from"].startswith("edition")}
    for rule, entry in rules.items():
        if entry["value"] == "off" or entry["from"] not in usual:
            yield f"{'':<{width}}  {rule} {entry['value']}  ({entry['from']})\n"


def _value(value: Any) -> str:
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)
