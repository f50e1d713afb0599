"""Given rows as sources: written to a typed table in a temporary folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.source.declared_columns import declared_columns
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario.column_types import convert_value, describe_misfit, infer_column
from trialrun.runtime.scenario.events import ScenarioError
from trialrun.runtime.scenario.format import format_value
from trialrun.runtime.scenario.table_syntax import parse_rows
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.scenario import GivenSource, Scenario
    from trialrun.runtime.feature_view.column import Column

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
