"""CSV files: which line is ragged, and what is null."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.cases import pairs_of
from tests.runtime.feature_view.catalog_fixture import catalog, synced
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.data_finding import CannotSync

DECLARED = [{"name": "id", "type": "INT64"}, {"name": "x", "type": "STRING"}, {"name": "y", "type": "STRING"}]
RAGGED = {
    "short": ("id,x,y\n1,a,b\n2,c\n", 'line 3 of "rows[.]csv" has 2 values, where the header has 3'),
    "long": ('id,x,y\n1,"a",b\n2,c,d,e\n3,d,e\n', 'line 3 of "rows[.]csv" has 4 values, where the header has 3'),
    "one": ('id;x;y\n1;"a\n";b\n2\n', 'line 4 of "rows[.]csv" has 1 value, where the header has 3'),
    "late": (
        "id,x,y\n" + "1,a,b\n" * 30_000 + "2,c\n",
        'line 30002 of "rows[.]csv" has 2 values, where the header has 3',
    ),
}


def csv_view(folder: Path, text: str, **source: Any) -> Catalog:
    pytest.importorskip("duckdb")
    (folder / "rows.csv").write_text(text)
    view = {"warehouseSource": {"uri": "bq://r", "entityIdColumns": ["id"]}}
    return catalog(folder, view, sources=[{"uri": "bq://r", "files": "rows.csv", **source}])


@pytest.mark.parametrize(("ragged", "source"), pairs_of([*RAGGED], [{}, {"columns": DECLARED}]))
def test_a_ragged_line_is_named(tmp_path: Path, ragged: str, source: dict[str, Any]) -> None:
    text, message = RAGGED[ragged]
    with pytest.raises(CannotSync, match=message):
        synced(csv_view(tmp_path, text, **source))


def test_a_ragged_line_of_a_packed_file_is_named(tmp_path: Path) -> None:
    made = csv_view(tmp_path, "", files="rows.csv.gz")
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(b"id,x,y\n1,a,b\n2,c\n"))
    with pytest.raises(CannotSync, match=r'line 3 of "rows[.]csv[.]gz" has 2 values'):
        synced(made)


@pytest.mark.parametrize("source", [{}, {"columns": DECLARED}], ids=["undeclared", "declared"])
def test_two_quotes_are_the_empty_text_and_nothing_is_null(tmp_path: Path, source: dict[str, Any]) -> None:
    _, rows = synced(csv_view(tmp_path, 'id,x,y\n1,"",b\n2,,c\n', **source))
    assert rows == {(1,): {"x": "", "y": "b"}, (2,): {"x": None, "y": "c"}}
