"""A table of Iceberg in a shared mount lies below a root of the engine, with all of its data files."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("pyiceberg", reason="needs pyiceberg; run pip install '.[iceberg]'")
pytest.importorskip("pyarrow")

from tests.runtime.feature_view.source.iceberg.tables import EVOLVED, FOLDER, evolved_table, read_rows
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.source.spark.reading import _mounted_place


def mounted(place: TableLocation, root: str) -> TableLocation:
    return _mounted_place(place, (root,))


def test_a_table_below_a_root(tmp_path: Path) -> None:
    table = evolved_table(tmp_path)
    here = TableLocation("t", "/nowhere", f"file://{tmp_path}/{FOLDER}", "ICEBERG")
    assert read_rows(mounted(here, f"{tmp_path}/"), order="id") == EVOLVED
    assert read_rows(mounted(here, f"{tmp_path}/{FOLDER}"), order="id") == EVOLVED
    with pytest.raises(Unreadable, match="below no root of the engine"):
        mounted(here, "/mnt/other")
    (first, *_) = table.scan().plan_files()
    file = Path(first.file.file_path.removeprefix("file://"))
    file.rename(tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(Unreadable, match="outside of"):
        mounted(here, f"{tmp_path}/{FOLDER}")
