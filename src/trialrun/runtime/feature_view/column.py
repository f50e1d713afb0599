"""Columns of a table and their types, in the words of the specification: a type and whether it is REPEATED."""

from __future__ import annotations

from typing import Literal

from trialrun.record import dataclass

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
    written: str = ""
    required: bool = False

    @property
    def shown(self) -> str:
        """The type in words for a message: `STRING`, `DOUBLE REPEATED`, or the table's own where it is unsupported."""
        word = self.written if self.type == "UNSUPPORTED" else self.type
        return f"{word} REPEATED" if self.repeated and self.type != "UNSUPPORTED" else word
