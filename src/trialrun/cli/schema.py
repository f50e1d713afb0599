"""`trialrun schema [KIND]`: the JSON Schema of a kind of document, or of all kinds in one."""

from __future__ import annotations

import json
import sys

import click

from trialrun.model.kinds import KINDS
from trialrun.usage import UsageError, did_you_mean


@click.command("schema")
@click.argument("kind", metavar="[KIND]", required=False)
def command(kind: str | None) -> int:
    """Print the JSON Schema (2020-12) of KIND, which editors can use by themselves.

    KIND is FeatureView, ChannelConfig or the kind of a companion document. Without KIND it is one schema for all of
    them, which tells by a document's kind, its name or its fields what it is.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f'there is no kind "{kind}"{did_you_mean(kind, KINDS)}; choose one of {", ".join(KINDS)}')
    from trialrun.model.schema import json_schema, json_schema_of_all

    schema = json_schema(kind) if kind else json_schema_of_all()
    sys.stdout.write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return 0
