"""The files of an index in shards: whole or not there, vouched for by one manifest."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.feature_view.index.index_fixture import config
from tests.runtime.feature_view.index.sharded_fixture import sharded
from trialrun.runtime.feature_view.index import shard_build, shard_files
from trialrun.runtime.feature_view.index.interface import NotSearchable, Query, Vectors
from trialrun.runtime.feature_view.index.parameters import index_parameters
from trialrun.runtime.feature_view.index.persist import load_index
from trialrun.runtime.feature_view.index.row_profile import decide_types, merge_profiles, profile_rows
from trialrun.runtime.feature_view.index.shard import Sharding, ShardTask, build_shard, shard_of
from trialrun.runtime.feature_view.index.sharded import load_any_index

ROWS = [((id,), [float(id)], f"b{id % 7}") for id in range(60)]
SHAPE = index_parameters(config(crowdingColumn="b"))
QUERY = Query([3.2], 5, per_crowding_attribute=1)
DAMAGE = ["contents.json", "shard-0", "shard-1/contents.json", "shard-2/vectors.npy", "shard-2/attribute-digests.npy"]


def build(folder: Path, rows: list[tuple[object, ...]] | None = None, *, key: bytes = b"k") -> None:
    vectors = Vectors(("b",), ROWS if rows is None else rows)
    shard_build.build_sharded_index(vectors, SHAPE, folder, sharding=Sharding(3, 1), key=key)


def search(folder: Path, *, key: bytes = b"k") -> list[object]:
    return [id for (id,), _ in load_any_index(folder, key=key, sharding=Sharding()).search(QUERY)]


def test_there_are_shards_and_a_manifest(tmp_path: Path) -> None:
    build(tmp_path / "1")
    assert sorted(path.name for path in (tmp_path / "1").iterdir()) == [
        "contents.json",
        "shard-0",
        "shard-1",
        "shard-2",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["1"]


def test_two_builds_write_the_same_bytes(tmp_path: Path) -> None:
    for place in ("a", "b"):
        build(tmp_path / place / "v" / "1")
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) > 10
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("what", ["gone", "empty", "other"])
def test_a_damaged_one(name: str, what: str, tmp_path: Path) -> None:
    build(tmp_path / "1")
    path = tmp_path / "1" / name
    if path.is_dir():
        shutil.rmtree(path)
    elif what == "gone":
        path.unlink()
    else:
        path.write_bytes(b"" if what == "empty" else b"?" + path.read_bytes()[1:])
    with pytest.raises(NotSearchable, match=r"is (missing|damaged).*; sync the view again"):
        search(tmp_path / "1")


def test_shards_of_another_index_are_refused(tmp_path: Path) -> None:
    build(tmp_path / "1")
    build(tmp_path / "other" / "1", ROWS[10:])
    shutil.rmtree(tmp_path / "1" / "shard-1")
    shutil.copytree(tmp_path / "other" / "1" / "shard-1", tmp_path / "1" / "shard-1")
    with pytest.raises(NotSearchable, match="is damaged"):
        search(tmp_path / "1")


def test_another_key_is_refused(tmp_path: Path) -> None:
    build(tmp_path / "1")
    with pytest.raises(NotSearchable, match=r"contents\.json was changed after it was written"):
        search(tmp_path / "1", key=b"other")


def test_what_knows_no_shards_says_so(tmp_path: Path) -> None:
    build(tmp_path / "1", key=b"")
    with pytest.raises(NotSearchable, match="is of another version of trialrun"):
        load_index(tmp_path / "1")


def test_a_build_that_fails_leaves_the_old_index(tmp_path: Path) -> None:
    def failing() -> Iterator[tuple[object, ...]]:
        yield ROWS[0]
        raise RuntimeError("lost")

    build(tmp_path / "1")
    expected = search(tmp_path / "1")
    with pytest.raises(RuntimeError):
        shard_build.build_sharded_index(Vectors(("b",), failing()), SHAPE, tmp_path / "1", sharding=Sharding(3))
    assert search(tmp_path / "1") == expected
    build(tmp_path / "1", ROWS[30:])
    assert search(tmp_path / "1") == [30, 31, 32, 33, 34]


@pytest.mark.parametrize("moment", ["manifest", "shard"])
def test_a_build_that_ends_halfway_leaves_the_old_index(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "1")
    name = "write_manifest" if moment == "manifest" else "build_spooled_shard"

    def end(*words: object, **further: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shard_build, name, end)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "1", ROWS[30:])
    assert search(tmp_path / "1")[0] == 3


def test_rows_out_of_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in the order of their entity ids"):
        build(tmp_path / "1", [*ROWS[::-1]])


def test_shards_can_be_built_where_their_rows_are(tmp_path: Path) -> None:
    """As an executor does: a profile of each partition, then a task and its rows, both of them pickled."""
    build(tmp_path / "expected" / "1")
    parts = [[row for row in ROWS if shard_of(row[0], 3) == number] for number in range(3)]
    profile = {}
    for part in parts[::-1]:
        profile = merge_profiles(profile, pickle.loads(pickle.dumps(profile_rows(part, SHAPE, ("b",)))))
    decided = decide_types(profile, SHAPE)
    place = tmp_path / "1"
    place.mkdir()
    built = []
    for number, part in enumerate(parts):
        folder, title = str(place / f"shard-{number}"), f"{tmp_path.name}/1/shard-{number}"
        task = ShardTask(number, folder, title, SHAPE, ("b",), decided.dimension, decided.types)
        built.append(build_shard(*pickle.loads(pickle.dumps((task, part)))))
    title = f"{tmp_path.name}/1"
    shard_files.write_manifest(place, SHAPE, decided.dimension, built[::-1], title=title, key=b"k")
    assert search(place) == search(tmp_path / "expected" / "1")


def test_an_empty_index(tmp_path: Path) -> None:
    index = sharded(tmp_path / "1", [], Sharding(4), [])
    assert (index.size, index.dimension, index.search(Query([1.0], 3))) == (0, 0, [])
