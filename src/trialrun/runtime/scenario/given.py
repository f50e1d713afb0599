"""Given rows as sources: tables in texts, with types for their columns, written to a temporary folder."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.model.companion import Source
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.column import Column, Type, declared_columns
from trialrun.runtime.feature_view.search import index_config
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario.environment import ScenarioError, format_value, parse_time
from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.scenario import GivenSource, Scenario

CELLS = re.compile(r"(?<!\\)\|")
RULE_CELL = re.compile(r":?-+:?")
INTEGER = re.compile(r"[-+]?[0-9]+")
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
LITERALS: dict[str, Any] = {"~": None, "true": True, "false": False}
NOT_FINITE = {"nan": "NaN", ".nan": "NaN", "infinity": "Infinity", ".inf": "Infinity", "-infinity": "-Infinity",
              "-.inf": "-Infinity"}  # fmt: skip


def parse_rows(table: str, *, texts: Collection[str] = ()) -> list[dict[str, Any]]:
    """The rows of a table; cells in columns of `texts` are texts unchanged, the others are read like YAML.

    The first line names the columns, a line of dashes is passed over, an empty cell is null. Raises ValueError.
    """
    lines = [(number, _split_cells(line)) for number, line in enumerate(table.splitlines(), start=1) if line.strip()]
    if not lines:
        raise ValueError("the table is empty; its first line names the columns")
    (_, names), *others = lines
    if "" in names or len(set(names)) < len(names):
        raise ValueError("the first line of the table has a column without a name, or one twice; name each once")
    rows: list[dict[str, Any]] = []
    for number, cells in others:
        if all(map(RULE_CELL.fullmatch, cells)):
            continue
        if len(cells) != len(names):
            cell = "cell" if len(cells) == 1 else "cells"
            difference = f"line {number} of the table has {len(cells)} {cell} and its first line {len(names)}"
            raise ValueError(f"{difference}; write one for each")
        values = zip(names, cells, strict=True)
        rows.append({name: _parse_value(value, is_text=name in texts) for name, value in values})
    return rows


def _split_cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    parts = CELLS.split(bare)
    if not parts[-1].strip() and len(parts) > 1:
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _parse_value(cell: str, *, is_text: bool = False) -> Any:
    word = cell.lower()
    if not cell or word == "null":
        return None
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        try:
            return str(json.loads(cell))
        except ValueError:
            return cell[1:-1]
    if is_text:
        return cell
    if cell[0] == "[" and cell[-1] == "]":
        try:
            return list(json.loads(cell))
        except ValueError:
            return [_parse_value(item.strip()) for item in cell[1:-1].strip().split(",")]
    if INTEGER.fullmatch(cell):
        return int(cell)
    if NUMBER.fullmatch(cell):
        return float(cell)
    return LITERALS.get(word, NOT_FINITE.get(word, cell))


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
    types = ("BOOL", "INT64", "DOUBLE", "TIMESTAMP", "STRING")
    fitting = (type_name for type_name in types if all(_is_of_type(value, type_name) for value in single))
    kind: Any = next(fitting, None) if single else "STRING"
    if kind is None:
        raise ValueError(f'the column "{name}" has values of several types; declare its type in `columns`')
    return Column(name, kind, bool(lists), f"{kind}", False)


def describe_misfit(value: Any, column: Column) -> str | None:
    """What a column takes instead of a value; None if the value is one of the column's, or null."""
    if value is None or column.type == "UNSUPPORTED":
        return None
    if not column.repeated:
        return None if _is_of_type(value, column.type) else TYPE_DESCRIPTIONS[column.type]
    fits = isinstance(value, list) and all(item is None or _is_of_type(item, column.type) for item in value)
    return None if fits else f"a list, each item {TYPE_DESCRIPTIONS[column.type]}"


def _is_of_type(value: Any, kind: Type | str) -> bool:
    match kind:
        case "BOOL":
            return isinstance(value, bool)
        case "INT64":
            return isinstance(value, int) and not isinstance(value, bool) and value in INT64
        case "DOUBLE" if isinstance(value, str):
            return value in NOT_FINITE.values()
        case "DOUBLE":
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return False
            try:
                float(value)
            except OverflowError:  # an integer beyond all floats
                return False
            return True
        case "TIMESTAMP":
            return isinstance(value, str) and not timestamp.check(value)
        case "BYTES":
            try:
                base64.b64decode(value, validate=True)
            except (TypeError, ValueError):
                return False
            return isinstance(value, str)
    return isinstance(value, str)


def convert_value(value: Any, column: Column) -> Any:
    """A value that fits a column as the engine takes it: times in UTC without an offset, bytes, numbers."""
    if isinstance(value, list) and column.repeated:
        return [convert_value(item, column) for item in value]
    if value is None:
        return None
    match column.type:
        case "TIMESTAMP":
            return parse_time(value).replace(tzinfo=None)
        case "BYTES":
            return base64.b64decode(value)
        case "DOUBLE":
            return float(value)
    return value


Row = dict[str, Any]
TABLE_NAME = "rows"


def with_given_sources(scenario: DeclaredResource[Scenario], catalog: Catalog, folder: str) -> Catalog:
    """The catalog with the given sources before those of the workspace. Raises ScenarioError."""
    given = (scenario.node.given.sources if scenario.node.given else None) or ()
    uris = [source.uri for source in given]
    for number, source in enumerate(given):
        if source.uri in uris[:number]:
            raise ScenarioError(source.location("uri"), f'the rows of "{source.uri}" are given twice; merge them')
    sources = [
        _declare_source(source, scenario, catalog, os.path.join(folder, f"given-{number}.duckdb"))
        for number, source in enumerate(given)
    ]
    return replace(catalog, sources=[*sources, *catalog.sources])


def _declare_source(
    given: GivenSource, scenario: DeclaredResource[Scenario], catalog: Catalog, file: str
) -> DeclaredResource[Source]:
    place = given.location("uri")
    sources = [source for view in catalog.views for source in (view.node.warehouseSource, view.node.ragSource)]
    uris = [part.uri for part in (*sources, *(group.node for group in catalog.groups)) if part and part.uri]
    if given.uri not in uris:  # rows that nothing reads are a slip in the uri
        near = did_you_mean(given.uri or "", uris)
        raise ScenarioError(place, f'no view and no feature group reads "{given.uri}"{near}')
    workspace = catalog.source(given.uri or "")
    own: Any = {"columns": [column.model_dump(exclude_none=True) for column in given.columns or ()]}
    nodes = (*([workspace.node] if workspace else ()), validate(own, Source).node)
    declared = {column.name: column for node in nodes for column in declared_columns(node)}
    rows = _rows(given, declared)
    columns = [*declared.values(), *_inferred_columns(given, declared, rows, catalog)]
    if not columns:
        raise ScenarioError(place, "the columns are unknown without rows; declare them in `columns`")
    _require_types(given, columns, rows)
    table = ([convert_value(row.get(column.name), column) for column in columns] for row in rows)
    try:
        make_table(file, TABLE_NAME, columns, table)
    except CannotMake as error:
        raise ScenarioError(place, str(error)) from error
    folder, file_name = os.path.split(file)
    value: dict[str, Any] = {"kind": "Source", "uri": given.uri, "database": file_name}
    value |= {"table": TABLE_NAME, "columns": [_column_value(column) for column in columns]}
    if timestamp_column := given.timestampColumn or (workspace and workspace.node.timestampColumn):
        value["timestampColumn"] = timestamp_column
    node: Any = validate(value, Source).node
    return DeclaredResource(node, scenario.path, folder, scenario.document, lambda _: scenario.locate(place))


def _rows(given: GivenSource, declared: dict[str, Column]) -> list[Row]:
    if given.table is None:
        return given.rows or []
    texts = {name for name, column in declared.items() if column.type in ("STRING", "BYTES") and not column.repeated}
    try:
        return parse_rows(given.table, texts=texts)
    except ValueError as error:
        raise ScenarioError(given.location("table"), str(error)) from error


def _inferred_columns(
    given: GivenSource, declared: Collection[str], rows: Sequence[Row], catalog: Catalog
) -> Iterator[Column]:
    """The columns that only the rows have: of these, `[1, 0]` in an embedding is of floats."""
    embeddings = {config.embeddingColumn for view in catalog.views if (config := index_config(view.node))}
    for name in dict.fromkeys(name for row in rows for name in row if name not in declared):
        try:
            column = infer_column(name, (row.get(name) for row in rows))
        except ValueError as error:
            raise ScenarioError(given.location("uri"), str(error)) from error
        is_whole = name in embeddings and column.type == "INT64" and column.repeated
        yield replace(column, type="DOUBLE", source_type="DOUBLE") if is_whole else column


def _require_types(given: GivenSource, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    for number, row in enumerate(rows):
        for column in columns:
            if expected := describe_misfit(row.get(column.name), column):
                place = ("rows", number, column.name) if given.rows is not None else ("table",)
                subject = f'"{column.name}" in row {number + 1} is {format_value(row[column.name])}'
                message = f"{subject}, and the column is {column.type_text}; write {expected}"
                raise ScenarioError(given.location(*place), message)


def _column_value(column: Column) -> dict[str, Any]:
    mode = "REPEATED" if column.repeated else "REQUIRED" if column.required else "NULLABLE"
    type_name = column.type if column.type != "UNSUPPORTED" else column.source_type
    return {"name": column.name, "type": type_name, "mode": mode}
