"""Tables of Iceberg as tests write them: a warehouse with a catalog in SQLite, and metadata that can be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from pyiceberg.table import Table

FOLDER = "warehouse/shop/guests"


def create_table(folder: Path, schema: Any, *, properties: Mapping[str, str] | None = None, **options: Any) -> Table:
    """An empty table at FOLDER below a folder."""
    from pyiceberg.catalog.sql import SqlCatalog

    (folder / "warehouse").mkdir()
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/warehouse/c.db", warehouse=f"file://{folder}/warehouse")
    catalog.create_namespace("shop")
    return catalog.create_table("shop.guests", schema=schema, properties=dict(properties or {}), **options)


def arrow(schema: Any, *rows: Mapping[str, Any]) -> Any:
    """Rows as Arrow has them."""
    import pyarrow

    return pyarrow.Table.from_pylist([dict(row) for row in rows], schema=schema)


def metadata_of(table: Table) -> Path:
    """The current file of metadata of a table."""
    return Path(table.metadata_location.removeprefix("file://"))


def change_metadata(file: Path, change: Any) -> None:
    """Change the metadata in a file."""
    metadata = json.loads(file.read_text())
    change(metadata)
    file.write_text(json.dumps(metadata))


def place(folder: Path, **fields: Any) -> TableLocation:
    """The place of the table at FOLDER below a folder."""
    return TableLocation("t", str(folder), **{"files": FOLDER, "format": "ICEBERG", **fields})


def read_rows(place: TableLocation, options: Options | None = None, order: str = "1") -> list[tuple[Any, ...]]:
    """The rows that an engine reads of a place."""
    with closing(open_engine([place], options or Options())) as engine:
        return engine.all(f'SELECT * FROM "t" ORDER BY {order}')


def column_texts(place: TableLocation, options: Options | None = None) -> Sequence[str]:
    """The columns that an engine finds."""
    with closing(open_engine([place], options or Options())) as engine:
        columns = [conversion.column for conversion in engine.readings["t"]]
        return [f"{column.name} {column.type_text}{'!' if column.required else ''}" for column in columns]
