"""Source that does not say where its rows are.

The columns that a Source declares are enough for a check, so a location that cannot be read shows up only at the first
sync: no location at all, a database without a table, a table of plain files, an absolute path, a format that
contradicts the file extension or is missing, or a type with unbalanced brackets.

A URL such as `s3a://bucket/guests/*.parquet` is for an engine that reads rows where they are, below the roots that its
user allows. One that could lead elsewhere is an error: a web page, `..`, `//`, a user, a query, parameters.

Basis: best practice; the assumption brand, menu, stores, sources: a Source names files, or a table of a database.

Good:

    kind: Source
    uri: bq://a.b.c
    database: data/warehouse.duckdb
    table: users
    columns: [{name: id, type: STRING}, {name: vector, type: ARRAY<DOUBLE>}]

Good:

    - {kind: Source, uri: bq://a.b.c, files: data/*.rows, format: CSV}
    - {kind: Source, uri: bq://a.b.d, files: warehouse/shop/users, format: ICEBERG}

Good:

    - {kind: Source, uri: bq://a.b.c, files: s3a://lake/guests/*.parquet}
    - kind: Source
      uri: bq://a.b.d
      database: jdbc:postgresql://warehouse/shop
      table: public.guests

Bad:

    kind: Source
    uri: bq://a.b.c
    database: data/warehouse.duckdb  # <- a database without a table; set `table`
    columns: [{name: id, type: ARRAY<INT64}]  # <- a bracket of the type "ARRAY<INT64" is not closed

Bad:

    kind: Source
    uri: bq://a.b.c
    files: /data/*.parquet  # <- "/data/*.parquet" is an absolute path; write it relative to the file of the Source
    table: users  # <- a table without a database; set `database`, or `files` instead of both

Bad:

    kind: Source
    uri: bq://a.b.c
    files: data/*.parquet
    format: CSV  # <- the format CSV does not match "data/*.parquet", which is PARQUET; write PARQUET

Fixed:

    kind: Source
    uri: bq://a.b.c
    files: data/*.parquet
    format: PARQUET

Bad:

    - kind: Source
      uri: bq://a.b.c  # <- the Source names neither files nor a database; set `files`, or `database` and `table`
      columns: [{name: id, type: STRING}]
    - kind: Source
      uri: bq://a.b.d
      files: https://host/data.parquet  # <- locations of rows have no scheme "https"
    - kind: Source
      uri: bq://a.b.e
      files: data/users.txt  # <- cannot tell the format from the extension of "data/users.txt"
    - kind: Source
      uri: bq://a.b.f
      files: s3a://lake/guests/../../payments/*.parquet  # <- the location contains .. as a folder; write it without
    - kind: Source
      uri: bq://a.b.g
      database: jdbc:mysql://host/shop?allowLoadLocalInfile=true  # <- the URL of a database has parameters
      table: guests
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.scenario import Column

ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
ENDING = re.compile(r"\.[a-z0-9]+$")
"""The ending of all files that a glob matches, where it has no signs of a glob."""
PAIRS = (("<", ">"), ("(", ")"), ("[", "]"))


@rule("Source", severity=Severity.ERROR, absence=True)
def check(source: Source) -> Findings:
    """Flag what of the place no sync can read."""
    from trialrun.values.remote_location import remote_problem

    for field in ("files", "database"):
        path = getattr(source, field)
        if path and (problem := remote_problem(path, is_database=field == "database")):
            yield source.finding(field, problem)
        elif path and ABSOLUTE.match(path):
            yield source.finding(field, f'"{path}" is an absolute path; write it relative to the file of the Source')
    if source.uri and not source.members("place") and not source.table:
        message = "the Source names neither files nor a database; set `files`, or `database` and `table`"
        yield source.finding("uri", message)
    if source.database and not source.has("table") and not source.has("files"):
        yield source.finding("database", "a database without a table; set `table`")
    if source.table and not source.has("database"):
        yield source.finding("table", "a table without a database; set `database`, or `files` instead of both")
    yield from _format(source)


def _format(source: Source) -> Findings:
    """Flag a format that does not match the extension of the files, and an extension without a known format."""
    from trialrun.runtime.feature_view.source.location import ENDINGS, ICEBERG_ELSEWHERE
    from trialrun.values.remote_location import is_remote

    files = (source.files or "").lower()
    ending = ENDING.search(files)
    expected = next((format for ending, format in ENDINGS.items() if files.endswith(ending)), None)
    if (source.format or expected) == "ICEBERG" and is_remote(files) and not files.startswith("file:"):
        yield source.finding("files", ICEBERG_ELSEWHERE)
    if source.format and expected and expected != source.format and expected != "ICEBERG":  # also an ending of JSON
        fix = Fix(f"write {expected}", (Replace(source.location("format"), expected),))
        message = f'the format {source.format} does not match "{source.files}", which is {expected}; write {expected}'
        yield source.finding("format", message, fix=fix)
    if ending and not expected and not source.has("format"):
        message = f'cannot tell the format from the extension of "{source.files}"; set `format` to PARQUET, CSV or JSON'
        yield source.finding("files", message)


@rule("Column", severity=Severity.ERROR)
def check_type(column: Column) -> Findings:
    """Flag a type with a bracket that is not closed, or not opened."""
    text = column.type or ""
    for opening, closing in PAIRS:
        more = text.count(opening) - text.count(closing)
        if more:
            what = "closed" if more > 0 else "opened"
            yield column.finding(
                "type", f'a bracket of the type "{text}" is not {what}; write a type such as ARRAY<INT64>'
            )
            return
