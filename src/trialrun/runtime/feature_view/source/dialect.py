"""SQL as engines read it: one standard text, and the few expressions that engines write differently.

The order of values is the same on every engine: numbers by their value, NaN above infinity, -0.0 equal to 0.0, texts by
code point, bytes by byte, lists, which have no nulls, element by element and above their beginnings; a null is least.
Engines compare most of them so by themselves; where one does not, its dialect says how to.
"""

from __future__ import annotations

from datetime import datetime

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """The expressions that an engine writes in its own way; `{0}` stands for an expression or a literal.

    `timestamp` is a moment in UTC without a zone, from a text such as '2026-11-22 12:00:00.000000'. `timestamp_text`
    writes one back: without a zone, and with as many digits of the second as it needs. `list_length` counts the
    elements of a list that is not null, and `list_is_finite` says whether no number in it is NaN or infinite.
    """

    timestamp: str = "TIMESTAMP {0}"
    timestamp_text: str = "CAST({0} AS VARCHAR(200))"
    list_length: str = "len({0})"
    list_is_finite: str = "(len(list_filter({0}, lambda item: NOT isfinite(CAST(item AS DOUBLE)))) = 0)"

    def literal(self, value: str | int | datetime) -> str:
        """A text, a number or a moment in UTC as a statement has it."""
        if isinstance(value, datetime):
            return self.timestamp.format(f"'{value.isoformat(' ', 'microseconds')}'")
        return sql_literal(value) if isinstance(value, str) else str(value)


STANDARD = Dialect()
"""Standard SQL with the functions of DuckDB; sqlglot reads it as its dialect `duckdb`."""


def sql_literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quote_identifier(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
