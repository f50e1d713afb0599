"""Given rows as sources: tables in texts, with types for their columns, written to a temporary folder."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.column import Column, Type, declared_columns
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario.environment import ScenarioError
from trialrun.runtime.scenario.format import format_value, parse_time
from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.scenario import GivenSource, Scenario


CELLS = re.compile(r"(?<!\\)\|")
RULE_CELL = re.compile(r":?-+:?")
INTEGER = re.compile(r"[-+]?[0-9]+")
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
LITERALS: dict[str, Any] = {"null": None, "~": None, "true": True, "false": False}
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
    return [
        _parse_row(names, cells, number, texts) for number, cells in others if not all(map(RULE_CELL.fullmatch, cells))
    ]


def _split_cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    parts = CELLS.split(bare)
    if not parts[-1].strip() and len(parts) > 1:
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _parse_row(names: list[str], cells: list[str], number: int, texts: Collection[str]) -> dict[str, Any]:
    if len(cells) != len(names):
        cell = "cell" if len(cells) == 1 else "cells"
        difference = f"line {number} of the table has {len(cells)} {cell} and its first line {len(names)}"
        raise ValueError(f"{difference}; write one for each")
    return {name: _parse_value(cell, text=name in texts) for name, cell in zip(names, cells, strict=True)}


def _parse_value(cell: str, *, text: bool) -> Any:
    if not cell or cell.lower() == "null":
        return None
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return _parse_quoted(cell)
    if text:
        return cell
    if cell[0] == "[" and cell[-1] == "]":
        return _parse_list(cell)
    return _parse_scalar(cell)


def _parse_scalar(cell: str) -> Any:
    word = cell.lower()
    if word in LITERALS:
        return LITERALS[word]
    if INTEGER.fullmatch(cell):
        return int(cell)
    if NUMBER.fullmatch(cell):
        return float(cell)
    return NOT_FINITE.get(word, cell)


def _parse_list(cell: str) -> list[Any]:
    inside = cell[1:-1].strip()
    try:
        items = json.loads(cell)
    except ValueError:
        return [_parse_value(item.strip(), text=False) for item in inside.split(",")]
    return list(items)


def _parse_quoted(cell: str) -> str:
    try:
        return str(json.loads(cell))
    except ValueError:
        return cell[1:-1]


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
            return value in NOT_FINITE.values() if isinstance(value, str) else _is_number(value)
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
    _require_use(given, catalog)
    workspace = catalog.source(given.uri or "")
    declared = _declared_columns(given, workspace)
    rows = _rows(given, declared)
    columns = _columns(given, declared, rows, _embeddings(catalog))
    _require_types(given, columns, rows)
    try:
        make_table(
            file,
            TABLE_NAME,
            columns,
            ([convert_value(row.get(column.name), column) for column in columns] for row in rows),
        )
    except CannotMake as error:
        raise ScenarioError(given.location("uri"), str(error)) from error
    return _source(given, scenario, columns, _timestamp_column(given, workspace), file)


def _require_use(given: GivenSource, catalog: Catalog) -> None:
    """Rows that nothing reads are a slip in the uri."""
    uris = list(_uris(catalog))
    if given.uri not in uris:
        near = did_you_mean(given.uri or "", uris)
        raise ScenarioError(given.location("uri"), f'no view and no feature group reads "{given.uri}"{near}')


def _uris(catalog: Catalog) -> Iterator[str]:
    for view in catalog.views:
        for source in (view.node.warehouseSource, view.node.ragSource):
            if source and source.uri:
                yield source.uri
    yield from (group.node.uri for group in catalog.groups if group.node.uri)


def _declared_columns(given: GivenSource, workspace: DeclaredResource[Source] | None) -> dict[str, Column]:
    own_source = _source_node({"columns": [column.model_dump(exclude_none=True) for column in given.columns or ()]})
    columns = (*(declared_columns(workspace.node) if workspace else ()), *declared_columns(own_source))
    return {column.name: column for column in columns}


def _rows(given: GivenSource, declared: dict[str, Column]) -> list[Row]:
    if given.table is None:
        return given.rows or []
    texts = {name for name, column in declared.items() if column.type in ("STRING", "BYTES") and not column.repeated}
    try:
        return parse_rows(given.table, texts=texts)
    except ValueError as error:
        raise ScenarioError(given.location("table"), str(error)) from error


def _embeddings(catalog: Catalog) -> set[str]:
    """The embedding columns of the views."""
    configs = (view.node.indexConfig or view.node.vectorSearchConfig for view in catalog.views)
    return {config.embeddingColumn for config in configs if config and config.embeddingColumn}


def _columns(
    given: GivenSource, declared: dict[str, Column], rows: Sequence[Row], embeddings: Collection[str]
) -> list[Column]:
    """All declared columns, then those that only the rows have: of these, `[1, 0]` in an embedding is of floats."""
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in declared]
    try:
        inferred = [infer_column(name, (row.get(name) for row in rows)) for name in names]
    except ValueError as error:
        raise ScenarioError(given.location("uri"), str(error)) from error
    columns = [
        *declared.values(),
        *(_as_floats(column) if column.name in embeddings else column for column in inferred),
    ]
    if not columns:
        raise ScenarioError(given.location("uri"), "the columns are unknown without rows; declare them in `columns`")
    return columns


def _as_floats(column: Column) -> Column:
    """A list of whole numbers as one of floats; any other column as it is."""
    is_whole = column.type == "INT64" and column.repeated
    return replace(column, type="DOUBLE", source_type="DOUBLE") if is_whole else column


def _require_types(given: GivenSource, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    for number, row in enumerate(rows):
        for column in columns:
            expected = describe_misfit(row.get(column.name), column)
            if expected:
                location = (
                    given.location("rows", number, column.name) if given.rows is not None else given.location("table")
                )
                actual = format_value(row[column.name])
                subject = f'"{column.name}" in row {number + 1} is {actual}'
                raise ScenarioError(location, f"{subject}, and the column is {column.type_text}; write {expected}")


def _timestamp_column(given: GivenSource, workspace: DeclaredResource[Source] | None) -> str | None:
    return given.timestampColumn or (workspace.node.timestampColumn if workspace else None)


def _source(
    given: GivenSource,
    scenario: DeclaredResource[Scenario],
    columns: Sequence[Column],
    timestamp_column: str | None,
    file: str,
) -> DeclaredResource[Source]:
    value: dict[str, Any] = {
        "kind": "Source",
        "uri": given.uri,
        "database": os.path.basename(file),
        "table": TABLE_NAME,
        "columns": [_column(column) for column in columns],
    }
    if timestamp_column:
        value["timestampColumn"] = timestamp_column
    location = SymbolicLocation(given, ("uri",))

    def locate(place: SymbolicLocation) -> Range:
        return scenario.locate(location)

    return DeclaredResource(_source_node(value), scenario.path, os.path.dirname(file), scenario.document, locate)


def _source_node(value: dict[str, Any]) -> Any:
    from trialrun.model.companion import Source

    return validate(value, Source).node


def _column(column: Column) -> dict[str, Any]:
    mode = "REPEATED" if column.repeated else "REQUIRED" if column.required else "NULLABLE"
    return {
        "name": column.name,
        "type": column.type if column.type != "UNSUPPORTED" else column.source_type,
        "mode": mode,
    }
