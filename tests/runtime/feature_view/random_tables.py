"""Random tables of odd texts and values, and what an engine reads in them: one reading, or one refusal."""

import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.interface import quote_identifier, sql_literal
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import DEFAULT_OPTIONS, Options

TEXTS: dict[Type, str] = {
    "BOOL": "true|FALSE|t|N|yes|on|1|0| true|\ttrue\n|2||tru",
    "INT64": "7|+7|-0|7.0|7.|7.5|1e3|00012|0x10|1_000| 7 |9007199254740991.0|9007199254740993.0|9223372036854775807|"
    "9223372036854775808|-9223372036854775808|1e400|nan|",
    "DOUBLE": "1.5|.5|5.|+.5e-3|1e400|-1e400|1e-400|nan|-nan|NaN|Infinity|-inf|1d|0x1p3|1_0| 1 |4.9e-324|2.4e-324|0.1|"
    "-0.0|1e||17976931348623157e292",
    "STRING": '| a |a\nb|say "a"|null|NaN|é|7|007',
    "BYTES": "YQ==|YQ|YWJj|YW\nJj|YWJj\n|====|+/+/|_-__||YR==|A===",
    "TIMESTAMP": "2026-01-01|2026-11-01 01:30:00 America/New_York|2026-01-01 24:00:00|2026-06-30 23:59:60|"
    "2026-01-01 00:00:00 +05:30|2026-01-01T00:00:00Z|2026-01-01T00:00:00+0200|2026-01-01 00:00:00.1234567-08|infinity|"
    "1969-12-31 23:59:59.9999999|2026-1-2 3:4|2026-1-2 3:4+01:00|epoch|0001-01-01 00:00:00+05:00|0000-01-01|"
    "9999-12-31 23:59:59-05:00|2026-02-29|1700-02-29|2026-01-01 00:00:00 UTC|2026-01-01 00:00:00 EST| 2026-01-01 |"
    "1582-10-10 00:00:00|2026-01-01T00|10000-01-01",
}
LISTS: dict[Type, str] = {
    "BOOL": '[true, false]|[1]|["t"]|[null]',
    "INT64": '[1, 2]|[7.0]|["7"]|[1e2]|[9223372036854775808]|[1,]|[1, null]|[NaN]|[]|7',
    "DOUBLE": '[0.1, 1]|[NaN]|["NaN"]|[1e400]|[-Infinity]|[1,]|[1] x|[[1]]|[null]|null',
    "STRING": '["a", "b"]|["a", null]|[1]|["a", 1]|[1,]|["a",]|["a]"]|["\\u0041"]|[]|a',
    "BYTES": '["YQ=="]|["YQ"]|["YW\\nJj"]|[]|[null]',
    "TIMESTAMP": '["2026-01-01"]|["2026-01-01 24:00:00"]|[2026]|["2026-01-01T00:00:00+02:00"]|[null]',
}
"""Forms of texts by the type of their column, with a line between them."""
STORED = {
    "BOOLEAN": ("true", "false"),
    "BIGINT": ("7", "-9223372036854775808"),
    "UBIGINT": ("7", "18446744073709551615"),
    "FLOAT": ("0.1::FLOAT", "'nan'", "'-inf'"),
    "DOUBLE": ("1.5", "'nan'", "'inf'", "'-0.0'"),
    "VARCHAR": ("''", "'é'", "'7'"),
    "BLOB": ("'\\x00a'::BLOB", "''::BLOB"),
    "TIMESTAMP": ("'2026-01-01 00:00:00.000001'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'", "'10000-01-01'"),
    "TIMESTAMPTZ": ("'2026-01-01 00:00:00+05:30'", "'1969-12-31 23:59:59.999999Z'", "'12000-01-01 00:00:00Z'"),
    "TIMESTAMP_NS": ("'2026-01-01 00:00:00.123456789'", "'1969-12-31 23:59:59.999999999'"),
    "TIMESTAMPTZ_NS": ("'2026-01-01 00:00:00.123456789Z'", "'1969-12-31 23:59:59.999999999Z'"),
}
"""Types of Parquet files and DuckDB tables, and values of each as DuckDB writes them."""
NO_COLUMN = Column("", "UNSUPPORTED")
LETTERS = " \t\n0123456789:-+.TZeE,_aN/="


@dataclass(frozen=True)
class RandomTable:
    """A table in files of a kind, and the same rows in a database: places that are to be read alike.

    `undeclared` has the files without the types of their columns.
    """

    files: TableLocation
    database: TableLocation
    undeclared: TableLocation
    columns: Sequence[Column]


def random_table(seed: int, folder: Path) -> RandomTable:
    """The table of a seed, in a folder of its own."""
    draw = random.Random(seed)
    folder.mkdir()
    return draw.choice((_texts, _texts, _values))(draw, folder)


def read(place: TableLocation, columns: Sequence[Column], options: Options = DEFAULT_OPTIONS) -> Any:
    """The values of all columns by the id of their row; None where the table is refused."""
    try:
        with closing(open_engine([place], options)) as engine:
            types = {reading.column.name: reading.column for reading in engine.readings[place.uri]}
            columns = [column for column in columns if types.get(column.name, NO_COLUMN).type != "UNSUPPORTED"]
            names = ", ".join(quote_identifier(column.name) for column in columns)
            rows = engine.all(f"SELECT {names} FROM {quote_identifier(place.uri)}")
    except Unreadable:
        return None
    read_as = [types[column.name] for column in columns]
    return {row[0]: [*map(_comparable, row, read_as)] for row in rows}


def without_nan(rows: Any) -> Any:
    """The same with null for NaN, which SQLite does not have."""
    return rows and {id: [None if value == "nan" else value for value in row] for id, row in rows.items()}


def _comparable(value: Any, column: Column) -> Any:
    """A value the same of all engines: SQLite has numbers for booleans, and texts for moments and lists."""
    if value is not None and column.repeated:
        items = json.loads(value) if isinstance(value, str) else value
        one = Column(column.name, column.type)
        return [_comparable(bytes.fromhex(item) if _is_hexadecimal(item, column) else item, one) for item in items]
    match value:
        case float():
            return repr(value)
        case bytearray() | memoryview():
            return bytes(value)
        case int() if column.type == "BOOL":
            return bool(value)
        case str() if column.type == "TIMESTAMP":
            return datetime.fromisoformat(value)
    return value


def _is_hexadecimal(item: object, column: Column) -> bool:
    return column.type == "BYTES" and isinstance(item, str)


def _texts(draw: random.Random, folder: Path) -> RandomTable:
    """Odd texts in a file of CSV or JSON, and in a table of SQLite."""
    columns = [Column("id", "STRING"), *(Column(f"c{place}", *_draw_type(draw)) for place in range(2))]
    texts = [_draw_texts(draw, column) for column in columns[1:]]
    rows = [[f"r{place:02}", *(draw.choice(of_column) for of_column in texts)] for place in range(12)]
    is_json = draw.random() < 0.4
    if is_json:
        rows = [
            [text if _is_json(text, column) else None for text, column in zip(row, columns, strict=True)]
            for row in rows
        ]
        lines = [", ".join(_json_field(*field) for field in zip(columns, row, strict=True)) for row in rows]
        records = ["{" + line.replace("\n", " ") + "}" for line in lines]
        (folder / "t.jsonl").write_text("\n".join(records), encoding="utf-8")
    else:
        lines = [",".join(_csv_field(text) for text in row) for row in [[column.name for column in columns], *rows]]
        (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with closing(sqlite3.connect(folder / "t.db")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{column.name} TEXT' for column in columns)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", rows)
        connection.commit()
    file = "t.jsonl" if is_json else "t.csv"
    declared = tuple(columns)
    database = TableLocation("t", str(folder), database="t.db", table="t", declared=declared)
    undeclared = TableLocation("t", str(folder), file)
    return RandomTable(replace(undeclared, declared=declared), database, undeclared, columns)


def _values(draw: random.Random, folder: Path) -> RandomTable:
    """Values and lists of all types in a Parquet file, and in a table of DuckDB."""
    import duckdb

    types = [draw.choice([*STORED]) + draw.choice(("", "[]")) for _ in range(2)]
    rows = [", ".join([f"'r{place:02}'", *(_draw_value(draw, type) for type in types)]) for place in range(8)]
    columns = [Column("id", "STRING"), *(Column(f"c{place}", "STRING") for place in range(2))]
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE t (id VARCHAR, c0 {types[0]}, c1 {types[1]})")
        connection.execute(f"INSERT INTO t VALUES ({'), ('.join(rows)})")
        connection.execute(f"COPY t TO {sql_literal(str(folder / 't.parquet'))} (FORMAT parquet)")
    database = TableLocation("t", str(folder), database="t.duckdb", table="t")
    files = TableLocation("t", str(folder), "t.parquet")
    return RandomTable(files, database, files, columns)


def _draw_type(draw: random.Random) -> tuple[Type, bool]:
    return draw.choice([*TEXTS]), draw.random() < 0.35


def _draw_texts(draw: random.Random, column: Column) -> list[str | None]:
    """A few texts, so that a type can be inferred, or many; a null; in some a letter is another, or there too."""
    forms = (LISTS if column.repeated else TEXTS)[column.type].split("|")
    texts: list[str | None] = [None] * draw.randint(0, 1)
    for _ in range(draw.choice((1, 2, 12))):
        text, place = draw.choice(forms), draw.randint(0, 12)
        if draw.random() < 0.3:
            text = text[:place] + draw.choice(("", draw.choice(LETTERS))) + text[place + draw.randint(0, 1) :]
        texts.append(text)
    return texts


def _draw_value(draw: random.Random, type: str) -> str:
    values = STORED[type.removesuffix("[]")]
    items = [draw.choice((*values, "NULL")) if draw.random() < 0.4 else draw.choice(values) for _ in range(2)]
    if not type.endswith("[]"):
        return f"CAST({items[0]} AS {type})"
    return f"CAST([{', '.join(f'CAST({item} AS {type[:-2]})' for item in items)}] AS {type})"


def _csv_field(text: str | None) -> str:
    return "" if text is None else '"' + text.replace('"', '""') + '"'


def _is_json(text: str | None, column: Column) -> bool:
    """Whether a text can stand in a file of JSON, also as a list."""
    try:
        return text is not None and (not column.repeated or isinstance(json.loads(text), list))
    except ValueError:
        return False


def _json_field(column: Column, text: str | None) -> str:
    return f'"{column.name}": {text if text is not None and column.repeated else json.dumps(text)}'
