"""What only a store in Redis has: locks that expire, writers in other processes, and faults of nodes."""

import os
import pickle
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("redis", reason="needs redis-server; run .ci/servers")

from benchmarks import redis_kills
from benchmarks import redis_store as redis_benchmark
from tests.cases import seeds
from tests.redis_servers import WHY_NOT, Server, cluster, free_port, has_redis, one_server, wait_until_whole
from tests.runtime.feature_view.conftest import new_redis_store, shorten_freshness
from tests.runtime.feature_view.store.views import VIEW, at, day, layout, load, served
from trialrun.errors import StoreError
from trialrun.runtime.feature_view.store.interface import DirectWrite, RowLoad, SyncCounts, SyncRunning
from trialrun.runtime.feature_view.store.redis import load_session, view_lock
from trialrun.runtime.feature_view.store.redis.load_session import SWITCH, PartitionWriter, WrittenRows
from trialrun.runtime.feature_view.store.redis.nodes import Command, Nodes, RedisAddress, parse_address
from trialrun.runtime.feature_view.store.redis.row_codec import bucket_of
from trialrun.runtime.feature_view.store.redis.store import RedisStore
from trialrun.runtime.feature_view.store.sqlite import SqliteStore

needs_redis = pytest.mark.skipif(not has_redis(), reason=WHY_NOT)
TWO = layout("x INT64", "y STRING")


pytestmark = pytest.mark.usefixtures("starting_cluster")
ALSO_IN_A_CLUSTER = pytest.mark.parametrize("address", ["redis_server", "redis_cluster"], indirect=True)
"""Marks the tests that try a cluster by default, too; the others do so with `-m exhaustive`."""


def in_a_cluster_of_its_own(test: Callable[[], None]) -> Callable[[], None]:
    """Marks the tests that kill nodes of a cluster; `benchmarks.redis_kills` does it more often."""
    for mark in needs_redis, pytest.mark.cluster, pytest.mark.timeout(900), pytest.mark.xdist_group("redis-cluster"):
        test = mark(test)
    return test


@pytest.fixture(autouse=True)
def short_freshness(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_freshness(monkeypatch)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Two other processes."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.fixture(params=["redis_server", pytest.param("redis_cluster", marks=pytest.mark.exhaustive)])
def address(request: pytest.FixtureRequest) -> RedisAddress:
    node = request.getfixturevalue(request.param)
    return new_redis_store((node[0] if isinstance(node, list) else node).port).address


@pytest.fixture
def store(address: RedisAddress) -> RedisStore:
    return RedisStore(address)


def key_of_rows(store: RedisStore, id: bytes = b"a") -> bytes:
    """The key of the rows of the bucket of an entity, which are served."""
    served = store._read(VIEW).served
    return store._keys(VIEW).rows(bucket_of(id), served.manifest.id)  # type: ignore[union-attr]


def keys_of(server: Server, prefix: str) -> list[bytes]:
    return server.call("KEYS", f"{prefix}:*")  # type: ignore[return-value]


def test_the_lock_of_another_machine_expires(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    load(store, [("a", None, 1)])
    monkeypatch.setattr(view_lock, "LIFETIME", 300)
    store._nodes.call("SET", store._keys(VIEW).of_view("lock"), b'{"machine": "another"}', "PX", 300)
    with pytest.raises(SyncRunning, match=r'a sync of ".*/v" is running; wait until it ends'):
        load(store, [("a", None, 2)])
    with store.begin_load(VIEW, layout("likes INT64"), day(30), patience=5) as session:
        assert session.write([("a", None, 3)]).rows == 1


def test_who_lost_the_lock_serves_nothing(address: RedisAddress, store: RedisStore) -> None:
    """A sync that slept for longer than its lock lives, while another one began and ended."""
    load(store, [("a", None, 1)])
    rest = RowLoad(layout("likes INT64"), (), day(30), lambda: None)
    with (
        pytest.raises(StoreError, match=r"the lock of .* was lost while it was synced"),
        store.begin_load(VIEW, rest.layout, rest.synced_at) as session,
    ):
        written = session.write([("a", None, 2)])
        store._nodes.call("DEL", store._keys(VIEW).of_view("lock"))
        assert load(RedisStore(address), [("a", None, 3)]).changed == 1
        session.serve(rest, written)
    assert served(store, "a") == [{"likes": 3}]


def test_a_lock_is_renewed_while_rows_come(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_lock, "LIFETIME", 200)
    over = threading.Event()

    def rows() -> Iterator[tuple[object, ...]]:
        over.wait(0.4)
        with pytest.raises(SyncRunning, match=f"by process {os.getpid()}"):
            load(store, [])
        yield ("a", None, 1)

    assert load(store, rows()).read == 1


def test_writers_in_other_processes_write_one_snapshot(store: RedisStore, pool: ProcessPoolExecutor) -> None:
    rest = RowLoad(TWO, (), day(30), lambda: None)
    parts = [[(f"e{number}", None, number, "x") for number in range(start, 3000, 3)] for start in range(3)]
    with store.begin_load(VIEW, TWO, day(30)) as session:
        written = sum(pool.map(PartitionWriter.write, [session.writer] * 3, parts), WrittenRows())
        written_again = session.writer.write(parts[0])  # a task that was run twice
        assert (written.rows, written_again.rows) == (3000, 1000)
        assert session.serve(rest, written) == SyncCounts(read=3000, entities=3000, new=3000)
    assert served(store, "e7", "e2999") == [{"x": 7, "y": "x"}, {"x": 2999, "y": "x"}]


def test_writers_in_other_processes_count_what_they_change(store: RedisStore, pool: ProcessPoolExecutor) -> None:
    def row(number: int, value: object) -> tuple[object, ...]:
        return (f"e{number}", at(1), value, "x" * (number % 7))

    load(store, [row(number, number) for number in range(2000)], TWO)
    load(store, [row(number, 0) for number in range(10)], TWO, incremental=True)
    writes = [DirectWrite((f"e{number}",), "x", 5000, day(3)) for number in (1, 1500, 2999, 9999)]
    assert store.write(VIEW, writes, now=day(4)) == [True] * 4
    changed = {0, 5, 12, 1999}
    rows = [row(number, number + (number in changed)) for number in range(3000)]
    with store.begin_load(VIEW, TWO, day(5)) as session:
        parts = pool.map(PartitionWriter.write, [session.writer] * 3, [rows[start::3] for start in range(3)])
        written = sum(parts, WrittenRows())
        session.writer.write(rows[:100])  # a task that was run twice
        counts = session.serve(RowLoad(TWO, (), day(5), lambda: None), written)
    differing = {*range(10), *changed} - {1} | {2999}  # e1 has a newer direct write, e2999 had nothing else
    assert counts == SyncCounts(3000, 3001, new=999, changed=len(differing), unchanged=2001 - len(differing))


def test_rows_of_any_length_are_compared(store: RedisStore) -> None:
    lengths = [0, 1, 50, 51, 52, 9_900, 10_000, 300_000]
    texts = {f"e{at}{length}": "\r\n$-1" * (length // 4) + "z" * at for at in range(4) for length in lengths}

    def rows(*shorter: str) -> list[tuple[object, ...]]:
        return [
            (id, None, 0, text[:-1] + "." * (id not in shorter) if id in texts else "") for id, text in texts.items()
        ]

    load(store, rows(), TWO)
    assert load(store, rows(), TWO).unchanged == len(texts)
    assert load(store, rows("e152", "e20"), TWO).changed == 2
    assert load(store, [*rows("e152"), ("new", None, 1, "")], TWO) == SyncCounts(33, 33, 1, 1, 31, 0)


def test_rows_that_are_missing_are_not_served(store: RedisStore) -> None:
    rest = RowLoad(TWO, (), day(30), lambda: None)
    with pytest.raises(StoreError, match="two loaded rows"), store.begin_load(VIEW, TWO, day(30)) as session:
        session.serve(rest, WrittenRows(3, session.write([("a", None, 1, ""), ("b", None, 2, "")]).buckets))
    assert store.snapshot(VIEW) is None


def test_a_pickled_writer_shows_no_password() -> None:
    address = parse_address("redis://h:1", {"TRIALRUN_STORE_PASSWORD": "secret"})
    assert address.password == "secret"
    assert "secret" not in f"{address} {address!r}"
    assert pickle.loads(pickle.dumps(address)) == address


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://h", "redis://h:6379"),
        ("rediss://[::1]:7/3", "rediss://[::1]:7/3"),
        ("redis://a:1,b:2?prefix=x", "redis://a:1,b:2?prefix=x"),
    ],
)
def test_an_address_is_read_and_shown(text: str, shown: str) -> None:
    assert str(parse_address(text, {})) == shown


@pytest.mark.parametrize(
    "text",
    ["", "h:1", "redis://", "redis://u:p@h", "redis://h/x", "redis://h?a=1", "redis://h:0", "redis://h?prefix={"],
)
def test_a_wrong_address_is_refused(text: str) -> None:
    with pytest.raises(StoreError):
        parse_address(text, {})


def test_rows_that_are_kept_and_lost_are_told(store: RedisStore) -> None:
    load(store, [(f"e{number}", None, 0) for number in range(20)])
    for id in (b"e0", b"e7", b"e19"):
        store._nodes.call("DEL", key_of_rows(store, id))
    for of in (layout("likes INT64"), layout("likes INT64", "x INT64")):
        row = ("new", None, *range(len(of.features)))
        with pytest.raises(StoreError, match=r"or lost some; delete the key .*:current, and sync again"):
            load(store, [row], of, keep_vanished=True)


def test_rows_of_many_layouts_are_kept(store: RedisStore) -> None:
    """Each load keeps what is not in it, under a layout that has one feature more than the one before."""
    for number in range(12):
        of = layout(*(f"f{at} INT64" for at in range(number + 1)))
        load(store, [(f"e{number}", at(1), *range(number + 1))], of, keep_vanished=True)
    assert served(store, "e0", "e3") == [{f"f{at}": at if at <= top else None for at in range(12)} for top in (0, 3)]
    load(store, [], layout("f5 INT64"), keep_vanished=True)
    load(store, [], layout("f0 INT64", "f5 INT64"), keep_vanished=True)
    assert served(store, "e7", "e3") == [{"f0": None, "f5": 5}, {"f0": None, "f5": None}]


def test_what_a_load_leaves_is_dropped(redis_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_redis_store(redis_server.port)
    monkeypatch.setattr(load_session, "GRACE", 0.0)
    load(store, [("a", None, 1)])
    usual = len(keys_of(redis_server, store.address.prefix))
    load(store, [("a", None, 2)])
    with pytest.raises(StoreError):
        load(store, [("a", None, 1), ("a", None, 2)])
    assert len(keys_of(redis_server, store.address.prefix)) == usual
    store.write(VIEW, [DirectWrite(("b",), "likes", 1, day(1))], now=day(1))
    store.remove(VIEW)
    left = {key.rpartition(b":")[2] for key in keys_of(redis_server, store.address.prefix)}
    assert left == {b"version", b"current"}


def test_leftovers_of_a_killed_sync_are_dropped_by_the_next_one(
    redis_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = new_redis_store(redis_server.port)
    monkeypatch.setattr(load_session, "GRACE", 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_session, "_drop_unless_served", lambda *_: None)
        with pytest.raises(StoreError):
            load(store, [("a", None, 1), ("a", None, 2), ("b", None, 1)])
    load(store, [("c", None, 3)])
    rows = [key for key in keys_of(redis_server, store.address.prefix) if b"{" in key and key.count(b":") == 3]
    assert len(rows) == 1


def test_rows_that_are_lost_are_told(store: RedisStore) -> None:
    load(store, [("a", None, 1)])
    store._nodes.call("DEL", key_of_rows(store))
    for use in (lambda: served(store, "a"), lambda: [*store.scan(VIEW, ["likes"])]):
        with pytest.raises(StoreError, match="or lost some; sync again"):
            use()
    assert load(store, [("a", None, 2)]).entities == 1


@pytest.mark.parametrize("value", [b" ", b"junk", b"{}", b"[]", b"\xff", b'{"trialrun": 3}', b'{"trialrun": 2}'])
def test_a_manifest_that_is_not_ours_is_named_with_its_key(store: RedisStore, value: bytes) -> None:
    key = store._keys(VIEW).of_view("current")
    store._nodes.call("SET", key, value)
    told = rf"has values that trialrun did not write, .*; delete the key {re.escape(key.decode())}, and sync again"
    for use in (lambda: store.snapshot(VIEW), lambda: load(store, [("a", None, 1)])):
        with pytest.raises(StoreError, match=told):
            use()
    store._nodes.call("DEL", key)
    assert load(store, [("a", None, 2)]).entities == 1


def test_a_row_that_is_not_ours_is_told(store: RedisStore) -> None:
    load(store, [("a", None, 1)])
    key = key_of_rows(store)
    for row in (b"", b"x" * 8, b"x" * 1000):
        store._nodes.call("HSET", key, "a", row)
        with pytest.raises(StoreError, match="has values that trialrun did not write"):
            served(store, "a")
    store._nodes.call("DEL", key)
    store._nodes.call("SET", key, "text")
    for use in (lambda: served(store, "a"), lambda: load(store, [("a", None, 2)])):
        with pytest.raises(StoreError, match="has keys of others under our prefix"):
            use()


def test_a_store_of_another_version_is_refused(store: RedisStore, address: RedisAddress) -> None:
    load(store, [("a", None, 1)])
    for version, advice in (
        ("1", f"delete its keys, which begin with {address.prefix}:"),
        ("3", "install the trialrun"),
    ):
        store._nodes.call("SET", f"{address.prefix}:version".encode(), version)
        for call in (lambda one: served(one, "a"), lambda one: load(one, [])):
            with pytest.raises(StoreError, match=f"is a store of version {version}, and this is version 2; {advice}"):
                call(RedisStore(address))


@needs_redis
def test_a_wrong_password_is_reported_and_not_shown() -> None:
    with one_server("--requirepass", "right") as server:
        for secrets, told in (
            ({}, "asks for a password; set TRIALRUN_STORE_PASSWORD"),
            ({"TRIALRUN_STORE_PASSWORD": "wrong-one"}, "the user or the password for .* is wrong"),
        ):
            with pytest.raises(StoreError, match=told) as fault:
                RedisStore(parse_address(f"redis://127.0.0.1:{server.port}", secrets)).snapshot(VIEW)
            assert "wrong-one" not in str(fault.value)
        address = parse_address(f"redis://127.0.0.1:{server.port}", {"TRIALRUN_STORE_PASSWORD": "right"})
        assert load(RedisStore(address), [("a", None, 1)]).new == 1


@needs_redis
def test_a_full_memory_leaves_the_old_snapshot() -> None:
    with one_server("--maxmemory", "8mb") as server:
        store = new_redis_store(server.port)
        load(store, [("a", None, 1)])
        with pytest.raises(StoreError, match=r"the memory of 127.0.0.1:\d+ is full; give it more \(maxmemory\)"):
            load(store, ((f"e{number}", None, "x" * 1000) for number in range(60_000)), layout("likes STRING"))
        assert served(store, "a") == [{"likes": 1}]
        assert load(store, [("a", None, 2)]).changed == 1
        server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        with pytest.raises(StoreError, match="removes keys when its memory is full; set maxmemory-policy"):
            load(store, [("a", None, 3)])


@needs_redis
def test_a_node_that_is_down_is_reported_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with one_server("--appendonly", "yes", "--appendfsync", "always") as server:
        store = new_redis_store(server.port)
        load(store, [("a", at(1), 1)])
        store.write(VIEW, [DirectWrite(("a",), "likes", 2, day(2))], now=day(2))
        server.kill()
        monkeypatch.setattr(store._nodes, "_patience", 0.05)
        for call in (lambda: served(store, "a"), lambda: load(store, []), lambda: [*store.scan(VIEW, ["likes"])]):
            with pytest.raises(StoreError, match=r"127.0.0.1:\d+ cannot be reached; start it, or check the address"):
                call()
        monkeypatch.undo()
        server.start_again()
        server.wait_until_up()
        assert served(store, "a") == [{"likes": 2}]


@needs_redis
def test_a_node_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.runtime.feature_view.store.redis.nodes.ANSWER_TIMEOUT", 0.2)
    with one_server() as server:
        store = new_redis_store(server.port, patience=0.1)
        load(store, [("a", None, 1)])
        os.kill(server.process.pid, signal.SIGSTOP)
        with pytest.raises(StoreError, match=r"127.0.0.1:\d+ does not answer; check the network, and try again"):
            store.snapshot(VIEW)
        os.kill(server.process.pid, signal.SIGCONT)
        assert served(store, "a") == [{"likes": 1}]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b":no\r\n", b"$-7x\r\n", b"*1\r\n:x\r\n"])
def test_what_is_not_redis_is_told(answer: bytes) -> None:
    def answer_once(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_once, args=(listener,)).start()
        store = new_redis_store(listener.getsockname()[1])
        with pytest.raises(StoreError, match=r"refuses a command \(.*; check that it is Redis|cannot be reached"):
            store.snapshot(VIEW)


@needs_redis
def test_a_connection_that_breaks_during_a_load_leaves_the_old_snapshot() -> None:
    with one_server() as server:
        store = new_redis_store(server.port, patience=0.05)
        load(store, [("a", None, 1)])

        def rows() -> Iterator[tuple[object, ...]]:
            yield ("a", None, 2)
            server.kill()

        with pytest.raises(StoreError, match="cannot be reached"):
            load(store, rows())


@needs_redis
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl; run .ci/package openssl openssl")
def test_a_certificate_that_nobody_knows_is_not_trusted(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command = ["openssl", "req", "-x509", *curve, "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *names], capture_output=True, check=True)
    tls = ["--tls-cert-file", str(certificate), "--tls-key-file", str(key), "--tls-ca-cert-file", str(certificate)]
    with one_server("--tls-auth-clients", "no", *tls) as server:
        tls_port = free_port()
        server.call("CONFIG", "SET", "tls-port", tls_port)
        text = f"rediss://127.0.0.1:{tls_port}"
        with pytest.raises(StoreError, match="cannot be trusted; set TRIALRUN_STORE_CA to the file of its authority"):
            RedisStore(parse_address(text, {})).snapshot(VIEW)
        trusting = parse_address(text, {"TRIALRUN_STORE_CA": str(certificate)})
        assert load(RedisStore(trusting), [("a", None, 1)]).new == 1


def test_writes_of_many_threads_to_one_entity_are_all_kept(store: RedisStore) -> None:
    names = ["a", "b", "c", "d"]
    load(store, [("e", None, 0, 0, 0, 0)], layout(*(f"{name} INT64" for name in names)), synced=day(1))

    def write(name: str) -> None:
        for number in range(1, 21):
            writes = [DirectWrite((id,), name, number, day(number)) for id in ("e", "new")]
            assert store.write(VIEW, writes, now=day(30)) == [True, True]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, names))
    assert served(store, "e", "new") == [dict.fromkeys(names, 20)] * 2
    assert len(store.history(VIEW).writes) == 8


def test_a_switch_that_arrives_late_serves_nothing(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a switch did not come in time, so its rows were dropped; then the node gets to it."""
    load(store, [("a", None, 1)])
    late: list[Command] = []
    run = Nodes.run

    def delay_switch(nodes: Nodes, commands: Sequence[Command], *, durable: bool = False) -> list[object]:
        if any(SWITCH in command for command in commands):
            late.extend(commands)
            raise StoreError("no answer")
        return run(nodes, commands, durable=durable)

    drop, answers = load_session._drop_unless_served, []

    def drop_before_switch(*arguments: Any) -> None:
        drop(*arguments)
        answers.extend(run(store._nodes, late))

    monkeypatch.setattr(Nodes, "run", delay_switch)
    monkeypatch.setattr(load_session, "_drop_unless_served", drop_before_switch)
    with pytest.raises(StoreError, match="no answer"):
        load(store, [("a", None, 2)])
    assert answers == [0]
    assert served(store, "a") == [{"likes": 1}]


def test_nodes_that_have_changed_slots_are_asked_anew(redis_cluster: list[Server]) -> None:
    store = new_redis_store(redis_cluster[0].port)
    load(store, [(f"e{number}", None, number) for number in range(100)])
    manager = store._nodes._connected.cluster.nodes_manager  # type: ignore[union-attr]
    manager.slots_cache = {slot: manager.slots_cache[slot ^ 8192] for slot in range(16384)}
    assert load(store, [(f"e{number}", None, -1) for number in range(100)]) == SyncCounts(100, 100, changed=100)


@pytest.mark.generated
@pytest.mark.parametrize("seed", seeds(12, 1))
@ALSO_IN_A_CLUSTER
def test_counts_are_those_of_files(store: RedisStore, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random loads of a few buckets, direct writes among them."""
    monkeypatch.setattr("trialrun.runtime.feature_view.store.redis.row_codec.BUCKETS", 3)
    files, dice, narrow, wide = SqliteStore(":memory:"), random.Random(seed), ["y STRING"], ["y STRING", "z INT64"]
    for number in range(1, 12):
        of = layout("x DOUBLE", *dice.choices([narrow, wide], [9, 1])[0])
        ids = [f"e{id}" for id in dice.sample(range(20), dice.randrange(20))]
        rest = ["y", 1][: len(of.features) - 1]
        rows = [(id, at(number), dice.choice([0.0, -0.0, 1.5, 2.5, float("nan"), None]), *rest) for id in ids]
        how = dice.choice([{}, {"keep_vanished": True}, {"incremental": True}])
        counts = [load(each, rows, of, synced=day(number), **how) for each in (files, store)]
        assert counts[0] == counts[1]
        write = DirectWrite((f"e{dice.randrange(25)}",), "y", dice.choice("yz"), day(dice.randrange(1, 25)))
        assert len({*(each.write(VIEW, [write], now=day(29))[0] for each in (files, store))}) == 1
        assert repr([*files.scan(VIEW, ["x", "y"])]) == repr([*store.scan(VIEW, ["x", "y"])])


@ALSO_IN_A_CLUSTER
def test_a_reader_of_a_layer_that_is_gone_reads_the_newer_snapshot(
    store: RedisStore, address: RedisAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(store, [("a", None, 1)])
    scan = store.scan(VIEW, ["likes"])
    known = store._known(VIEW)
    monkeypatch.setattr(load_session, "GRACE", 0.0)
    load(RedisStore(address), [("a", None, 2)])
    assert [*scan] == [(("a",), 2)]
    monkeypatch.setattr(store, "_known", lambda view: known)
    assert served(store, "a") == [{"likes": 2}]


@in_a_cluster_of_its_own
def test_kills_of_nodes_writers_and_drivers_lose_and_mix_nothing() -> None:
    counts = redis_kills.count_losses(9, 1_000)
    assert [counts[what] for what in ("lost snapshots", "lost writes", "mixed")] == [0, 0, 0]
    assert counts["answers"] > 20


@in_a_cluster_of_its_own
def test_a_thousand_switches_are_whole_for_every_reader() -> None:
    counts = redis_benchmark.measure_switches(1_000, 1_000)
    assert [counts[what] for what in ("missing", "torn", "mixed", "older")] == [0, 0, 0, 0]
    assert counts["reads"] > 1_000


@in_a_cluster_of_its_own
def test_a_node_fails_over_while_others_read_and_write() -> None:
    with cluster(3, 1, *redis_benchmark.SAFE) as servers:
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


@in_a_cluster_of_its_own
def test_a_cluster_that_has_lost_slots_says_so_and_loads_nothing() -> None:
    with cluster(3) as servers:
        store = new_redis_store(servers[0].port, patience=3)
        load(store, [("a", None, 1)])
        servers[2].kill()
        time.sleep(2)
        with pytest.raises(StoreError, match=r"does not serve all slots|cannot be reached"):
            load(store, [("a", None, 2)])
