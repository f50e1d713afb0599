"""Every type that a library has is served, or refused by check and by sync in the same words.

The lists of types are asked of the libraries, so a release with a new type fails here until somebody has looked at it.
"""

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cases import pairs_of, some_of
from tests.lint.workspace_findings import judged
from tests.runtime.feature_view.catalog_fixture import NAME, catalog, duckdb_table, sqlite_table, synced
from tests.spark_cluster import needs_spark
from trialrun.runtime.feature_view.column import TYPE_OF_WORD, parse_type
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.source.iceberg_table import iceberg_field
from trialrun.runtime.feature_view.source.spark_reading import typed_column
from trialrun.runtime.feature_view.source.sqlite_reader import VALUES, microseconds_of
from trialrun.runtime.options import EngineAddress

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


@pytest.mark.parametrize("name", some_of(DUCKDB, 4))
def test_a_type_of_duckdb(database: Path, name: str) -> None:
    require_served_or_refused(database, DUCKDB[name][1], database="t.duckdb", table=name)


@pytest.mark.parametrize("name", some_of(DUCKDB, 8))
def test_a_list_of_a_type_of_duckdb(database: Path, name: str) -> None:
    value = DUCKDB[name][1]
    expected = value if value is REFUSED or value is None else [value]  # a list with a null is null
    if isinstance(value, list):
        expected = REFUSED
    require_served_or_refused(database, expected, database="t.duckdb", table=f"list {name}")


@pytest.mark.parametrize("name", ["feature_timestamp", "Feature_Timestamp"])
@pytest.mark.parametrize(("value", "fits"), [("TIMESTAMPTZ_NS '2026-01-02 05:04:05+02'", True), ("'soon'", False)])
def test_a_timestamp_column_that_nobody_names(tmp_path: Path, name: str, value: str, *, fits: bool) -> None:
    duckdb_table(tmp_path / "t.duckdb", f"CREATE TABLE t AS SELECT 'a' AS id, 1 AS v, {value} AS {name}")
    said, refused, _ = outcome(tmp_path, database="t.duckdb", table="t")
    assert said == refused == ([] if fits else [f'the timestamp column "{name}" is STRING; it must be TIMESTAMP'])


def moments(unit: str, zone: str | None) -> Any:
    import pyarrow

    numbers = pyarrow.array([int(MOMENT.timestamp()) * PARTS[unit] + PARTS[unit] - 1], pyarrow.int64())
    return numbers.cast(pyarrow.timestamp(unit, zone))


PARTS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
FRACTIONS = {"s": 0, "ms": 999_000, "us": 999_999, "ns": 999_999}
NOT_IN_PARQUET = {
    *("INTERVAL_DAY_TIME", "INTERVAL_MONTHS", "INTERVAL_MONTH_DAY_NANO"),
    *("DENSE_UNION", "SPARSE_UNION", "RUN_END_ENCODED"),
}
"""Types of Arrow that pyarrow writes into no file, or has no values of."""
ARROW: dict[str, tuple[Callable[[Any], Any], object]] = {
    "BINARY": (lambda arrow: arrow.array([b"a"], arrow.binary()), b"a"),
    "BINARY_VIEW": (lambda arrow: arrow.array([b"a"], arrow.binary_view()), b"a"),
    "BOOL": (lambda arrow: arrow.array([True]), True),
    "DATE32": (lambda arrow: arrow.array([1], arrow.date32()), REFUSED),
    "DATE64": (lambda arrow: arrow.array([86_400_000], arrow.date64()), REFUSED),
    "DECIMAL32": (lambda arrow: arrow.array([Decimal("1.5")], arrow.decimal32(5, 2)), REFUSED),
    "DECIMAL64": (lambda arrow: arrow.array([Decimal("1.5")], arrow.decimal64(15, 2)), REFUSED),
    "DECIMAL128": (lambda arrow: arrow.array([Decimal("1.5")], arrow.decimal128(30, 2)), REFUSED),
    "DECIMAL256": (lambda arrow: arrow.array([Decimal("1.5")], arrow.decimal256(60, 2)), 1.5),
    "DICTIONARY": (lambda arrow: arrow.array(["a"]).dictionary_encode(), "a"),
    "DOUBLE": (lambda arrow: arrow.array([1.5]), 1.5),
    "DURATION": (lambda arrow: arrow.array([1], arrow.duration("us")), 1),
    "FIXED_SIZE_BINARY": (lambda arrow: arrow.array([b"ab"], arrow.binary(2)), b"ab"),
    "FIXED_SIZE_LIST": (lambda arrow: arrow.array([[1.5, 2.5]], arrow.list_(arrow.float32(), 2)), [1.5, 2.5]),
    "FLOAT": (lambda arrow: arrow.array([1.5], arrow.float32()), 1.5),
    "HALF_FLOAT": (lambda arrow: arrow.array([1.5], arrow.float16()), 1.5),
    "LARGE_BINARY": (lambda arrow: arrow.array([b"a"], arrow.large_binary()), b"a"),
    "LARGE_LIST": (lambda arrow: arrow.array([[7]], arrow.large_list(arrow.int64())), [7]),
    "LARGE_LIST_VIEW": (lambda arrow: arrow.array([[7]], arrow.large_list_view(arrow.int64())), [7]),
    "LARGE_STRING": (lambda arrow: arrow.array(["a"], arrow.large_string()), "a"),
    "LIST": (lambda arrow: arrow.array([[7, 8]]), [7, 8]),
    "LIST_VIEW": (lambda arrow: arrow.array([[7]], arrow.list_view(arrow.int64())), [7]),
    "MAP": (lambda arrow: arrow.array([[("a", 1)]], arrow.map_(arrow.string(), arrow.int64())), REFUSED),
    "NA": (lambda arrow: arrow.nulls(1), None),
    "STRING": (lambda arrow: arrow.array(["a"]), "a"),
    "STRING_VIEW": (lambda arrow: arrow.array(["a"], arrow.string_view()), "a"),
    "STRUCT": (lambda arrow: arrow.array([{"a": 1}]), REFUSED),
    "TIME32": (lambda arrow: arrow.array([1], arrow.time32("ms")), REFUSED),
    "TIME64": (lambda arrow: arrow.array([1], arrow.time64("ns")), REFUSED),
    "TIMESTAMP": (lambda arrow: moments("ns", "UTC"), CUT),
    **{
        name: (lambda arrow, name=name: arrow.array([7], getattr(arrow, name.lower())()), 7)
        for name in ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64")
    },
}


def parquet(folder: Path, values: Any) -> dict[str, str]:
    """A Parquet file with a column of one value, as its Source names it."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"id": ["a"], "v": values, "x": [1]}), folder / "t.parquet")
    return {"files": "t.parquet"}


def test_no_type_of_arrow_is_unknown() -> None:
    lib = pytest.importorskip("pyarrow").lib
    names = {name.removeprefix("Type_") for name in dir(lib) if name.startswith("Type_")}
    assert names - ARROW.keys() - NOT_IN_PARQUET == set()


@pytest.mark.parametrize("name", some_of(ARROW, 6))
def test_a_type_of_arrow_in_a_parquet_file(tmp_path: Path, name: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    if not hasattr(arrow.lib, f"Type_{name}"):
        pytest.skip("this version of pyarrow is older than the type")
    make, value = ARROW[name]
    require_served_or_refused(tmp_path, value, **parquet(tmp_path, make(arrow)))


@pytest.mark.parametrize(("unit", "zone"), pairs_of([*PARTS], [None, "UTC", "America/New_York"]))
def test_the_moments_of_arrow_are_cut_to_microseconds(tmp_path: Path, unit: str, zone: str | None) -> None:
    pytest.importorskip("pyarrow")
    value = MOMENT.replace(microsecond=FRACTIONS[unit])
    require_served_or_refused(tmp_path, value, **parquet(tmp_path, moments(unit, zone)))


def test_moments_before_1970_are_cut_to_the_earlier_microsecond(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    least = -(2**63)
    values = arrow.array([[-1, -1001, 1999, least, 2**63 - 2]], arrow.list_(arrow.timestamp("ns", "UTC")))
    _, _, served = outcome(tmp_path, **parquet(tmp_path, values))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert [(moment - epoch) // timedelta(microseconds=1) for moment in served["v"]] == [
        *(-1, -2, 1),
        *(least // 1000, (2**63 - 2) // 1000),
    ]


SQLITE_VALUES: dict[str, tuple[object, object]] = {
    "BOOL": (1, True),
    "INT64": (7, 7),
    "DOUBLE": (1.5, 1.5),
    "STRING": ("a", "a"),
    "BYTES": (b"a", b"a"),
    "TIMESTAMP": ("2026-01-02 03:04:05", MOMENT),
    "UNSUPPORTED": ("a", REFUSED),
}


WHOLE_MOMENTS = (0, -62_135_596_800, -62_135_596_801, 10**11 - 1, 10**11, -(10**11), 10**14 - 1, 10**14)
"""In seconds, the first and the last; in milliseconds and microseconds, the first and the last; and those beside."""


@pytest.mark.parametrize("number", [*WHOLE_MOMENTS, 253_402_300_799_999_999, 253_402_300_800_000_000, -(2**63)])
def test_a_whole_moment_in_sqlite_is_what_its_number_is(number: int) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("microseconds_of", 1, microseconds_of)
        ((found,),) = connection.execute(f"SELECT {VALUES['TIMESTAMP'].format('n')} FROM (SELECT ? AS n)", (number,))
    assert found == microseconds_of(number)


@pytest.mark.parametrize("word", some_of(["", "MONEY", "DATE", "DECIMAL(9, 2)", *TYPE_OF_WORD], 8))
def test_a_word_for_a_type_in_sqlite(tmp_path: Path, word: str) -> None:
    stored, value = SQLITE_VALUES[parse_type(word)]
    sqlite_table(tmp_path / "t.db", "t", f"id TEXT, v {word}, x INTEGER", [("a", stored, 1)])
    require_served_or_refused(tmp_path, value, database="t.db", table="t")


def kinds_of(base: type[Any]) -> Iterator[type[Any]]:
    """The classes below one that have none below themselves."""
    for kind in base.__subclasses__():
        yield from kinds_of(kind) if kind.__subclasses__() else [kind]


ICEBERG = {
    "BooleanType": "BOOL",
    "IntegerType": "INT64",
    "LongType": "INT64",
    "FloatType": "DOUBLE",
    "DoubleType": "DOUBLE",
    "StringType": "STRING",
    "UUIDType": "STRING",
    "BinaryType": "BYTES",
    "FixedType": "BYTES",
    "TimestampType": "TIMESTAMP",
    "TimestamptzType": "TIMESTAMP",
    "TimestampNanoType": "TIMESTAMP",
    "TimestamptzNanoType": "TIMESTAMP",
    **dict.fromkeys(("DateType", "TimeType", "DecimalType", "UnknownType", "GeometryType", "GeographyType"), None),
}
"""What a column of a type of Iceberg is served as; None where it is not."""


def test_the_types_of_iceberg() -> None:
    types = pytest.importorskip("pyiceberg.types")
    arguments = {"FixedType": (4,), "DecimalType": (9, 2)}
    read = {}
    for kind in kinds_of(types.PrimitiveType):
        field = iceberg_field(types.NestedField(1, "v", kind(*arguments.get(kind.__name__, ())), required=False))
        type = parse_type(field.type)
        assert (type != "UNSUPPORTED") is field.is_served, kind
        read[kind.__name__] = type if field.is_served else None
    assert read == {name: ICEBERG[name] for name in read}
    assert read["TimestamptzNanoType"] == "TIMESTAMP"


SPARK = {
    "BooleanType": "BOOL",
    **dict.fromkeys(("ByteType", "ShortType", "IntegerType", "LongType"), "INT64"),
    **dict.fromkeys(("FloatType", "DoubleType"), "DOUBLE"),
    **dict.fromkeys(("StringType", "CharType", "VarcharType"), "STRING"),
    "BinaryType": "BYTES",
    **dict.fromkeys(("TimestampType", "TimestampNTZType"), "TIMESTAMP"),
    **dict.fromkeys(
        ("NullType", "DecimalType", "DateType", "TimeType", "GeographyType", "GeometryType", "VariantType"),
        "UNSUPPORTED",
    ),
    **dict.fromkeys(("DayTimeIntervalType", "YearMonthIntervalType", "CalendarIntervalType"), "UNSUPPORTED"),
    **dict.fromkeys(("MapType", "StructType", "ArrayType"), "UNSUPPORTED"),
}
NO_COLUMN = {"StructField", "UserDefinedType"}


def test_the_types_of_spark() -> None:
    types = pytest.importorskip("pyspark.sql.types", reason="needs pyspark; run pip install '.[spark]'")
    text = types.StringType()
    arguments = {"CharType": (5,), "VarcharType": (5,), "MapType": (text, text), "StructType": ([],)}
    arguments |= {
        "DecimalType": (9, 2),
        "ArrayType": (types.ArrayType(text),),
        "GeographyType": (4326,),
        "GeometryType": (4326,),
    }
    kinds = {kind.__name__: kind for kind in (types.StringType, *kinds_of(types.DataType))}
    read = {
        name: typed_column("v", kind(*arguments.get(name, ())).simpleString())[0].type
        for name, kind in kinds.items()
        if name not in NO_COLUMN
    }
    assert read == {name: SPARK[name] for name in read}


POLARS: dict[str, tuple[object, object]] = {
    **{f"{sign}{bits}": (7, 7) for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)},
    "Int128": (7, (7).to_bytes(16, "little")),
    "UInt128": (7, (7).to_bytes(16, "little")),
    **dict.fromkeys(("Float16", "Float32", "Float64"), (1.5, 1.5)),
    "Decimal": (Decimal("1.5"), REFUSED),
    "Date": (MOMENT.date(), REFUSED),
    "Time": (MOMENT.time(), REFUSED),
    "Datetime": (CUT.replace(tzinfo=None), CUT),
    "Duration": (timedelta(microseconds=1), 1),
    "List": ([7], [7]),
    "Array": ([7, 8], [7, 8]),
    "Map": ({"a": 1}, REFUSED),
    "Struct": ({"a": 1}, REFUSED),
    "Boolean": (True, True),
    "String": ("a", "a"),
    "Binary": (b"a", b"a"),
    "Categorical": ("a", "a"),
    "Enum": ("a", "a"),
    "Null": (None, None),
}
NOT_WRITTEN_BY_POLARS = {"Object", "Unknown", "Extension"}


def test_the_types_of_polars(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars; run pip install polars")
    whole = polars.Int64
    types = {"List": polars.List(whole), "Array": polars.Array(whole, 2), "Struct": polars.Struct({"a": whole})}
    types |= {"Enum": polars.Enum(["a"]), "Decimal": polars.Decimal(9, 2), "Datetime": polars.Datetime("ns", "UTC")}
    kinds = {kind.__name__: kind for kind in kinds_of(polars.DataType)}
    if "Map" in kinds:
        types["Map"] = polars.Map(polars.String, whole)
    for name in kinds.keys() - NOT_WRITTEN_BY_POLARS:
        value, expected = POLARS[name]
        values = polars.Series([value], dtype=types.get(name, kinds[name]))
        polars.DataFrame({"id": ["a"], "v": values, "x": [1]}).write_parquet(tmp_path / f"{name}.parquet")
        require_served_or_refused(tmp_path, expected, files=f"{name}.parquet")


PAGE = Path(__file__).parents[4] / "docs" / "other-programs.md"


def value(expression: str) -> Any:
    """What DuckDB makes of an expression."""
    return duckdb.sql(f"SELECT {expression}").fetchall()[0][0]


def written(folder: Path, values: Any, **options: Any) -> str:
    """A Parquet file with a column x, as DuckDB names it."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"x": values}), folder / "t.parquet", **options)
    return f"'{folder}/t.parquet'"


def nanoseconds(*numbers: int, zone: str | None = None) -> Any:
    arrow = pytest.importorskip("pyarrow")
    return arrow.array(numbers, arrow.timestamp("ns", zone))


def test_nanoseconds_with_a_zone(tmp_path: Path) -> None:
    """a Parquet column `timestamp[ns, UTC]` in DuckDB"""
    table = written(tmp_path, nanoseconds(1999, zone="UTC"))
    assert duckdb.sql(f"SELECT typeof(x), epoch_ns(x) FROM {table}").fetchall() == [("TIMESTAMPTZ_NS", 1999)]
    with pytest.raises(duckdb.BinderException, match="epoch_us"):
        duckdb.sql(f"SELECT epoch_us(x) FROM {table}")


def test_casts_from_nanoseconds() -> None:
    """a cast of nanoseconds to a TIMESTAMP in DuckDB"""
    for type, target in (("TIMESTAMP_NS", "TIMESTAMP"), ("TIMESTAMPTZ_NS", "TIMESTAMPTZ")):
        assert value(f"epoch_us('1970-01-01 00:00:00.000001999'::{type}::{target})") == 2


def test_casts_from_nanoseconds_in_arrow() -> None:
    """a cast of nanoseconds to microseconds in pyarrow"""
    arrow = pytest.importorskip("pyarrow")
    cut = nanoseconds(-1, -1001, 1999).cast(arrow.timestamp("us"), safe=False)
    assert cut.cast(arrow.int64()).to_pylist() == [0, -1, 1]


def test_the_greatest_nanosecond(tmp_path: Path) -> None:
    """the last moment of 64-bit nanoseconds, `Timestamp.max` of pandas, in DuckDB"""
    table = written(tmp_path, nanoseconds(2**63 - 1, 2**63 - 2))
    assert duckdb.sql(f"SELECT isfinite(x) FROM {table}").fetchall() == [(False,), (True,)]


def test_int96(tmp_path: Path) -> None:
    """int96 moments of a Parquet file in DuckDB"""
    table = written(tmp_path, nanoseconds(-1, 1999), use_deprecated_int96_timestamps=True)
    assert duckdb.sql(f"SELECT typeof(x), epoch_us(x) FROM {table}").fetchall() == [("TIMESTAMP", -1), ("TIMESTAMP", 1)]


def test_milliseconds_beyond_microseconds(tmp_path: Path) -> None:
    """one moment in milliseconds, of a Parquet file, that has no 64-bit microseconds, in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([2**60, 5], arrow.int64()).cast(arrow.timestamp("ms")))
    with pytest.raises(duckdb.ConversionException, match="Could not convert"):
        duckdb.sql(f"SELECT x FROM {table} WHERE false OR x IS NOT NULL").fetchall()


def test_far_moments() -> None:
    """a moment before the year 1, after the year 9999, or at infinity, in DuckDB"""
    assert [value(f"TIMESTAMP '{text}' < TIMESTAMP '10001-01-01'") for text in ("10000-01-01", "infinity")] == [
        *(True, False)
    ]
    assert value("TIMESTAMP '0044-03-15 (BC) 00:00:00' > '-infinity'")


def test_nan_is_pruned(tmp_path: Path) -> None:
    """`x > 10` over a row group of 1, NaN and 5"""
    parquet = pytest.importorskip("pyarrow.parquet")
    table = written(tmp_path, pytest.importorskip("pyarrow").array([1.0, float("nan"), 5.0]))
    count = "SELECT count(*) FROM {} WHERE x > 10"
    assert duckdb.sql(count.format(table)).fetchall() == [(0,)]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM {table}")
        assert connection.execute(count.format("t")).fetchall() == [(1,)]
    assert parquet.read_table(tmp_path / "t.parquet", filters=[("x", ">", 10)]).num_rows == 0


def test_lists_of_integers_beyond_64_bits() -> None:
    """`TRY_CAST` of a list with an integer that does not fit, in DuckDB"""
    assert value("TRY_CAST([18446744073709551615, 5]::UBIGINT[] AS BIGINT[])") == [None, 5]


def test_128_bit_integers_in_parquet(tmp_path: Path) -> None:
    """a HUGEINT that DuckDB writes into a Parquet file"""
    duckdb.sql(f"COPY (SELECT 9007199254740993::HUGEINT AS x) TO '{tmp_path}/t.parquet'")
    read = duckdb.sql(f"SELECT typeof(x), x::BIGINT FROM '{tmp_path}/t.parquet'").fetchall()
    assert read == [("DOUBLE", 9007199254740992)]


def test_wide_decimals(tmp_path: Path) -> None:
    """a Parquet column `decimal256(60, 2)` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([1]).cast(arrow.decimal256(60, 2)))
    assert duckdb.sql(f"SELECT typeof(x) FROM {table}").fetchall() == [("DOUBLE",)]


def test_durations(tmp_path: Path) -> None:
    """a Parquet column `duration[us]` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    assert duckdb.sql(
        f"SELECT typeof(x) FROM {written(tmp_path, arrow.array([1], arrow.duration('us')))}"
    ).fetchall() == [("BIGINT",)]


def test_half_floats(tmp_path: Path) -> None:
    """a Parquet column `halffloat` in DuckDB"""
    arrow = pytest.importorskip("pyarrow")
    table = written(tmp_path, arrow.array([1.1], arrow.float16()))
    assert duckdb.sql(f"SELECT typeof(x), x FROM {table}").fetchall() == [("FLOAT", 1.099609375)]


def test_128_bit_integers_of_polars(tmp_path: Path) -> None:
    """an `Int128` that polars writes into a Parquet file"""
    polars = pytest.importorskip("polars", reason="needs polars; run pip install polars")
    parquet = pytest.importorskip("pyarrow.parquet")
    polars.DataFrame({"x": polars.Series([7], dtype=polars.Int128)}).write_parquet(tmp_path / "t.parquet")
    read = duckdb.sql(f"SELECT typeof(x), x FROM '{tmp_path}/t.parquet'").fetchall()
    assert read == [("BLOB", (7).to_bytes(16, "little"))]
    with pytest.raises(NotImplementedError):
        parquet.read_schema(tmp_path / "t.parquet")


def test_nan_is_pruned_by_spark(spark: EngineAddress, tmp_path: Path) -> None:
    """`x > 10` over 1, NaN and 5 in Spark"""
    from trialrun.runtime.feature_view.source.spark_session import spark_session

    written(tmp_path, pytest.importorskip("pyarrow").array([1.0, float("nan"), 5.0]))
    session = spark_session(spark)
    session.read.parquet(f"file:{tmp_path}/t.parquet").createOrReplaceTempView("t")
    session.sql("CACHE TABLE cached AS SELECT * FROM t")
    values = "VALUES (1.0D), (DOUBLE('NaN')), (5.0D) AS v (x)"
    counts = [
        session.sql(f"SELECT count(*) FROM {table} WHERE x > 10D").collect()[0][0] for table in ("t", "cached", values)
    ]
    session.sql("UNCACHE TABLE cached")
    assert counts == [0, 0, 1]


for mark in needs_spark:
    test_nan_is_pruned_by_spark = mark(test_nan_is_pruned_by_spark)


def test_columns_that_differ_in_capitals(tmp_path: Path) -> None:
    """columns `price`, `Price` and `price_1` of a file in DuckDB"""
    (tmp_path / "t.csv").write_text("price,Price,price_1\n1,2,3\n")
    found = duckdb.sql(f"SELECT price_1, price_1_1 FROM '{tmp_path / 't.csv'}'")
    assert (found.columns, found.fetchall()) == (["Price_1", "price_1_1"], [(2, 3)])


def test_a_cast_is_of_the_text_of_a_file(tmp_path: Path) -> None:
    """a cast of a column of a CSV file in DuckDB"""
    (tmp_path / "t.csv").write_text("id,a,b\n07,007,007\n")
    table = f"read_csv('{tmp_path}/t.csv', columns = {{'id': 'VARCHAR', 'a': 'INTEGER', 'b': 'VARCHAR'}})"
    assert duckdb.execute(f"SELECT a::VARCHAR FROM {table}").fetchall() == [("007",)]
    assert duckdb.execute(f"SELECT a::VARCHAR, a FROM {table}").fetchall() == [("7", 7)]
    columns = [{"name": "id", "type": "STRING"}, {"name": "a", "type": "INT64"}, {"name": "b", "type": "STRING"}]
    view = {"warehouseSource": {"uri": "bq://t", "entityIdColumns": ["id"]}}
    declared = catalog(tmp_path, view, sources=[{"uri": "bq://t", "files": "t.csv", "columns": columns}])
    assert synced(declared)[1] == {("07",): {"a": 7, "b": "007"}}


def test_the_page_has_these_rows() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Engines that read tables\n")[2].partition("\n##")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]
    tests = [item.__doc__ for name, item in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    assert sorted(rows[1:]) == sorted(text for text in tests if text)


def test_columns_besides_the_first_of_those_left_out_are_counted(tmp_path: Path) -> None:
    columns = ", ".join(f"INTERVAL 1 DAY AS c{index}" for index in range(8))
    with duckdb.connect() as connection:
        connection.sql(f"SELECT 'a' AS id, 7 AS v, {columns}").write_parquet(str(tmp_path / "t.parquet"))
    said, refused, served = outcome(tmp_path, files="t.parquet")
    assert said == refused
    assert '8 of the features have types that cannot be served, and are left out: "c0", ' in said[0]
    assert '"c5" and 2 more; convert' in said[0]
    assert served == {"v": 7}
