"""The rows of the example workspace are what its documents say of them."""

from pathlib import Path

import duckdb
import yaml

WORKSPACE = Path(__file__).parent.parent / "fixtures/workspaces/burger-brand"
EMBEDDINGS = WORKSPACE / "feature-store/data/menu_embeddings.parquet"
DIMENSION = 768


def test_the_whole_menu_can_be_searched() -> None:
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT item_id, item_name FROM '{EMBEDDINGS}'").fetchall()
    menu = yaml.safe_load((WORKSPACE / "brand/menu.yaml").read_text(encoding="utf-8"))["items"]
    assert {item["id"]: item["name"] for item in menu}.items() <= dict(rows).items()
    assert len(dict(rows)) == len(rows)


def test_vectors_have_the_length_1() -> None:
    statement = "SELECT DISTINCT len(embedding), round(list_dot_product(embedding, embedding)::DOUBLE, 5)"
    with duckdb.connect() as connection:
        found = connection.execute(f"{statement} FROM '{EMBEDDINGS}'").fetchall()
    assert found == [(DIMENSION, 1.0)]
