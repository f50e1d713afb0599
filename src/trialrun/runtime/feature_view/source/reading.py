"""How the columns of a table are read by DuckDB: each in its type of the specification, or left as it is."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.record import dataclass
from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.declared import column_of
from trialrun.runtime.feature_view.source.place import TablePlace
from trialrun.runtime.feature_view.statement import quoted

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
WHOLE = "'\\s*[+-]?[0-9]+\\s*'"


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


def _is_parquet(place: TablePlace) -> bool:
    from trialrun.runtime.feature_view.source.place import files_of, format_of

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
    return Reading(column, raw, _converted(raw, there, wanted, target), unsure=True)


def _widened(raw: str, written: str, target: str) -> tuple[str, bool]:
    """A value of another width: only integers beyond 64 bits may not fit."""
    inside = written.split("[")[0]
    if inside.endswith("HUGEINT") or inside in ("UBIGINT", "BIGNUM"):
        return f"TRY_CAST({raw} AS {target})", True
    return f"CAST({raw} AS {target})", False


def _converted(raw: str, there: Column, wanted: Column, target: str) -> str:
    """A value of another type, null where it does not fit."""
    if wanted.type == "INT64" and not wanted.repeated:
        if there.type == "STRING":
            return f"CASE WHEN regexp_full_match({raw}, {WHOLE}) THEN TRY_CAST({raw} AS BIGINT) END"
        if there.type == "DOUBLE":
            return f"CASE WHEN {raw} = trunc({raw}) THEN TRY_CAST({raw} AS BIGINT) END"
    if wanted.type == "TIMESTAMP" and not wanted.repeated:
        return f"CAST(TRY_CAST({raw} AS TIMESTAMP WITH TIME ZONE) AS TIMESTAMP)"
    if wanted.type == "BYTES" and not wanted.repeated:
        return f"TRY(from_base64({raw}))"
    return f"TRY_CAST({raw} AS {target})"
