"""How the columns of a table are read by DuckDB: each in its type of the specification, or left as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.latest_rows_sql import literal, quoted
from trialrun.runtime.feature_view.source.declared_columns import column_of
from trialrun.runtime.feature_view.source.location import Format, TablePlace

WRITTEN: dict[Type, str] = {
    "BOOL": "BOOLEAN",
    "INT64": "BIGINT",
    "DOUBLE": "DOUBLE",
    "STRING": "VARCHAR",
    "BYTES": "BLOB",
    "TIMESTAMP": "TIMESTAMP",
}
FITS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE", "BOOLEAN"}
"""Types whose every value fits into its type of the specification."""
WHOLE = "'\\s*[+-]?[0-9]+(\\.0+)?\\s*'"
"""A whole number as texts have it; programs that have no null among integers write 7.0."""
IN_UTC = "make_timestamp(epoch_us({0}))"
"""Not a cast, which DuckDB's reader of CSV files does itself, and then leaves the offset out."""
CUT = "make_timestamp((epoch_ns({0}) - (epoch_ns({0}) % 1000 + 1000) % 1000) // 1000)"
"""Nanoseconds cut to microseconds; a cast rounds them, into a later moment."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A column as it is read: `expression` gives its value from `raw`; `unsure` says that a value may not fit."""

    column: Column
    raw: str
    expression: str
    unsure: bool = False


def readings(columns: Sequence[tuple[str, str, bool]], place: TablePlace) -> tuple[Reading, ...]:
    """How to read columns, given by name, type and whether none is null, of a table of this place.

    Text formats have no types of their own, so there the declared ones hold; other tables' are what they are.
    """
    declared = {one.name.casefold(): one for one in place.declared}
    untyped = place.database is None and not _is_parquet(place)
    return tuple(
        _reading(name, written, required, declared.get(name.casefold()) if untyped else None)
        for name, written, required in columns
    )


def as_texts(columns: Sequence[tuple[str, str, bool]], place: TablePlace, format: Format) -> str | None:
    """The setting of a reader of text files by which declared columns come letter for letter; None without any.

    JSON files need it for all columns, and their lists come as JSON.
    """
    declared = {one.name.casefold(): one for one in place.declared if one.type != "UNSUPPORTED"}
    there = {name: written.replace('"NULL"', "VARCHAR") for name, written, _ in columns}
    texts = {
        name: "JSON" if declared[name.casefold()].repeated and format == "JSON" else "VARCHAR"
        for name in there
        if name.casefold() in declared
    }
    if not texts or (format == "JSON" and any(_is_renamed(name, there) for name in there)):
        return None
    return _setting("types", texts) if format == "CSV" else _setting("columns", there | texts)


def all_columns(columns: Sequence[tuple[str, str, bool]]) -> str:
    """The setting by which a reader of JSON files finds no columns itself."""
    return _setting("columns", {name: written for name, written, _ in columns})


def _setting(name: str, types: Mapping[str, str]) -> str:
    return f"{name} = {{{', '.join(f'{literal(column)}: {literal(type)}' for column, type in types.items())}}}"


def _is_renamed(name: str, names: Collection[str]) -> bool:
    """Whether the reader made a name of a key that differs from another one in capitals only: `A_1`, beside `a`."""
    key = re.sub(r"_\d+$", "", name)
    return key not in names and key.casefold() in {one.casefold() for one in names}


def _is_parquet(place: TablePlace) -> bool:
    from trialrun.runtime.feature_view.source.location import files_of, format_of

    return format_of(place, files_of(place)) == "PARQUET"


def _reading(name: str, written: str, required: bool, declared: Column | None) -> Reading:
    raw = quoted(name)
    there = column_of(name, written.replace('"NULL"', "VARCHAR"), mode="REQUIRED" if required else "NULLABLE")
    wanted = declared if declared and declared.type != "UNSUPPORTED" else there
    if wanted.type == "UNSUPPORTED" or (there.repeated and written.count("[") > 1):
        return Reading(Column(name, "UNSUPPORTED", False, written, required), raw, raw)
    column = Column(name, wanted.type, wanted.repeated, written, required and there.type == wanted.type)
    target = WRITTEN[wanted.type] + ("[]" if wanted.repeated else "")
    if written == target:
        return Reading(column, raw, raw)
    if (there.type, there.repeated) == (wanted.type, wanted.repeated):
        return Reading(column, raw, *_widened(raw, written, target))
    return Reading(column, raw, _converted(raw, there, wanted), unsure=True)


def _widened(raw: str, written: str, target: str) -> tuple[str, bool]:
    """A value of another width: only integers beyond 64 bits, and moments at infinity, may not fit."""
    inside = written.split("[")[0]
    if inside.endswith("HUGEINT") or inside in ("UBIGINT", "BIGNUM"):
        return f"TRY_CAST({raw} AS {target})", True
    if target.startswith("TIMESTAMP"):
        exact = {"TIMESTAMP WITH TIME ZONE": IN_UTC, "TIMESTAMP_NS": CUT}.get(inside)
        if exact and target.endswith("[]"):
            return f"list_transform({raw}, lambda one: {exact.format('one')})", False
        if exact:
            return exact.format(raw), True
    return f"CAST({raw} AS {target})", False


def _converted(raw: str, there: Column, wanted: Column) -> str:
    """A value of another type, null where it does not fit."""
    if wanted.repeated:
        texts = f"TRY_CAST({raw} AS VARCHAR[])"
        found = f"list_transform({texts}, lambda one: {_of_text('one', wanted.type)})"
        return f"CASE WHEN list_count({found}) = list_count({texts}) THEN {found} END"
    if wanted.type == "INT64" and there.type == "DOUBLE":
        return f"CASE WHEN {raw} = trunc({raw}) THEN TRY_CAST({raw} AS BIGINT) END"
    return _of_text(raw, wanted.type) if there.type == "STRING" else f"TRY_CAST({raw} AS {WRITTEN[wanted.type]})"


def _of_text(text: str, type: Type) -> str:
    if type == "INT64":
        return f"CASE WHEN regexp_full_match({text}, {WHOLE}) THEN TRY_CAST({text} AS BIGINT) END"
    if type == "TIMESTAMP":
        return IN_UTC.format(f"TRY_CAST({text} AS TIMESTAMP WITH TIME ZONE)")
    return f"TRY(from_base64({text}))" if type == "BYTES" else f"TRY_CAST({text} AS {WRITTEN[type]})"
