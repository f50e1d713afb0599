"""The types of Iceberg in the words of DuckDB, and which types of a data file hold the values of a column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.interface import quote_identifier

if TYPE_CHECKING:
    from pyiceberg.types import IcebergType, NestedField

SERVED = {
    "boolean": "BOOLEAN",
    "int": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "uuid": "UUID",
    "binary": "BLOB",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamptz_ns": "TIMESTAMPTZ_NS",
}
"""Types of values that a feature can have; `fixed[N]` is one more."""
OTHERS = {"date": "DATE", "time": "TIME"}
DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
MAX_DEPTH = 50
FITTING = {
    "INTEGER": {"INTEGER", "TINYINT", "SMALLINT"},
    "BIGINT": {"BIGINT", "INTEGER", "TINYINT", "SMALLINT"},
    "FLOAT": {"FLOAT"},
    "DOUBLE": {"DOUBLE", "FLOAT"},
    "UUID": {"UUID", "BLOB"},
}
"""The types of data files whose values are read as those of a column: its own, and those that it was widened from."""


@dataclass(frozen=True)
class IcebergField:
    """A column of a table: its id, its name, its type as DuckDB writes it, and the value where a file has none.

    `is_served` says whether a feature can have values of this type; those of others are never read.
    """

    id: int
    name: str
    type: str
    is_served: bool
    required: bool
    default: Any = None

    def fits(self, stored: str) -> bool:
        """Whether a column of a data file has the values of this one, by its type there."""
        inside, repeated = self.type.removesuffix("[]"), self.type.endswith("[]")
        if repeated != stored.endswith("[]"):
            return False
        return stored.removesuffix("[]") in FITTING.get(inside, {inside})


def iceberg_field(field: NestedField) -> IcebergField:
    """A column of a schema."""
    default = getattr(field, "initial_default", None)
    return IcebergField(
        field.field_id,
        field.name,
        _type_text(field.field_type),
        _is_served(field.field_type),
        field.required,
        default if default is None or isinstance(default, (str, int)) else (str(default),),
    )


def _is_served(type: IcebergType) -> bool:
    from pyiceberg.types import ListType

    inside = str(type.element_type if isinstance(type, ListType) else type)
    return inside in SERVED or inside.startswith("fixed[")


def _type_text(type: IcebergType, depth: int = 0) -> str:
    """A type as DuckDB writes it."""
    from pyiceberg.types import ListType, MapType, StructType

    if depth > MAX_DEPTH:
        raise ValueError(f"a type is nested more than {MAX_DEPTH} levels deep")
    match type:
        case ListType():
            return f"{_type_text(type.element_type, depth + 1)}[]"
        case MapType():
            return f"MAP({_type_text(type.key_type, depth + 1)}, {_type_text(type.value_type, depth + 1)})"
        case StructType():
            parts = (f"{quote_identifier(part.name)} {_type_text(part.field_type, depth + 1)}" for part in type.fields)
            return f"STRUCT({', '.join(parts)})"
    return _primitive_text(str(type))


def _primitive_text(written: str) -> str:
    if written.startswith("fixed["):
        return "BLOB"
    if decimal := DECIMAL.fullmatch(written):
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    return SERVED.get(written) or OTHERS.get(written) or f"STRUCT({quote_identifier(written)} VARCHAR)"
