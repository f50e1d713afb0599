"""Given rows as sources of the runtime: a typed table in a temporary folder, which is read like any other."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Range
from trialrun.model.validate import fit
from trialrun.runtime.declaration import Catalog, Declared
from trialrun.runtime.feature_view.source.declared_columns import declared_columns
from trialrun.runtime.feature_view.source.write_table import CannotMake, make_table
from trialrun.runtime.scenario.column_types import inferred, misfit, read
from trialrun.runtime.scenario.events import CannotPlay
from trialrun.runtime.scenario.format import did_you_mean, value_text
from trialrun.runtime.scenario.table_syntax import rows_of

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.scenario import GivenSource, Scenario
    from trialrun.runtime.feature_view.column import Column

Row = dict[str, Any]
TABLE = "rows"


def with_given(scenario: Declared[Scenario], catalog: Catalog, folder: str) -> Catalog:
    """The catalog with the given sources before those of the workspace. Raises CannotPlay."""
    given = (scenario.node.given.sources if scenario.node.given else None) or ()
    uris = [one.uri for one in given]
    for number, one in enumerate(given):
        if one.uri in uris[:number]:
            raise CannotPlay(one.at("uri"), f'the rows of "{one.uri}" are given twice; put them together')
    sources = [
        _declared(one, scenario, catalog, os.path.join(folder, f"given-{number}.duckdb"))
        for number, one in enumerate(given)
    ]
    return replace(catalog, sources=[*sources, *catalog.sources])


def _declared(given: GivenSource, scenario: Declared[Scenario], catalog: Catalog, file: str) -> Declared[Source]:
    _require_use(given, catalog)
    workspace = catalog.source(given.uri or "")
    declared = _declared_by(given, workspace)
    rows = _rows(given, declared)
    columns = _columns(given, declared, rows, _embeddings(catalog))
    _require_types(given, columns, rows)
    try:
        make_table(file, TABLE, columns, ([read(row.get(one.name), one) for one in columns] for row in rows))
    except CannotMake as error:
        raise CannotPlay(given.at("uri"), str(error)) from error
    return _source(given, scenario, columns, _moment(given, workspace), file)


def _require_use(given: GivenSource, catalog: Catalog) -> None:
    """Rows that nothing reads are a slip in the uri."""
    uris = list(_uris(catalog))
    if given.uri not in uris:
        near = did_you_mean(given.uri or "", uris)
        raise CannotPlay(given.at("uri"), f'no view and no feature group reads "{given.uri}"{near}')


def _uris(catalog: Catalog) -> Iterator[str]:
    for view in catalog.views:
        for source in (view.node.warehouseSource, view.node.ragSource):
            if source and source.uri:
                yield source.uri
    yield from (group.node.uri for group in catalog.groups if group.node.uri)


def _declared_by(given: GivenSource, workspace: Declared[Source] | None) -> dict[str, Column]:
    own = _source_node({"columns": [one.model_dump(exclude_none=True) for one in given.columns or ()]})
    known = (*(declared_columns(workspace.node) if workspace else ()), *declared_columns(own))
    return {column.name: column for column in known}


def _rows(given: GivenSource, declared: dict[str, Column]) -> list[Row]:
    if given.table is None:
        return given.rows or []
    texts = {name for name, column in declared.items() if column.type in ("STRING", "BYTES") and not column.repeated}
    try:
        return rows_of(given.table, texts=texts)
    except ValueError as error:
        raise CannotPlay(given.at("table"), str(error)) from error


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
        found = [inferred(name, (row.get(name) for row in rows)) for name in names]
    except ValueError as error:
        raise CannotPlay(given.at("uri"), str(error)) from error
    columns = [*declared.values(), *(_of_floats(column) if column.name in embeddings else column for column in found)]
    if not columns:
        raise CannotPlay(given.at("uri"), "without rows nothing tells the columns; declare them in `columns`")
    return columns


def _of_floats(column: Column) -> Column:
    """A list of whole numbers as one of floats; any other column as it is."""
    is_whole = column.type == "INT64" and column.repeated
    return replace(column, type="DOUBLE", written="DOUBLE") if is_whole else column


def _require_types(given: GivenSource, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    for number, row in enumerate(rows):
        for column in columns:
            wanted = misfit(row.get(column.name), column)
            if wanted:
                where = given.at("rows", number, column.name) if given.rows is not None else given.at("table")
                got = value_text(row[column.name])
                what = f'"{column.name}" in row {number + 1} is {got}'
                raise CannotPlay(where, f"{what}, and the column is {column.shown}; write {wanted}")


def _moment(given: GivenSource, workspace: Declared[Source] | None) -> str | None:
    return given.timestampColumn or (workspace.node.timestampColumn if workspace else None)


def _source(
    given: GivenSource, scenario: Declared[Scenario], columns: Sequence[Column], moment: str | None, file: str
) -> Declared[Source]:
    value: dict[str, Any] = {
        "kind": "Source",
        "uri": given.uri,
        "database": os.path.basename(file),
        "table": TABLE,
        "columns": [_column(one) for one in columns],
    }
    if moment:
        value["timestampColumn"] = moment
    here = Place(given, ("uri",))

    def locate(place: Place) -> Range:
        return scenario.locate(here)

    return Declared(_source_node(value), scenario.path, os.path.dirname(file), scenario.document, locate)


def _source_node(value: dict[str, Any]) -> Any:
    from trialrun.model.companion import Source

    return fit(value, Source).node


def _column(column: Column) -> dict[str, Any]:
    mode = "REPEATED" if column.repeated else "REQUIRED" if column.required else "NULLABLE"
    return {"name": column.name, "type": column.type if column.type != "UNSUPPORTED" else column.written, "mode": mode}
