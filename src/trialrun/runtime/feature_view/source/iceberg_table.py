"""A snapshot of a table of Iceberg on this machine: its columns, and its Parquet files as DuckDB reads them.

pyiceberg parses the metadata; it opens no file, and its own settings, which it would also read from the working
directory, are left out. What cannot be read exactly is refused by name.

A column has an id, which its name, its place and its type do not change; files keep what they were written with. So
each group of like files is read by its own names, and ids say which columns of the table these are.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trialrun.extras import missing_libraries
from trialrun.guarded_path import allowed_folders
from trialrun.runtime.feature_view.source.iceberg_metadata import TableFiles, metadata_file, refuse_damage
from trialrun.runtime.feature_view.source.interface import quote_identifier, sql_literal
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot
    from pyiceberg.types import IcebergType, NestedField

    from trialrun.runtime.feature_view.source.iceberg_manifests import DataFile

NAME_MAPPING = "schema.name-mapping.default"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_GROUPS = 500
"""Groups of files that one statement reads."""
UUID_TEXT = "lower(hex({0}))"
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
    """A column of a table: its id, its name, its type as DuckDB writes it, and the value where a file has none."""

    id: int
    name: str
    type: str
    required: bool
    default: Any = None

    @property
    def is_served(self) -> bool:
        """Whether a feature can have values of this type; those of others are never read."""
        return self.type.removesuffix("[]") in SERVED.values()

    def fits(self, stored: str) -> bool:
        """Whether a column of a data file has the values of this one, by its type there."""
        inside, repeated = self.type.removesuffix("[]"), self.type.endswith("[]")
        if repeated != stored.endswith("[]"):
            return False
        return stored.removesuffix("[]") in FITTING.get(inside, {inside})


@dataclass(frozen=True)
class IcebergTable:
    """A snapshot of a table: its columns, its files in the order of their paths, and the ids of columns by name.

    The names are for files that have no ids of columns; None where the table has no such mapping.
    """

    fields: tuple[IcebergField, ...]
    files: tuple[DataFile, ...]
    ids_by_name: Mapping[str, int] | None

    @property
    def row_count(self) -> int:
        """How many rows it has."""
        return sum(file.row_count for file in self.files)

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(file.size for file in self.files)

    def integer_span(self, name: str) -> float | None:
        """How many whole numbers lie between the least and the greatest of a column, None where nothing says so."""
        column = next((column for column in self.fields if column.name == name), None)
        if column is None or column.type not in ("INTEGER", "BIGINT") or not self.files:
            return None
        bounds = [file.bounds.get(column.id) for file in self.files]
        known = [tuple(int.from_bytes(end, "little", signed=True) for end in ends) for ends in bounds if ends]
        if len(known) < len(bounds):
            return None
        return float(max(most for _, most in known) - min(least for least, _ in known) + 1)

    def never_null(self) -> frozenset[str]:
        """The columns without a null in any file."""
        common = frozenset[int].intersection(*(file.never_null for file in self.files)) if self.files else frozenset()
        return frozenset(field.name for field in self.fields if field.id in common)


def read_table(place: TableLocation) -> IcebergTable:
    """The snapshot of a table that was current at the moment of the place, or now. Raises Unreadable."""
    file = metadata_file(place)
    try:
        status = os.stat(file)
    except OSError as error:
        raise Unreadable(f'"{place.files}" cannot be read: {error.strerror}') from error
    return _read_table(place, file, allowed_folders(), (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=4)
def _read_table(place: TableLocation, file: str, allowed: tuple[str, ...], state: tuple[int, int]) -> IcebergTable:
    """The table of a file, which never changes: a plan opens its sources several times."""
    import_pyiceberg()
    from pyiceberg.table.metadata import TableMetadataUtil

    from trialrun.runtime.feature_view.source.iceberg_manifests import read_data_files

    name, files = os.path.basename(file), TableFiles(place, file)
    data = files.read(name, file)
    with refuse_damage(name):
        metadata = TableMetadataUtil.parse_raw(data.decode())
        snapshot = _snapshot_at(metadata, place.as_of)
        fields = _fields(metadata, snapshot)
        ids_by_name = _ids_by_name(metadata.properties)
        files.location = metadata.location
    listed = [] if snapshot is None else read_data_files(metadata, snapshot, files)
    data_files = tuple(sorted(listed, key=lambda data_file: data_file.path))
    for one, following in pairwise(data_files):
        if one.path == following.path:
            raise Unreadable(f'the table lists the data file "{os.path.basename(one.path)}" twice; rewrite it')
    return IcebergTable(fields, data_files, ids_by_name)


def import_pyiceberg() -> None:
    """Import pyiceberg, which would read `.pyiceberg.yaml` of the working directory meanwhile. Raises Unreadable."""
    if missing := missing_libraries("a table of Iceberg", "iceberg", "pyiceberg"):
        raise Unreadable(missing)
    from pyiceberg.utils.config import Config

    original = Config.__dict__["_from_configuration_files"]
    try:
        Config._from_configuration_files = staticmethod(dict)
        import pyiceberg.manifest
        import pyiceberg.table.metadata  # noqa: F401
    finally:
        Config._from_configuration_files = original


def _snapshot_at(metadata: TableMetadata, moment: datetime | None) -> Snapshot | None:
    """The snapshot that was current at a moment, now if that is None; None for a table without any."""
    current = metadata.current_snapshot()
    if current is None and metadata.current_snapshot_id is not None:
        raise Unreadable(f"the table has no snapshot {metadata.current_snapshot_id}, which is current; copy it again")
    if current is None or moment is None:
        return current
    most = (moment - EPOCH) // timedelta(milliseconds=1)
    log = [(entry.timestamp_ms, entry.snapshot_id) for entry in metadata.snapshot_log]
    log = log or [(ancestor.timestamp_ms, ancestor.snapshot_id) for ancestor in _ancestors(metadata, current)]
    earlier = [entry for entry in log if entry[0] <= most]
    if not earlier:
        first = EPOCH + timedelta(milliseconds=min(at for at, _ in log))
        wanted, earliest = format_timestamp(moment), format_timestamp(first)
        raise Unreadable(f"the table has no snapshot of {wanted}, its first is of {earliest}; take a later time")
    at, id = max(reversed(earlier), key=lambda entry: entry[0])
    snapshot = metadata.snapshot_by_id(id)
    if snapshot is None:
        then = EPOCH + timedelta(milliseconds=at)
        raise Unreadable(f"the snapshot of {format_timestamp(then)} was expired from the table; take a later time")
    return snapshot


def _ancestors(metadata: TableMetadata, snapshot: Snapshot) -> Iterator[Snapshot]:
    """A snapshot and those that it was made from, the oldest first; metadata may lead in a circle."""
    chain: dict[int, Snapshot] = {}
    here: Snapshot | None = snapshot
    while here is not None and here.snapshot_id not in chain:
        chain[here.snapshot_id] = here
        here = metadata.snapshot_by_id(here.parent_snapshot_id) if here.parent_snapshot_id is not None else None
    return reversed(chain.values())


def _fields(metadata: TableMetadata, snapshot: Snapshot | None) -> tuple[IcebergField, ...]:
    is_current = snapshot is None or snapshot.snapshot_id == metadata.current_snapshot_id
    schema = metadata.schema()
    if snapshot is not None and not is_current and snapshot.schema_id is not None:
        schema = next(other for other in metadata.schemas if other.schema_id == snapshot.schema_id)
    fields = tuple(map(iceberg_field, schema.fields))
    names: dict[str, str] = {}
    for field in fields:
        if (earlier := names.setdefault(field.name.casefold(), field.name)) != field.name:
            raise Unreadable(f'the columns "{earlier}" and "{field.name}" differ in capitals alone; rename one')
    if not fields:
        raise Unreadable("the table has no columns; add some")
    return fields


def _ids_by_name(properties: Mapping[str, str]) -> Mapping[str, int] | None:
    if NAME_MAPPING not in properties:
        return None
    fields = json.loads(properties[NAME_MAPPING])
    return {str(name): int(field["field-id"]) for field in fields if "field-id" in field for name in field["names"]}


def iceberg_field(field: NestedField) -> IcebergField:
    """A column of a schema."""
    default = getattr(field, "initial_default", None)
    if default is not None and not isinstance(default, (str, int)):
        default = (str(default),)
    return IcebergField(field.field_id, field.name, _type_text(field.field_type), field.required, default)


def _type_text(type: IcebergType, depth: int = 0) -> str:
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
    written = str(type)
    if written.startswith("fixed["):
        return "BLOB"
    if decimal := DECIMAL.fullmatch(written):
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    return SERVED.get(written) or OTHERS.get(written) or f"STRUCT({quote_identifier(written)} VARCHAR)"


Stored = Mapping[int, tuple[str, str]]
"""The columns of a file by their ids: the name and the type that each has there."""


@dataclass(frozen=True, slots=True)
class FileColumn:
    """Where the values of a column of the table are in a group: in the column `name` of type `stored`, or `value`."""

    field: IcebergField
    name: str | None = None
    stored: str = ""
    value: Any = None


FileGroup = tuple[tuple[str, ...], tuple[FileColumn, ...]]
"""The paths of files with the same columns, and where they have those of the table."""


def file_groups(table: IcebergTable, all_rows: Callable[[str], list[tuple[Any, ...]]]) -> list[FileGroup]:
    """The files of a table in groups; `all_rows` runs a statement of DuckDB. Raises Unreadable."""
    by_path = {file.path: file for file in table.files}
    if not by_path:
        return []
    listed = f"[{', '.join(sql_literal(glob.escape(path)) for path in by_path)}]"
    rows = all_rows(
        "SELECT elements, list(file_name) FROM (SELECT file_name, list({'name': name, 'id': field_id, "
        "'type': duckdb_type, 'children': COALESCE(num_children, 0)} ORDER BY column_id) AS elements "
        f"FROM parquet_schema({listed}) GROUP BY file_name) AS footers GROUP BY elements"
    )
    groups: dict[tuple[FileColumn, ...], list[str]] = {}
    for elements, paths in rows:
        stored = _by_id(list(top_level_columns(elements)), table)
        for path in paths:
            groups.setdefault(tuple(_file_columns(table, by_path[path], stored)), []).append(path)
            if len(groups) > MAX_GROUPS:
                raise Unreadable(
                    f"the data files of the table have columns of more than {MAX_GROUPS} kinds; rewrite its data files"
                )
    return sorted(((tuple(sorted(paths)), columns) for columns, paths in groups.items()), key=lambda group: group[0])


def top_level_columns(elements: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int | None, str]]:
    """Name, id and type of the columns below the root, each of which stands before the parts that it has."""
    place = 1
    while place < len(elements):
        element = elements[place]
        yield element["name"], element["id"], element["type"]
        pending = 1
        while pending and place < len(elements):
            pending += elements[place]["children"] - 1
            place += 1


def _by_id(columns: Sequence[tuple[str, int | None, str]], table: IcebergTable) -> Stored:
    """The columns of a file by their ids; those of files without ids by their names. Raises Unreadable."""
    names: dict[str, str] = {}
    for name, _, _ in columns:
        if names.setdefault(name.casefold(), name) != name:
            raise Unreadable(f'a data file has columns that differ from "{name}" in capitals alone; rewrite it')
    ids = {name: id for name, id, _ in columns}
    if all(id is None for id in ids.values()):
        if table.ids_by_name is None:
            raise Unreadable("a data file has no ids of columns; set schema.name-mapping.default of the table")
        ids = {name: table.ids_by_name.get(name) for name in ids}
    found: dict[int, tuple[str, str]] = {}
    for name, _, type in columns:
        id = ids[name]
        if id in found:
            raise Unreadable(f'a data file has the column id {id} twice, of "{name}" as well; rewrite it')
        if id is not None:
            found[id] = (name, type)
    return found


def _file_columns(table: IcebergTable, file: DataFile, stored: Stored) -> Iterator[FileColumn]:
    """Where a file has each column of the table: in itself, in its partition, or nowhere. Raises Unreadable."""
    constants = dict(file.constants)
    for field in table.fields:
        if not field.is_served:
            yield FileColumn(field)
            continue
        if field.id in stored:
            name, written = stored[field.id]
            if not field.fits(written):
                raise Unreadable(
                    f'column "{field.name}" is {field.type} in the table, and {written} in a data file; rewrite it'
                )
            yield FileColumn(field, name, written)
            continue
        value = constants.get(field.id)
        value = field.default if value is None else value
        if value is None and field.required and field.id not in constants:
            raise Unreadable(f'a data file has no column "{field.name}", which the table requires; rewrite it')
        expected = {"VARCHAR": str, "BOOLEAN": bool, "INTEGER": int, "BIGINT": int}.get(field.type)
        if value is not None and type(value) is not expected:
            raise Unreadable(
                f'column "{field.name}" is {field.type}, and not in a data file itself; rewrite the data files with it'
            )
        yield FileColumn(field, value=value)


def relation_of(table: IcebergTable, groups: Sequence[FileGroup]) -> str:
    """The rows of a table as DuckDB reads them."""
    texts = []
    for paths, columns in groups:
        select_list = ", ".join(f"{_expression(it)} AS {quote_identifier(it.field.name)}" for it in columns)
        files = ", ".join(sql_literal(glob.escape(path)) for path in paths)
        texts.append(f"SELECT {select_list} FROM read_parquet([{files}], hive_partitioning = false)")
    if not texts:
        empty = ", ".join(f"CAST(NULL AS {field.type}) AS {quote_identifier(field.name)}" for field in table.fields)
        texts = [f"SELECT {empty} WHERE false"]
    return f"({' UNION ALL '.join(texts)})"


def _expression(column: FileColumn) -> str:
    target = column.field.type
    if column.name is None:
        return f"CAST({literal_text(column.value)} AS {target})"
    name = quote_identifier(column.name)
    if column.stored == target:
        return name
    if column.stored == "BLOB":
        return f"CAST({UUID_TEXT.format(name)} AS UUID)"
    if column.stored == "BLOB[]":
        return f"CAST(list_transform({name}, lambda item: {UUID_TEXT.format('item')}) AS UUID[])"
    return f"CAST({name} AS {target})"


def literal_text(value: Any, quote: Callable[[str], str] = sql_literal) -> str:
    """A value as statements write it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return "NULL" if value is None else quote(value) if isinstance(value, str) else str(value)
