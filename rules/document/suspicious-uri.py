"""Table uri without a scheme or a table, with spaces, or of a web page.

The service looks a table up by its exact uri. A common copy-and-paste mistake is the address of the page that shows the
table, the table name without a scheme, or the uri with a space from the surrounding text.

Basis: best practice; feature-view, WarehouseSource, uri: "URI of the warehouse view that is materialized on each sync
trigger"; the assumption that a uri begins with a scheme, as in bq://project.dataset.table.

Good, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [rider]

Bad, as WarehouseSource:

    uri: acme.serving.riders  # <- "acme.serving.riders" has no scheme; write "bq://acme.serving.riders"
    entityIdColumns: [rider]

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [rider]

Bad, as RagSource:

    uri: "bq://acme.docs.chunks "  # <- the uri begins or ends with a space; write "bq://acme.docs.chunks"

Bad, as RagSource:

    uri: bq://acme.docs.all chunks  # <- the uri contains a space; write the exact uri of the table

Bad, as RagSource:

    uri: bq://  # <- "bq://" names no table; write a uri such as bq://project.dataset.table

Bad:

    kind: Source
    uri: https://console.cloud.google.com/bigquery?p=acme&d=serving&t=riders&page=table  # <- a web page, not of a table
    files: data/riders.csv

Bad:

    kind: FeatureGroupTable
    featureGroupId: riders
    uri: acme:serving.riders  # <- "acme:serving.riders" has no scheme; write "bq://acme.serving.riders"
    entityIdColumns: [rider]
    features: [{id: age}]
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, Source
    from trialrun.model.feature_view import RagSource, WarehouseSource

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
WEB = re.compile(r"https?://", re.IGNORECASE)
TABLE = re.compile(r"(?:bq:/?)?([\w-]+)[.:]([\w-]+)\.([\w-]+)")
"""A table by project, data set and name; the older way of writing it has a colon after the project."""


@rule("WarehouseSource", "RagSource", "FeatureGroupTable", "Source", severity=Severity.WARNING)
def check(node: WarehouseSource | RagSource | FeatureGroupTable | Source) -> Findings:
    """Flag a uri with spaces, the address of a web page, and a uri without a scheme."""
    uri = node.uri
    if uri is None or not uri.strip() or "{" in uri or "<" in uri or "$(" in uri:
        return
    problem = _problem(uri)
    if problem is not None:
        message, suggestion = problem
        fix = Fix(f"write {suggestion}", (Replace(node.location("uri"), suggestion),)) if suggestion else None
        yield node.finding("uri", message, fix=fix)


def _problem(uri: str) -> tuple[str, str | None] | None:
    """What is wrong with a uri, and what to write where that is plain."""
    text = uri.strip()
    if len(text.split()) > 1:
        return "the uri contains a space; write the exact uri of the table", None
    if WEB.match(text):
        suggestion = _suggest_by_address(text)
        advice = (
            f'write "{suggestion}"' if suggestion else "write the uri of the table, such as bq://project.dataset.table"
        )
        return f"the uri is the address of a web page, not of a table; {advice}", suggestion
    if scheme := SCHEME.match(text):
        if not any(map(str.isalnum, text[scheme.end() :])):
            return f'"{text}" names no table; write a uri such as bq://project.dataset.table', None
        return (f'the uri begins or ends with a space; write "{text}"', text) if text != uri else None
    suggestion = _suggest_by_name(text)
    advice = f'write "{suggestion}"' if suggestion else "write a uri such as bq://project.dataset.table"
    return f'"{text}" has no scheme; {advice}', suggestion


def _suggest_by_name(text: str) -> str | None:
    """The uri of the table that a name without scheme speaks of."""
    table = TABLE.fullmatch(text)
    return f"bq://{'.'.join(table.groups())}" if table else None


def _suggest_by_address(text: str) -> str | None:
    """The uri of the table that the address of a console speaks of."""
    from urllib.parse import parse_qs, urlsplit  # imported here, since few files have such an address

    try:
        parameters = parse_qs(urlsplit(text).query)
    except ValueError:
        return None
    parts = [parameters[key][0] for key in ("p", "d", "t") if parameters.get(key)]
    return _suggest_by_name(".".join(parts)) if len(parts) == 3 else None
