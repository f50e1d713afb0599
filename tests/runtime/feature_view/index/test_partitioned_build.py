"""Shards that are built where the rows are, in parts, have the bytes of those that are built here."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of, seeds
from tests.runtime.feature_view.index.index_fixture import COSINE, DOT, L2, config
from tests.runtime.feature_view.index.test_tree import ROWS, clustered
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.index import partitioned_build
from trialrun.runtime.feature_view.index.interface import Query, Vectors
from trialrun.runtime.feature_view.index.parameters import IndexParameters, index_parameters
from trialrun.runtime.feature_view.index.partitioned_build import PartSurvey, build_where_rows_are
from trialrun.runtime.feature_view.index.shard import Sharding, shard_of
from trialrun.runtime.feature_view.index.shard_build import build_sharded_index
from trialrun.runtime.feature_view.index.sharded import load_any_index
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.feature_view.store.interface import RowLayout, StoreError

pytest.importorskip("numpy")
pytest.importorskip("faiss")

LAYOUT = RowLayout(
    (Column("id", "STRING"), Column("number", "INT64")),
    (Column("e", "DOUBLE", repeated=True), Column("Price", "DOUBLE"), Column("at", "TIMESTAMP")),
)
AT, EPOCH = 1_700_000_000_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
FIELDS = {"filterColumns": ["price", "number"], "crowdingColumn": "at"}


class Parts:
    """Rows in parts of random sizes, of which some are empty; functions and what they make are pickled on the way."""

    layout = LAYOUT

    def __init__(self, rows: Sequence[Sequence[Any]], parts: int) -> None:
        self._rows = sorted(rows, key=lambda row: row[:2])
        dice = random.Random(parts)
        self._ends = sorted(dice.randrange(len(rows) + 1) for _ in range(parts - 1))

    def each(self, function: Callable[[Iterator[Sequence[Any]]], Any], shards: int = 0) -> Iterator[Any] | None:
        for part in self._in_shards(shards) if shards else self._in_order():
            yield pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(function))(iter(part))))

    def _in_order(self) -> Iterator[Sequence[Any]]:
        for start, end in zip([0, *self._ends], [*self._ends, len(self._rows)], strict=True):
            yield self._rows[start:end]

    def _in_shards(self, shards: int) -> Iterator[Sequence[Any]]:
        numbered = sorted(((*row, shard_of(row[:2], shards)) for row in self._rows), key=lambda row: row[-1])
        yield from ([row for row in numbered if row[-1] % 3 == part] for part in range(3))


class LostParts(Parts):
    """Rows that nobody can get at."""

    def each(self, function: Callable[[Iterator[Sequence[Any]]], Any], shards: int = 0) -> Iterator[Any] | None:
        raise Unreadable("the engine is gone")


class LocalParts(Parts):
    """Rows that are to stay here."""

    def each(self, function: Callable[[Iterator[Sequence[Any]]], Any], shards: int = 0) -> Iterator[Any] | None:
        return None


def rows(vectors: Sequence[object]) -> list[Sequence[Any]]:
    """Rows as a load has them: the id, a moment, and the features, moments in microseconds."""
    return [
        (f"é{number % 7}", number, None, vector, None if number % 5 == 0 else number / 3, AT + number % 11)
        for number, vector in enumerate(vectors)
    ]


def build_here(given: Sequence[Sequence[Any]], shape: IndexParameters, folder: Path, shards: int) -> None:
    ordered = sorted(given, key=lambda row: row[:2])
    scanned = [(row[:2], row[3], row[4], row[1], EPOCH.replace(microsecond=row[5] - AT)) for row in ordered]
    build_sharded_index(Vectors(shape.columns, scanned), shape, folder, sharding=Sharding(shards), key=b"k")


def assert_same_files(folder: Path, other: Path) -> None:
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert len(files) > 10
    assert {path.relative_to(other): path.read_bytes() for path in other.rglob("*") if path.is_file()} == files


@pytest.mark.generated
@pytest.mark.parametrize("seed", seeds(12))
def test_exact_search(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    vectors = [
        dice.choice([None, [1.0], [1.0, None, 2.0], [float("nan"), 1.0, 2.0], *([[dice.gauss(0, 1)] * 3] * 9)])
        for _ in range(dice.choice([0, 1, 50, 9000]))
    ]
    shape, given = index_parameters(config(**FIELDS)), rows(vectors)
    build_here(given, shape, tmp_path / "here" / "v" / "1", 5)
    there = tmp_path / "there" / "v" / "1"
    assert build_where_rows_are(Parts(given, dice.randrange(1, 9)), shape, there, sharding=Sharding(5), key=b"k")
    assert_same_files(tmp_path / "here", tmp_path / "there")


@pytest.mark.generated
@pytest.mark.usefixtures("trees_of_fewer_rows")
@pytest.mark.parametrize(("measure", "times"), first_of([(L2, 1), (L2, 3), (COSINE, 3), (DOT, 3)]))
def test_a_tree_is_trained_on_the_same_rows(measure: str, times: int, tmp_path: Path) -> None:
    """Three times as many rows are more than those that it is trained on."""
    fields = FIELDS | {"treeAhConfig": {"leafNodeEmbeddingCount": f"{ROWS // 5}"}, "distanceMeasureType": measure}
    shape = index_parameters(config(**fields))
    vectors = [None if number % 50 == 3 else vector for number, vector in enumerate(clustered(9)[0])]
    given = rows(vectors * times)
    build_here(given, shape, tmp_path / "here" / "v" / "1", 4)
    there = tmp_path / "there" / "v" / "1"
    assert build_where_rows_are(Parts(given, 7), shape, there, sharding=Sharding(4), key=b"k")
    assert_same_files(tmp_path / "here", tmp_path / "there")


def where(folder: Path, parts: Parts) -> bool:
    return build_where_rows_are(parts, index_parameters(config(**FIELDS)), folder, sharding=Sharding(3))


GIVEN = rows([[float(number), 1.0] for number in range(40)])


@pytest.mark.parametrize("kind", [LostParts, LocalParts])
def test_rows_that_are_not_there_are_for_this_machine(kind: type[Parts], tmp_path: Path) -> None:
    assert where(tmp_path / "1", Parts(GIVEN, 2))
    assert not where(tmp_path / "1", kind(GIVEN, 2))
    assert load_any_index(tmp_path / "1", sharding=Sharding()).size == 40


@pytest.mark.parametrize("obstacle", ["other folder", "no module"])
def test_machines_that_cannot_build_leave_it_to_this_one(
    obstacle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if obstacle == "no module":
        monkeypatch.setattr(partitioned_build, "MODULES_OF_TREES", ("numpy", "no_such_module"))
    else:
        monkeypatch.setattr(partitioned_build, "PROBE", "../probe")
        monkeypatch.setattr(Path, "read_text", lambda path: "another")
    assert not where(tmp_path / "v" / "1", Parts(GIVEN, 2))
    assert not (tmp_path / "v" / "1").exists()


def test_a_survey_says_what_is_missing(tmp_path: Path) -> None:
    columns = partitioned_build.ScanColumns(LAYOUT, ("e",))
    survey = partitioned_build.SurveyPart(columns, index_parameters(config()), str(tmp_path / "gone"), "token")
    assert survey(iter(GIVEN)) == PartSurvey(obstacle="No such file or directory")


def test_a_shard_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(partitioned_build, "_build_anew", refuse)
    with pytest.raises(StoreError, match="cannot be written where its rows are: No space left on device; sync again"):
        where(tmp_path / "1", Parts(GIVEN, 2))


def test_another_attempt_takes_the_place_of_a_lost_one(tmp_path: Path) -> None:
    class Repeated(Parts):
        def each(self, function: Callable[[Iterator[Sequence[Any]]], Any], shards: int = 0) -> Iterator[Any] | None:
            if shards:
                list(super().each(function, shards) or ())
                (tmp_path / "1.part" / "shard-0-lost").mkdir()
                (tmp_path / "1.part" / "probe-lost").touch()
            return super().each(function, shards)

    assert where(tmp_path / "1", Repeated(GIVEN, 2))
    assert sorted(path.name for path in (tmp_path / "1").iterdir()) == [
        "contents.json",
        "shard-0",
        "shard-1",
        "shard-2",
    ]
    assert len(load_any_index(tmp_path / "1", sharding=Sharding()).search(Query([1.0, 1.0], 40))) == 40
