"""Every type that a library has is served, or refused by check and by sync in the same words.

The lists of types are asked of the libraries, so a release with a new type fails here until somebody has looked at it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.lint.workspace_findings import judged
from tests.runtime.feature_view.catalog_fixture import NAME, catalog, duckdb_table, synced
from trialrun.runtime.feature_view.data_finding import CannotSync

duckdb = pytest.importorskip("duckdb")
REFUSED = object()
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CUT = MOMENT.replace(microsecond=999_999)
IN_NO_TABLE = {"TYPE"}
"""Types of DuckDB that no column can have."""
DUCKDB: dict[str, tuple[str, object]] = {
    "ARRAY": ("[1.5, 2.5]::DOUBLE[2]", [1.5, 2.5]),
    "BIGINT": ("7::BIGINT", 7),
    "BIGNUM": ("7::BIGNUM", REFUSED),
    "BIT": ("'101'::BIT", REFUSED),
    "BLOB": ("'a'::BLOB", b"a"),
    "BOOLEAN": ("true", True),
    "DATE": ("DATE '2026-01-02'", REFUSED),
    "DECIMAL": ("1.5::DECIMAL(9, 2)", REFUSED),
    "DOUBLE": ("1.5::DOUBLE", 1.5),
    "ENUM": ("'a'::ENUM ('a', 'b')", "a"),
    "FLOAT": ("1.5::FLOAT", 1.5),
    "GEOMETRY": ("NULL::GEOMETRY", REFUSED),
    "HUGEINT": ("7::HUGEINT", 7),
    "INTEGER": ("7::INTEGER", 7),
    "INTERVAL": ("INTERVAL 1 DAY", REFUSED),
    "LIST": ("[7]", [7]),
    "MAP": ("MAP {'a': 1}", REFUSED),
    "NULL": ("NULL", None),
    "SMALLINT": ("7::SMALLINT", 7),
    "STRUCT": ("{'a': 1}", REFUSED),
    "TIME": ("TIME '12:00:00'", REFUSED),
    "TIME WITH TIME ZONE": ("'12:00:00+01'::TIMETZ", REFUSED),
    "TIME_NS": ("'12:00:00'::TIME_NS", REFUSED),
    "TIMESTAMP": ("TIMESTAMP '2026-01-02 03:04:05.999999'", CUT),
    "TIMESTAMP WITH TIME ZONE": ("TIMESTAMPTZ '2026-01-02 05:04:05.999999+02'", CUT),
    "TIMESTAMPTZ_NS": ("'2026-01-02 05:04:05.999999999+02'::TIMESTAMPTZ_NS", CUT),
    "TIMESTAMP_MS": ("'2026-01-02 03:04:05'::TIMESTAMP_MS", MOMENT),
    "TIMESTAMP_NS": ("'2026-01-02 03:04:05.999999999'::TIMESTAMP_NS", CUT),
    "TIMESTAMP_S": ("'2026-01-02 03:04:05'::TIMESTAMP_S", MOMENT),
    "TINYINT": ("7::TINYINT", 7),
    "TUPLE": ("row(1, 'a')", REFUSED),
    "UBIGINT": ("7::UBIGINT", 7),
    "UHUGEINT": ("7::UHUGEINT", 7),
    "UINTEGER": ("7::UINTEGER", 7),
    "UNION": ("union_value(a := 1)", REFUSED),
    "USMALLINT": ("7::USMALLINT", 7),
    "UTINYINT": ("7::UTINYINT", 7),
    "UUID": ("'00000000-0000-0000-0000-000000000007'::UUID", "00000000-0000-0000-0000-000000000007"),
    "VARCHAR": ("'a'", "a"),
    "VARIANT": ("1::VARIANT", REFUSED),
}


def outcome(folder: Path, ids: Sequence[str] = ("id",), **source: Any) -> tuple[list[str], list[str], Any]:
    """What check says of the columns of a table, what sync does, and what the entity "a" is served."""
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": [*ids]}}
    source = {"uri": "bq://t", **source}
    documents = json.dumps([{"kind": "FeatureView", "name": NAME, **view}, {"kind": "Source", **source}])
    said = [finding.message for finding in judged("column-type", [(str(folder / "documents.json"), documents)])]
    try:
        report, served = synced(catalog(folder, view, sources=[source]))
    except CannotSync as error:
        return said, [str(error)], None
    left_out = [finding.message for finding in report.findings if finding.code == "unsupported-type"]
    return said, left_out, served.get(("a",), {})


def require_served_or_refused(folder: Path, value: object, **source: Any) -> None:
    """See that column v is served as this value, or refused in the same words, and likewise in its other uses."""
    said, refused, served = outcome(folder, **source)
    assert said == refused
    assert bool(said) is (value is REFUSED)
    if value is not REFUSED:
        assert served["v"] == value
    is_moment, is_id = isinstance(value, datetime), isinstance(value, (int, str)) and not isinstance(value, bool)
    for fits, ids, timestamp in ((is_moment, ("id",), {"timestampColumn": "v"}), (is_id, ("v",), {})):
        said, refused, _ = outcome(folder, ids, **source, **timestamp)
        assert said == refused
        assert value is None or (said == []) is fits


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a table for each type of DuckDB, and one for lists of it."""
    folder = tmp_path_factory.mktemp("types")
    tables = [
        f"CREATE TABLE \"{prefix}{name}\" AS SELECT 'a' AS id, {written.format(value)} AS v, 1 AS x"
        for name, (value, _) in DUCKDB.items()
        for prefix, written in (("", "{}"), ("list ", "[{}]"))
    ]
    duckdb_table(folder / "t.duckdb", "SET TimeZone = 'UTC'", *tables)
    return folder


def test_no_type_of_duckdb_is_unknown() -> None:
    names = {name for (name,) in duckdb.sql("SELECT logical_type FROM duckdb_types()").fetchall()}
    assert names - DUCKDB.keys() - IN_NO_TABLE == set()


@pytest.mark.parametrize("name", DUCKDB)
def test_a_type_of_duckdb(database: Path, name: str) -> None:
    require_served_or_refused(database, DUCKDB[name][1], database="t.duckdb", table=name)


@pytest.mark.parametrize("name", DUCKDB)
def test_a_list_of_a_type_of_duckdb(database: Path, name: str) -> None:
    value = DUCKDB[name][1]
    expected = value if value is REFUSED or isinstance(value, list) else [value]
    if isinstance(value, list):
        expected = REFUSED
    require_served_or_refused(database, expected, database="t.duckdb", table=f"list {name}")
