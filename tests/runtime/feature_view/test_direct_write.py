"""A view without a source serves what is written into it, and nothing else: its columns are those of the writes."""

from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, catalog, guests, restored, synced
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.direct_write import extend_layout, write_with_new_features
from trialrun.runtime.feature_view.index.interface import NotSearchable, SearchRequest
from trialrun.runtime.feature_view.search import SnapshotIndexes, search
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    InvalidWrite,
    NeverSynced,
    OnlineStore,
    RowLayout,
    ServedEntity,
    Value,
)
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

VISITS, RATING, TAGS = Column("visits", "INT64"), Column("rating", "DOUBLE"), Column("tags", "STRING", repeated=True)


def put(
    store: OnlineStore,
    id: tuple[int | str, ...],
    column: Column,
    value: Value,
    *,
    at: datetime = NOW,
    now: datetime = NOW,
) -> list[bool]:
    snapshot = store.snapshot(NAME)
    layout = extend_layout(snapshot.layout if snapshot else None, len(id), [column])
    return write_with_new_features(store, NAME, layout, [DirectWrite(id, column.name, value, at)], now=now)


def values(store: OnlineStore, *id: int | str) -> dict[str, Value] | None:
    (found,) = store.fetch(NAME, [id])
    return dict(found.values) if found else None


def test_the_first_write_makes_the_view(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "store.db"))
    assert put(store, ("ana",), VISITS, 3) == [True]
    assert store.fetch(NAME, [("ana",), ("ben",)]) == [ServedEntity(("ana",), {"visits": 3}, NOW), None]
    again = SqliteStore(str(tmp_path / "store.db"))
    assert values(again, "ana") == {"visits": 3}
    assert again.history(NAME).syncs == []


def test_a_further_feature_is_null_where_it_was_not_written(store: OnlineStore) -> None:
    put(store, ("ana",), VISITS, 3)
    put(store, ("ben",), RATING, 4.5)
    put(store, ("ben",), TAGS, ["new"])
    assert values(store, "ana") == {"visits": 3, "rating": None, "tags": None}
    assert values(store, "ben") == {"visits": None, "rating": 4.5, "tags": ["new"]}


def test_the_first_write_says_what_an_entity_id_is(store: OnlineStore) -> None:
    put(store, ("ana", "us"), VISITS, 3)
    snapshot = store.snapshot(NAME)
    assert snapshot is not None
    assert [(key.name, key.type_text) for key in snapshot.layout.keys] == [
        ("entity_id_1", "STRING"),
        ("entity_id_2", "STRING"),
    ]
    with pytest.raises(InvalidWrite, match="an entity id of the view has 2 parts, not 1"):
        put(store, ("ben",), VISITS, 3)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (Column("visits", "STRING"), "three", 'a value of "visits" must be INT64'),
        (RATING, None, 'a direct write cannot delete the value of "rating"'),
        (RATING, "high", 'a value of "rating" must be DOUBLE'),
    ],
)
def test_what_is_refused_adds_no_column(store: OnlineStore, column: Column, value: Value, words: str) -> None:
    put(store, ("ana",), VISITS, 3)
    with pytest.raises(InvalidWrite, match=words):
        put(store, ("ana",), column, value)
    assert values(store, "ana") == {"visits": 3}


def test_a_refused_first_write_makes_no_view(store: OnlineStore) -> None:
    with pytest.raises(InvalidWrite, match="in the future"):
        put(store, ("ana",), VISITS, 3, at=NOW + timedelta(hours=1))
    assert store.snapshot(NAME) is None


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    file = str(tmp_path / "store.db")
    put(SqliteStore(file), ("ana",), VISITS, 1)
    columns = [Column(f"f{number}", "INT64") for number in range(6)]
    writers = [Thread(target=lambda one=column: put(SqliteStore(file), ("ana",), one, 1)) for column in columns]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)
    assert values(SqliteStore(file), "ana") == {"visits": 1, **{column.name: 1 for column in columns}}


def test_a_search_says_that_no_sync_makes_the_index(tmp_path: Path) -> None:
    here = catalog(tmp_path, {"indexConfig": {"embeddingColumn": "vector", "bruteForceConfig": {}}})
    store = SqliteStore(":memory:")
    put(store, ("ana",), Column("vector", "DOUBLE", repeated=True), [1.0, 2.0])
    with pytest.raises(NotSearchable, match="the view has no source, and only a sync builds an index"):
        search(here.view(NAME), store, SnapshotIndexes(), SearchRequest(vector=[1.0, 2.0]))


def test_what_was_served_at_a_moment_is_what_was_written_by_then(store: OnlineStore, tmp_path: Path) -> None:
    here = catalog(tmp_path, {})
    put(store, ("ana",), VISITS, 3, at=NOW - timedelta(hours=2))
    put(store, ("ben",), VISITS, 4, at=NOW)
    past = restored(here, store, NOW - timedelta(hours=1))
    assert past.assumptions == ("as-of-writes",)
    found = past.store.fetch(NAME, [("ana",), ("ben",)])
    assert [one and dict(one.values) for one in found] == [{"visits": 3}, None]
    with pytest.raises(NeverSynced, match="nothing was written into it by"):
        restored(here, store, NOW - timedelta(hours=3))


def test_a_source_that_is_taken_away_leaves_what_was_served(store: OnlineStore, tmp_path: Path) -> None:
    synced(guests(tmp_path, {"id": 7, "visits": 2, "feature_timestamp": "2026-11-20T00:00:00Z"}), store)
    put(store, (7,), RATING, 4.5)
    assert values(store, 7) == {"visits": 2, "rating": 4.5}
    snapshot = store.snapshot(NAME)
    assert snapshot is not None
    assert (snapshot.number, snapshot.synced_at) == (1, NOW)


def test_a_source_that_comes_later_is_synced_beside_the_writes(store: OnlineStore, tmp_path: Path) -> None:
    put(store, ("ana",), VISITS, 3)
    row = {"id": "ben", "visits": 2, "feature_timestamp": "2026-11-20T00:00:00Z"}
    _, rows = synced(guests(tmp_path, row), store, now=NOW + timedelta(hours=1))
    assert rows == {("ben",): {"visits": 2}, ("ana",): {"visits": 3}}


def test_columns_that_are_there_stay_as_they_are() -> None:
    layout = RowLayout((Column("id", "INT64"),), (VISITS, RATING), (0, 1))
    wider = extend_layout(layout, 1, [Column("visits", "STRING"), TAGS, Column("tags", "INT64")])
    assert wider == RowLayout(layout.keys, (VISITS, RATING, TAGS), (0, 1, 2))
