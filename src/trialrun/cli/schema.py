"""`trialrun schema [KIND]`: the JSON Schema of a kind of document, of all kinds in one, of settings or of an output."""

from __future__ import annotations

import json
from typing import Any

import click

from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError
from trialrun.lint.settings.json_schema import TITLES as SETTINGS
from trialrun.lint.settings.json_schema import settings_schema
from trialrun.model.json_schema import combined_json_schema, json_schema, plain_schema
from trialrun.model.kinds import KINDS
from trialrun.values.suggest import did_you_mean


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
    schema = _schema(kind)
    write_utf8([json.dumps(plain_schema(schema) if plain else schema, indent=2, ensure_ascii=False), "\n"])
    return 0


def _schema(name: str | None) -> dict[str, Any]:
    """The schema of a kind, of a settings file or of an output. Raises UsageError for a name that there is not."""
    if name is None or name in KINDS:
        return json_schema(name) if name else combined_json_schema()
    from trialrun.outputs.schema import OUTPUTS, output_schema

    if name in SETTINGS:
        return settings_schema(name)
    if name not in OUTPUTS:
        names = [*KINDS, *SETTINGS, *OUTPUTS]
        raise UsageError(f'there is no schema "{name}"{did_you_mean(name, names)}; choose one of {", ".join(names)}')
    return output_schema(name)
