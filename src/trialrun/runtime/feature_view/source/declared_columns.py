"""The columns that a Source declares, and what the words for types mean in its documents and in databases."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.column import Column, Type

if TYPE_CHECKING:
    from trialrun.model.companion import Source

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
