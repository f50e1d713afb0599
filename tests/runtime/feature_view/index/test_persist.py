"""An index on the disk is there whole, answers as it did, and says when it is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.feature_view.index.index_fixture import index, near
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, StringFilter
from trialrun.runtime.feature_view.index.persist import load_index, save_index
from trialrun.runtime.feature_view.index.vector_index import VectorIndex

ROWS = [
    ("a", [0.0, 0.0], "x", ["p", "q"], 2**60 + 1, 0.5, None, True),
    ("b", [1.0, 0.0], None, [], None, None, None, False),
    ("\ud800 é", [2.0, 0.0], "y", ["q"], -1, 2.5, None, True),
]
COLUMNS = ["text", "texts", "whole", "double", "nulls", "flag"]


def an_index() -> VectorIndex:
    return index(ROWS, columns=COLUMNS, crowdingColumn="text")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"strings": (StringFilter("text", ("x", "y")),)},
        {"strings": (StringFilter("texts", ("q",)),)},
        {"strings": (StringFilter("nulls", deny=("q",)),)},
        {"numbers": (NumericFilter("whole", "LESS", 2**60 + 1),)},
        {"numbers": (NumericFilter("double", "GREATER", 1),)},
        {"per_crowding_attribute": 1},
    ],
)
def test_it_answers_as_it_did(asked: dict[str, object], tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [0.0, 0.0], **asked) == near(an_index(), [0.0, 0.0], **asked)


def test_it_knows_its_vectors_and_its_shape(tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    loaded = load_index(tmp_path / "1")
    assert loaded.vector(("b",)) == [1.0, 0.0]
    assert loaded.shape == an_index().shape


@pytest.mark.parametrize("vectors", [[], [None]])
def test_an_empty_index(vectors: list[None], tmp_path: Path) -> None:
    save_index(index(enumerate(vectors)), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == []


def test_it_takes_the_place_of_another(tmp_path: Path) -> None:
    save_index(index([(1, [1.0])]), tmp_path / "1")
    save_index(index([(2, [1.0])]), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == [2]
    assert [path.name for path in tmp_path.iterdir()] == ["1"]


def test_what_a_kill_left_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "1.part").mkdir()
    (tmp_path / "1.part" / "vectors.npy").write_bytes(b"half")
    save_index(index([(1, [1.0])]), tmp_path / "1")
    assert near(load_index(tmp_path / "1"), [1.0]) == [1]


def test_a_missing_one(tmp_path: Path) -> None:
    with pytest.raises(NotSearchable, match="the index of the view is missing; sync the view again"):
        load_index(tmp_path / "1")


def files() -> list[str]:
    return ["contents.json", "vectors.npy", "squares.npy", "ids.json", "attributes.npy", "codes-0.npy", "there-2.npy"]


@pytest.mark.parametrize("name", files())
@pytest.mark.parametrize("what", ["gone", "empty", "shorter", "other"])
def test_a_damaged_one(name: str, what: str, tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    path = tmp_path / "1" / name
    written = path.read_bytes()
    damage = {"empty": b"", "shorter": written[:-1], "other": b"?" + written[1:]}
    path.unlink() if what == "gone" else path.write_bytes(damage[what])
    with pytest.raises(NotSearchable, match=r"is (missing|damaged).*; sync the view again"):
        load_index(tmp_path / "1")


def test_no_file_is_a_pickle(tmp_path: Path) -> None:
    save_index(an_index(), tmp_path / "1")
    assert {path.suffix for path in (tmp_path / "1").iterdir()} == {".npy", ".json"}
