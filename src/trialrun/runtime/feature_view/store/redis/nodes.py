"""Commands to the nodes of Redis: each to the node of its slot, those of a node in one go, again after a failover.

Every command that is sent is one that may be sent twice, so that a lost answer is no fault. Connections are of one
thread, and of one process.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.store.interface import StoreError
from trialrun.runtime.feature_view.store.redis.address import RedisAddress, node_text
from trialrun.runtime.feature_view.store.redis.commands import Command, Part, pack
from trialrun.runtime.feature_view.store.redis.raw_answers import RawAnswers
from trialrun.runtime.feature_view.store.redis.redis_errors import is_transient, to_store_error
from trialrun.runtime.feature_view.store.redis.scripts import Script
from trialrun.runtime.feature_view.store.redis.topology import Node, Topology, parse_slots

if TYPE_CHECKING:
    from redis.connection import Connection

CONNECT_TIMEOUT, ANSWER_TIMEOUT = 2.0, 5.0
PATIENCE = 15.0
"""For how many seconds a command is sent again while a cluster fails over, or a node starts."""
REPLICA_TIMEOUT = 2000
"""Milliseconds that a write waits for a replica, before it is sent again."""


class _Failed(Exception):
    """A fault of a node, after which the commands that have no answer may be sent again."""

    def __init__(self, fault: Exception, node: Node, *, is_answer: bool = False) -> None:
        super().__init__(str(fault))
        self.fault, self.node, self.is_answer = fault, node, is_answer


class _ThreadState(threading.local):
    """The connections of a thread; a process that was forked off must not use those of its parent."""

    process = 0

    def __init__(self) -> None:
        self.connections: dict[Node, Connection] = {}
        self.missing: dict[Node, dict[str, Script]] = {}


class Nodes:
    """The nodes of a store. Raises StoreError where they cannot be used."""

    def __init__(self, address: RedisAddress, *, patience: float = PATIENCE) -> None:
        self.address = address
        self._patience = patience
        self._topology: Topology | None = None
        self._state = _ThreadState()

    def run(self, commands: Sequence[Command], *, durable: bool = False) -> list[Any]:
        """The answers of some commands; `durable` ones are known to a replica, too, where there is one."""
        answers: list[Any] = [None] * len(commands)
        left: Sequence[int] = range(len(commands))

        def send_rest() -> bool:
            nonlocal left
            left = self._send(commands, [at for at in left if answers[at] is None], answers, durable=durable)
            return not left

        self._repeat(send_rest)
        return answers

    def call(self, key: bytes, *parts: Part) -> Any:
        """The answer of one command."""
        return self.run([Command(key, parts)])[0]

    def topology(self) -> Topology:
        """Which node serves what, as far as it is known."""
        self._repeat(lambda: bool(self._known_topology()))
        return self._known_topology()

    def on_each_node(self, *parts: Part) -> list[tuple[Node, Any]]:
        """The answer of a command of every node that serves slots."""
        answers: list[tuple[Node, Any]] = []

        def ask_all() -> bool:
            answers[:] = [(node, self._ask(node, parts)) for node in self._known_topology().nodes]
            return True

        self._repeat(ask_all)
        return answers

    def close(self) -> None:
        """Close what this thread has open."""
        self._drop_all()

    def _repeat(self, step: Callable[[], bool]) -> None:
        """Take a step until it is done, as long as what keeps it from that may pass. Raises StoreError."""
        started, pause = time.monotonic(), 0.02
        while True:
            fault: _Failed | None = None
            try:
                if step():
                    return
            except _Failed as failed:
                self._drop_all()
                self._topology, fault = None, failed
            is_late = time.monotonic() - started > self._patience
            if fault and (is_late or not is_transient(fault.fault)):
                raise to_store_error(fault.fault, node_text(*fault.node)) from fault.fault
            if is_late:
                raise StoreError(f"{self.address} has not taken a command by any of its nodes; try again later")
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _known_topology(self) -> Topology:
        """Which node serves what. Raises _Failed."""
        if self._topology is None:
            self._topology = self._read_topology()
        return self._topology

    def _send(
        self, commands: Sequence[Command], left: Sequence[int], answers: list[Any], *, durable: bool
    ) -> list[int]:
        """Send commands to all nodes, then read all answers; those that must be sent again. Raises _Failed."""
        topology = self._known_topology()
        by_node: dict[Node, list[int]] = {}
        for at in left:
            by_node.setdefault(topology.node_of(commands[at].key), []).append(at)
        waiting = topology.replicated if durable else frozenset()
        for node, places in by_node.items():
            wait = [pack(("WAIT", 1, REPLICA_TIMEOUT))] if node in waiting else []
            self._write(node, [*(commands[at].to_bytes() for at in places), *wait])
        again: list[int] = []
        for node, places in by_node.items():
            again += self._read(node, commands, places, answers, waits=node in waiting)
        return again

    def _write(self, node: Node, packed: Iterable[bytes]) -> None:
        try:
            connection = self._connection(node)
            connection.send_packed_command([b"".join(packed)])  # type: ignore[no-untyped-call]
        except Exception as fault:
            self._drop_all()
            raise _failed(fault, node) from fault

    def _read(
        self, node: Node, commands: Sequence[Command], places: Sequence[int], answers: list[Any], *, waits: bool
    ) -> list[int]:
        """Read the answers of a node; those of its commands that must be sent again."""
        connection, again, good = self._connection(node), [], {}
        raw = RawAnswers(connection._sock) if commands[places[0]].read and connection._sock else None
        for at in places:
            try:
                read = commands[at].read
                good[at] = self._read_raw(raw, read, node) if raw and read else self._answer(connection, node)
            except _Failed as failed:
                if not failed.is_answer or not is_transient(failed.fault):
                    self._drop_all()
                    raise
                if not self._lacks_script(failed.fault, commands[at], node):
                    self._topology = None
                again.append(at)
        if waits and not (self._read_raw(raw, RawAnswers.next_number, node) if raw else self._answer(connection, node)):
            self._topology = None
            return [*places]
        for at, answer in good.items():
            answers[at] = answer
        return again

    def _answer(self, connection: Connection, node: Node) -> Any:
        import redis

        try:
            return connection.read_response()
        except redis.ResponseError as fault:
            raise _Failed(fault, node, is_answer=True) from fault
        except Exception as fault:
            self._drop_all()
            raise _failed(fault, node) from fault

    def _read_raw(self, raw: RawAnswers, read: Callable[[RawAnswers], Any], node: Node) -> Any:
        import redis

        try:
            if (message := raw.error()) is None:
                return read(raw)
        except OSError as fault:
            self._drop_all()
            raise _Failed(redis.exceptions.ConnectionError(str(fault)), node) from fault
        error = redis.connection.DefaultParser.parse_error(message)  # type: ignore[no-untyped-call]
        raise _Failed(error, node, is_answer=True)

    def _lacks_script(self, fault: Exception, command: Command, node: Node) -> bool:
        """Whether a node only lacks a script, which it then has from the next command on."""
        import redis

        if not isinstance(fault, redis.exceptions.NoScriptError) or command.script is None:
            return False
        self._state.missing.setdefault(node, {})[command.script.digest] = command.script
        return True

    def _ask(self, node: Node, parts: Sequence[Part]) -> Any:
        """The answer of one node. Raises _Failed."""
        self._write(node, [pack(parts)])
        return self._answer(self._connection(node), node)

    def _connections(self) -> dict[Node, Connection]:
        if self._state.process != os.getpid():
            self._state.connections, self._state.process = {}, os.getpid()
        return self._state.connections

    def _connection(self, node: Node) -> Connection:
        connections = self._connections()
        if node not in connections:
            connections[node] = _open_connection(self.address, node)
        for script in self._state.missing.pop(node, {}).values():
            connections[node].send_command("SCRIPT", "LOAD", script.text)  # type: ignore[no-untyped-call]
            connections[node].read_response()
        return connections[node]

    def _drop_all(self) -> None:
        """Close connections on which answers may be left over."""
        connections = self._connections()
        for connection in connections.values():
            connection.disconnect()  # type: ignore[no-untyped-call]
        connections.clear()

    def _read_topology(self) -> Topology:
        fault: _Failed | None = None
        for node in dict.fromkeys([*self.address.nodes, *self._known]):
            try:
                topology = self._topology_of(node)
            except _Failed as failed:
                if not is_transient(failed.fault):
                    raise to_store_error(failed.fault, node_text(*node)) from failed.fault
                fault = failed
                continue
            self._known = topology.nodes
            return topology
        assert fault
        if self._known:
            raise fault
        raise to_store_error(fault.fault, node_text(*fault.node)) from fault.fault

    _known: tuple[Node, ...] = ()

    def _topology_of(self, node: Node) -> Topology:
        import redis

        self._write(node, [pack(("INFO", "replication")), pack(("INFO", "cluster"))])
        connection = self._connection(node)
        replication, cluster = (_info(self._answer(connection, node)) for _ in range(2))
        if cluster.get("cluster_enabled") != "1":
            if replication.get("role") == "slave":
                raise _Failed(redis.ReadOnlyError("a replica"), node)
            has_replica = int(replication.get("connected_slaves", 0)) > 0
            return Topology((node,), (), frozenset([node] if has_replica else ()), is_cluster=False)
        topology = parse_slots(self._ask(node, ("CLUSTER", "SLOTS")), node)
        if topology is None:
            raise _Failed(redis.exceptions.ClusterDownError("CLUSTERDOWN slots without a node"), node)
        return topology


def _open_connection(address: RedisAddress, node: Node) -> Connection:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    host, port = node
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "db": address.database,
        "username": address.user,
        "password": address.password,
        "socket_timeout": ANSWER_TIMEOUT,
        "socket_connect_timeout": CONNECT_TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "client_name": "trialrun",
    }
    if not address.is_encrypted:
        return redis.Connection(**options)  # type: ignore[no-untyped-call]
    files: dict[str, Any] = {
        "ssl_ca_certs": address.ca,
        "ssl_certfile": address.certificate,
        "ssl_keyfile": address.key,
    }
    return redis.SSLConnection(**options, ssl_cert_reqs="required", ssl_check_hostname=True, **files)


def _failed(fault: Exception, node: Node) -> Exception:
    """A fault of a connection as one after which commands may be sent again; a fault of ours as it is."""
    import redis

    return _Failed(fault, node) if isinstance(fault, redis.RedisError | OSError) else fault


def _info(answer: bytes) -> dict[str, str]:
    """What INFO says, by name."""
    lines = answer.decode("utf-8", "replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)
