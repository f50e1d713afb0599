"""The stores that the tests of stores run on: SQLite, one node of Redis, and a cluster of three."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.redis.store import RedisStore

NewStore = Callable[[], OnlineStore]
PREFIXES = map("t{}".format, itertools.count())
CLUSTER = pytest.param("redis-cluster", marks=pytest.mark.exhaustive)
"""What only a cluster does is in `store/test_redis_store.py`."""


@pytest.fixture(scope="module", params=["sqlite", "redis", CLUSTER])
def new_store(request: pytest.FixtureRequest) -> Iterator[NewStore]:
    """Makes stores in which nothing is."""
    if request.param == "sqlite":
        yield lambda: SqliteStore(":memory:")
        return
    nodes = request.getfixturevalue("redis_cluster") if "cluster" in request.param else None
    port = (nodes[0] if nodes else request.getfixturevalue("redis_server")).port
    with pytest.MonkeyPatch.context() as patch:
        shorten_freshness(patch)
        yield lambda: new_redis_store(port)


@pytest.fixture
def store(new_store: NewStore) -> OnlineStore:
    """A store in which nothing is."""
    return new_store()


def shorten_freshness(patch: pytest.MonkeyPatch) -> None:
    """Have a load into Redis wait for other readers no longer than 2 ms."""
    for module in ("load_session", "store"):
        patch.setattr(f"trialrun.runtime.feature_view.store.redis.{module}.FRESHNESS", 0.002)


def new_redis_store(port: int, *, patience: float = 5.0) -> RedisStore:
    """A store under a prefix of its own."""
    from trialrun.runtime.feature_view.store.redis.nodes import parse_address
    from trialrun.runtime.feature_view.store.redis.store import RedisStore

    return RedisStore(parse_address(f"redis://127.0.0.1:{port}?prefix={next(PREFIXES)}", {}), patience=patience)
