"""Columns of a table and their types, in the words of the specification: a type and whether it is REPEATED.

The words for types that documents and databases have mean one of these, or none. Rows of columns are fetched in
batches that take bounded memory, however long their lists are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from trialrun.model.companion import Source

Type = Literal["BOOL", "INT64", "DOUBLE", "STRING", "BYTES", "TIMESTAMP", "UNSUPPORTED"]
"""What a feature can be; UNSUPPORTED is any other type of a table, DATE and STRUCT for two."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type, whether it is a list of that type, and the words that the table has for the type.

    `required` says that no value is null, as far as the table tells.
    """

    name: str
    type: Type
    repeated: bool = False
    source_type: str = ""
    required: bool = False

    @property
    def type_text(self) -> str:
        """The type in words for a message: `STRING`, `DOUBLE REPEATED`, or the table's own where it is unsupported."""
        word = self.source_type if self.type == "UNSUPPORTED" else self.type
        return f"{word} REPEATED" if self.repeated and self.type != "UNSUPPORTED" else word

    @property
    def written_type(self) -> str:
        """The same, but FLOAT where the table says so, though the feature is a DOUBLE."""
        text = self.type_text
        return text.replace("DOUBLE", "FLOAT") if self.source_type.upper().startswith("FLOAT") else text


def find_column(name: str, columns: Sequence[Column]) -> Column | None:
    """The column of a name; capitals count only between columns that differ in nothing else."""
    exact = next((column for column in columns if column.name == name), None)
    alike = [column for column in columns if column.name.casefold() == name.casefold()]
    return exact or (alike[0] if len(alike) == 1 else None)


TYPE_OF_WORD: dict[str, Type] = {
    **dict.fromkeys(("BOOL", "BOOLEAN", "LOGICAL"), "BOOL"),
    **dict.fromkeys(
        ("INT64", "INTEGER", "INT", "BIGINT", "LONG", "INT32", "INT16", "INT8", "SMALLINT", "TINYINT", "MEDIUMINT",
         "UINT8", "UINT16", "UINT32", "UINT64", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "BYTEINT", "HUGEINT",
         "UHUGEINT", "INT2", "INT4"),
        "INT64",
    ),
    **dict.fromkeys(("DOUBLE", "FLOAT", "FLOAT64", "FLOAT32", "REAL", "DOUBLE PRECISION", "FLOAT4", "FLOAT8"),
                    "DOUBLE"),
    **dict.fromkeys(("STRING", "TEXT", "VARCHAR", "CHAR", "NVARCHAR", "NCHAR", "CLOB", "CHARACTER", "UUID",
                     "CHARACTER VARYING", "VARYING CHARACTER", "NATIVE CHARACTER", "ENUM"), "STRING"),
    **dict.fromkeys(("BYTES", "BLOB", "BINARY", "VARBINARY", "BYTEA"), "BYTES"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITHOUT TIME ZONE", "DATETIME",
                     "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP_US", "TIMESTAMPTZ_NS"), "TIMESTAMP"),
}  # fmt: skip
LIST_TYPE = re.compile(
    r"(?:(?:ARRAY|REPEATED|LIST)\s*<\s*(?P<in>[^<>]+?)\s*>|(?P<before>[^\[\]]+?)\s*\[\s*\d*\s*\])$", re.I
)


def declared_columns(source: Source) -> tuple[Column, ...]:
    """The columns that a Source declares, in its order; a column without a name is passed over."""
    return tuple(
        parse_column(column.name, column.type or "", mode=column.mode or "NULLABLE")
        for column in source.columns or ()
        if column.name
    )


def parse_column(name: str, written: str, *, mode: str = "NULLABLE") -> Column:
    """A column by the words that a table, or a Source, has for its type: `ARRAY<DOUBLE>` and `DOUBLE[]` are lists."""
    words = " ".join(written.split())
    list_match = LIST_TYPE.match(words)
    inside = (list_match["in"] or list_match["before"]) if list_match else words
    return Column(name, parse_type(inside), mode == "REPEATED" or list_match is not None, words, mode == "REQUIRED")


@lru_cache(maxsize=1024)
def parse_type(words: str) -> Type:
    """The type that the words for one mean, lengths left out; UNSUPPORTED for any that no feature can have."""
    plain = re.sub(r"\s*\(.*\)", "", words).strip().upper()
    return TYPE_OF_WORD.get(plain, "UNSUPPORTED")


MAX_ELEMENTS = 2_000_000
"""Elements of the lists of a batch, or characters where lists are texts: an element takes 32 bytes in Python."""
FIRST_ROWS, GROWTH = 100, 4
"""Rows of the first batch where there are lists, and how many times more the next one may have."""
Row = TypeVar("Row", bound=Sequence[Any])


def list_positions(columns: Iterable[Column], start: int) -> list[int]:
    """The positions in a row of the columns that are lists, the first of them at `start`."""
    return [position for position, column in enumerate(columns, start) if column.repeated]


def fetch_batches(fetch: Callable[[int], list[Row]], max_rows: int, lists: Sequence[int] = ()) -> Iterator[list[Row]]:
    """What a cursor fetches, with fewer rows at a time where the lists of the last batch were long."""
    size = min(FIRST_ROWS, max_rows) if lists else max_rows
    while batch := fetch(size):
        if lists:
            elements = max(1, _count_elements(batch, lists))
            size = max(1, min(max_rows, size * GROWTH, MAX_ELEMENTS * len(batch) // elements))
        yield batch


def split_rows(rows: Iterable[Row], max_rows: int, lists: Sequence[int] = ()) -> Iterator[list[Row]]:
    """Rows in batches."""
    if not lists:
        iterator = iter(rows)
        yield from iter(lambda: list(islice(iterator, max_rows)), [])
        return
    batch, elements = list[Row](), 0
    for row in rows:
        batch.append(row)
        elements += _count_elements((row,), lists)
        if len(batch) >= max_rows or elements >= MAX_ELEMENTS:
            yield batch
            batch, elements = [], 0
    if batch:
        yield batch


def _count_elements(rows: Iterable[Sequence[Any]], lists: Sequence[int]) -> int:
    return sum(len(row[position]) for row in rows for position in lists if row[position] is not None)
