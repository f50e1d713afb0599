"""A Source says where its rows are, in a way that a sync can follow.

Columns that a Source declares are enough for a check, so a place that cannot be read is noticed only when a sync is
asked for: a database without its table, a table of plain files, an absolute path, a format that is not that of the
files, or a type whose brackets are not closed.

Rests on: craft; the assumption brand, menu, stores, sources: a Source names files, or a table of a database.

Good:

    kind: Source
    uri: bq://a.b.c
    database: data/warehouse.duckdb
    table: users
    columns: [{name: id, type: STRING}, {name: vector, type: ARRAY<DOUBLE>}]

Good:

    kind: Source
    uri: bq://a.b.c
    files: data/*.rows
    format: CSV

Bad:

    kind: Source
    uri: bq://a.b.c
    database: data/warehouse.duckdb  # <- a database without a table; set `table`
    columns: [{name: id, type: ARRAY<INT64}]  # <- a bracket of the type "ARRAY<INT64" is not closed

Bad:

    kind: Source
    uri: bq://a.b.c
    files: /data/*.parquet  # <- "/data/*.parquet" is an absolute path; write it relative to the file of the Source
    table: users  # <- a table without a database; set `database`, or drop it

Bad:

    kind: Source
    uri: bq://a.b.c
    files: data/*.parquet
    format: CSV  # <- the format CSV is not that of "data/*.parquet", which is PARQUET; write PARQUET

Fixed:

    kind: Source
    uri: bq://a.b.c
    files: data/*.parquet
    format: PARQUET
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.table_column import Column

ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
PAIRS = (("<", ">"), ("(", ")"), ("[", "]"))


@rule("Source", severity=Severity.ERROR, absence=True)
def check(source: Source) -> Findings:
    """Flag what of the place no sync can read."""
    for field in ("files", "database"):
        path = getattr(source, field)
        if path and ABSOLUTE.match(path):
            yield source.flag(field, f'"{path}" is an absolute path; write it relative to the file of the Source')
    if source.database and not source.has("table") and not source.has("files"):
        yield source.flag("database", "a database without a table; set `table`")
    if source.table and not source.has("database"):
        yield source.flag("table", "a table without a database; set `database`, or drop it")
    yield from _format(source)


def _format(source: Source) -> Findings:
    """Flag a format that is not the one of the ending of the files."""
    from trialrun.runtime.feature_view.source.place import ENDINGS

    files = (source.files or "").lower()
    known = next((format for ending, format in ENDINGS.items() if files.endswith(ending)), None)
    if source.format and known and known != source.format:
        fix = Fix(f"write {known}", (Replace(source.at("format"), known),))
        message = f'the format {source.format} is not that of "{source.files}", which is {known}; write {known}'
        yield source.flag("format", message, fix=fix)


@rule("Column", severity=Severity.ERROR)
def check_type(column: Column) -> Findings:
    """Flag a type with a bracket that is not closed, or not opened."""
    text = column.type or ""
    for opening, closing in PAIRS:
        more = text.count(opening) - text.count(closing)
        if more:
            what = "closed" if more > 0 else "opened"
            yield column.flag("type", f'a bracket of the type "{text}" is not {what}; write such as ARRAY<INT64>')
            return
