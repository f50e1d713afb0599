"""Column types of given rows: declared or inferred, and checks of values against them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.scenario.format import parse_time
from trialrun.values import timestamp

NOT_FINITE = ("NaN", "Infinity", "-Infinity")
INT64 = range(-(2**63), 2**63)
TYPE_DESCRIPTIONS = {
    "BOOL": "true or false",
    "INT64": "a 64-bit integer",
    "DOUBLE": "a number",
    "STRING": "a text",
    "BYTES": "bytes in base64",
    "TIMESTAMP": "an RFC 3339 time",
}


def infer_column(name: str, values: Iterable[Any]) -> Column:
    """The column that values make without being declared: text where all are null. Raises ValueError for a mixture."""
    present = [value for value in values if value is not None]
    lists = [value for value in present if isinstance(value, list)]
    if lists and len(lists) < len(present):
        raise ValueError(f'the column "{name}" has lists and single values; declare its type in `columns`')
    single = [item for value in lists for item in value if item is not None] if lists else present
    fitting = (
        type_name
        for type_name in ("BOOL", "INT64", "DOUBLE", "TIMESTAMP", "STRING")
        if all(_is_of_type(value, type_name) for value in single)
    )
    kind: Any = next(fitting, None) if single else "STRING"
    if kind is None:
        raise ValueError(f'the column "{name}" has values of several types; declare its type in `columns`')
    return Column(name, kind, bool(lists), f"{kind}", False)


def describe_misfit(value: Any, column: Column) -> str | None:
    """What a column takes instead of a value; None if the value is one of the column's, or null."""
    if value is None or column.type == "UNSUPPORTED":
        return None
    if column.repeated:
        fits = isinstance(value, list) and all(item is None or _is_of_type(item, column.type) for item in value)
        return None if fits else f"a list, each item {TYPE_DESCRIPTIONS[column.type]}"
    return None if _is_of_type(value, column.type) else TYPE_DESCRIPTIONS[column.type]


def convert_value(value: Any, column: Column) -> Any:
    """A value that fits a column as the engine takes it: times in UTC without an offset, bytes, numbers."""
    if isinstance(value, list) and column.repeated:
        return [_convert_scalar(item, column.type) for item in value]
    return _convert_scalar(value, column.type)


def _convert_scalar(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    match kind:
        case "TIMESTAMP":
            return parse_time(value).replace(tzinfo=None)
        case "BYTES":
            return base64.b64decode(value)
        case "DOUBLE":
            return float(value)
    return value


def _is_of_type(value: Any, kind: Type | str) -> bool:
    match kind:
        case "BOOL":
            return isinstance(value, bool)
        case "INT64":
            return isinstance(value, int) and not isinstance(value, bool) and value in INT64
        case "DOUBLE":
            return value in NOT_FINITE if isinstance(value, str) else _is_number(value)
        case "TIMESTAMP":
            return isinstance(value, str) and not timestamp.check(value)
        case "BYTES":
            return isinstance(value, str) and _is_base64(value)
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        float(value)
    except OverflowError:  # an integer beyond all floats
        return False
    return True


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
