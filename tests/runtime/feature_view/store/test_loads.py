"""What a load makes of what is served: all of it at once, or nothing."""

import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.runtime.feature_view.store.views import DAY, VIEW, at, day, layout, load, served
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.source import sqlite_reader
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable
from trialrun.runtime.feature_view.store import database
from trialrun.runtime.feature_view.store.database import StatementBudget
from trialrun.runtime.feature_view.store.interface import (
    EntityId,
    InvalidEntityId,
    NeverSynced,
    OnlineStore,
    Scan,
    SyncCounts,
)
from trialrun.runtime.feature_view.store.sqlite import SqliteStore


def test_a_view_that_was_never_synced_serves_nothing(store: OnlineStore) -> None:
    assert store.snapshot(VIEW) is None
    assert not store.history(VIEW).syncs
    with pytest.raises(NeverSynced, match="was never synced; sync it first"):
        store.fetch(VIEW, [("a",)])
    with pytest.raises(NeverSynced):
        store.scan(VIEW, ["likes"])


def test_another_view_is_as_if_it_were_alone(store: OnlineStore) -> None:
    load(store, [("a", None, 1)])
    load(store, [("a", None, 2)], view="other ' \" view\0")
    assert (served(store, "a"), served(store, "a", view="other ' \" view\0")) == ([{"likes": 1}], [{"likes": 2}])


def test_a_snapshot_knows_what_it_is_of(store: OnlineStore) -> None:
    of = layout("likes INT64", "tags STRING REPEATED", moment_of=(0, 1))
    load(store, [("a", None, 1)], synced=day(1))
    load(store, [("a", at(1), None, 1, ["x"]), ("b", None, None, 1, None)], of, synced=day(2), plan="digest")
    snapshot = store.snapshot(VIEW)
    assert snapshot and (snapshot.number, snapshot.synced_at, snapshot.layout) == (2, day(2), of)
    assert (snapshot.entities, snapshot.plan, snapshot.watermark) == (2, "digest", None)
    assert store.history(VIEW).syncs == [day(1), day(2)]


def test_ids_are_answered_in_their_order(store: OnlineStore) -> None:
    load(store, [(str(number), None, number) for number in range(1000)])
    ids = [str(number) for number in [5, 999, 1000, 5, *range(600)]]
    assert served(store, *ids) == [{"likes": int(id)} if int(id) < 1000 else None for id in ids]
    assert served(store) == []


@pytest.mark.parametrize("before", [[("7",)], []], ids=["an id of before", "no id of before"])
def test_ids_are_made_by_the_layout_that_is_served(tmp_path: Path, before: list[EntityId]) -> None:
    reader, writer = SqliteStore(tmp_path), SqliteStore(tmp_path)
    load(writer, [("7", None, 1)])
    served(reader, "7")
    load(writer, [(7, None, 2)], layout("likes INT64", keys=["id INT64"]))
    (entity,) = reader.fetch_in_layout(VIEW, lambda of: [(7,)] if of.keys[0].type == "INT64" else before)
    assert entity and entity.values == {"likes": 2}


@pytest.mark.parametrize("id", [(), ("a", "b"), ("\ud800",), (2**63,)], ids=repr)
def test_an_id_that_no_entity_can_have_is_told(store: OnlineStore, id: tuple[int | str, ...]) -> None:
    load(store, [("a", None, 1)])
    for _ in range(2):
        with pytest.raises(InvalidEntityId, match=r"the entity id columns are id \(STRING\)"):
            store.fetch(VIEW, [id])
        assert served(store, "a") == [{"likes": 1}]


def test_a_scan_is_in_the_order_of_entity_ids(store: OnlineStore) -> None:
    load(
        store,
        [(-5, "b", None, 1, 2), (10, "a", None, 3, 4), (9, "é", None, 5, 6), (9, "z", None, 7, 8)],
        layout("x INT64", "y INT64", keys=["n INT64", "t STRING"]),
    )
    assert [*store.scan(VIEW, ["y"])] == [((-5, "b"), 2), ((9, "z"), 8), ((9, "é"), 6), ((10, "a"), 4)]


def test_a_scan_gives_columns_of_the_entity_id_too_whatever_their_capitals(store: OnlineStore) -> None:
    of = layout("likes INT64", "tags STRING REPEATED")
    load(store, [("a", None, 1, ["x"]), ("b", None, 2, ["y"])], of)
    key = of.keys[0].name
    assert [*store.scan(VIEW, ["TAGS", key.upper(), "Likes", key])] == [
        (("a",), ["x"], "a", 1, "a"),
        (("b",), ["y"], "b", 2, "b"),
    ]


def test_counts_tell_what_a_sync_did(store: OnlineStore) -> None:
    nan = float("nan")
    of = layout("x DOUBLE", "y STRING")
    load(store, [("a", 1, 1.0, "y"), ("b", 1, nan, None), ("c", 1, 1.0, "y"), ("d", 1, None, "y")], of)
    counts = load(store, [("a", 2, 1.0, "y"), ("b", 2, nan, None), ("c", 1, 1.0, None), ("e", 1, None, "y")], of)
    assert counts == SyncCounts(read=4, entities=4, new=1, changed=1, unchanged=2, vanished=1)


def test_zeros_of_both_signs_and_any_nan_are_equal(store: OnlineStore) -> None:
    of, (other_nan,) = layout("x DOUBLE", "y DOUBLE", "z STRING"), struct.unpack(">d", b"\xff\xf8\0\0\0\0\0\7")
    load(store, [("a", 1, 0.0, 512.0, "y"), ("b", 1, float("nan"), 0.0, "y"), ("c", 1, 1.5, -0.0, "y")], of)
    rows = [("a", 2, -0.0, 512.0, "y"), ("b", 2, other_nan, -0.0, "y"), ("c", 2, 1.5, 0.0, "z")]
    assert load(store, rows, of) == SyncCounts(read=3, entities=3, changed=1, unchanged=2)


def test_vanished_entities_may_stay(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("b", at(1), 1)])
    counts = load(store, [("a", at(2), 2), ("c", at(2), 3)], keep_vanished=True)
    assert counts == SyncCounts(read=2, entities=3, new=1, changed=1, unchanged=0, vanished=1)
    assert served(store, "a", "b", "c") == [{"likes": 2}, {"likes": 1}, {"likes": 3}]
    assert [entity and entity.timestamp for entity in store.fetch(VIEW, [("b",)])] == [day(1)]


def test_vanished_entities_have_the_features_of_the_new_layout(store: OnlineStore) -> None:
    load(store, [("a", None, 1, 2)], layout("x INT64", "y INT64"))
    counts = load(store, [], layout("z INT64", "y INT64", "x STRING"), keep_vanished=True)
    assert served(store, "a") == [{"z": None, "y": 2, "x": None}]
    assert counts == SyncCounts(entities=1, vanished=1)


def test_an_incremental_load_leaves_what_it_does_not_have(store: OnlineStore) -> None:
    of = layout("x INT64", "y INT64", moment_of=(0, 1))
    load(store, [("a", at(1), at(1), 1, 2), ("b", at(1), at(1), 3, 4)], of)
    counts = load(store, [("a", at(2), None, 5, None), ("c", None, at(2), None, 6)], of, incremental=True)
    assert served(store, "a", "b", "c") == [{"x": 5, "y": None}, {"x": 3, "y": 4}, {"x": None, "y": 6}]
    assert counts == SyncCounts(read=2, entities=3, new=1, changed=1, unchanged=0, vanished=0)


def test_an_incremental_load_is_staged_whole_for_an_index(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("b", at(1), 2)])
    seen: list[object] = []
    rows = [("b", at(2), 3)]
    load(store, rows, incremental=True, before_serving=lambda _, scan: seen.extend(scan(["likes"])))
    assert seen == [*store.scan(VIEW, ["likes"])] == [(("a",), 1), (("b",), 3)]


@pytest.mark.parametrize("new_store", first_of(["sqlite", "redis", "redis-cluster"]), indirect=True)
def test_an_incremental_load_may_have_more_rows_than_a_batch(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("0", at(1), 1)])
    counts = load(store, [(str(number), at(2), 2) for number in range(30_000)], incremental=True)
    assert counts == SyncCounts(read=30_000, entities=30_001, new=29_999, changed=1)
    assert served(store, "a", "0", "29999") == [{"likes": 1}, {"likes": 2}, {"likes": 2}]


def test_an_incremental_load_leaves_a_scan_as_it_was(store: OnlineStore) -> None:
    load(store, [("a", at(1), 1), ("b", at(1), 2)])
    scan = store.scan(VIEW, ["likes"])
    load(store, [("a", at(2), 3)], incremental=True)
    assert [*scan] == [(("a",), 1), (("b",), 2)]
    snapshot = store.snapshot(VIEW)
    assert snapshot and (snapshot.number, snapshot.entities) == (2, 2)


def test_a_feature_that_comes_or_goes_changes_the_entities_that_have_it(store: OnlineStore) -> None:
    load(store, [("a", None, 1, None), ("b", None, 1, 2)], layout("x INT64", "gone INT64"))
    counts = load(store, [("a", None, 1, None), ("b", None, 1, None)], layout("x INT64", "come INT64"))
    assert (counts.changed, counts.unchanged) == (1, 1)


@pytest.mark.parametrize(("before", "after", "changed"), [("INT64", "DOUBLE", 0), ("INT64", "TIMESTAMP", 1)])
def test_a_feature_of_another_type_changes_with_its_value(
    store: OnlineStore, before: str, after: str, changed: int
) -> None:
    load(store, [("a", None, 1)], layout(f"x {before}"))
    assert load(store, [("a", None, 1)], layout(f"x {after}")).changed == changed


def test_entity_ids_of_another_type_are_other_entities(store: OnlineStore) -> None:
    load(store, [("1", None, 1)])
    counts = load(store, [(1, None, 1)], layout("likes INT64", keys=["id INT64"]), keep_vanished=True)
    assert counts == SyncCounts(read=1, entities=1, new=1, vanished=1)
    assert served(store, 1, "1") == [{"likes": 1}, None]


def test_a_view_without_features_has_entities(store: OnlineStore) -> None:
    load(store, [("a", None)], layout())
    assert load(store, [("a", None)], layout()) == SyncCounts(read=1, entities=1, unchanged=1)
    assert served(store, "a", "b") == [{}, None]


def test_two_rows_of_one_entity_are_refused(store: OnlineStore) -> None:
    with pytest.raises(StoreError, match="two loaded rows have the same entity id"):
        load(store, [("a", None, 1), ("a", None, 2)])
    assert store.snapshot(VIEW) is None


def test_a_row_without_an_id_is_refused(store: OnlineStore) -> None:
    with pytest.raises(StoreError, match="a loaded row has no entity id"):
        load(store, [(None, None, 1)])


def test_rows_are_staged_before_they_are_served(store: OnlineStore) -> None:
    load(store, [("a", None, 1)])
    seen = []

    def look(number: int, scan: Scan) -> None:
        seen.append((number, [*scan(["likes"])], served(store, "a", "b")))

    load(store, [("a", None, 2), ("b", None, 3)], before_serving=look)
    assert seen == [(2, [(("a",), 2), (("b",), 3)], [{"likes": 1}, None])]
    assert served(store, "a", "b") == [{"likes": 2}, {"likes": 3}]


def test_what_before_serving_raises_leaves_the_old_snapshot(store: OnlineStore) -> None:
    load(store, [("a", None, 1)])

    def fail(number: int, scan: Scan) -> None:
        raise ArithmeticError("no index")

    with pytest.raises(ArithmeticError):
        load(store, [("a", None, 2)], before_serving=fail)
    assert served(store, "a") == [{"likes": 1}]
    assert store.history(VIEW).syncs == [day(30)]


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError("the source is gone"), MemoryError], ids=repr)
def test_rows_that_break_off_leave_the_old_snapshot(store: OnlineStore, fault: BaseException) -> None:
    def broken() -> Iterator[tuple[object, ...]]:
        yield from (("a", None, 2) for _ in range(1))
        raise fault

    load(store, [("a", None, 1)])
    with pytest.raises((KeyboardInterrupt, OSError, MemoryError)):
        load(store, broken())
    assert served(store, "a") == [{"likes": 1}]
    assert load(store, [("a", None, 3)]).changed == 1


def test_a_removed_view_is_forgotten_and_may_come_again(store: OnlineStore) -> None:
    load(store, [("a", None, 1)])
    served(store, "a")
    store.remove(VIEW)
    assert (store.snapshot(VIEW), store.history(VIEW).syncs) == (None, [])
    with pytest.raises(NeverSynced):
        store.fetch(VIEW, [("a",)])
    assert load(store, [("a", None, 1)], synced=day(30) + DAY).new == 1
    snapshot = store.snapshot(VIEW)
    assert snapshot and snapshot.number == 2


Ending = Callable[[StatementBudget], bool]


def strike(budget: StatementBudget) -> bool:
    raise KeyboardInterrupt


def spend(budget: StatementBudget) -> bool:
    budget.was_spent = True
    return True


@pytest.fixture
def end_statements(monkeypatch: pytest.MonkeyPatch) -> list[Ending]:
    """What happens at each look at the clock, which is taken at every step; nothing while it is empty."""
    endings: list[Ending] = []
    monkeypatch.setattr(StatementBudget, "is_spent", lambda budget: bool(endings) and endings[0](budget))
    for module in (database, sqlite_reader):
        monkeypatch.setattr(module, "STEPS_BETWEEN_CHECKS", 1)
    return endings


@pytest.mark.parametrize(("ending", "error"), [(strike, KeyboardInterrupt), (spend, StoreError)])
def test_a_load(tmp_path: Path, end_statements: list[Ending], ending: Ending, error: type[BaseException]) -> None:
    store = SqliteStore(tmp_path / "s")
    load(store, [("a", None, 1)])

    def rows() -> object:
        yield ("a", None, 2)
        end_statements.append(ending)
        yield ("b", None, 2)

    with pytest.raises(error):
        load(store, rows())  # type: ignore[arg-type]
    end_statements.clear()
    assert served(SqliteStore(tmp_path / "s"), "a") == [{"likes": 1}]


@pytest.mark.parametrize(("ending", "error"), [(strike, KeyboardInterrupt), (spend, Unreadable)])
def test_a_source(tmp_path: Path, end_statements: list[Ending], ending: Ending, error: type[BaseException]) -> None:
    with closing(sqlite3.connect(tmp_path / "d.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS id")
    with closing(sqlite_reader.SqliteReader(TableLocation("u", str(tmp_path), database="d.db", table="t"))) as reader:
        end_statements.append(ending)
        with pytest.raises(error):
            reader.all("SELECT id FROM t")
        end_statements.clear()
