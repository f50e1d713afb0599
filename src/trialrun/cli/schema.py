"""`trialrun schema KIND`: the JSON Schema of a kind of document."""

from __future__ import annotations

import json
import sys

import click

from trialrun.model.kinds import KINDS
from trialrun.usage import UsageError, did_you_mean


@click.command("schema")
@click.argument("kind", metavar="KIND")
def command(kind: str) -> int:
    """Print the JSON Schema (2020-12) of KIND, which editors can use by themselves.

    KIND is FeatureView, ChannelConfig or the kind of a companion document.
    """
    if kind not in KINDS:
        raise UsageError(f'there is no kind "{kind}"{did_you_mean(kind, KINDS)}; choose one of {", ".join(KINDS)}')
    from trialrun.model.schema import json_schema

    sys.stdout.write(json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n")
    return 0
