"""Tables of Iceberg as tests write them: a warehouse with a catalog in SQLite, and metadata that can be changed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
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


def table_of_all_types(folder: Path) -> list[tuple[str, Any, Any, str, Any]]:
    """A table of one row, as name, type of Arrow, value, type that is read, and value that is read."""
    import pyarrow as pa

    moment = datetime(2026, 1, 1, 12, 0, 0, 5)
    values: list[tuple[str, Any, Any, str, Any]] = [
        ("flag", pa.bool_(), True, "BOOL", True),
        ("int", pa.int32(), -5, "INT64", -5),
        ("long", pa.int64(), 2**62, "INT64", 2**62),
        ("float", pa.float32(), 1.5, "DOUBLE", 1.5),
        ("double", pa.float64(), 0.1, "DOUBLE", 0.1),
        ("text", pa.string(), "ä'", "STRING", "ä'"),
        ("bytes", pa.binary(), b"\0x", "BYTES", b"\0x"),
        ("fixed", pa.binary(3), b"abc", "BYTES", b"abc"),
        ("uuid", pa.uuid(), uuid.UUID(int=7).bytes, "STRING", str(uuid.UUID(int=7))),
        ("at", pa.timestamp("us"), moment, "TIMESTAMP", moment),
        ("zoned", pa.timestamp("us", tz="UTC"), moment.replace(tzinfo=UTC), "TIMESTAMP", moment),
        ("list", pa.list_(pa.float32()), [1.5, 2.5], "DOUBLE REPEATED", [1.5, 2.5]),
        ("texts", pa.list_(pa.string()), ["a"], "STRING REPEATED", ["a"]),
        ("day", pa.date32(), date(2026, 1, 1), "DATE", None),
        ("time", pa.time64("us"), moment.time(), "TIME", None),
        ("price", pa.decimal128(9, 2), Decimal("1.25"), "DECIMAL(9,2)", None),
        ("struct", pa.struct([("a b", pa.int32())]), {"a b": 1}, 'STRUCT("a b" INTEGER)', None),
        ("map", pa.map_(pa.string(), pa.int64()), [("k", 1)], "MAP(VARCHAR, BIGINT)", None),
        ("nested", pa.list_(pa.list_(pa.int64())), [[1]], "BIGINT[][]", None),
        ("days", pa.list_(pa.date32()), [date(2026, 1, 1)], "DATE[]", None),
    ]
    schema = pa.schema([(name, type) for name, type, *_ in values])
    create_table(folder, schema).append(arrow(schema, {name: value for name, _, value, *_ in values}))
    return values


def evolved_table(folder: Path) -> Any:
    """A table whose columns were renamed, added, dropped, widened and moved, with a file of each time."""
    import pyarrow as pa
    from pyiceberg.types import DoubleType, LongType, StringType

    first = pa.schema([("id", pa.string()), ("a", pa.int32()), ("b", pa.float32()), ("c", pa.string())])
    table = create_table(folder, first)
    table.append(arrow(first, {"id": "1", "a": 1, "b": 1.5, "c": "old c"}))
    with table.update_schema() as update:
        update.rename_column("a", "amount")
        update.delete_column("c")
    with table.update_schema() as update:
        update.update_column("amount", LongType())
        update.update_column("b", DoubleType())
        update.add_column("a", StringType())  # the name that another column had
        update.add_column("c", StringType())  # another column of the name of one that was dropped
        update.move_first("c")
    second = pa.schema(
        [("c", pa.string()), ("id", pa.string()), ("amount", pa.int64()), ("b", pa.float64()), ("a", pa.string())]
    )
    table.append(arrow(second, {"id": "2", "amount": 2**40, "b": 0.1, "a": "new a", "c": "new c"}))
    return table


EVOLVED = [(None, "1", 1, 1.5, None), ("new c", "2", 2**40, 0.1, "new a")]


def partitioned_table(folder: Path) -> Any:
    """A table with a folder for each city and number."""
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import LongType, NestedField, StringType

    schema = Schema(
        NestedField(1, "id", StringType()), NestedField(2, "city", StringType()), NestedField(3, "n", LongType())
    )
    spec = PartitionSpec(
        PartitionField(2, 1001, IdentityTransform(), "city"), PartitionField(3, 1002, IdentityTransform(), "n")
    )
    table = create_table(folder, schema, partition_spec=spec)
    rows = [{"id": f"{n}", "city": city, "n": n} for n, city in enumerate(["Zürich / Ost", "it's", None])]
    table.append(arrow(table.schema().as_arrow(), *rows))
    return table


PARTITIONED = [("0", "Zürich / Ost", 0), ("1", "it's", 1), ("2", None, 2)]


def drop_columns(table: Any, *names: str) -> None:
    """Take columns out of the data files, as those of a folder for each partition are."""
    import pyarrow.parquet as pq

    for task in table.scan().plan_files():
        file = Path(task.file.file_path.removeprefix("file://"))
        pq.write_table(pq.read_table(file, partitioning=None).drop_columns([*names]), file)
        pad(file, task.file.file_size_in_bytes)


def pad(file: Path, size: int) -> None:
    """Bring a Parquet file to a size, in front of its footer."""
    data = file.read_bytes()
    assert len(data) < size
    length = int.from_bytes(data[-8:-4], "little")
    footer = len(data) - 8 - length
    file.write_bytes(data[:footer] + b"\0" * (size - len(data)) + data[footer:])
