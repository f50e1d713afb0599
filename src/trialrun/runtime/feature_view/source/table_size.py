"""How large a table is, without reading its rows: from footers, catalogues, and the beginnings of files without either.

The work is bounded: at most MAX_FOOTERS footers of Parquet files, and of CSV and JSON files the first SAMPLE_BYTES of
MAX_SAMPLES files, in which only the ends of rows are looked for.
"""

from __future__ import annotations

import glob
import os
import re
import zlib
from collections.abc import Sequence
from contextlib import closing
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, PlainSerializer, SkipValidation, computed_field
from pydantic.dataclasses import dataclass

from trialrun.guarded_path import read_file
from trialrun.runtime.feature_view.source.engine import EngineCache
from trialrun.runtime.feature_view.source.iceberg_table import read_table
from trialrun.runtime.feature_view.source.interface import quote_identifier, sql_literal
from trialrun.runtime.feature_view.source.location import (
    TableLocation,
    Unreadable,
    files_of,
    format_of,
    is_iceberg,
    is_sqlite,
    size_of,
)
from trialrun.runtime.feature_view.source.resource_limits import data_limit, most_data
from trialrun.runtime.feature_view.source.sqlite_reader import SqliteReader

DEFERRED = ConfigDict(defer_build=True)
"""Few runs estimate a sync."""
MAX_FOOTERS = 200
MAX_SAMPLES = 8
SAMPLE_BYTES = 256 * 1024
SAMPLE_MARGIN = 1.25
"""Rows beyond a sample may be wider or narrower on average: so much is added to the range on both sides."""
FOOTER_MARGIN = 1.1
"""The same of files whose footers are not among those that are read."""
FIXED_WIDTHS = {"BOOL": 1, "INT64": 8, "DOUBLE": 8, "TIMESTAMP": 8}
STRING_WIDTH, LIST_LENGTH = 24, 16
"""Bytes of a text, and items of a list, where nothing says how long they are."""
PARQUET_BYTES = (
    "CASE WHEN type = 'BYTE_ARRAY' THEN greatest(total_uncompressed_size, num_values * 24) "
    "WHEN type = 'BOOLEAN' THEN num_values WHEN type IN ('INT32', 'FLOAT') THEN num_values * 4 "
    "WHEN type = 'INT96' THEN num_values * 12 WHEN type IN ('INT64', 'DOUBLE') THEN num_values * 8 "
    "ELSE total_uncompressed_size END"
)
"""The bytes of the values of a column as they are in memory: in the file they are encoded, each different text once."""
NO_COUNT = "a view of a database has no count; only reading its rows would tell"
JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


@dataclass(frozen=True, slots=True, config=DEFERRED)
class EstimatedRange:
    """From how much to how much something is estimated."""

    low: SkipValidation[float]
    high: SkipValidation[float]

    def times(self, factor: float) -> EstimatedRange:
        """Both ends so many times as large."""
        return EstimatedRange(self.low * factor, self.high * factor)

    def rounded(self, digits: int) -> EstimatedRange:
        """Both ends with so many digits that count; whole numbers where that loses nothing."""
        ends = (float(f"{end:.{digits}g}") for end in (self.low, self.high))
        return EstimatedRange(*(int(end) if end.is_integer() else end for end in ends))

    def __add__(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(self.low + other.low, self.high + other.high)


def exactly(count: float) -> EstimatedRange:
    """What is known, as a range."""
    return EstimatedRange(count, count)


Estimate = EstimatedRange | None
Count = Annotated[
    Estimate,
    PlainSerializer(lambda range: range and range.rounded(3), return_type=Estimate),
    Field(description="null if only reading the rows would tell"),
]
Bytes = Annotated[Estimate, PlainSerializer(lambda range: range and range.rounded(2), return_type=Estimate)]


@dataclass(frozen=True, config=DEFERRED)
class SourceSize:
    """The size of a source of a sync."""

    uri: str
    format: Literal["Parquet", "CSV", "JSON", "Iceberg", "DuckDB", "SQLite", "unknown"]
    rows: Count
    rows_from: Annotated[str, Field(description="what the rows are estimated from, or why they are unknown")]
    file_bytes: Annotated[int, Field(ge=0)]
    row_width: Annotated[float, Field(exclude=True)]
    """The bytes that the values of a row take in memory, of the columns that are read."""
    most_keys: Annotated[float | None, Field(exclude=True)] = None
    """The most distinct values that its key has."""

    @computed_field(description="of the columns that are read, not compressed")  # type: ignore[prop-decorator]
    @property
    def column_bytes(self) -> Bytes:
        """The bytes of all rows in memory."""
        return self.rows and self.rows.times(self.row_width)


@dataclass(frozen=True, config=DEFERRED)
class SyncEstimate:
    """How large a sync would be; it depends on what is served now, and on the memory of the machine."""

    sources: tuple[SourceSize, ...]
    rows: Count
    entities: Count
    entities_from: Annotated[str, Field(description="what the entities are estimated from, or why they are unknown")]
    bytes: Annotated[Bytes, Field(description="of the latest row of each entity, not compressed")]
    problems: Annotated[
        tuple[str, ...], Field(description="why the embedded engine would not be enough; empty if it is")
    ]
    advice: Annotated[tuple[str, ...], Field(description="settings that would be enough")]


def source_size(place: TableLocation, columns: Sequence[str], keys: Sequence[str], cache: EngineCache) -> SourceSize:
    """The size of a table of which some columns are read, with an engine that is open for it. Raises Unreadable."""
    if place.database is not None:
        return _sqlite_size(place, columns, cache) if is_sqlite(place) else _duckdb_size(place, columns, cache)
    if is_iceberg(place):
        return _iceberg_size(place, columns, keys, cache)
    files = files_of(place)
    format = format_of(place, files)
    if format == "PARQUET":
        return _parquet_size(place, files, columns, keys, cache)
    return _sampled_size(place, files, "JSON" if format == "JSON" else "CSV", columns, cache)


def _parquet_size(
    place: TableLocation, files: Sequence[str], columns: Sequence[str], keys: Sequence[str], cache: EngineCache
) -> SourceSize:
    """From the footers: rows, bytes of the values of the columns, and the least and greatest number of one key."""
    engine, total = cache.of([place]), size_of(place)
    read = _spread(files, MAX_FOOTERS)
    listed = f"[{', '.join(sql_literal(glob.escape(file)) for file in read)}]"
    ((rows,),) = engine.all(f"SELECT COALESCE(SUM(num_rows), 0) FROM parquet_file_metadata({listed})")
    names = ", ".join(sql_literal(name) for name in columns)
    ((value_bytes,),) = engine.all(
        f"SELECT COALESCE(SUM({PARQUET_BYTES}), 0) FROM parquet_metadata({listed}) "
        f"WHERE split_part(path_in_schema, ', ', 1) IN ({names})"
    )
    width = float(value_bytes) / max(rows, 1)
    if len(read) < len(files):
        share = total / (sum(map(os.path.getsize, read)) or total or 1)
        counted = EstimatedRange(rows * share / FOOTER_MARGIN, rows * share * FOOTER_MARGIN)
        basis = f"footers of {len(read):,} of {len(files):,} files"
        return SourceSize(place.uri, "Parquet", counted, basis, total, width)
    span = None
    if len(keys) == 1:
        ((least, most, known),) = engine.all(
            "SELECT MIN(TRY_CAST(stats_min_value AS BIGINT)), MAX(TRY_CAST(stats_max_value AS BIGINT)), "
            "BOOL_AND(type IN ('INT32', 'INT64') AND stats_min_value IS NOT NULL) "
            f"FROM parquet_metadata({listed}) WHERE path_in_schema = {sql_literal(keys[0])}"
        )
        span = float(most - least + 1) if known and least is not None and most is not None else None
    return SourceSize(place.uri, "Parquet", exactly(rows), f"footers of {_count(files)}", total, width, span)


def _iceberg_size(place: TableLocation, columns: Sequence[str], keys: Sequence[str], cache: EngineCache) -> SourceSize:
    """From the metadata, which counts the rows of each file, and often has the least and greatest number of a key."""
    table = read_table(place)
    basis = f"the metadata of the table, with {_count(table.files)}"
    width = _declared_width(place, columns, cache)
    span = table.integer_span(keys[0]) if len(keys) == 1 else None
    return SourceSize(place.uri, "Iceberg", exactly(table.row_count), basis, table.size, width, span)


def _duckdb_size(place: TableLocation, columns: Sequence[str], cache: EngineCache) -> SourceSize:
    """From the catalogue of the database, which counts the rows of tables, and of views none."""
    engine, total = cache.of([place]), size_of(place)
    relation = engine.relation(place.uri)
    names = engine.all(
        "SELECT database_name, schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT internal"
    )
    width = _declared_width(place, columns, cache)
    for database, schema, table, rows in names:
        if relation == ".".join(map(quote_identifier, (database, schema, table))):
            return SourceSize(place.uri, "DuckDB", exactly(rows), "the catalogue of the database", total, width)
    return SourceSize(place.uri, "DuckDB", None, NO_COUNT, total, width)


def _declared_width(
    place: TableLocation, columns: Sequence[str], cache: EngineCache, *, most: float | None = None
) -> float:
    """The bytes of a row by the types of its columns, a text and a list as long as is usual.

    `most` are the bytes of a row as text, which say more of one with lists.
    """
    read = [reading.column for reading in cache.of([place]).readings[place.uri] if reading.column.name in columns]
    if most is not None and any(column.repeated for column in read):
        return most
    widths = [FIXED_WIDTHS.get(column.type, STRING_WIDTH) * (LIST_LENGTH if column.repeated else 1) for column in read]
    return float(sum(widths))


def _sqlite_size(place: TableLocation, columns: Sequence[str], cache: EngineCache) -> SourceSize:
    """From what ANALYZE wrote down, else from the least and the greatest row id."""
    with data_limit(most_data(cache.options)), closing(SqliteReader(place)) as reader:
        rows, basis = _sqlite_rows(reader, place)
    return SourceSize(place.uri, "SQLite", rows, basis, size_of(place), _declared_width(place, columns, cache))


def _sqlite_rows(reader: SqliteReader, place: TableLocation) -> tuple[EstimatedRange | None, str]:
    table = sql_literal((place.table or "").casefold())
    kinds = reader.all(f"SELECT type FROM main.sqlite_master WHERE type IN ('table', 'view') AND lower(name) = {table}")
    if kinds == [("view",)]:
        return None, NO_COUNT
    if reader.all("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_stat1'"):
        stats = reader.all(f"SELECT stat FROM main.sqlite_stat1 WHERE lower(tbl) = {table}")
        if counts := [int(count[0]) for (stat,) in stats if (count := re.match(r"[0-9]{1,18}(?![^ ])", str(stat)))]:
            return exactly(max(counts)), "what ANALYZE wrote into the database"
    try:
        ((least, most),) = reader.all(
            f"SELECT (SELECT MIN(rowid) FROM {reader.relation}), (SELECT MAX(rowid) FROM {reader.relation})"
        )
    except Unreadable:
        return None, "a table without row ids has no count; run ANALYZE in the database"
    span = 0 if most is None else most - least + 1
    return EstimatedRange(min(span, 1), span), "the row ids of the table, of which some may be unused"


def _sampled_size(
    place: TableLocation,
    files: Sequence[str],
    format: Literal["CSV", "JSON"],
    columns: Sequence[str],
    cache: EngineCache,
) -> SourceSize:
    total = size_of(place)
    samples = [_sample(file, place.folder, format) for file in _spread(files, MAX_SAMPLES)]
    rows, on_disk, decoded = (sum(sample[part] for sample in samples) for part in range(3))
    whole = len(samples) == len(files) and all(is_whole for *_, is_whole in samples)
    if not rows:
        known, why = (exactly(0), "empty files") if whole else (None, "no row ends within the sample of a file")
        return SourceSize(place.uri, format, known, why, total, 0.0)
    estimate = rows * total / max(on_disk, 1)
    counted = exactly(rows) if whole else EstimatedRange(estimate / SAMPLE_MARGIN, estimate * SAMPLE_MARGIN)
    where = "all rows' ends" if whole else f"the width of the first rows of {_count(samples)}"
    width = _declared_width(place, columns, cache, most=decoded / rows)
    return SourceSize(place.uri, format, counted, f"the size of {_count(files)} and {where}", total, width)


def _sample(file: str, folder: str, format: str) -> tuple[int, float, int, bool]:
    """The beginning of a file: its whole rows, the bytes that they take in the file and as text, and if that is all."""
    try:
        raw = read_file(file, SAMPLE_BYTES, named_in=folder)[:SAMPLE_BYTES]
    except OSError as error:
        raise Unreadable(f'"{os.path.basename(file)}" cannot be read: {error.strerror}') from error
    text, used = raw, len(raw)
    if file.lower().endswith(".gz"):
        inflate = zlib.decompressobj(wbits=31)
        try:
            text = inflate.decompress(raw, SAMPLE_BYTES)
        except zlib.error as error:
            raise Unreadable(f"a gzip file cannot be read: {error}") from error
        used -= len(inflate.unconsumed_tail)
    is_whole = used >= os.path.getsize(file)
    rows, end = (_count_objects if format == "JSON" else _count_lines)(text, is_whole)
    return rows, min(used, os.path.getsize(file)) * end / max(len(text), 1), end, is_whole


def _count_lines(text: bytes, is_whole: bool) -> tuple[int, int]:
    """The rows of the beginning of a CSV file below its header, and where the last whole one ends."""
    unquoted = re.sub(rb'"[^"]*"', lambda match: b"x" * len(match[0]), text)
    if is_whole and unquoted and not unquoted.endswith(b"\n"):
        unquoted += b"\n"
    lines = sum(1 for line in unquoted.split(b"\n")[:-1] if line.strip())
    return max(lines - 1, 0), min(unquoted.rfind(b"\n") + 1, len(text))


def _count_objects(text: bytes, is_whole: bool) -> tuple[int, int]:
    """The objects of the beginning of a JSON file, in a list or one after the other, and where the last one ends."""
    depth, rows, end = 0, 0, 0
    outer = 1 if text.lstrip().startswith(b"[") else 0
    for token in JSON_TOKEN.finditer(text):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(token[0], 0)
        if token[0] == b"}" and depth == outer:
            rows, end = rows + 1, token.end()
    return rows, len(text) if is_whole else end


def _spread(files: Sequence[str], most: int) -> list[str]:
    step = max(1.0, len(files) / most)
    return [files[int(number * step)] for number in range(min(len(files), most))]


def _count(items: Sequence[object]) -> str:
    return f"{len(items):,} file{'' if len(items) == 1 else 's'}"
