"""Data files of a table that have the same columns, and how these are those of the table.

A column has an id, which its name, its place and its type do not change; files keep what they were written with. So
each group of like files is read by its own names, and ids say which columns of the table these are.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.iceberg.metadata_file import IcebergField
from trialrun.runtime.feature_view.source.iceberg.table import DataFile, IcebergTable
from trialrun.runtime.feature_view.source.interface import quote_identifier, sql_literal
from trialrun.runtime.feature_view.source.location import Unreadable

AllRows = Callable[[str], list[tuple[Any, ...]]]
MAX_GROUPS = 500
"""Groups of files that one statement reads."""
UUID_TEXT = "lower(hex({0}))"


@dataclass(frozen=True, slots=True)
class FileColumn:
    """Where the values of a column of the table are in a group: in the column `name` of type `stored`, or `value`."""

    field: IcebergField
    name: str | None = None
    stored: str = ""
    value: Any = None


@dataclass(frozen=True)
class FileGroup:
    """Files with the same columns, and where they have those of the table."""

    files: tuple[str, ...]
    columns: tuple[FileColumn, ...]


@dataclass(frozen=True, slots=True)
class _StoredColumn:
    name: str
    id: int | None
    type: str


def file_groups(table: IcebergTable, all_rows: AllRows) -> tuple[FileGroup, ...]:
    """The files of a table in groups; `all_rows` runs a statement of DuckDB. Raises Unreadable."""
    by_path = {file.path: file for file in table.files}
    groups: dict[tuple[FileColumn, ...], list[str]] = {}
    for stored, paths in _stored_columns(list(by_path), all_rows):
        columns = _by_id(stored, table)
        for path in paths:
            groups.setdefault(tuple(_file_columns(table, by_path[path], columns)), []).append(path)
            if len(groups) > MAX_GROUPS:
                raise Unreadable(
                    f"the data files of the table have columns of more than {MAX_GROUPS} kinds; rewrite its data files"
                )
    in_order = sorted((tuple(sorted(paths)), columns) for columns, paths in groups.items()) if groups else []
    return tuple(FileGroup(paths, columns) for paths, columns in in_order)


def relation_of(table: IcebergTable, groups: Sequence[FileGroup]) -> str:
    """The rows of a table as DuckDB reads them."""
    texts = [_select(group) for group in groups]
    if not texts:
        empty = ", ".join(f"CAST(NULL AS {field.type}) AS {quote_identifier(field.name)}" for field in table.fields)
        texts = [f"SELECT {empty} WHERE false"]
    return f"({' UNION ALL '.join(texts)})"


def _stored_columns(paths: Sequence[str], all_rows: AllRows) -> Iterator[tuple[list[_StoredColumn], list[str]]]:
    """The columns of files as their footers have them, and the files that have the same."""
    if not paths:
        return
    listed = f"[{', '.join(sql_literal(glob.escape(path)) for path in paths)}]"
    rows = all_rows(
        "SELECT elements, list(file_name) FROM (SELECT file_name, list({'name': name, 'id': field_id, "
        "'type': duckdb_type, 'children': COALESCE(num_children, 0)} ORDER BY column_id) AS elements "
        f"FROM parquet_schema({listed}) GROUP BY file_name) AS footers GROUP BY elements"
    )
    for elements, files in rows:
        yield list(_top_level(elements)), files


def _top_level(elements: Sequence[dict[str, Any]]) -> Iterator[_StoredColumn]:
    """The columns below the root, each before the parts that it has."""
    place = 1
    while place < len(elements):
        element = elements[place]
        yield _StoredColumn(element["name"], element["id"], element["type"])
        pending = 1
        while pending and place < len(elements):
            pending += elements[place]["children"] - 1
            place += 1


def _by_id(stored: Sequence[_StoredColumn], table: IcebergTable) -> dict[int, _StoredColumn]:
    """The columns of a file by their ids; those of files without ids by their names. Raises Unreadable."""
    names: dict[str, str] = {}
    for column in stored:
        if names.setdefault(column.name.casefold(), column.name) != column.name:
            raise Unreadable(f'a data file has columns that differ from "{column.name}" in capitals alone; rewrite it')
    ids = {column.name: column.id for column in stored}
    if all(id is None for id in ids.values()):
        if table.ids_by_name is None:
            raise Unreadable("a data file has no ids of columns; set schema.name-mapping.default of the table")
        ids = {name: table.ids_by_name.get(name) for name in ids}
    found: dict[int, _StoredColumn] = {}
    for column in stored:
        id = ids[column.name]
        if id is not None and found.setdefault(id, column) is not column:
            raise Unreadable(f'a data file has the column id {id} twice, of "{column.name}" as well; rewrite it')
    return found


def _file_columns(table: IcebergTable, file: DataFile, stored: dict[int, _StoredColumn]) -> Iterator[FileColumn]:
    """Where a file has each column of the table: in itself, in its partition, or nowhere. Raises Unreadable."""
    constants = dict(file.constants)
    for field in table.fields:
        column = stored.get(field.id)
        if not field.is_served:
            yield FileColumn(field)
        elif column is not None:
            if not field.fits(column.type):
                raise Unreadable(
                    f'column "{field.name}" is {field.type} in the table, and {column.type} in a data file; rewrite it'
                )
            yield FileColumn(field, column.name, column.type)
        else:
            yield _absent_column(field, constants)


def _absent_column(field: IcebergField, constants: dict[int, Any]) -> FileColumn:
    value = constants.get(field.id)
    value = field.default if value is None else value
    if value is None and field.required and field.id not in constants:
        raise Unreadable(f'a data file has no column "{field.name}", which the table requires; rewrite it')
    expected = {"VARCHAR": str, "BOOLEAN": bool, "INTEGER": int, "BIGINT": int}.get(field.type)
    if value is not None and (expected is None or type(value) is not expected):
        raise Unreadable(
            f'column "{field.name}" is {field.type}, and not in a data file itself; rewrite the data files with it'
        )
    return FileColumn(field, value=value)


def _select(group: FileGroup) -> str:
    select_list = ", ".join(
        f"{_expression(column)} AS {quote_identifier(column.field.name)}" for column in group.columns
    )
    files = ", ".join(sql_literal(glob.escape(path)) for path in group.files)
    return f"SELECT {select_list} FROM read_parquet([{files}], hive_partitioning = false)"


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
