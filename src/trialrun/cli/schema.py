"""`trialrun schema [KIND]`: the JSON Schema of a kind of document, of all kinds in one, of settings or of an output."""

from __future__ import annotations

import json

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
    if kind is None or kind in KINDS:
        schema = json_schema(kind) if kind else combined_json_schema()
    elif kind in SETTINGS:
        schema = settings_schema(kind)
    else:
        from trialrun.outputs.schema import OUTPUTS, output_schema

        if kind not in OUTPUTS:
            names = [*KINDS, *SETTINGS, *OUTPUTS]
            near = did_you_mean(kind, names)
            raise UsageError(f'there is no schema "{kind}"{near}; choose one of {", ".join(names)}')
        schema = output_schema(kind)
    write_utf8([json.dumps(plain_schema(schema) if plain else schema, indent=2, ensure_ascii=False), "\n"])
    return 0
