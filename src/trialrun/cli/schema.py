"""`trialrun schema [KIND]`: the JSON Schema of a kind of document, of all kinds in one, of settings or of an output."""

from __future__ import annotations

import json
from typing import Any

import click
from pydantic import TypeAdapter

from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError
from trialrun.lint.settings.json_schema import TITLES as SETTINGS
from trialrun.lint.settings.json_schema import settings_schema
from trialrun.model.json_schema import combined_json_schema, json_schema, plain_schema
from trialrun.model.kinds import KINDS
from trialrun.outputs import (
    checks,
    explore,
    imports,
    languages,
    plan,
    prove,
    resolve,
    schedule,
    session,
    test_report,
    views,
)
from trialrun.values.suggest import did_you_mean

OUTPUTS: dict[str, tuple[str, Any]] = {
    "report": ("trialrun check --output-format json", checks.Report),
    "files": ("trialrun check --show-files --output-format json", checks.ShownFiles),
    "schedule": ("trialrun schedule --output-format json", schedule.Schedule),
    "sync": ("trialrun sync --output-format json", views.SyncOutput),
    "fetch": ("trialrun fetch --output-format json", views.FetchOutput),
    "search": ("trialrun search --output-format json", views.SearchOutput),
    "resolve": ("trialrun resolve --output-format json", resolve.ResolveOutput),
    "languages": ("trialrun languages --output-format json", languages.LanguagesOutput),
    "session": ("trialrun session --output-format json", session.SessionOutput),
    "explore": ("trialrun explore --output-format json", explore.ExploreOutput),
    "prove": ("trialrun prove --output-format json", prove.Proved),
    "test": ("trialrun test --output-format json", test_report.Tests),
    "plan": ("trialrun plan --output-format json", plan.Plan),
    "rules": ("trialrun rules --output-format json", checks.Rules),
    "rules-diff": ("trialrun rules diff EDITION --output-format json", checks.RulesDiff),
    "suppressions": ("trialrun suppressions --output-format json", checks.Suppressions),
    "settings-in-force": ("trialrun settings --output-format json", checks.SettingsInForce),
    "import": ("trialrun import --output-format json", imports.ImportOutput),
    "baseline": ("the file of trialrun baseline write", checks.Baseline),
}
"""The outputs that have a schema, by name: what prints each, and its class."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def output_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an output; KeyError for a name that no output has.

    It is closed: a test reads every output against it, so that no key is printed that it does not have. A key may be
    added to an output without a new `version`; none is taken away or changes its meaning.
    """
    title, output = OUTPUTS[name]
    return {"$schema": DIALECT, "title": title, **_closed(TypeAdapter(output).json_schema(mode="serialization"))}


def _closed(schema: Any, *, of_names: bool = False) -> Any:
    """The schema with closed objects, and without titles that repeat the names of properties and defaults.

    `of_names`: the keys of this mapping are names of properties or definitions, not keywords.
    """
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: _closed(value, of_names=not of_names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if of_names or key not in ("title", "default", "readOnly")
    }
    return {**kept, "additionalProperties": False} if not of_names and "properties" in kept else kept


@click.command("schema")
@click.argument("kind", metavar="[KIND|settings|OUTPUT]", required=False)
@click.option("--plain", is_flag=True, help="Leave out keywords that JSON Schema has not, for strict validators (Ajv).")
def command(kind: str | None, *, plain: bool) -> int:
    """Print the JSON Schema (2020-12) of KIND, for editors without the language server.

    KIND is FeatureView, ChannelConfig or the kind of a companion document. Without KIND, it is one schema for all of
    them, which recognizes a document by its kind, its name or its fields. settings is trialrun.toml, for TOML editors;
    pyproject is a pyproject.toml with [tool.trialrun]; user-settings is the user's own settings file. OUTPUT is what a
    command prints with --output-format json: report (of check), schedule, sync, fetch, search, resolve, session,
    explore, test and others; trialrun docs json describes them.
    """
    if kind is None or kind in KINDS:
        schema = json_schema(kind) if kind else combined_json_schema()
    elif kind in SETTINGS:
        schema = settings_schema(kind)
    else:
        if kind not in OUTPUTS:
            names = [*KINDS, *SETTINGS, *OUTPUTS]
            near = did_you_mean(kind, names)
            raise UsageError(f'there is no schema "{kind}"{near}; choose one of {", ".join(names)}')
        schema = output_schema(kind)
    write_utf8([json.dumps(plain_schema(schema) if plain else schema, indent=2, ensure_ascii=False), "\n"])
    return 0
