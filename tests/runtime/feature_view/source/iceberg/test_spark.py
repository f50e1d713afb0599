"""Spark reads the rows of tables of Iceberg that the embedded engine reads."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

import pyarrow as pa

from tests.runtime.feature_view.source.iceberg.tables import (
    EVOLVED,
    FOLDER,
    PARTITIONED,
    create_table,
    drop_columns,
    evolved_table,
    partitioned_table,
    place,
    read_rows,
    table_of_all_types,
)
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.source.engine import open_engine
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.options import EngineAddress, Options

pytestmark = needs_spark


def values_of(place: TableLocation, options: Options) -> list[tuple[Any, ...]]:
    """The values of the columns that are served."""
    with closing(open_engine([place], options)) as engine:
        columns = [reading.column for reading in engine.readings["t"]]
        names = [f'"{column.name}"' for column in columns if column.type != "UNSUPPORTED"]
        return engine.all(f'SELECT {", ".join(names)} FROM "t" ORDER BY 1')


def folder_of(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def test_every_type(spark: EngineAddress, tmp_path: Path) -> None:
    table_of_all_types(tmp_path)
    assert values_of(place(tmp_path), Options(engine=spark)) == values_of(place(tmp_path), Options())


def test_columns_that_changed_and_columns_of_partitions(spark: EngineAddress, tmp_path: Path) -> None:
    options = Options(engine=spark)
    table = evolved_table(folder_of(tmp_path, "evolved"))
    assert read_rows(place(tmp_path / "evolved"), options, order="id") == EVOLVED
    with closing(open_engine([place(tmp_path / "evolved")], options)) as engine:
        assert engine.size("t") == sum(task.file.file_size_in_bytes for task in table.scan().plan_files())
    table = partitioned_table(folder_of(tmp_path, "partitioned"))
    assert read_rows(place(tmp_path / "partitioned"), options) == PARTITIONED
    drop_columns(table, "city", "n")
    assert read_rows(place(tmp_path / "partitioned"), options) == PARTITIONED
    create_table(folder_of(tmp_path, "empty"), pa.schema([("id", pa.string())]))
    assert read_rows(place(tmp_path / "empty"), options) == []


def test_a_table_of_a_shared_mount_below_a_root(spark: EngineAddress, tmp_path: Path) -> None:
    work, mount = folder_of(tmp_path, "work"), folder_of(tmp_path, "mount")
    table = evolved_table(mount)
    here = TableLocation("t", str(work), f"file://{mount}/{FOLDER}", "ICEBERG")
    assert read_rows(here, Options(engine=replace(spark, roots=(f"{mount}/",))), order="id") == EVOLVED
    assert read_rows(here, Options(engine=replace(spark, roots=(f"{mount}/{FOLDER}",))), order="id") == EVOLVED
    (first, *_) = table.scan().plan_files()
    file = Path(first.file.file_path.removeprefix("file://"))
    file.rename(tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(Unreadable, match="outside of"):
        read_rows(here, Options(engine=replace(spark, roots=(f"{mount}/",))))
    with pytest.raises(Unreadable, match="below no root of the engine"):
        read_rows(here, Options(engine=replace(spark, roots=("/mnt/other",))))
    with pytest.raises(Unreadable, match="not on this machine"):
        read_rows(here)


def test_a_table_elsewhere_is_refused_before_anything_is_connected_to() -> None:
    engine = EngineAddress("spark://127.0.0.1:1", roots=("s3a://lake/",))
    with pytest.raises(Unreadable, match="is read by its metadata on this machine"):
        open_engine([TableLocation("t", "/", "s3a://lake/t", "ICEBERG")], Options(engine=engine))
