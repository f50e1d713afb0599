"""`trialrun settings`: the settings in force, and where each came from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import limit_hints, note_other_owners
from trialrun.cli.options import ALLOW_PATH, require_working_folder
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import print_note
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.lint.settings import Profiles

DEFAULT = "default"


@dataclass(frozen=True)
class SettingRow:
    """A setting, its value, and who gave it: a settings file, one of its overrides, or nobody."""

    key: str
    value: Any
    origin: str


@click.command("settings")
@click.argument("path", default=".", type=click.Path(readable=False))
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@ALLOW_PATH
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(path: str, isolated: bool, output_format: str) -> int:
    """Show the settings in force for PATH, a folder or a file, and where each came from."""
    from trialrun.display_path import display_path
    from trialrun.lint.settings import Profiles, Settings, read_settings
    from trialrun.workspace import workspace_root
    from trialrun.workspace.consent import allow_named_paths
    from trialrun.workspace.unmatched_patterns import unmatched_globs

    require_working_folder()
    root = workspace_root(path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))
    allow_named_paths(root, (path,), is_isolated=isolated)
    profiles = Profiles(Settings() if isolated else read_settings(root))
    shown = display_path(path)
    file = None if os.path.isdir(path) else shown
    rows = [_with_display_path(row, profiles) for row in _rows(profiles, file)]
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
    from trialrun.display_path import display_path

    file = profiles.settings.file
    return replace(row, origin=row.origin.replace(file, display_path(file))) if file else row


def _rows(profiles: Profiles, file: str | None) -> Iterator[SettingRow]:
    """The settings but for the rules: of the workspace, or with the overrides of a file on top."""
    from trialrun.display_path import display_path
    from trialrun.lint import editions

    settings = profiles.settings
    origin = settings.file or DEFAULT
    overrides = profiles.overrides_of(file) if file else []
    yield SettingRow("edition", settings.edition or editions.NEWEST, origin if settings.edition else DEFAULT)
    for key in ("select", "ignore", "exclude", "policies", "baseline"):
        value = _as_data(getattr(settings, key))
        yield SettingRow(key, value, origin if value != _as_data(getattr(type(settings)(), key)) else DEFAULT)
    for key in ("severity", "options"):
        of_paths = [(at, getattr(override, key)) for at, override in overrides]
        yield from _table_rows(key, [(origin, getattr(settings, key)), *of_paths])
    schemas = [(origin, settings.session_schema), *((at, override.session_schema) for at, override in overrides)]
    told = next(((at, schema) for at, schema in reversed(schemas) if schema), (DEFAULT, None))
    yield SettingRow("session-schema", told[1] and display_path(told[1]), told[0])
    kind = profiles.kind_by_glob(file) if file else _as_data(settings.kinds)
    yield SettingRow("kind" if file else "kinds", kind, origin if kind else DEFAULT)
    if not file:
        yield from _trial_runs(settings.runtime, origin)
    if not file and settings.overrides:
        yield SettingRow("overrides", [list(override.paths) for override in settings.overrides], origin)


def _trial_runs(given: Mapping[str, Any], origin: str) -> Iterator[SettingRow]:
    """A row for each choice of trial runs, which are made of a workspace and not of a file."""
    from trialrun.workspace.dry_run import runtime_options

    for key, value in asdict(runtime_options(given)).items():
        name = key.replace("_", "-")
        yield SettingRow(f"runtime.{name}", value, origin if name in given else DEFAULT)


def _table_rows(key: str, tables: list[tuple[str, Any]]) -> Iterator[SettingRow]:
    """A row for each entry of a table, the last that gives it; one for the table where no entry is given."""
    given: dict[str, tuple[Any, str]] = {}
    for origin, table in tables:
        given.update({name: (value, origin) for name, value in table.items()})
    if not given:
        yield SettingRow(key, {}, DEFAULT)
    for name, (value, origin) in sorted(given.items()):
        yield SettingRow(f"{key}.{name}", value, origin)


def _rules(profiles: Profiles, path: str) -> Iterator[SettingRow]:
    """Every rule, whether it runs, and who said so last."""
    from trialrun.lint import registry

    every = [*registry.ids(), *profiles.policies.rules]
    origins: dict[str, str] = {}
    before: frozenset[str] | None = None
    for name, rules in profiles.steps(path):
        changed = every if before is None else rules ^ before
        origins.update(dict.fromkeys(changed, name))
        before = rules
    for rule in every:
        yield SettingRow(rule, "on" if rule in (before or ()) else "off", origins[rule])


def _as_data(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if hasattr(value, "items") else value


def _object(root: str, file: str | None, rows: list[SettingRow], rules: list[SettingRow]) -> Iterator[str]:
    told = {
        "version": 1,
        "workspace": root,
        "file": file,
        "settings": {row.key: {"value": row.value, "from": row.origin} for row in rows},
        "rules": {row.key: {"value": row.value, "from": row.origin} for row in rules},
    }
    yield json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _lines(root: str, file: str | None, rows: list[SettingRow], rules: list[SettingRow]) -> Iterator[str]:
    on = [row for row in rules if row.value == "on"]
    width = max(len(row.key) for row in rows)
    yield f"{'workspace':<{width}}  {root}\n"
    if file:
        yield f"{'file':<{width}}  {file}\n"
    for row in rows:
        yield f"{row.key:<{width}}  {json.dumps(row.value, ensure_ascii=False)}  ({row.origin})\n"
    yield f"{'rules':<{width}}  {len(on)} on, {len(rules) - len(on)} off\n"
    usual = {row.origin for row in rules if row.origin.startswith("edition")}
    for row in rules:
        if row.value == "off" or row.origin not in usual:
            yield f"{'':<{width}}  {row.key} {row.value}  ({row.origin})\n"
