"""Rows without a sound vector are left out of an index."""

from __future__ import annotations

import math

from tests.cases import each_of
from tests.runtime.feature_view.index.index_fixture import index, near, plain


@each_of(
    [None, [], [1.0], [1.0, 2.0, 3.0], [1.0, math.nan], [math.inf, 1.0], [1.0, 1e300], [1.0, None], ["a", "b"], "ab"],
)
def test_an_unsound_vector(unsound: object) -> None:
    of = index([(0, [0.0, 0.0]), (1, unsound), (2, [2.0, 2.0])], embeddingDimension=2)
    assert near(of, [1.0, 1.0]) == [0, 2]
    assert of.vector((1,)) is None


def test_columns_stay_beside_their_rows() -> None:
    of = index([(0, None, "x"), (1, [1.0], "y"), (2, [math.nan], "x"), (3, [3.0], "z")], columns=["c"])
    assert of.rows.filters["c"].words == ("y", "z")  # type: ignore[union-attr]


def test_without_a_dimension_the_most_common_one_counts() -> None:
    assert near(plain([[1.0], [1.0, 1.0], [2.0, 2.0]]), [0.0, 0.0]) == [1, 2]
