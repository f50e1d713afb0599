"""What tests of trees have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases import number_of_cases
from trialrun.runtime.feature_view.index import vector_index


@pytest.fixture(scope="module")
def trees_of_fewer_rows() -> Iterator[None]:
    """Have a tree over a quarter of the rows that need one, unless all cases are tried."""
    most = number_of_cases(vector_index.MAX_ROWS_TO_SCAN, share=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_index, "MAX_ROWS_TO_SCAN", most)
        yield
