"""A search in a view: the index of its snapshot, a question, and the answer."""

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.feature_view.catalog_fixture import NAME, NOW, guests
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import Catalog
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, SearchRequest, StringFilter
from trialrun.runtime.feature_view.search import SearchResult, SnapshotIndexes, search
from trialrun.runtime.feature_view.store.interface import DirectWrite, NeverSynced
from trialrun.runtime.feature_view.store.sqlite import SqliteStore
from trialrun.runtime.feature_view.sync import sync_view

INDEX = {"embeddingColumn": "taste", "distanceMeasureType": "SQUARED_L2_DISTANCE", "bruteForceConfig": {}}
TWO = {**INDEX, "embeddingDimension": 2}
ROWS: list[dict[str, Any]] = [
    {"id": "ann", "taste": [0.0, 0.0], "diet": "vegan", "visits": 3},
    {"id": "bob", "taste": [1.0, 0.0], "diet": "any", "visits": 9},
    {"id": "cyd", "taste": [3.0, 0.0], "diet": "vegan", "visits": 1},
    {"id": "dan", "taste": None, "diet": "vegan", "visits": 1},
]


class Place:
    """A view of guests with a store and indexes, in memory or in a folder."""

    def __init__(self, folder: Path, *, kept: Path | None = None) -> None:
        self.folder, self.store = folder, SqliteStore(":memory:")
        self.indexes = SnapshotIndexes(kept)

    def catalog(self, rows: list[dict[str, Any]], index: Mapping[str, Any] | None) -> Catalog:
        return guests(self.folder, *rows, view={} if index is None else {"indexConfig": index})

    def sync(self, rows: list[dict[str, Any]] = ROWS, index: Mapping[str, Any] | None = INDEX) -> None:
        self.sync_catalog(self.catalog(rows, index))

    def sync_catalog(self, found: Catalog) -> None:
        making = self.indexes.before_serving(found.view(NAME))
        sync_view(found.view(NAME), found, self.store, clock=FixedClock(NOW), before_serving=making)

    def ask(self, *, index: Mapping[str, Any] | None = INDEX, **question: Any) -> SearchResult:
        return search(self.catalog(ROWS, index).view(NAME), self.store, self.indexes, SearchRequest(**question))


@pytest.fixture(params=["memory", "folder"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path, kept=None if request.param == "memory" else tmp_path / "kept")


def pairs(answer: SearchResult) -> list[tuple[object, float]]:
    return [(neighbor.id[0], neighbor.distance) for neighbor in answer.neighbors]


def test_by_an_entity_which_is_its_own_nearest(place: Place) -> None:
    place.sync()
    assert pairs(place.ask(entity=("bob",))) == [("bob", 0.0), ("ann", 1.0), ("cyd", 4.0)]


def test_without_numpy_a_view_with_an_index_cannot_be_synced(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(NotSearchable, match="needs numpy, which is not installed"):
        place.sync()


def test_values_come_on_request(place: Place) -> None:
    place.sync()
    (one,) = place.ask(vector=[0.0, 0.0], count=1, returns_values=True).neighbors
    assert one.values == {"taste": [0.0, 0.0], "diet": "vegan", "visits": 3}
    assert place.ask(vector=[0.0, 0.0], count=1).neighbors[0].values is None


def test_the_recall_of_an_exact_index_is_1(place: Place) -> None:
    place.sync()
    assert place.ask(vector=[0.0, 0.0], measures_recall=True).recall == 1.0
    assert place.ask(vector=[0.0, 0.0]).recall is None


def test_filters_and_crowding(place: Place) -> None:
    index = INDEX | {"filterColumns": ["DIET", "id", "visits"], "crowdingColumn": "diet"}
    place.sync(index=index)
    vegan = (StringFilter("DIET", ("vegan",)),)
    assert pairs(place.ask(index=index, vector=[3.0, 0.0], strings=vegan)) == [("cyd", 0.0), ("ann", 9.0)]
    assert pairs(place.ask(index=index, vector=[3.0, 0.0], strings=(StringFilter("id", ("bob",)),))) == [("bob", 4.0)]
    often = (NumericFilter("visits", "GREATER", 2),)
    assert pairs(place.ask(index=index, vector=[3.0, 0.0], numbers=often)) == [("bob", 4.0), ("ann", 9.0)]
    assert [id for id, _ in pairs(place.ask(index=index, vector=[3.0, 0.0], per_crowding_attribute=1))] == [
        "cyd",
        "bob",
    ]


def test_the_deprecated_field_is_an_index_config_too(place: Place) -> None:
    found = guests(place.folder, *ROWS, view={"vectorSearchConfig": INDEX})
    place.sync_catalog(found)
    with pytest.raises(NotSearchable) as caught:
        search(found.view(NAME), place.store, place.indexes, SearchRequest(vector=[1.0]))
    assert caught.value.steps == ("vectorSearchConfig", "embeddingDimension")


def test_the_next_sync_has_an_index_of_its_own(place: Place) -> None:
    place.sync()
    place.sync([{"id": "eve", "taste": [5.0, 5.0], "diet": "any", "visits": 1}])
    assert pairs(place.ask(vector=[5.0, 5.0])) == [("eve", 0.0)]


def test_what_is_written_directly_is_searched_after_the_next_sync(place: Place) -> None:
    place.sync()
    place.store.write(NAME, [DirectWrite(("ann",), "taste", [9.0, 9.0], NOW)], now=NOW)
    assert pairs(place.ask(vector=[0.0, 0.0], count=1)) == [("ann", 0.0)]


def test_another_process_reads_the_index(tmp_path: Path) -> None:
    place = Place(tmp_path, kept=tmp_path / "kept")
    place.sync()
    place.indexes = SnapshotIndexes(tmp_path / "kept")
    assert pairs(place.ask(entity=("ann",), count=1)) == [("ann", 0.0)]


def test_a_view_that_is_made_anew_does_not_get_the_index_of_the_old_one(tmp_path: Path) -> None:
    place = Place(tmp_path, kept=tmp_path / "kept")
    place.sync()
    place.ask(vector=[0.0, 0.0])
    place.store.remove(NAME)
    writer = Place(tmp_path, kept=tmp_path / "kept")
    writer.store = place.store
    writer.sync(ROWS[1:])
    assert pairs(place.ask(vector=[0.0, 0.0], count=1)) == [("bob", 1.0)]


def test_only_the_last_two_indexes_stay_on_the_disk(tmp_path: Path) -> None:
    place = Place(tmp_path, kept=tmp_path / "kept")
    for _ in range(4):
        place.sync()
    (folder,) = (tmp_path / "kept").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["3", "4"]


def test_a_view_that_was_never_synced(place: Place) -> None:
    with pytest.raises(NeverSynced):
        place.ask(vector=[0.0, 0.0])


@pytest.mark.parametrize(
    ("index", "question", "message", "steps"),
    [
        (None, {"vector": [0.0, 0.0]}, "the view has no indexConfig; set one with an embeddingColumn", ()),
        (
            {"bruteForceConfig": {}},
            {"vector": [0.0]},
            "the index config has no embeddingColumn",
            ("indexConfig", "embeddingColumn"),
        ),
        (INDEX, {}, "a search needs either an entity or a vector; give one of the two", ()),
        (INDEX, {"vector": [0.0], "entity": ("ann",)}, "a search needs either an entity or a vector", ()),
        (INDEX, {"entity": ("dan",)}, 'entity "dan" is not in the index; name a served entity with a valid', ()),
        (INDEX, {"entity": (7,)}, 'entity "7" is not in the index', ()),
        (
            INDEX,
            {"vector": [0.0]},
            "the vector has 1 elements but the index has dimension 2",
            ("indexConfig", "embeddingDimension"),
        ),
        (INDEX, {"vector": [0.0, math.nan]}, "element 1 of the vector, nan, is not a finite float", ()),
        (
            INDEX,
            {"vector": [0.0, 0.0], "strings": (StringFilter("diet", ("vegan",)),)},
            '"diet" is not among the filterColumns of the view; add it, and sync the view again',
            ("indexConfig", "filterColumns"),
        ),
        (
            INDEX,
            {"vector": [0.0, 0.0], "per_crowding_attribute": 1},
            "crowding is requested but the index config has no crowdingColumn",
            ("indexConfig", "crowdingColumn"),
        ),
    ],
)
def test_what_cannot_be_searched(
    index: Mapping[str, Any] | None, question: dict[str, Any], message: str, steps: tuple[str, ...], tmp_path: Path
) -> None:
    place = Place(tmp_path)
    place.sync(index=index)
    with pytest.raises(NotSearchable) as caught:
        place.ask(index=index, **question)
    assert str(caught.value).startswith(message)
    assert caught.value.steps == steps


def test_another_config_than_that_of_the_sync(place: Place) -> None:
    place.sync()
    with pytest.raises(NotSearchable, match=r"the index was built with another index config.*; sync the view again"):
        place.ask(index=INDEX | {"distanceMeasureType": "COSINE_DISTANCE"}, vector=[0.0, 0.0])


def test_a_sync_before_there_was_an_index_config(place: Place) -> None:
    place.sync(index=None)
    with pytest.raises(NotSearchable, match="sync the view again"):
        place.ask(vector=[0.0, 0.0])


def test_an_answer_says_what_it_rests_on(place: Place) -> None:
    index = {"embeddingColumn": "taste", "filterColumns": ["diet"]}
    place.sync(index=index)
    assert place.ask(index=index, entity=("ann",), strings=(StringFilter("diet"),)).assumptions == (
        "search-precision",
        "search-distance",
        "search-algorithm",
        "search-dimension",
        "search-itself",
        "search-filters",
    )


def test_a_search_over_rows_that_were_all_unusable_says_so(place: Place) -> None:
    place.sync([{"id": "ann", "taste": None}, {"id": "bob", "taste": None}, {"id": "cyd", "taste": [math.pi]}], TWO)
    with pytest.raises(NotSearchable, match="no served entity has a valid vector"):
        place.ask(vector=[1.0, 2.0], index=TWO)
