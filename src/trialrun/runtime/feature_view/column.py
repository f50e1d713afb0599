"""Columns of a table and their types, in the words of the specification: a type and whether it is REPEATED."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trialrun.lazy_dataclass import dataclass

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
