"""What tests of trees have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases import number_of_cases
from trialrun.runtime.feature_view.index import rank


@pytest.fixture(scope="module")
def trees_of_fewer_rows() -> Iterator[None]:
    """Have a tree over a quarter of the rows that need one, unless all cases are tried."""
    from trialrun.runtime.feature_view.index import shard_build, sharded, vector_index

    most = number_of_cases(rank.MAX_ROWS_TO_SCAN, share=4)
    with pytest.MonkeyPatch.context() as patch:
        for module in (rank, shard_build, sharded, vector_index):
            patch.setattr(module, "MAX_ROWS_TO_SCAN", most)
        yield
