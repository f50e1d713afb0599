"""Three masters with a replica each, whose nodes are killed; `benchmarks.redis_kills` does it more often."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("redis", reason="needs redis-server; run .ci/servers")

from benchmarks import redis_kills, redis_store
from benchmarks.redis_servers import WHY_NOT, cluster, has_redis, wait_until_whole
from tests.runtime.feature_view.conftest import new_redis_store
from tests.runtime.feature_view.store.views import VIEW, at, day, load, served
from trialrun.runtime.feature_view.store.interface import DirectWrite, StoreError

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not has_redis(), reason=WHY_NOT),
    pytest.mark.xdist_group("redis-cluster"),
]
LOST = ("lost snapshots", "lost writes", "mixed")


def test_kills_of_nodes_writers_and_drivers_lose_and_mix_nothing() -> None:
    counts = redis_kills.count_losses(9, 1_000)
    assert [counts[what] for what in LOST] == [0, 0, 0]
    assert counts["answers"] > 20


def test_a_thousand_switches_are_whole_for_every_reader() -> None:
    counts = redis_store.measure_switches(1_000, 1_000)
    assert [counts[what] for what in ("missing", "torn", "mixed", "older")] == [0, 0, 0, 0]
    assert counts["reads"] > 1_000


def test_a_node_fails_over_while_others_read_and_write() -> None:
    with cluster(3, 1, *redis_store.SAFE) as servers:
        store = new_redis_store(servers[0].port, patience=15)
        load(store, [(f"e{number}", at(1), number) for number in range(300)])
        for victim in servers[:3]:
            store.write(VIEW, [DirectWrite((f"e{one}",), "likes", 7, day(2)) for one in range(100)], now=day(2))
            victim.kill()
            assert served(store, "e1", "e299") == [{"likes": 7}, {"likes": 299}]
            assert store.write(VIEW, [DirectWrite((f"e{one}",), "likes", 7, day(2)) for one in range(100)], now=day(2))
            victim.start_again()
            victim.wait_until_up()
            wait_until_whole(servers)
        assert len({row[1] for row in store.scan(VIEW, ["likes"])}) == 201
        assert load(store, [(f"e{number}", at(1), number) for number in range(300)]).changed == 0


def test_a_cluster_that_has_lost_slots_says_so_and_loads_nothing() -> None:
    with cluster(3) as servers:
        store = new_redis_store(servers[0].port, patience=3)
        load(store, [("a", None, 1)])
        servers[2].kill()
        time.sleep(2)
        with pytest.raises(StoreError, match=r"does not serve all slots|cannot be reached"):
            load(store, [("a", None, 2)])
