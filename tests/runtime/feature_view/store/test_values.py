"""What is stored comes back as it was: the value, its type, and to the last bit."""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import first_of
from tests.runtime.feature_view.conftest import NewStore
from tests.runtime.feature_view.store.views import VIEW, at, column, day, layout, load, served
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import DirectWrite, RowLayout, StoreError, Value
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.value_codec import to_microseconds

NAN, INFINITY = float("nan"), float("inf")
SCALARS = {
    "BOOL": st.booleans(),
    "INT64": st.integers(-(2**63), 2**63 - 1),
    "DOUBLE": st.floats(),
    "STRING": st.text(st.characters(exclude_categories=["Cs"])),
    "BYTES": st.binary(),
    "TIMESTAMP": st.datetimes(timezones=st.just(UTC)),
}
COLUMNS = [Column(f"{type}{repeated}", type, repeated) for type in SCALARS for repeated in (False, True)]


def values_of(one: Column) -> st.SearchStrategy[Value]:
    scalar = SCALARS[one.type]
    return st.none() | (st.lists(scalar, max_size=4) if one.repeated else scalar)


def exactly(value: object) -> object:
    """A value that equals another one only if they are the same to the last bit, and of one type; NaN is one value."""
    if isinstance(value, list):
        return [exactly(one) for one in value]
    return type(value), struct.pack("<d", value) if isinstance(value, float) and value == value else str(value)


@given(rows=st.lists(st.tuples(*map(values_of, COLUMNS)), min_size=1, max_size=4))
def test_every_value_comes_back_exactly(new_store: NewStore, rows: list[tuple[Value, ...]]) -> None:
    store = new_store()
    load(store, [(at, None, *row) for at, row in enumerate(rows)], RowLayout((column("id INT64"),), tuple(COLUMNS)))
    found = store.fetch(VIEW, [(at,) for at, _ in enumerate(rows)])
    assert [exactly([*one.values.values()]) for one in found if one] == [exactly([*row]) for row in rows]


@given(data=st.data())
def test_what_is_written_directly_comes_back_exactly(new_store: NewStore, data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(COLUMNS))
    value = data.draw(st.lists(SCALARS[one.type], max_size=4) if one.repeated else SCALARS[one.type])
    store = new_store()
    load(store, [], RowLayout((column("id INT64"),), (one,)))
    store.write(VIEW, [DirectWrite((1,), one.name, value, day(1))], now=day(1))
    (found,) = store.fetch(VIEW, [(1,)])
    assert found and exactly(found.values[one.name]) == exactly(value)


@pytest.mark.parametrize(
    ("feature", "value"),
    [
        ("x DOUBLE", -0.0),
        ("x DOUBLE", -INFINITY),
        ("x DOUBLE", 5e-324),
        ("x INT64", -(2**63)),
        ("x INT64", 2**63 - 1),
        ("x STRING", "a\0b"),
        ("x STRING", "🍟"),
        ("x STRING", ""),
        ("x STRING", "''; DROP TABLE views"),
        ("x STRING", "12"),
        ("x BYTES", b"\0\xff"),
        ("x BYTES", b""),
        ("x BOOL", False),
        ("x TIMESTAMP", datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("x TIMESTAMP", datetime(1, 1, 1, tzinfo=UTC)),
        ("x DOUBLE REPEATED", [1.5, -INFINITY]),
        ("x DOUBLE REPEATED", [0.0, -0.0]),
        ("x INT64 REPEATED", []),
        ("x STRING REPEATED", ["", "a\0b"]),
        ("x BYTES REPEATED", [b"\xff", b""]),
        ("x BOOL REPEATED", [True, False]),
    ],
)
def test_hard_values_come_back_exactly(new_store: NewStore, feature: str, value: Value) -> None:
    store = new_store()
    load(store, [("a", None, value)], layout(feature))
    assert [exactly(entity["x"]) for entity in served(store, "a")] == [exactly(value)]


@pytest.mark.parametrize("values", [["x", None], [None]])
def test_a_list_with_a_null_that_was_stored_before_comes_back_as_null(new_store: NewStore, values: list[Value]) -> None:
    store = new_store()
    load(store, [("a", None, values), ("b", None, ["x"])], layout("x STRING REPEATED"))
    assert served(store, "a", "b") == [{"x": None}, {"x": ["x"]}]


def test_nan_is_a_value_and_not_a_null(new_store: NewStore) -> None:
    store = new_store()
    load(
        store, [("a", None, NAN), ("b", None, None), ("c", None, INFINITY), ("d", None, -INFINITY)], layout("x DOUBLE")
    )
    assert [str(entity["x"]) for entity in served(store, "a", "b", "c", "d")] == ["nan", "None", "inf", "-inf"]


@pytest.mark.parametrize("new_store", first_of(["sqlite", "redis", "redis-cluster"]), indirect=True)
def test_nan_is_found_among_many_rows(new_store: NewStore) -> None:
    store = new_store()
    rows = [(f"{number:06}", None, NAN if number % 15_000 == 14_999 else 1.0) for number in range(30_000)]
    load(store, rows, layout("x DOUBLE"))
    assert sum(x != x for _, x in store.scan(VIEW, ["x"])) == 2


def test_a_timestamp_of_a_row_is_a_datetime_or_microseconds(new_store: NewStore) -> None:
    store = new_store()
    load(
        store,
        [("a", None, day(3)), ("b", None, at(3)), ("c", None, day(3).replace(tzinfo=None))],
        layout("x TIMESTAMP"),
    )
    assert served(store, "a", "b", "c") == [{"x": day(3)}] * 3


def test_a_timestamp_beyond_the_calendar_is_refused(new_store: NewStore) -> None:
    store = new_store()
    with pytest.raises(StoreError, match=r'"x" of entity a: .* is not in the years 1 to 9999'):
        load(store, [("a", None, to_microseconds(datetime.max) + 1)], layout("x TIMESTAMP"))


def test_ids_keep_their_types(new_store: NewStore) -> None:
    store = new_store()
    load(
        store,
        [("7", 7, None, 1), ("7", 8, None, 2), ("07", 7, None, 3)],
        layout("x INT64", keys=["a STRING", "b INT64"]),
    )
    found = store.fetch(VIEW, [("07", 7), ("7", 8), ("7", 7), ("8", 7)])
    assert [one and (one.id, one.values["x"]) for one in found] == [(("07", 7), 3), (("7", 8), 2), (("7", 7), 1), None]


def test_the_timestamp_is_the_moment_of_the_newest_value(new_store: NewStore) -> None:
    store = new_store()
    load(
        store,
        [("a", at(1), at(3), 1, 2), ("b", None, None, None, None)],
        layout("x INT64", "y INT64", moment_of=(0, 1)),
    )
    assert [entity and entity.timestamp for entity in store.fetch(VIEW, [("a",), ("b",)])] == [day(3), None]


@pytest.mark.parametrize("name", ["", '"', "select", "a b", "ä", "A", "f0", "x" * 5000])
def test_a_feature_may_have_any_name(new_store: NewStore, name: str) -> None:
    store = new_store()
    of = RowLayout((column("id STRING"),), (Column("a", "INT64"), Column(name, "INT64")))
    load(store, [("1", None, 1, 2)], of)
    assert served(store, "1") == [{"a": 1, name: 2}]


def test_an_entity_id_may_be_long(new_store: NewStore) -> None:
    store = new_store()
    load(store, [("x" * 100_000, None, 1), ("x" * 100_001, None, 2)])
    assert served(store, "x" * 100_001) == [{"likes": 2}]


def test_more_columns_than_sqlite_has_are_refused() -> None:
    store = SqliteStore(":memory:")
    with pytest.raises(StoreError, match="1,997 features make a row of 2,001 columns; SQLite has at most 2,000"):
        load(store, [], layout(*(f"f{number} INT64" for number in range(1_997))))
    load(store, [], layout(*(f"f{number} INT64" for number in range(1_996))))
