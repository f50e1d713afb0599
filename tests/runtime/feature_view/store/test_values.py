"""What is stored comes back as it was; of a sync and direct writes, the newest moment of each feature wins."""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import first_of
from tests.runtime.feature_view.conftest import NewStore
from tests.runtime.feature_view.store.views import VIEW, at, column, day, layout, load, served
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    InvalidWrite,
    NeverSynced,
    OnlineStore,
    RowLayout,
    SyncCounts,
    Value,
)
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.store.value_codec import to_microseconds

TWO = layout("x INT64", "y INT64", moment_of=(0, 1))
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
def test_hard_values_come_back_exactly(store: OnlineStore, feature: str, value: Value) -> None:
    load(store, [("a", None, value)], layout(feature))
    assert [exactly(entity["x"]) for entity in served(store, "a")] == [exactly(value)]


@pytest.mark.parametrize("values", [["x", None], [None]])
def test_a_list_with_a_null_that_was_stored_before_comes_back_as_null(store: OnlineStore, values: list[Value]) -> None:
    load(store, [("a", None, values), ("b", None, ["x"])], layout("x STRING REPEATED"))
    assert served(store, "a", "b") == [{"x": None}, {"x": ["x"]}]


@pytest.mark.parametrize("new_store", first_of(["sqlite", "redis", "redis-cluster"]), indirect=True)
def test_nan_is_found_among_many_rows(store: OnlineStore) -> None:
    rows = [(f"{number:06}", None, NAN if number % 15_000 == 14_999 else 1.0) for number in range(30_000)]
    load(store, rows, layout("x DOUBLE"))
    assert sum(x != x for _, x in store.scan(VIEW, ["x"])) == 2


def test_a_timestamp_of_a_row_is_a_datetime_or_microseconds(store: OnlineStore) -> None:
    load(
        store,
        [("a", None, day(3)), ("b", None, at(3)), ("c", None, day(3).replace(tzinfo=None))],
        layout("x TIMESTAMP"),
    )
    assert served(store, "a", "b", "c") == [{"x": day(3)}] * 3


def test_a_timestamp_beyond_the_calendar_is_refused(store: OnlineStore) -> None:
    with pytest.raises(StoreError, match=r'"x" of entity a: .* is not in the years 1 to 9999'):
        load(store, [("a", None, to_microseconds(datetime.max) + 1)], layout("x TIMESTAMP"))


def test_ids_keep_their_types(store: OnlineStore) -> None:
    load(
        store,
        [("7", 7, None, 1), ("7", 8, None, 2), ("07", 7, None, 3)],
        layout("x INT64", keys=["a STRING", "b INT64"]),
    )
    found = store.fetch(VIEW, [("07", 7), ("7", 8), ("7", 7), ("8", 7)])
    assert [one and (one.id, one.values["x"]) for one in found] == [(("07", 7), 3), (("7", 8), 2), (("7", 7), 1), None]


def test_the_timestamp_is_the_moment_of_the_newest_value(store: OnlineStore) -> None:
    load(
        store,
        [("a", at(1), at(3), 1, 2), ("b", None, None, None, None)],
        layout("x INT64", "y INT64", moment_of=(0, 1)),
    )
    assert [entity and entity.timestamp for entity in store.fetch(VIEW, [("a",), ("b",)])] == [day(3), None]


@pytest.mark.parametrize("name", ["", '"', "select", "a b", "ä", "A", "f0", "x" * 5000])
def test_a_feature_may_have_any_name(store: OnlineStore, name: str) -> None:
    of = RowLayout((column("id STRING"),), (Column("a", "INT64"), Column(name, "INT64")))
    load(store, [("1", None, 1, 2)], of)
    assert served(store, "1") == [{"a": 1, name: 2}]


def test_an_entity_id_may_be_long(store: OnlineStore) -> None:
    load(store, [("x" * 100_000, None, 1), ("x" * 100_001, None, 2)])
    assert served(store, "x" * 100_001) == [{"likes": 2}]


def test_more_columns_than_sqlite_has_are_refused() -> None:
    store = SqliteStore(":memory:")
    with pytest.raises(StoreError, match="1,997 features make a row of 2,001 columns; SQLite has at most 2,000"):
        load(store, [], layout(*(f"f{number} INT64" for number in range(1_997))))
    load(store, [], layout(*(f"f{number} INT64" for number in range(1_996))))


def write(store: OnlineStore, value: Value, moment: int, feature: str = "likes", id: str = "a") -> bool:
    """Write a value that is of a day of the month."""
    (is_served,) = store.write(VIEW, [DirectWrite((id,), feature, value, day(moment))], now=day(30))
    return is_served


@pytest.mark.parametrize(
    ("written", "is_newer", "why"),
    [(1, False, "it is older"), (2, True, "of two of one moment the direct write is served"), (3, True, "it is newer")],
)
def test_a_write_is_served_unless_a_newer_value_is(store: OnlineStore, written: int, is_newer: bool, why: str) -> None:
    load(store, [("a", at(2), 1)])
    value = {"likes": 7 if is_newer else 1}
    assert write(store, 7, written) is is_newer, why
    assert served(store, "a") == [value]
    assert load(store, [("a", at(2), 1)]).unchanged == 1
    assert served(store, "a") == [value]


def test_each_feature_has_a_moment_of_its_own(store: OnlineStore) -> None:
    load(store, [("a", at(1), at(3), 1, 1)], TWO)
    assert [write(store, 7, 2, "x"), write(store, 7, 2, "y")] == [True, False]
    load(store, [("a", at(1), at(3), 1, 1)], TWO)
    assert served(store, "a") == [{"x": 7, "y": 1}]


def test_a_value_without_a_moment_is_of_the_sync_that_read_it(store: OnlineStore) -> None:
    load(store, [("a", None, 1)], synced=day(2))
    assert write(store, 7, 1) is False
    assert write(store, 7, 3) is True
    load(store, [("a", None, 1)], synced=day(4))
    assert served(store, "a") == [{"likes": 1}]


def test_a_vanished_value_without_a_moment_stays_of_the_sync_that_read_it(store: OnlineStore) -> None:
    load(store, [("a", None, 1)], synced=day(2))
    write(store, 7, 3)
    load(store, [], synced=day(4), keep_vanished=True)
    assert served(store, "a") == [{"likes": 7}]


def test_of_two_writes_of_one_moment_the_later_one_is_served(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1)])
    assert [write(store, 7, 2), write(store, 8, 2), write(store, 9, 1)] == [True, True, False]
    load(store, [("a", at(1), 1)])
    assert served(store, "a") == [{"likes": 8}]


def test_a_write_makes_an_entity_that_is_not_there(store: OnlineStore) -> None:
    load(store, [], TWO)
    assert write(store, 7, 1, "x", "new") is True
    assert served(store, "new") == [{"x": 7, "y": None}]
    assert load(store, [], TWO) == SyncCounts(entities=1)
    assert served(store, "new") == [{"x": 7, "y": None}]
    assert [entity and entity.timestamp for entity in store.fetch(VIEW, [("new",)])] == [day(1)]


def test_an_entity_that_a_write_made_is_not_new_when_the_source_has_it(store: OnlineStore) -> None:
    load(store, [], TWO)
    write(store, 7, 1, "x")
    assert load(store, [("a", at(1), at(1), 1, 2)], TWO) == SyncCounts(read=1, entities=1, changed=1)
    assert served(store, "a") == [{"x": 7, "y": 2}]


def test_what_was_written_stays_when_the_rest_of_an_entity_vanishes(store: OnlineStore) -> None:
    load(store, [("a", at(1), at(1), 1, 2)], TWO)
    write(store, 7, 2, "x")
    assert load(store, [], TWO) == SyncCounts(entities=1, vanished=1)
    assert served(store, "a") == [{"x": 7, "y": None}]


def test_a_write_that_was_overtaken_does_not_come_back(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1)])
    write(store, 7, 2)
    load(store, [("a", at(3), 1)])
    load(store, [])
    assert served(store, "a") == [None]


def test_a_write_stays_under_an_incremental_sync(store: OnlineStore) -> None:
    load(store, [("a", at(1), at(1), 1, 2)], TWO)
    write(store, 7, 4, "x")
    load(store, [("a", at(3), at(3), 3, 3)], TWO, incremental=True)
    assert served(store, "a") == [{"x": 7, "y": 3}]


def test_writes_go_on_while_an_incremental_load_is_made(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("b", at(1), 1)])

    def rows() -> Iterator[tuple[object, ...]]:
        assert write(store, 7, 2) and write(store, 8, 2, id="c")
        yield ("a", at(1), 1)
        assert write(store, 9, 3, id="b")
        yield ("b", at(2), 1)

    assert load(store, rows(), incremental=True).entities == 3
    assert served(store, "a", "b", "c") == [{"likes": 7}, {"likes": 9}, {"likes": 8}]


def test_writes_go_on_while_rows_are_loaded(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("b", at(1), 1)])
    write(store, 6, 2, id="b")

    def rows() -> Iterator[tuple[object, ...]]:
        yield ("a", at(1), 1)
        assert write(store, 7, 2) and served(store, "a") == [{"likes": 7}]
        assert write(store, 9, 2, id="c")
        yield ("b", at(1), 1)

    assert load(store, rows()).entities == 3
    assert served(store, "a", "b", "c") == [{"likes": 7}, {"likes": 6}, {"likes": 9}]


def test_the_first_write_may_come_while_rows_are_loaded(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1)])
    load(store, (row for _ in [write(store, 7, 2)] for row in [("a", at(1), 1)]))
    assert served(store, "a") == [{"likes": 7}]


def test_a_write_ends_with_its_feature(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1)])
    write(store, 7, 2)
    load(store, [("a", at(1), "one")], layout("likes STRING"))
    assert served(store, "a") == [{"likes": "one"}]
    load(store, [("a", at(1), 1)])
    assert served(store, "a") == [{"likes": 1}]


@pytest.mark.parametrize("keep_vanished", [False, True])
def test_an_entity_that_only_had_that_feature_ends_with_it(store: OnlineStore, keep_vanished: bool) -> None:
    load(store, [("a", at(1), 1)])
    write(store, 7, 2, id="b")
    counts = load(store, [("a", at(1), 1)], layout("loves INT64"), keep_vanished=keep_vanished)
    assert (counts.entities, served(store, "a", "b")) == (1, [{"loves": 1}, None])


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (DirectWrite(("a",), "like", 1, day(1)), 'there is no feature "like"; the view has likes'),
        (DirectWrite(("a",), "likes", "1", day(1)), "a value of \"likes\" must be INT64, not '1'"),
        (DirectWrite(("a",), "likes", True, day(1)), 'a value of "likes" must be INT64, not True'),
        (DirectWrite(("a",), "likes", 2**63, day(1)), 'a value of "likes" must be INT64, not 9223372036854775808'),
        (DirectWrite(("a",), "likes", [1], day(1)), 'a value of "likes" must be INT64, not [1]'),
        (
            DirectWrite(("a",), "likes", None, day(1)),
            'a direct write cannot delete the value of "likes"; write another value',
        ),
        (DirectWrite((1,), "likes", 1, day(1)), 'the entity id column "id" must be STRING, not 1'),
        (DirectWrite(("\ud800",), "likes", 1, day(1)), "the entity id column \"id\" must be STRING, not '\\ud800'"),
        (DirectWrite(("a", "b"), "likes", 1, day(1)), "an entity id of the view has 1 part, not 2: id"),
        (DirectWrite(("a",), "likes", 1, day(30).replace(year=2027)), "2027-11-30T00:00:00Z is in the future; "),
    ],
)
def test_a_write_that_does_not_fit_is_reported_and_nothing_is_written(
    store: OnlineStore, one: DirectWrite, message: str
) -> None:
    load(store, [("a", at(1), 1)])
    with pytest.raises(InvalidWrite) as told:
        store.write(VIEW, [DirectWrite(("a",), "likes", 5, day(2)), one], now=day(30))
    assert str(told.value).startswith(message)
    assert served(store, "a") == [{"likes": 1}]


def test_a_whole_number_is_a_double(store: OnlineStore) -> None:
    load(store, [], layout("x DOUBLE"))
    write(store, 7, 1, "x")
    assert [type(entity["x"]) for entity in served(store, "a")] == [float]


def test_a_view_that_was_never_synced_takes_no_writes(store: OnlineStore) -> None:
    with pytest.raises(NeverSynced):
        write(store, 7, 1)


def test_the_writes_that_are_kept_can_be_asked_for(store: OnlineStore) -> None:
    assert not store.history(VIEW).writes
    load(store, [("a", at(2), 1), ("b", at(2), 1)])
    write(store, 7, 3)
    write(store, 8, 4)
    write(store, 9, 5, id="b")
    a, b = DirectWrite(("a",), "likes", 8, day(4)), DirectWrite(("b",), "likes", 9, day(5))
    assert store.history(VIEW).writes == [a, b]
    load(store, [("a", at(6), 1), ("b", at(2), 1)])
    load(store, [("a", at(6), 1), ("b", at(2), 1)])
    assert store.history(VIEW).writes == [b]
