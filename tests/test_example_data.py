"""The rows of the example workspace are those of its script, and are what its documents say of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from scripts.example_data import DATA, DIMENSION, menu, write

FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    write(folder)
    return folder


def content(file: Path) -> tuple[list[Any], list[Any]]:
    """The columns and the rows, times as microseconds, which needs no further library."""
    if file.suffix != ".parquet":
        return [], file.read_text(encoding="utf-8").splitlines()
    with duckdb.connect() as connection:
        columns = connection.execute(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
        times = ", ".join(f'epoch_us("{name}") AS "{name}"' for name, type_, *_ in columns if "TIME" in type_)
        rows = connection.execute(f"SELECT * {f'REPLACE ({times})' if times else ''} FROM '{file}'").fetchall()
    return columns, rows


@pytest.mark.exhaustive
def test_the_script_writes_these_files_and_no_others(written: Path) -> None:
    assert sorted(str(path.relative_to(written)) for path in written.rglob("*") if path.is_file()) == FILES


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", FILES)
def test_a_file_is_as_the_script_writes_it(written: Path, file: str) -> None:
    assert content(DATA / file) == content(written / file), "run python scripts/example_data.py"


@cache
def embeddings() -> list[dict[str, Any]]:
    """The rows with vectors, from their file: to make them takes a second."""
    columns, rows = content(DATA / "menu_embeddings.parquet")
    return [dict(zip((name for name, *_ in columns), row, strict=True)) for row in rows]


def test_the_whole_menu_can_be_searched() -> None:
    found = {row["item_id"]: row["item_name"] for row in embeddings()}
    assert {item["id"]: item["name"] for item in menu()}.items() <= found.items()
    assert len(found) == len(embeddings())


def test_vectors_have_the_length_1() -> None:
    lengths = {round(sum(component * component for component in row["embedding"]), 5) for row in embeddings()}
    assert lengths == {1.0}
    assert {len(row["embedding"]) for row in embeddings()} == {DIMENSION}
