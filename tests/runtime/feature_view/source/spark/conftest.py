"""The cluster that the tests of Spark share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.spark_cluster import spark_cluster
from trialrun.runtime.engine_address import EngineAddress


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineAddress]:
    """The address of a cluster."""
    with spark_cluster(tmp_path_factory.mktemp("spark")) as address:
        yield address
