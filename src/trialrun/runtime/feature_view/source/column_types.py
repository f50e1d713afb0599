"""How the columns of a table are read by DuckDB: each in its type of the specification, or left as it is.

Texts that stand for values, in files of CSV and JSON and in SQLite, have one grammar. Programs read texts in ways of
their own: one takes the later of two moments of a repeated hour, another the earlier; one has `24:00:00`, another a
blank before an offset. So DuckDB is not asked whether a text fits: the patterns say it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from trialrun.runtime.feature_view.column import Column, Type, parse_column
from trialrun.runtime.feature_view.source.interface import ColumnConversion, quote_identifier, sql_literal
from trialrun.runtime.feature_view.source.location import Format, TableLocation, has_types
from trialrun.runtime.feature_view.source.sqlite_reader import SqliteColumn

BLANKS = r"[ \t\n\f\r]*"


def _any_case(words: str) -> str:
    return re.sub("[a-z]", lambda letter: f"[{letter[0]}{letter[0].upper()}]", words)


TRUE, FALSE = (f"{BLANKS}(?:{_any_case(words)}){BLANKS}" for words in ("true|t|yes|y|1", "false|f|no|n|0"))
DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
INTEGER, NUMBER = (
    f"{BLANKS}(?:{form}){BLANKS}" for form in ("[+-]?[0-9]+", f"{DECIMAL}|{_any_case('[+-]?(?:inf|infinity)|nan')}")
)
NEGATIVE_NAN = f"{BLANKS}[+-]{_any_case('nan')}{BLANKS}"
"""NaN as C writes it."""
EXACT = 2**53
"""Where a number with a point or an exponent is no whole number any more: programs that had it as a double have lost
digits. Those that have no null among integers write 7.0."""
YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
MOMENT = (
    rf"{BLANKS}({YEAR}-[0-9]{{1,2}}-[0-9]{{1,2}})"
    r"(?:([ T](?:[01]?[0-9]|2[0-3]):[0-5]?[0-9])(?:(:[0-5]?[0-9])(?:(\.[0-9]{1,6})[0-9]*)?)?"
    rf"(?: ?(?:Z|UTC|([+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)))?)?{BLANKS}"
)
"""Day, hour and minute, second, its digits cut to microseconds, and offset. A name of a time zone is none: an hour in
autumn is there twice, and whether its rules are known depends on the machine."""
BASE64 = r"[A-Za-z0-9+/]*={0,2}"
"""Also a multiple of four characters."""
JSON_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
JSON_SCALAR = rf"{JSON_STRING}|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|NaN|-?Infinity"


def list_form(type: Type) -> str:
    """The pattern of a JSON list whose items may be of a type: texts are strings, and NaN has no form in JSON."""
    item = f"(?:{JSON_STRING if type == 'STRING' else JSON_SCALAR})"
    return rf"{BLANKS}\[{BLANKS}(?:{item}(?:{BLANKS},{BLANKS}{item})*)?{BLANKS}\]{BLANKS}"


def _text_value(text: str, type: Type) -> str:
    """The value of a type that a text stands for, null where it stands for none."""
    if type == "BOOL":
        return f"CASE WHEN {_fits(text, TRUE)} THEN TRUE WHEN {_fits(text, FALSE)} THEN FALSE END"
    if type == "INT64":
        number = _text_value(text, "DOUBLE")
        exact = f"CASE WHEN ABS({number}) < {EXACT} AND {number} = ROUND({number}) THEN {number} END"
        whole = f"WHEN {_fits(text, INTEGER)} THEN TRY_CAST({text} AS BIGINT)"
        return f"CASE {whole} ELSE CAST({exact} AS BIGINT) END"
    if type == "DOUBLE":
        number = f"WHEN {_fits(text, NUMBER)} THEN TRY_CAST({text} AS DOUBLE)"
        return f"CASE {number} WHEN {_fits(text, NEGATIVE_NAN)} THEN CAST('NaN' AS DOUBLE) END"
    if type == "BYTES":
        return f"CASE WHEN {_fits(text, BASE64)} AND LENGTH({text}) % 4 = 0 THEN from_base64({text}) END"
    if type != "TIMESTAMP":
        return text
    plain = f"regexp_replace({text}, {sql_literal(f'^{MOMENT}$')}, '\\1\\2\\3\\4\\5')"
    moment = IN_YEARS.format(TO_UTC.format(f"TRY_CAST({plain} AS TIMESTAMP WITH TIME ZONE)"))
    return f"CASE WHEN {_fits(text, MOMENT)} THEN {moment} END"


DUCKDB_TYPES: dict[Type, str] = {
    "BOOL": "BOOLEAN",
    "INT64": "BIGINT",
    "DOUBLE": "DOUBLE",
    "STRING": "VARCHAR",
    "BYTES": "BLOB",
    "TIMESTAMP": "TIMESTAMP",
}
TO_UTC = "make_timestamp(epoch_us({0}))"
"""Not a cast, which DuckDB's reader of CSV files does itself, and then leaves the offset out."""
TRUNCATE_TO_MICROSECONDS = "make_timestamp(epoch_ns({0}) // 1000 - CAST(epoch_ns({0}) % 1000 < 0 AS BIGINT))"
"""Nanoseconds cut to microseconds; a cast rounds them, into a later moment."""
TO_MOMENT = {
    "TIMESTAMP WITH TIME ZONE": TO_UTC,
    "TIMESTAMP_NS": TRUNCATE_TO_MICROSECONDS,
    "TIMESTAMPTZ_NS": TRUNCATE_TO_MICROSECONDS,
}
IN_YEARS = "CASE WHEN {0} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN {0} END"
"""A moment of the years 1 to 9999, which are those that can be served; null for another one, and at infinity."""


def column_conversions(
    columns: Sequence[tuple[str, str, bool]], place: TableLocation, inferred: Sequence[Column] = ()
) -> tuple[ColumnConversion, ...]:
    """How to read columns, given by name, type and whether none is null, of a table of this place.

    Text formats have no types of their own, so there the declared ones hold; other tables' are what they are. A text
    that is not of the type that was inferred for its column is an error.
    """
    wanted = {} if has_types(place) else {column.name.casefold(): column for column in (*place.declared, *inferred)}
    strict = {column.name for column in inferred if not column.repeated}
    conversions = [_column_conversion(name, type, never, wanted.get(name.casefold())) for name, type, never in columns]
    return tuple(_strict(it) if it.column.name in strict else it for it in conversions)


def inferred_columns(
    columns: Sequence[tuple[str, str, bool]], place: TableLocation, format: Format
) -> tuple[Column, ...]:
    """The columns of a text file that the Source does not declare, and whose texts are values of another type."""
    declared = {column.name.casefold() for column in place.declared if column.type != "UNSUPPORTED"}
    undeclared = [parse_column(name, written) for name, written, _ in columns if name.casefold() not in declared]
    types = {"TIMESTAMP"} if format == "JSON" else {"BOOL", "INT64", "DOUBLE", "TIMESTAMP"}
    return tuple(column for column in undeclared if column.type in types)


def duckdb_type(column: Column) -> str:
    """The type that DuckDB has values of a column in."""
    return DUCKDB_TYPES[column.type] + ("[]" if column.repeated else "")


def sqlite_conversions(columns: Sequence[SqliteColumn]) -> tuple[ColumnConversion, ...]:
    """How the columns of a table are read that has the rows of SQLite; those of unsupported types never are."""
    places = {name: place for place, name in enumerate(read.column.name for read in columns if read.is_served)}
    return tuple(
        ColumnConversion(column, f"raw_{places[column.name]}", f"value_{places[column.name]}", unsure=True)
        if (column := sqlite_column.column).name in places
        else ColumnConversion(column, sqlite_column.value, sqlite_column.value)
        for sqlite_column in columns
    )


def sqlite_values(columns: Sequence[Column], given: Collection[str]) -> str:
    """What a batch of SQLite's rows becomes: a 1, and of each column the value and the text; `given` are never null."""
    parts = ["row"]
    for place, column in enumerate(columns):
        value, text = (name if name in given else None for name in (f"value_{place}", f"raw_{place}"))
        parts += _sqlite_value(column, value, text)
    return ", ".join(parts)


def _sqlite_value(column: Column, value: str | None, text: str | None) -> tuple[str, str]:
    if value is not None:
        value = TO_UTC_OF_SQLITE.get(column.type, "{0}").format(value)
    if text is None:
        return value or "NULL", "NULL"
    if column.repeated:
        parsed = _convert(text, Column(column.name, "STRING", False, "VARCHAR"), column)
    else:
        parsed = _text_value(text, column.type) if column.type != "STRING" else "NULL"
    whole = parsed if value is None else f"COALESCE({value}, {parsed})"
    unread = f"CASE WHEN ({whole}) IS NULL THEN ltrim({text}, chr(0)) END"
    return whole, unread


TO_UTC_OF_SQLITE = {"BOOL": "CAST({0} AS BOOLEAN)", "TIMESTAMP": "make_timestamp(CAST({0} AS BIGINT))"}


def _strict(conversion: ColumnConversion) -> ColumnConversion:
    raw = conversion.raw
    column = conversion.column
    message = f'column "{column.name}" is {column.type_text} by its first rows, and has another value; declare it: '
    wrong = f"error(concat({sql_literal(message)}, left({raw}, 40)))"
    value = f"CASE WHEN {raw} IS NOT NULL THEN COALESCE({conversion.expression}, {wrong}) END"
    return ColumnConversion(column, raw, value)


def text_columns_setting(
    columns: Sequence[tuple[str, str, bool]], texts_of: Sequence[Column], format: Format
) -> str | None:
    """The setting of a reader of text files by which some columns come letter for letter; None without any.

    JSON files need it for all columns, and their lists come as JSON.
    """
    declared = {column.name.casefold(): column for column in texts_of if column.type != "UNSUPPORTED"}
    column_types = {name: written.replace('"NULL"', "VARCHAR") for name, written, _ in columns}
    texts = {
        name: "JSON" if declared[name.casefold()].repeated and format == "JSON" else "VARCHAR"
        for name in column_types
        if name.casefold() in declared
    }
    if not texts or (format == "JSON" and any(is_renamed(name, column_types) for name in column_types)):
        return None
    return type_setting("types", texts) if format == "CSV" else type_setting("columns", column_types | texts)


def type_setting(name: str, types: Mapping[str, str]) -> str:
    """A setting of a reader of text files that gives types to columns."""
    return f"{name} = {{{', '.join(f'{sql_literal(column)}: {sql_literal(type)}' for column, type in types.items())}}}"


def is_renamed(name: str, names: Collection[str]) -> bool:
    """Whether the reader made a name of a key that differs from another one in capitals only: `A_1`, beside `a`."""
    key = re.sub(r"_\d+$", "", name)
    return key not in names and key.casefold() in {name.casefold() for name in names}


def _column_conversion(name: str, written: str, required: bool, declared: Column | None) -> ColumnConversion:
    raw = quote_identifier(name)
    actual = parse_column(name, written.replace('"NULL"', "VARCHAR"), mode="REQUIRED" if required else "NULLABLE")
    wanted = declared if declared and declared.type != "UNSUPPORTED" else actual
    if wanted.type == "UNSUPPORTED" or (actual.repeated and written.count("[") > 1):
        return ColumnConversion(Column(name, "UNSUPPORTED", False, written, required), raw, raw)
    is_same = (actual.type, actual.repeated) == (wanted.type, wanted.repeated)
    item = _widen(written.split("[")[0], wanted.type) if is_same else None
    is_sure = is_same and item is None and not wanted.repeated
    column = Column(name, wanted.type, wanted.repeated, written, required and is_sure)
    target = duckdb_type(wanted)
    if not is_same:
        return ColumnConversion(column, raw, _convert(raw, actual, wanted), unsure=True)
    if item is None:
        value = raw if written == target else f"CAST({raw} AS {target})"
        return ColumnConversion(column, raw, _without_null(value) if wanted.repeated else value, unsure=not is_sure)
    each = f"list_transform({raw}, lambda one: {item.format('one')})"
    expression = _without_null(each) if wanted.repeated else item.format(raw)
    return ColumnConversion(column, raw, expression, unsure=True)


def _widen(written: str, type: Type) -> str | None:
    """A value of another width that may not fit: an integer beyond 64 bits, a moment of no year from 1 to 9999."""
    if type == "TIMESTAMP":
        return IN_YEARS.format(TO_MOMENT.get(written, "CAST({0} AS TIMESTAMP)"))
    if written.endswith("HUGEINT") or written == "UBIGINT":
        return "TRY_CAST({0} AS BIGINT)"
    return None


def _without_null(values: str) -> str:
    """A list, null where it has a null: no response can have one."""
    return f"CASE WHEN list_count({values}) = len({values}) THEN {values} END"


def _convert(raw: str, actual: Column, wanted: Column) -> str:
    """A value of another type, null where it does not fit."""
    if wanted.repeated:
        texts = f"TRY_CAST({raw} AS VARCHAR[])"
        if not actual.repeated:
            json_text = f"CASE WHEN {_fits(raw, list_form(wanted.type))} THEN TRY_CAST({raw} AS JSON) END"
            texts = f"TRY_CAST({json_text} AS VARCHAR[])"
        return _without_null(f"list_transform({texts}, lambda one: {_text_value('one', wanted.type)})")
    if wanted.type == "INT64" and actual.type == "DOUBLE":
        return f"CASE WHEN {raw} = trunc({raw}) THEN TRY_CAST({raw} AS BIGINT) END"
    if actual.type == "STRING":
        return _text_value(raw, wanted.type)
    return f"TRY_CAST({raw} AS {DUCKDB_TYPES[wanted.type]})"


def _fits(text: str, form: str) -> str:
    return f"regexp_full_match({text}, {sql_literal(form)})"
