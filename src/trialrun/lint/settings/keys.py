"""What is known of a key of the settings: the types of its value, its format, its limits, its default."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

ValueType = Literal["text", "number", "date", "texts", "table", "tables", "map"]
TYPE_NAMES: dict[str, str] = {
    "text": "a text",
    "number": "a number",
    "date": "a date",
    "texts": "a list of texts",
    "table": "a table",
    "tables": "a list of tables; write [[{key}]]",
    "map": "a table",
}


class Key(NamedTuple):
    """A key of a table: `table` is the table it holds, `key_format` the format of the keys of a map."""

    types: tuple[ValueType, ...]
    format: str = ""
    choices: tuple[str, ...] = ()
    key_format: str = ""
    table: str = ""
    at_least: int | None = None
    at_most: int | None = None
    is_required: bool = False
    default: Any = None
